/*
 * Answers of operations. Entries are copied from their block into the output
 * buffer of the running thread: one copy where everything may be read and all
 * user attributes are wanted, a copy an attribute otherwise.
 */
#include "slapd/reply.h"

#include "ber.h"
#include "fop.h"
#include "loop.h"
#include "overlay.h"
#include "select.h"
#include "server.h"
#include "slapd/access.h"
#include "slapd/backend.h"
#include "util/err.h"
#include "util/text.h"

enum {
	/* a pool thread sends what it has gathered when it is this much, */
	REPLY_FLUSH_SIZE = 32 * 1024,
	/* or this old (us): results of a slow search are seen as they come */
	REPLY_FLUSH_AGE = 2000
};

enum ldap_result
op_result_code(int rc)
{
	static const enum ldap_result codes[] = {
#define HB_ERR(name, text, result) [name - HB_ERROR_BASE] = result,
#include "tbl/errors.tbl"
#undef HB_ERR
	};

	if (rc == HB_OK)
		return LDAP_SUCCESS;
	return rc > HB_ERROR_BASE && rc < HB_ERROR_END ?
	    codes[rc - HB_ERROR_BASE] : LDAP_OTHER;
}

/* Send what OP has so far, if it may wait and it is time. */
static int
reply_flush(struct fop *f)
{
	struct reply *r = &f->reply;
	int64_t now;

	if (!f->op.may_wait)
		return HB_OK;
	now = time_mono_us();
	if (r->out->len < REPLY_FLUSH_SIZE &&
	    now - r->flushed < REPLY_FLUSH_AGE)
		return HB_OK;
	r->flushed = now;
	if (conn_send(f->conn, r->out) != HB_OK)
		return HB_EDISCONNECT;
	if (conn_out_is_high(f->conn)) {
		turns_leave(f->server->turns, &f->turn);
		conn_out_wait(f->conn);
	}
	return op_is_stopped(&f->op) ? HB_EABANDONED : HB_OK;
}

/* ---- entries ---- */

/* PartialAttribute of DESC with those of its values that may be read. */
static void
put_readable(struct fop *f, const struct entry *e, struct entry_attr *a,
    struct buf *out)
{
	struct op *op = &f->op;
	struct ber_writer w;
	struct slice value, norm;
	struct entry_attr values = *a;
	size_t start = out->len, seq, set;
	unsigned allowed = 0, total = a->n;

	ber_writer_init(&w, out);
	seq = ber_begin(&w, BER_SEQUENCE);
	ber_put_octets(&w, BER_OCTETS, a->desc->name);
	set = ber_begin(&w, BER_SET);
	while (entry_value_next(&values, &value, &norm)) {
		if (!access_is_allowed(op, e, a->desc, value, norm,
		    ACCESS_READ))
			continue;
		allowed++;
		ber_put_octets(&w, BER_OCTETS, value);
	}
	ber_end(&w, set);
	ber_end(&w, seq);
	if (allowed == 0 && total > 0)
		out->len = start;
}

static void
put_name_only(struct buf *out, const struct attr_desc *desc)
{
	struct ber_writer w;
	size_t seq;

	ber_writer_init(&w, out);
	seq = ber_begin(&w, BER_SEQUENCE);
	ber_put_octets(&w, BER_OCTETS, desc->name);
	ber_put_header(&w, BER_SET, 0);
	ber_end(&w, seq);
}

static void
put_one_value(struct buf *out, const struct attr_desc *desc,
    struct slice value)
{
	struct ber_writer w;
	size_t seq, set;

	ber_writer_init(&w, out);
	seq = ber_begin(&w, BER_SEQUENCE);
	ber_put_octets(&w, BER_OCTETS, desc->name);
	set = ber_begin(&w, BER_SET);
	ber_put_octets(&w, BER_OCTETS, value);
	ber_end(&w, set);
	ber_end(&w, seq);
}

