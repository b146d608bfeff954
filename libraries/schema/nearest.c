/* Nearest known names, for messages about misspelt ones. */
#include "schema_int.h"

struct words {
	const char **list;
	size_t n, cap;
};

static void
word_add(struct words *w, const char *word)
{
	w->list = mem_grow(w->list, &w->cap, w->n + 1, sizeof(*w->list));
	w->list[w->n++] = word;
}

static void
names_add(struct words *w, const char *const *names)
{
	for (; *names != NULL; names++)
		word_add(w, *names);
}

static const char *
pick(struct words *w, struct slice text)
{
	const char *near = text_nearest(text, w->list, w->n);

	free(w->list);
	return near;
}

const char *
schema_nearest_type(const struct schema *schema, struct slice text)
{
	struct words w = { 0 };
	const struct attr_type *t;
	size_t i;

	for (i = 0; i < schema->type_list.n; i++) {
		t = schema->type_list.rows[i];
		if (!(t->flags & AT_HIDDEN))
			names_add(&w, t->names);
	}
	return pick(&w, text);
}

const char *
schema_nearest_class(const struct schema *schema, struct slice text)
{
	struct words w = { 0 };
	const struct object_class *c;
	size_t i;

	for (i = 0; i < schema->class_list.n; i++) {
		c = schema->class_list.rows[i];
		if (!c->hidden)
			names_add(&w, c->names);
	}
	return pick(&w, text);
}

const char *
schema_nearest_rule(const struct schema *schema, struct slice text)
{
	struct words w = { 0 };
	unsigned i;

	(void)schema;
	for (i = 0; i < schema_rule_count; i++)
		if (!(schema_rule_rows[i].r.kind & MR_HIDDEN))
			word_add(&w, schema_rule_rows[i].r.name);
	return pick(&w, text);
}

const char *
schema_nearest_syntax(const struct schema *schema, struct slice text)
{
	struct words w = { 0 };
	const struct syntax *s;
	size_t i;

	for (i = 0; i < schema->syntax_list.n; i++) {
		s = schema->syntax_list.rows[i];
		if (!(s->flags & SYN_HIDDEN))
			word_add(&w, s->oid);
	}
	return pick(&w, text);
}
