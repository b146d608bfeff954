/*
 * RFC 4512 descriptions for cn=Subschema: what a definition said itself, with
 * OIDs resolved and names as they were first given; hidden ones left out.
 */
#include "schema_int.h"

struct describe {
	struct buf text;
	void (*cb)(struct slice, void *);
	void *arg;
};

static void
begin(struct describe *d, const char *oid)
{
	buf_reset(&d->text);
	buf_printf(&d->text, "( %s", oid);
}

static void
put_names(struct describe *d, const char *const *names)
{
	if (names[0] == NULL)
		return;
	if (names[1] == NULL) {
		buf_printf(&d->text, " NAME '%s'", names[0]);
		return;
	}
	buf_put_str(&d->text, " NAME (");
	for (; *names != NULL; names++)
		buf_printf(&d->text, " '%s'", *names);
	buf_put_str(&d->text, " )");
}

/*
 * RFC 4512 4.1 dstring. Files in the field have empty ones, a backslash that
 * escapes nothing, and Latin-1.
 */
static void
put_desc(struct describe *d, const char *desc)
{
	bool utf8;

	if (desc == NULL || *desc == '\0')
		return;
	utf8 = text_is_utf8(slice_of(desc));
	buf_put_str(&d->text, " DESC '");
	for (; *desc != '\0'; desc++) {
		unsigned char c = (unsigned char)*desc;

		if (c == '\\' && strncmp(desc, "\\27", 3) != 0 &&
		    strncasecmp(desc, "\\5c", 3) != 0) {
			buf_put_str(&d->text, "\\5C");
		} else if (c >= 0x80 && !utf8) {
			buf_put_char(&d->text, (char)(0xc0 | c >> 6));
			buf_put_char(&d->text, (char)(0x80 | (c & 0x3f)));
		} else {
			buf_put_char(&d->text, *desc);
		}
	}
	buf_put_char(&d->text, '\'');
}

static void
put_flag(struct describe *d, bool on, const char *key)
{
	if (on)
		buf_printf(&d->text, " %s", key);
}

static void
put_rule(struct describe *d, const char *key, const struct matching_rule *rule)
{
	buf_printf(&d->text, " %s %s", key, rule->name);
}

static const char *
type_name(const struct attr_type *t)
{
	return t->names[0] != NULL ? t->names[0] : t->oid;
}

static const char *
class_name(const struct object_class *c)
{
	return c->names[0] != NULL ? c->names[0] : c->oid;
}

/* "KEY a", "KEY ( a $ b )", or nothing; NAME gives the name of one. */
static void
put_list(struct describe *d, const char *key, const void *const *list,
    const char *(*name)(const void *))
{
	if (list[0] == NULL)
		return;
	if (list[1] == NULL) {
		buf_printf(&d->text, " %s %s", key, name(list[0]));
		return;
	}
	buf_printf(&d->text, " %s ( %s", key, name(*list++));
	for (; *list != NULL; list++)
		buf_printf(&d->text, " $ %s", name(*list));
	buf_put_str(&d->text, " )");
}

static const char *
any_type_name(const void *t)
{
	return type_name(t);
}

static const char *
any_class_name(const void *c)
{
	return class_name(c);
}

static void
put_types(struct describe *d, const char *key,
    const struct attr_type *const *types)
{
	put_list(d, key, (const void *const *)types, any_type_name);
}

static void
put_classes(struct describe *d, const char *key,
    const struct object_class *const *classes)
{
	put_list(d, key, (const void *const *)classes, any_class_name);
}

static void
finish(struct describe *d, const char *x_text)
{
	if (x_text != NULL && *x_text != '\0')
		buf_printf(&d->text, " %s", x_text);
	buf_put_str(&d->text, " )");
	d->cb(buf_slice(&d->text), d->arg);
}

static void
put_type_rules(struct describe *d, const struct type_row *row)
{
	const struct attr_type *t = &row->t;

	if (row->given & GIVEN_EQUALITY)
		put_rule(d, "EQUALITY", t->equality);
	if (row->given & GIVEN_ORDERING)
		put_rule(d, "ORDERING", t->ordering);
	if (row->given & GIVEN_SUBSTR)
		put_rule(d, "SUBSTR", t->substr);
	if (row->given & GIVEN_SYNTAX)
		buf_printf(&d->text, " SYNTAX %s", t->syntax->oid);
	if ((row->given & GIVEN_SYNTAX) && t->syntax_len > 0)
		buf_printf(&d->text, "{%u}", t->syntax_len);
}