static void
put_stored(struct fop *f, const struct entry *e, bool all, struct buf *out)
{
	const struct op_search *s = &f->op.req.search;
	unsigned n = entry_nattrs(e);
	struct entry_attr a;

	if (all && !s->types_only && s->select->nexcluded == 0 &&
	    s->select->user_all && s->select->operational_all) {
		buf_put_slice(out, entry_user_wire(e));
		buf_put_slice(out, entry_operational_wire(e));
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		entry_attr_at(e, i, &a);
		if (!select_has(s->select, a.desc))
			continue;
		if (s->types_only) {
			if (all || access_is_allowed(&f->op, e, a.desc,
			    SLICE_NONE, SLICE_NONE, ACCESS_READ))
				put_name_only(out, a.desc);
		} else if (all) {
			buf_put_slice(out, a.element);
		} else {
			put_readable(f, e, &a, out);
		}
	}
}

/* An operation that has sent something cannot begin anew. */
static bool
has_sent(const struct fop *f)
{
	return f->reply.nentries > 0 || f->reply.nreferences > 0;
}

/* Value of the computed attribute I (select.h); NONE: it has none. */
static int
computed_value(struct fop *f, const struct entry *e, unsigned i,
    struct slice *value_r)
{
	struct op *op = &f->op;
	bool has = false, may_wait = op->may_wait;
	int rc;

	*value_r = SLICE_NONE;
	switch (1u << i) {
	case SELECT_ENTRY_DN:
		*value_r = e->dn.text;
		return HB_OK;
	case SELECT_SUBSCHEMA:
		*value_r = slapd_db_conf(op->db)->schema_dn.text;
		return HB_OK;
	}
	if (e->id == ENTRY_ID_NONE || op->db->be == NULL ||
	    op->db->be->has_children == NULL)
		return HB_OK;
	op->may_wait = may_wait || has_sent(f);
	rc = op->db->be->has_children(op->db, op, e, &has);
	op->may_wait = may_wait;
	*value_r = has ? SLICE("TRUE") : SLICE("FALSE");
	return rc;
}

static int
put_computed(struct fop *f, const struct entry *e, bool all, struct buf *out)
{
	const struct op_search *s = &f->op.req.search;
	struct slice value;
	int rc = HB_OK;

	for (unsigned i = 0; i < SELECT_NCOMPUTED && rc == HB_OK; i++) {
		const struct attr_desc *desc = f->server->computed[i];

		if (!(s->select->computed & 1u << i) || (!all &&
		    !access_is_allowed(&f->op, e, desc, SLICE_NONE,
		    SLICE_NONE, ACCESS_READ)))
			continue;
		rc = computed_value(f, e, i, &value);
		if (rc != HB_OK || slice_is_none(value))
			continue;
		if (s->types_only)
			put_name_only(out, desc);
		else
			put_one_value(out, desc, value);
	}
	return rc;
}

/* What of E is sent, as one slice: in the entry, or in the scratch buffer. */
static int
entry_attributes(struct fop *f, const struct entry *e, bool all,
    struct slice *attrs_r)
{
	const struct op_search *s = &f->op.req.search;
	struct buf *b = &f->reply.scratch;
	int rc;

	if (all && s->select->is_plain && !s->types_only) {
		*attrs_r = entry_user_wire(e);
		return HB_OK;
	}
	buf_reset(b);
	put_stored(f, e, all, b);
	rc = s->select->computed != 0 ? put_computed(f, e, all, b) : HB_OK;
	*attrs_r = buf_slice(b);
	return rc;
}

/* May the requester read E at all? *all_r: and everything in it. */
static bool
entry_is_readable(struct op *op, const struct entry *e, bool *all_r)
{
	enum access_verdict v = op->is_root || (op->flags & OP_INTERNAL) ?
	    ACCESS_EVERYTHING : access_scan(op, e, ACCESS_READ);

	*all_r = v == ACCESS_EVERYTHING;
	return v == ACCESS_EVERYTHING || (v == ACCESS_SOME &&
	    access_is_allowed(op, e, access_entry_desc(op), SLICE_NONE,
	    SLICE_NONE, ACCESS_READ));
}

