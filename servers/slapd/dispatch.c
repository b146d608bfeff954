/*
 * From a decoded message to its answer: controls, restrictions, routing,
 * overlays, the backend's function. What an operation does itself is in its
 * own file.
 */
#include <string.h>

#include "fop.h"
#include "overlay.h"
#include "own.h"
#include "route.h"
#include "server.h"
#include "slapd/access.h"
#include "slapd/backend.h"
#include "util/err.h"
#include "util/text.h"

#define HOW_OP_BIND	OP_MODE_INLINE, true, op_run_bind
#define HOW_OP_UNBIND	OP_MODE_NOW, false, NULL
#define HOW_OP_SEARCH	OP_MODE_INLINE, false, op_run_search
#define HOW_OP_COMPARE	OP_MODE_INLINE, false, op_run_compare
#define HOW_OP_MODIFY	OP_MODE_POOL, false, op_run_modify
#define HOW_OP_MODRDN	OP_MODE_POOL, false, op_run_modrdn
#define HOW_OP_ADD	OP_MODE_POOL, false, op_run_add
#define HOW_OP_DELETE	OP_MODE_POOL, false, op_run_delete
#define HOW_OP_ABANDON	OP_MODE_NOW, false, NULL
#define HOW_OP_EXTENDED	OP_MODE_INLINE, false, op_run_extended

static const struct op_type op_types[OP_KINDS] = {
#define OP(sym, name, tag, writes) \
	[sym] = { sym, name, tag, writes, HOW_##sym },
#include "tbl/ops.tbl"
#undef OP
};

static const struct op_type *const types_by_tag[256] = {
#define OP(sym, name, tag, writes)	[tag] = &op_types[sym],
#include "tbl/ops.tbl"
#undef OP
};

const struct op_type *
op_type_of(int tag)
{
	return tag >= 0 && tag < 256 ? types_by_tag[tag] : NULL;
}

int
fop_target(struct fop *f, struct slice text)
{
	struct op *op = &f->op;
	int rc = dn_parse(op->arena, op->schema, text, &op->dn, &op->diag);

	if (rc != HB_OK)
		op->dn = DN_EMPTY;
	return rc;
}

void
fop_route(struct fop *f)
{
	struct op *op = &f->op;
	struct be_db *db = route_find(fop_conf(f), &op->dn);

	f->has_db = db != NULL;
	op->db = db != NULL ? db : fop_conf(f)->frontend;
	op->is_root = !dn_is_empty(&op->db->root_dn) &&
	    dn_is_eq(&op->who->dn, &op->db->root_dn);
}

int
fop_no_database(struct fop *f)
{
	if (referral_default(f))
		return HB_REFERRAL;
	if (f->type->writes)
		return diag_err(&f->op.diag, HB_EUNWILLING,
		    "no database holds this name, and no referral is set");
	return HB_ENOENT;
}

int
fop_write_begin(struct fop *f)
{
	int rc;

	if (own_find(f) != NULL)
		return diag_err(&f->op.diag, HB_EUNWILLING,
		    "%s of %s is not supported", f->type->name,
		    dn_is_empty(&f->op.dn) ? "the root DSE" :
		    "the subschema entry");
	fop_route(f);
	if ((rc = fop_check_allowed(f)) != HB_OK)
		return rc;
	if (!f->has_db)
		return fop_no_database(f);
	return f->msg.ncontrols > 0 ? controls_check_db(f) : HB_OK;
}

int
fop_desc(struct fop *f, struct slice text, const struct attr_desc **desc_r)
{
	int rc = schema_desc(f->op.schema, text, desc_r, &f->op.diag);

	/* slapd's users know a malformed name as an undefined one */
	return rc == HB_ESYNTAX ? HB_EUNDEFTYPE : rc;
}

/* ---- restrictions ---- */

static int
check_restrict(struct fop *f, const struct slapd_db_conf *conf)
{
	struct op *op = &f->op;

	if (conf->restricts & (RESTRICT_OP(op->kind) | f->exop))
		return diag_err(&op->diag, HB_EUNWILLING,
		    "operation restricted");
	if (!f->type->writes)
		return HB_OK;
	if (op->db->read_only)
		return diag_err(&op->diag, HB_EUNWILLING,
		    "operation restricted: the database is read-only");
	if (atomic_load_explicit(&f->server->refuse_writes,
	    memory_order_relaxed))
		return diag_err(&op->diag, HB_EUNWILLING,
		    "operation restricted: the server is about to end");
	return HB_OK;
}

static int
check_security(struct fop *f, const struct conf_security *sec)
{
	const struct identity *who = f->op.who;
	const struct {
		unsigned have, need;
		bool applies;
		const char *text;
	} rows[] = {
		{ who->transport_ssf, sec->transport, true,
		    "transport confidentiality required" },
		{ who->tls_ssf, sec->tls, true, "TLS confidentiality required" },
		{ who->sasl_ssf, sec->sasl, f->type->kind != OP_BIND,
		    "SASL confidentiality required" },
		{ who->ssf, sec->ssf, f->type->kind != OP_BIND,
		    "confidentiality required" },
		{ who->ssf, sec->simple_bind, f->type->kind == OP_BIND &&
		    !f->msg.req.bind.is_sasl, "confidentiality required" },
		{ who->transport_ssf, sec->update_transport, f->type->writes,
		    "transport update confidentiality required" },
		{ who->tls_ssf, sec->update_tls, f->type->writes,
		    "TLS update confidentiality required" },
		{ who->sasl_ssf, sec->update_sasl, f->type->writes,
		    "SASL update confidentiality required" },
		{ who->ssf, sec->update_ssf, f->type->writes,
		    "update confidentiality required" }
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].applies && rows[i].have < rows[i].need)
			return diag_err(&f->op.diag, HB_ECONFIDENTIAL, "%s",
			    rows[i].text);
	return HB_OK;
}

