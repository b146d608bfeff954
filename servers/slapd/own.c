#include "own.h"

#include <string.h>

#include "fop.h"
#include "server.h"
#include "util/err.h"
#include "util/log.h"
#include "util/mem.h"

void
own_begin(struct own_entry *o, struct server *srv)
{
	memset(o, 0, sizeof(*o));
	o->server = srv;
	arena_init(&o->arena, 0);
}

static void
own_refused(const char *name, const struct diag *diag)
{
	log_printf(LOG_ANY, "own entry: %s left out: %s", name, diag->text);
}

void
own_add_attr(struct own_entry *o, const struct attr *a)
{
	attr_dict_add(o->server->dict, a->desc, 0);
	attrs_add(&o->arena, &o->attrs, a);
}

static void
own_flush(struct own_entry *o)
{
	struct schema *schema = o->server->conf->schema;
	const struct attr_desc *desc;
	struct diag diag = DIAG_INIT;
	struct attr a;

	if (o->n == 0)
		return;
	if (schema_desc(schema, slice_of(o->name), &desc, &diag) != HB_OK ||
	    attr_make(&o->arena, schema, desc, o->values, o->n, &a,
	    &diag) != HB_OK)
		own_refused(o->name, &diag);
	else
		own_add_attr(o, &a);
	o->n = 0;
}

void
own_add(struct own_entry *o, const char *name, struct slice value)
{
	if (o->name == NULL || strcmp(o->name, name) != 0) {
		own_flush(o);
		/* attr_make() borrows the array */
		o->values = NULL;
		o->cap = 0;
	}
	o->name = name;
	if (o->n == o->cap) {
		size_t cap = o->cap == 0 ? 16 : o->cap * 2;
		struct slice *v = arena_calloc(&o->arena, cap, sizeof(*v));

		if (o->n > 0)
			memcpy(v, o->values, o->n * sizeof(*v));
		o->values = v;
		o->cap = cap;
	}
	o->values[o->n++] = arena_slice(&o->arena, value);
}

struct entry *
own_end(struct own_entry *o, const struct dn *dn)
{
	struct entry *e = NULL;
	struct buf block;

	own_flush(o);
	buf_init(&block);
	if (entry_encode(&o->attrs, o->server->dict, &block) == HB_OK)
		e = entry_new(ENTRY_ID_NONE, dn, o->server->dict,
		    buf_slice(&block));
	buf_fini(&block);
	arena_fini(&o->arena);
	return e;
}

struct entry *
own_find(struct fop *f)
{
	struct server *srv = f->server;
	const struct dn *dn = &f->op.dn;

	if (dn_is_empty(dn))
		return srv->root_dse;
	return srv->subschema != NULL && dn_is_eq(dn, &srv->subschema->dn) ?
	    srv->subschema : NULL;
}