static int
send_entry(struct fop *f, const struct entry *e, bool all)
{
	struct op *op = &f->op;
	struct slice attrs;
	int rc;

	if ((rc = entry_attributes(f, e, all, &attrs)) != HB_OK)
		return rc;
	ldap_encode_entry(f->reply.out, op->msgid, e->dn.text, attrs, NULL, 0);
	f->reply.nentries++;
	stats_op(op, LOG_STATS2, "ENTRY dn=\"%.*s\"", SLICE_ARG(e->dn.text));
	return reply_flush(f);
}

/* E as overlays want it to be seen. */
static int
send_overlaid(struct fop *f, struct entry *e, bool all)
{
	struct op *op = &f->op;
	struct entry *shown = entry_ref(e);
	bool may_wait = op->may_wait;
	int rc;

	op->may_wait = may_wait || has_sent(f);
	rc = overlays_on_entry(op, &shown);
	op->may_wait = may_wait;
	if (rc == OVERLAY_SKIP || (rc == HB_OK && shown != e &&
	    !entry_is_readable(op, shown, &all)))
		rc = HB_OK;
	else if (rc == HB_OK)
		rc = send_entry(f, shown, all);
	entry_unref(&shown);
	return rc;
}

int
reply_entry(struct op *op, struct entry *e)
{
	struct fop *f = fop_of(op);
	struct reply *r = op->reply;
	bool all;

	if (op_is_stopped(op))
		return HB_EABANDONED;
	if (op->on_entry != NULL)
		return op->on_entry(op, e, op->on_entry_arg);
	if (!entry_is_readable(op, e, &all))
		return HB_OK;
	if (op->req.search.size_limit != 0 &&
	    r->nentries >= op->req.search.size_limit)
		return HB_ESIZELIMIT;
	return op->db->overlays == NULL ? send_entry(f, e, all) :
	    send_overlaid(f, e, all);
}

/* ---- references ---- */

/* URLs of E rewritten into op's arena: *urls_r, *n_r. */
static int
entry_urls(struct fop *f, const struct entry *e, const struct dn *target,
    int scope, struct slice **urls_r, unsigned *n_r)
{
	struct op *op = &f->op;
	struct entry_attr a;
	struct slice value, *urls;
	unsigned n = 0;

	*urls_r = NULL;
	*n_r = 0;
	if (!entry_find(e, f->server->ref, &a) || a.n == 0)
		return HB_OK;
	if ((urls = arena_calloc(op->arena, a.n, sizeof(*urls))) == NULL)
		return HB_ELIMIT;
	while (entry_value_next(&a, &value, NULL)) {
		urls[n] = referral_rewrite(f, value, &e->dn, target, scope);
		if (slice_is_none(urls[n]))
			return HB_ELIMIT;
		n++;
	}
	*urls_r = urls;
	*n_r = n;
	return HB_OK;
}

int
reply_reference(struct op *op, const struct entry *e)
{
	struct fop *f = fop_of(op);
	struct reply *r = op->reply;
	struct slice *urls;
	unsigned n;
	int scope = op->req.search.scope == LDAP_SCOPE_ONE ?
	    LDAP_SCOPE_BASE : LDAP_SCOPE_SUB;
	int rc;

	if (op_is_stopped(op))
		return HB_EABANDONED;
	if ((op->flags & OP_DOMAIN_SCOPE) ||
	    !access_is_allowed(op, e, access_entry_desc(op), SLICE_NONE,
	    SLICE_NONE, ACCESS_READ) || !access_is_allowed(op, e,
	    f->server->ref, SLICE_NONE, SLICE_NONE, ACCESS_READ))
		return HB_OK;
	if ((rc = entry_urls(f, e, &e->dn, scope, &urls, &n)) != HB_OK ||
	    n == 0)
		return rc;
	ldap_encode_reference(r->out, op->msgid, urls, n, NULL, 0);
	r->nreferences++;
	for (unsigned i = 0; i < n; i++)
		stats_op(op, LOG_STATS2, "REF #%u \"%.*s\"", i,
		    SLICE_ARG(urls[i]));
	return reply_flush(f);
}

