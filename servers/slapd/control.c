/*
 * Controls (RFC 4511 4.1.11) as a table: OID, operations, what to do. Those
 * that ask the database for something must be honoured by it.
 */
#include <string.h>

#include "fop.h"
#include "overlay.h"
#include "server.h"
#include "slapd/backend.h"
#include "util/err.h"
#include "util/log.h"

#define ON(kind)	(1u << (kind))
#define ON_UPDATES	(ON(OP_ADD) | ON(OP_DELETE) | ON(OP_MODIFY) | \
			ON(OP_MODRDN))
#define ON_ACCESS	(ON_UPDATES | ON(OP_SEARCH) | ON(OP_COMPARE))

enum control_flags {
	CTL_HIDDEN = 1,		/* not in supportedControl */
	CTL_BACKEND = 2,	/* the backend must list it */
	CTL_NO_VALUE = 4	/* a value is a protocol error */
};

struct control_type {
	const char *oid;
	unsigned on;		/* operations */
	unsigned flags;
	unsigned op_flag;	/* what it sets, unless apply does */
	int (*apply)(struct fop *, const struct ldap_control *);
};

/* RFC 3672: the value is one BER BOOLEAN. */
static int
apply_subentries(struct fop *f, const struct ldap_control *c)
{
	if (c->value.len != 3 || c->value.ptr[0] != BER_BOOLEAN ||
	    c->value.ptr[1] != 1)
		return diag_err(&f->op.diag, HB_EPROTO,
		    "subentries control value is not a boolean");
	if (c->value.ptr[2] != 0)
		f->op.flags |= OP_SUBENTRIES;
	return HB_OK;
}

/* Some clients send an empty value, which says nothing. */
static int
apply_domain_scope(struct fop *f, const struct ldap_control *c)
{
	if (c->value.len > 0)
		return diag_err(&f->op.diag, HB_EPROTO,
		    "domainScope control value not absent");
	f->op.flags |= OP_DOMAIN_SCOPE;
	return HB_OK;
}

static const struct control_type control_types[] = {
	{ "2.16.840.1.113730.3.4.2", ON_ACCESS, CTL_BACKEND | CTL_NO_VALUE,
	    OP_MANAGE_DSAIT, NULL },
	{ "1.3.6.1.4.1.4203.1.10.1", ON(OP_SEARCH), CTL_BACKEND, 0,
	    apply_subentries },
	{ "1.2.840.113556.1.4.1413", ON(OP_MODIFY),
	    CTL_HIDDEN | CTL_BACKEND | CTL_NO_VALUE, OP_PERMISSIVE, NULL },
	{ "1.2.840.113556.1.4.1339", ON(OP_SEARCH), CTL_HIDDEN, 0,
	    apply_domain_scope },
	{ "1.3.6.1.4.1.4203.666.5.2", ON_UPDATES,
	    CTL_HIDDEN | CTL_BACKEND | CTL_NO_VALUE, OP_NOOP, NULL }
};

enum { NCONTROLS = sizeof(control_types) / sizeof(control_types[0]) };

const char *
control_oid(unsigned i, bool *hidden_r)
{
	if (i >= NCONTROLS)
		return NULL;
	*hidden_r = control_types[i].flags & CTL_HIDDEN;
	return control_types[i].oid;
}

static const struct control_type *
control_find(struct slice oid)
{
	for (unsigned i = 0; i < NCONTROLS; i++)
		if (slice_is_eq(oid, slice_of(control_types[i].oid)))
			return &control_types[i];
	return NULL;
}

/* One that some overlay may know; which, and where, is seen after routing. */
static int
overlay_control(struct fop *f, const struct ldap_control *c)
{
	const struct overlay_control *o;

	if (!c->critical)
		return HB_OK;
	o = overlays_find_control(fop_conf(f), NULL, c->oid);
	return o != NULL && (o->on & ON(f->op.kind)) ? HB_OK : HB_ECRITICAL;
}

/* Bit of a known control; bits of those seen are in *SEEN. */
static int
control_apply(struct fop *f, const struct ldap_control *c, unsigned *seen)
{
	const struct control_type *t = control_find(c->oid);
	unsigned bit;

	if (t == NULL)
		return overlay_control(f, c);
	bit = 1u << (t - control_types);
	if (*seen & bit)
		return diag_err(&f->op.diag, HB_EPROTO,
		    "control %s specified multiple times", t->oid);
	*seen |= bit;
	if (!(t->on & ON(f->op.kind)))
		return c->critical ? diag_err(&f->op.diag, HB_ECRITICAL,
		    "critical extension is unavailable") : HB_OK;
	if ((t->flags & CTL_NO_VALUE) && !slice_is_none(c->value))
		return diag_err(&f->op.diag, HB_EPROTO,
		    "control %s has a value, which it must not", t->oid);
	if (t->apply != NULL)
		return t->apply(f, c);
	f->op.flags |= t->op_flag;
	return HB_OK;
}

int
controls_apply(struct fop *f)
{
	unsigned seen = 0;
	int rc = HB_OK;

	for (unsigned i = 0; i < f->msg.ncontrols && rc == HB_OK; i++)
		rc = control_apply(f, &f->msg.controls[i], &seen);
	return rc;
}

static bool
backend_honours(const struct be_db *db, const char *oid)
{
	for (const char *const *p = db->be->controls; p != NULL && *p != NULL;
	    p++)
		if (strcmp(*p, oid) == 0)
			return true;
	return false;
}

int
controls_check_db(struct fop *f)
{
	for (unsigned i = 0; i < f->msg.ncontrols; i++) {
		const struct ldap_control *c = &f->msg.controls[i];
		const struct control_type *t = control_find(c->oid);

		if (t == NULL && c->critical && overlays_find_control(
		    fop_conf(f), f->op.db, c->oid) == NULL)
			return diag_err(&f->op.diag, HB_ECRITICAL,
			    "critical control unavailable in context");
		if (t == NULL || !(t->flags & CTL_BACKEND) ||
		    !(t->on & ON(f->op.kind)) ||
		    backend_honours(f->op.db, t->oid))
			continue;
		if (c->critical)
			return diag_err(&f->op.diag, HB_ECRITICAL,
			    "critical control unavailable in context");
		log_printf(LOG_ANY, "conn=%llu op=%u control %s is not "
		    "honoured by the database: ignored",
		    (unsigned long long)f->op.connid, f->op.opid, t->oid);
		f->op.flags &= ~(t->apply == apply_subentries ?
		    (unsigned)OP_SUBENTRIES : t->op_flag);
	}
	return HB_OK;
}
