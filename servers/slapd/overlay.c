/* Hooks of overlays around operations: see overlay.h. */
#include "overlay.h"

#include "fop.h"
#include "select.h"
#include "server.h"
#include "slapd/backend.h"
#include "util/err.h"
#include "util/log.h"

/* What a hook returned where it may not ask to begin anew. */
static int
no_defer(const struct overlay *o, const struct op *op, int rc)
{
	if (rc != HB_EDEFER || !op->may_wait)
		return rc;
	log_printf(LOG_ANY, "overlay %s (%s: line %u) defers an operation that "
	    "may wait", o->type->name, o->file, o->line);
	return HB_EOTHER;
}

int
overlays_run(struct op *op, int (*inner)(struct op *))
{
	struct overlay **v = op->db->overlays;
	int rc = OVERLAY_CONTINUE;
	unsigned n;

	for (n = 0; v[n] != NULL; n++) {
		if (v[n]->type->before == NULL)
			continue;
		rc = no_defer(v[n], op, v[n]->type->before(v[n], op));
		if (rc != OVERLAY_CONTINUE)
			break;
	}
	if (rc == OVERLAY_CONTINUE)
		rc = inner(op);
	if (rc == HB_EDEFER)
		return rc;
	while (n-- > 0)
		if (v[n]->type->after != NULL)
			rc = v[n]->type->after(v[n], op, rc);
	return rc;
}

int
overlays_in_txn(struct be_txn *txn)
{
	int rc = HB_OK;

	for (struct overlay **v = txn->db->overlays; *v != NULL &&
	    rc == HB_OK; v++)
		if ((*v)->type->in_txn != NULL)
			rc = (*v)->type->in_txn(*v, txn);
	return rc;
}

int
overlays_on_entry(struct op *op, struct entry **e)
{
	struct overlay **v = op->db->overlays;
	unsigned n = 0;
	int rc = HB_OK;

	while (v[n] != NULL)
		n++;
	while (n-- > 0 && rc == HB_OK)
		if (v[n]->type->on_entry != NULL)
			rc = no_defer(v[n], op,
			    v[n]->type->on_entry(v[n], op, e));
	return rc;
}

void **
overlay_op_data(struct overlay *o, struct op *op)
{
	if (op->overlay_data == NULL)
		op->overlay_data = arena_calloc(op->arena,
		    fop_conf(fop_of(op))->noverlays,
		    sizeof(*op->overlay_data));
	return op->overlay_data != NULL ? &op->overlay_data[o->number] : NULL;
}

/* ---- entries ---- */

int
overlay_entry_new(struct op *op, const struct entry *like,
    const struct attrs *attrs, struct entry **e_r)
{
	struct server *srv = fop_of(op)->server;
	struct buf block;
	int rc;

	*e_r = NULL;
	/* the database's own numbers are not ours to add to */
	for (unsigned i = 0; i < attrs->n; i++) {
		const struct attr_desc *desc = attrs->v[i].desc;

		if (attr_dict_num(srv->dict, desc) != 0)
			continue;
		lk_lock(&srv->dict_lock);
		if (attr_dict_num(srv->dict, desc) == 0)
			attr_dict_add(srv->dict, desc, 0);
		lk_unlock(&srv->dict_lock);
	}
	buf_init(&block);
	if ((rc = entry_encode(attrs, srv->dict, &block)) == HB_OK)
		*e_r = entry_new(like->id, &like->dn, srv->dict,
		    buf_slice(&block));
	buf_fini(&block);
	return rc;
}

bool
op_wants_attr(const struct op *op, const struct attr_desc *desc)
{
	return op->kind == OP_SEARCH && op->req.search.select != NULL &&
	    select_has(op->req.search.select, desc);
}

/* ---- controls and extended operations ---- */

static const struct overlay_control *
control_of(const struct overlay *o, struct slice oid)
{
	const struct overlay_control *c = o->type->controls;

	for (; c != NULL && c->oid != NULL; c++)
		if (slice_is_eq(oid, slice_of(c->oid)))
			return c;
	return NULL;
}

const struct overlay_control *
overlays_find_control(const struct slapd_conf *conf, const struct be_db *db,
    struct slice oid)
{
	const struct overlay_control *c = NULL;

	for (struct overlay *o = conf->overlays; o != NULL && c == NULL;
	    o = o->next_of_all)
		if (db == NULL || o->db == db || o->db == conf->frontend)
			c = control_of(o, oid);
	return c;
}

const struct overlay_exop *
overlays_find_exop(const struct slapd_conf *conf, struct slice oid,
    struct overlay **ov_r)
{
	for (struct overlay *o = conf->overlays; o != NULL;
	    o = o->next_of_all) {
		const struct overlay_exop *x = o->type->exops;

		for (*ov_r = o; x != NULL && x->oid != NULL; x++)
			if (slice_is_eq(oid, slice_of(x->oid)))
				return x;
	}
	return NULL;
}

const struct ldap_control *
op_control(const struct op *op, const char *oid)
{
	const struct ldap_msg *msg = &fop_of(op)->msg;

	for (unsigned i = 0; (op->flags & OP_INTERNAL) == 0 &&
	    i < msg->ncontrols; i++)
		if (slice_is_eq(msg->controls[i].oid, slice_of(oid)))
			return &msg->controls[i];
	return NULL;
}

int
op_add_control(struct op *op, const char *oid, bool critical,
    struct slice value)
{
	struct fop *f = fop_of(op);
	struct ldap_control *all;
	struct slice copy = SLICE_NONE;

	if ((op->flags & OP_INTERNAL) != 0)
		return HB_OK;		/* nobody gets it */
	all = arena_calloc(op->arena, f->nresult_controls + 1, sizeof(*all));
	if (all == NULL || (!slice_is_none(value) &&
	    slice_is_none(copy = arena_slice(op->arena, value))))
		return HB_ELIMIT;
	if (f->nresult_controls > 0)
		memcpy(all, f->result_controls,
		    f->nresult_controls * sizeof(*all));
	all[f->nresult_controls++] = (struct ldap_control){
		slice_of(oid), critical, copy };
	f->result_controls = all;
	return HB_OK;
}