int
reply_referral(struct op *op, const struct entry *e, const struct dn *target)
{
	struct fop *f = fop_of(op);
	struct slice *urls;
	unsigned n;
	int rc, scope = op->kind == OP_SEARCH ? (int)op->req.search.scope : -1;

	if (!access_is_allowed(op, e, access_entry_desc(op), SLICE_NONE,
	    SLICE_NONE, ACCESS_DISCLOSE))
		return access_refuse(op, e);
	if ((rc = entry_urls(f, e, target, scope, &urls, &n)) != HB_OK)
		return rc;
	op->referrals = urls;
	op->nreferrals = n;
	op->matched = arena_slice(op->arena, e->dn.text);
	return HB_REFERRAL;
}

/* ---- results ---- */

/* What an operation that was told to stop is answered; false: nothing. */
static bool
stopped_result(struct fop *f, int *rc)
{
	switch (atomic_load_explicit(&f->op.stop, memory_order_relaxed)) {
	case OP_STOP_CANCEL:
		*rc = HB_ECANCELED;
		return true;
	case OP_STOP_SHUTDOWN:
		*rc = HB_EUNAVAILABLE;
		diag_clear(&f->op.diag);
		diag_set(&f->op.diag, "the server is shutting down");
		return true;
	default:
		return false;
	}
}

static void
encode_result(struct fop *f, const struct ldap_result_text *res)
{
	struct op *op = &f->op;
	struct buf *out = f->reply.out;

	if (op->kind == OP_BIND)
		ldap_encode_bind(out, op->msgid, res, SLICE_NONE,
		    f->result_controls, f->nresult_controls);
	else if (op->kind == OP_EXTENDED)
		ldap_encode_extended(out, op->msgid, res, f->response_oid,
		    f->response_value, f->result_controls,
		    f->nresult_controls);
	else
		ldap_encode_result(out, op->msgid,
		    ldap_response_tag(f->type->tag), res, f->result_controls,
		    f->nresult_controls);
}

static void
count_result(struct fop *f)
{
	struct stats *s = f->in_pool ? &f->server->stats :
	    &f->conn->loop->stats;
	void (*add)(atomic_uint_least64_t *, uint64_t) = f->in_pool ?
	    stats_add : stats_add_own;

	int64_t took = time_mono_us() - f->arrived;

	add(&s->completed[f->op.kind], 1);
	add(&s->latency[f->op.kind][latency_bucket(took > 0 ?
	    (uint64_t)took : 0)], 1);
	if (f->reply.nentries > 0)
		add(&s->entries, f->reply.nentries);
	if (f->reply.nreferences > 0)
		add(&s->references, f->reply.nreferences);
}

void
op_reply_result(struct fop *f, int rc)
{
	struct op *op = &f->op;
	struct ldap_result_text res = { 0 };

	count_result(f);
	if (rc == HB_EABANDONED && !stopped_result(f, &rc))
		return;
	if (rc == HB_EDISCONNECT)
		return;
	if (rc == HB_REFERRAL && op->nreferrals == 0)
		rc = HB_ENOENT;
	res.code = rc != HB_OK && op->code != 0 ?
	    (enum ldap_result)op->code : op_result_code(rc);
	res.matched = op->matched;
	res.text = slice_of(op->diag.text[0] != '\0' ? op->diag.text :
	    hb_strerror(rc));
	if (rc == HB_OK || rc == HB_COMPARE_TRUE || rc == HB_COMPARE_FALSE)
		res.text = SLICE("");
	if (rc == HB_REFERRAL) {
		res.referrals = op->referrals;
		res.nreferrals = op->nreferrals;
	}
	encode_result(f, &res);
	stats_result(f, res.code, res.text);
}

void
op_reply_notice(struct buf *out, int rc, struct slice text)
{
	struct ldap_result_text res = { 0 };

	res.code = op_result_code(rc);
	res.matched = SLICE("");
	res.text = text;
	ldap_encode_extended(out, 0, &res,
	    SLICE(LDAP_OID_NOTICE_OF_DISCONNECTION), SLICE_NONE, NULL, 0);
}