static void
describe_type(struct describe *d, const struct type_row *row)
{
	static const char *const usages[] = {
		NULL, "directoryOperation", "distributedOperation",
		"dSAOperation"
	};
	const struct attr_type *t = &row->t;

	if (t->flags & AT_HIDDEN)
		return;
	begin(d, t->oid);
	put_names(d, t->names);
	put_desc(d, t->desc_text);
	put_flag(d, t->flags & AT_OBSOLETE, "OBSOLETE");
	if (t->sup != NULL)
		buf_printf(&d->text, " SUP %s", type_name(t->sup));
	put_type_rules(d, row);
	put_flag(d, t->flags & AT_SINGLE_VALUE, "SINGLE-VALUE");
	put_flag(d, t->flags & AT_COLLECTIVE, "COLLECTIVE");
	put_flag(d, t->flags & AT_NO_USER_MOD, "NO-USER-MODIFICATION");
	if (usages[t->usage] != NULL)
		buf_printf(&d->text, " USAGE %s", usages[t->usage]);
	finish(d, row->x_text.ptr);
}

static void
describe_class(struct describe *d, const struct class_row *row)
{
	static const char *const kinds[] = {
		"ABSTRACT", "STRUCTURAL", "AUXILIARY"
	};
	const struct object_class *c = &row->c;

	if (c->hidden)
		return;
	begin(d, c->oid);
	put_names(d, c->names);
	put_desc(d, c->desc_text);
	put_flag(d, c->obsolete, "OBSOLETE");
	put_classes(d, "SUP", c->sups);
	put_flag(d, true, kinds[c->kind]);
	put_types(d, "MUST", c->must);
	put_types(d, "MAY", c->may);
	finish(d, row->x_text.ptr);
}

static void
describe_crule(struct describe *d, const struct crule_row *row)
{
	begin(d, row->r.oid);
	put_names(d, row->r.names);
	put_desc(d, row->desc_text);
	put_flag(d, row->r.obsolete, "OBSOLETE");
	put_classes(d, "AUX", row->r.aux);
	put_types(d, "MUST", row->r.must);
	put_types(d, "MAY", row->r.may);
	put_types(d, "NOT", row->r.not);
	finish(d, row->x_text.ptr);
}

static void
describe_syntax(struct describe *d, const struct syntax *s)
{
	if (s->flags & SYN_HIDDEN)
		return;
	begin(d, s->oid);
	if (s->desc[0] != '\0')
		put_desc(d, s->desc);
	finish(d, s->x_text);
}

static void
describe_rule(struct describe *d, const struct matching_rule *r)
{
	if (r->kind & MR_HIDDEN)
		return;
	begin(d, r->oid);
	buf_printf(&d->text, " NAME '%s' SYNTAX %s", r->name, r->syntax->oid);
	finish(d, NULL);
}

/* RFC 4512 4.1.4; a rule that no type can use is not listed. */
static void
describe_rule_use(struct describe *d, const struct schema *schema,
    const struct matching_rule *r)
{
	const struct attr_type *t;
	size_t i, n = 0;

	if (r->kind & MR_HIDDEN)
		return;
	begin(d, r->oid);
	buf_printf(&d->text, " NAME '%s' APPLIES ", r->name);
	for (i = 0; i < schema->type_list.n; i++) {
		t = schema->type_list.rows[i];
		if ((t->flags & AT_HIDDEN) || !schema_rule_applies(r, t))
			continue;
		buf_printf(&d->text, "%s%s", n++ == 0 ? "( " : " $ ",
		    type_name(t));
	}
	if (n == 0)
		return;
	buf_put_str(&d->text, " )");
	finish(d, NULL);
}

static void
describe_rules(struct describe *d, const struct schema *schema, bool use)
{
	unsigned i;

	for (i = 0; i < schema_rule_count; i++) {
		if (use)
			describe_rule_use(d, schema, &schema_rule_rows[i].r);
		else
			describe_rule(d, &schema_rule_rows[i].r);
	}
}

void
schema_describe(const struct schema *schema, enum schema_kind kind,
    void (*cb)(struct slice description, void *arg), void *arg)
{
	struct describe d = { .cb = cb, .arg = arg };
	size_t i;

	buf_init(&d.text);
	switch (kind) {
	case SCHEMA_SYNTAXES:
		for (i = 0; i < schema->syntax_list.n; i++)
			describe_syntax(&d, schema->syntax_list.rows[i]);
		break;
	case SCHEMA_RULES:
	case SCHEMA_RULE_USES:
		describe_rules(&d, schema, kind == SCHEMA_RULE_USES);
		break;
	case SCHEMA_TYPES:
		for (i = 0; i < schema->type_list.n; i++)
			describe_type(&d, schema->type_list.rows[i]);
		break;
	case SCHEMA_CLASSES:
		for (i = 0; i < schema->class_list.n; i++)
			describe_class(&d, schema->class_list.rows[i]);
		break;
	case SCHEMA_CONTENT_RULES:
		for (i = 0; i < schema->crule_list.n; i++)
			describe_crule(&d, schema->crule_list.rows[i]);
		break;
	}
	buf_fini(&d.text);
}