static bool
security_is_set(const struct conf_security *s)
{
	return (s->ssf | s->transport | s->tls | s->sasl | s->update_ssf |
	    s->update_transport | s->update_tls | s->update_sasl |
	    s->simple_bind) != 0;
}

static int
check_require(struct fop *f, unsigned requires)
{
	const struct identity *who = f->op.who;
	bool anon = dn_is_empty(&who->dn);
	bool sasl = !anon && who->mech != NULL &&
	    strcmp(who->mech, "SIMPLE") != 0;
	const struct {
		unsigned bit;
		bool met;
		int err;
		const char *text;
	} rows[] = {
		{ REQUIRE_STRONG, sasl, HB_ESTRONGAUTH,
		    "strong(er) authentication required" },
		{ REQUIRE_SASL, sasl, HB_ESTRONGAUTH,
		    "SASL authentication required" },
		{ REQUIRE_AUTHC, !anon, HB_EUNWILLING,
		    "authentication required" },
		{ REQUIRE_BIND, f->conn->has_bound, HB_EOPERATIONS,
		    "BIND required" },
		{ REQUIRE_LDAPV3, f->conn->version >= 3, HB_EOPERATIONS,
		    "operations restricted to LDAPv3 clients" }
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((requires & rows[i].bit) && !rows[i].met)
			return diag_err(&f->op.diag, rows[i].err, "%s",
			    rows[i].text);
	return HB_OK;
}

int
fop_check_allowed(struct fop *f)
{
	const struct slapd_db_conf *conf = slapd_db_conf(f->op.db);
	int rc;

	if ((rc = check_restrict(f, conf)) != HB_OK)
		return rc;
	if (security_is_set(&conf->security) &&
	    (rc = check_security(f, &conf->security)) != HB_OK)
		return rc;
	if (f->type->kind == OP_BIND)
		return HB_OK;
	if (f->type->writes && dn_is_empty(&f->op.who->dn) &&
	    !(fop_conf(f)->allows & ALLOW_UPDATE_ANON))
		return diag_err(&f->op.diag, HB_ESTRONGAUTH,
		    "modifications require authentication");
	return conf->requires != 0 ? check_require(f, conf->requires) : HB_OK;
}

/* ---- execution ---- */

int
fop_call_backend(struct op *op)
{
	struct be_db *db = op->db;

	if (db->be->op[op->kind] == NULL)
		return diag_err(&op->diag, HB_EUNWILLING, "operation not "
		    "supported within naming context");
	return access_settle(op, db->be->op[op->kind](db, op));
}

int
fop_overlaid(struct op *op, int (*inner)(struct op *))
{
	return op->db->overlays == NULL ? inner(op) : overlays_run(op, inner);
}

int
fop_backend(struct fop *f)
{
	return fop_overlaid(&f->op, fop_call_backend);
}

int
fop_stamp(struct op *op, struct arena *arena, struct entry_stamp *stamp_r)
{
	char *time = arena_alloc(arena, 16);

	if (time == NULL)
		return HB_ELIMIT;
	stamp_r->csn = op_new_csn(arena, op->db->server_id);
	if (stamp_r->csn.ptr == NULL)
		return HB_ELIMIT;
	/* the time of the CSN, so that both say the same: its first 14 digits */
	memcpy(time, stamp_r->csn.ptr, 14);
	time[14] = 'Z';
	time[15] = '\0';
	stamp_r->time = slice(time, 15);
	stamp_r->who = op->who->dn;
	if (dn_is_empty(&stamp_r->who))
		return dn_parse(arena, op->schema, SLICE("cn=anonymous"),
		    &stamp_r->who, &op->diag);
	return HB_OK;
}

int
fop_run(struct fop *f, struct buf *out, int decode)
{
	size_t start = out->len;
	int rc = decode;

	f->reply.out = out;
	if (f->op.may_wait) {
		f->now = time_mono_us();
		f->reply.flushed = f->now;
	}
	if (rc == HB_OK)
		rc = controls_apply(f);
	if (rc == HB_OK)
		rc = access_settle(&f->op, f->type->run(f));
	if (rc == HB_EDEFER) {
		hb_assert(!f->op.may_wait);
		/* entries before the one whose access has to wait for the disk */
		out->len = start;
		return rc;
	}
	op_reply_result(f, rc);
	return HB_OK;
}
