/* The matching rules and what they may be used with. */
#include <pthread.h>

#include "schema_int.h"

const struct rule_row schema_rule_rows[] = {
#define RULE(oid, name, syn, kind, norm, cmp, key, match, fams, approx)	\
	{ { oid, #name, &schema_syntax_rows[SX_##syn].s, kind, norm,	\
	    cmp, key, match }, fams, approx },
#include "tbl/matching_rules.tbl"
#undef RULE
};
const unsigned schema_rule_count =
    sizeof(schema_rule_rows) / sizeof(schema_rule_rows[0]);

static pthread_once_t map_once = PTHREAD_ONCE_INIT;
static struct strmap *rule_map;

static void
build_map(void)
{
	const struct rule_row *row;
	unsigned i;

	rule_map = strmap_new(true);
	for (i = 0; i < schema_rule_count; i++) {
		row = &schema_rule_rows[i];
		strmap_set(rule_map, slice_of(row->r.oid),
		    (void *)(uintptr_t)row);
		strmap_set(rule_map, slice_of(row->r.name),
		    (void *)(uintptr_t)row);
	}
}

/* Rows are constants, so one map serves all schemas until the process ends. */
const struct strmap *
schema_rule_map(void)
{
	pthread_once(&map_once, build_map);
	return rule_map;
}

const struct matching_rule *
schema_find_rule(const struct schema *schema, struct slice text)
{
	(void)schema;
	return strmap_find(schema_rule_map(), text);
}

bool
schema_rule_applies(const struct matching_rule *rule,
    const struct attr_type *type)
{
	unsigned families = rule_row(rule)->families;

	if (type->flags & AT_UNDEFINED)
		return false;
	if (rule == type->equality || rule == type->ordering ||
	    rule == type->substr || rule == type->approx)
		return true;
	/* octet rules may be defined for every type; to offer them is noise */
	if (families == FAM_ANY)
		families = FAM_OCTETS;
	return (families & syntax_row(type->syntax)->family) != 0;
}
