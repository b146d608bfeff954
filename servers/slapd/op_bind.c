/* Bind (RFC 4511 4.2, 4513 5.1). */
#include <string.h>

#include "fop.h"
#include "passwd.h"
#include "server.h"
#include "slapd/access.h"
#include "slapd/backend.h"
#include "util/err.h"

enum { BIND_METHOD_SIMPLE = 128, BIND_METHOD_SASL = 163 };

/* Every bind makes the connection anonymous first. */
static void
bind_begin(struct fop *f)
{
	const struct ldap_req_bind *req = &f->msg.req.bind;
	struct op *op = &f->op;

	if (!dn_is_empty(&op->who->dn))
		stats_op(op, LOG_STATS,
		    "BIND anonymous mech=implicit bind_ssf=0 ssf=%u",
		    op->who->ssf);
	conn_set_identity(f->conn, &DN_EMPTY, NULL);
	if (!f->logged) {
		f->logged = true;
		stats_op(op, LOG_STATS, "BIND dn=\"%.*s\" method=%d",
		    SLICE_ARG(op->dn.text), req->is_sasl ? BIND_METHOD_SASL :
		    BIND_METHOD_SIMPLE);
	}
}

static int
bind_check_version(struct fop *f)
{
	int64_t version = f->msg.req.bind.version;

	if (version < 2 || version > 3)
		return diag_err(&f->op.diag, HB_EPROTO,
		    "requested protocol version not supported");
	if (version == 2 && !(fop_conf(f)->allows & ALLOW_BIND_V2))
		return diag_err(&f->op.diag, HB_EPROTO, "historical protocol "
		    "version requested, use LDAPv3 instead");
	f->conn->version = (unsigned)version;
	return HB_OK;
}

/* Binds without name or without password; HB_EEND: it has both. */
static int
bind_anonymous(struct fop *f)
{
	struct op *op = &f->op;
	const struct slapd_conf *conf = fop_conf(f);
	bool has_dn = !dn_is_empty(&op->dn);
	bool has_password = op->req.bind.password.len > 0;

	if (has_dn && has_password)
		return HB_EEND;
	if (has_dn && !(conf->allows & ALLOW_BIND_ANON_DN))
		return diag_err(&op->diag, HB_EUNWILLING, "unauthenticated "
		    "bind (DN with no password) disallowed");
	if (has_password && !(conf->allows & ALLOW_BIND_ANON_CRED))
		return HB_ECREDENTIALS;
	if (conf->disallows & DISALLOW_BIND_ANON)
		return diag_err(&op->diag, HB_EINAPPROPAUTH,
		    "anonymous bind disallowed");
	return fop_check_allowed(f);
}

/* The database decides, unless it is its rootdn with a rootpw. */
static int
bind_database(struct op *op)
{
	struct be_db *db = op->db;

	if (db->root_pw != NULL && !dn_is_empty(&db->root_dn) &&
	    dn_is_eq(&op->dn, &db->root_dn))
		return passwd_verify(slice_of(db->root_pw),
		    op->req.bind.password, op->may_wait);
	if (db->be->op[OP_BIND] == NULL)
		return HB_ECREDENTIALS;
	return fop_call_backend(op);
}

/* Nothing tells a client whether a name exists. */
static int
bind_hide(struct fop *f, int rc)
{
	struct op *op = &f->op;

	switch (rc) {
	case HB_ENOENT:
	case HB_EACCESS:
	case HB_REFERRAL:
	case HB_ENOSUCHATTR:
	case HB_EINAPPROPAUTH:
	case HB_ECREDENTIALS:
		diag_clear(&op->diag);
		op->matched = SLICE_NONE;
		op->nreferrals = 0;
		return HB_ECREDENTIALS;
	}
	return rc;
}

static int
bind_simple(struct fop *f)
{
	struct op *op = &f->op;
	int rc;

	if (fop_conf(f)->disallows & DISALLOW_BIND_SIMPLE)
		return diag_err(&op->diag, HB_EUNWILLING,
		    "unwilling to perform simple authentication");
	op->req.bind.password = f->msg.req.bind.password;
	if ((rc = bind_anonymous(f)) != HB_EEND)
		return rc;
	fop_route(f);
	op->is_root = false;
	if ((rc = fop_check_allowed(f)) != HB_OK)
		return rc;
	if (f->msg.ncontrols > 0 && f->has_db &&
	    (rc = controls_check_db(f)) != HB_OK)
		return rc;
	rc = f->has_db ? fop_overlaid(op, bind_database) : HB_ENOENT;
	if (rc == HB_OK) {
		conn_set_identity(f->conn, &op->dn, "SIMPLE");
		stats_op(op, LOG_STATS,
		    "BIND dn=\"%.*s\" mech=SIMPLE bind_ssf=0 ssf=%u",
		    SLICE_ARG(op->dn.text), op->who->ssf);
	}
	return bind_hide(f, rc);
}

int
op_run_bind(struct fop *f)
{
	struct op *op = &f->op;
	int rc = fop_target(f, f->msg.req.bind.dn);

	bind_begin(f);
	if (rc != HB_OK || (rc = bind_check_version(f)) != HB_OK)
		return rc;
	if (f->msg.req.bind.is_sasl)
		return diag_err(&op->diag, HB_EAUTHMETHOD,
		    "no SASL mechanism available");
	rc = bind_simple(f);
	if (rc == HB_OK)
		f->conn->has_bound = true;
	return rc;
}
