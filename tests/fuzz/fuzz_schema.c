/*
 * Schema: the first octet says what the rest is. Definitions are added to a
 * schema that lives for one input; values go to every syntax and rule.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "schema.h"
#include "util/lock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
ignore(struct slice text, void *arg)
{
	(void)text;
	(void)arg;
}

static void
fuzz_definition(char kind, struct slice text)
{
	struct schema *s = schema_new();
	struct diag diag = DIAG_INIT;
	int k;

	switch (kind) {
	case 'c':
		schema_add_object_class(s, text, "f", 1, NULL, &diag);
		break;
	case 'r':
		schema_add_content_rule(s, text, "f", 1, NULL, &diag);
		break;
	case 's':
		schema_add_syntax(s, text, "f", 1, NULL, &diag);
		break;
	default:
		schema_add_attr_type(s, text, "f", 1, NULL, &diag);
	}
	schema_freeze(s);
	for (k = SCHEMA_SYNTAXES; k <= SCHEMA_CONTENT_RULES; k++)
		schema_describe(s, (enum schema_kind)k, ignore, NULL);
	schema_free(&s);
}

static void
fuzz_desc(struct slice text)
{
	struct schema *s = schema_new();
	const struct attr_desc *d, *again;
	struct diag diag = DIAG_INIT;

	schema_freeze(s);
	(void)schema_desc(s, text, &d, &diag);
	if (schema_desc_any(s, text, &d) == HB_OK) {
		hb_assert(schema_desc_any(s, d->name, &again) == HB_OK);
		hb_assert(d == again);
	}
	schema_free(&s);
}

/*
 * A normal form is its own normal form, save where it is no text at all (UUID)
 * or is a part of the value, which may look like a whole value again.
 */
static bool
is_norm_stable(const struct matching_rule *r)
{
	return strncmp(r->name, "UUID", 4) != 0 &&
	    strstr(r->name, "FirstComponent") == NULL;
}

static void
fuzz_rule(const struct schema *s, const struct matching_rule *r,
    struct slice value)
{
	struct slice norm, again;
	struct arena arena;
	struct buf key;
	int part;

	arena_init(&arena, 1 << 20);
	buf_init(&key);
	for (part = SUBSTR_WHOLE; part <= SUBSTR_FINAL; part++) {
		if (r->normalise(s, &arena, (enum substr_part)part, value,
		    &norm) != HB_OK)
			continue;
		if (r->order_key != NULL)
			r->order_key(norm, &key);
		if (r->compare != NULL)
			hb_assert(r->compare(norm, norm) == 0);
		if (r->match != NULL)
			(void)r->match(s, norm, norm);
		(void)schema_frame(r, (enum substr_part)part, norm, &key);
		if (is_norm_stable(r) && r->normalise(s, &arena,
		    (enum substr_part)part, norm, &again) == HB_OK)
			hb_assert(slice_is_eq(norm, again));
	}
	arena_fini(&arena);
	buf_fini(&key);
}

static void
fuzz_value(struct slice value)
{
	static const char *const rules[] = {
		"caseIgnoreMatch", "caseExactMatch", "caseIgnoreIA5Match",
		"numericStringMatch", "telephoneNumberMatch",
		"caseIgnoreListMatch", "integerMatch", "booleanMatch",
		"bitStringMatch", "generalizedTimeMatch", "UUIDMatch",
		"CSNMatch", "CSNSIDMatch", "objectIdentifierMatch",
		"objectIdentifierFirstComponentMatch", "uniqueMemberMatch",
		"integerFirstComponentMatch", "integerBitAndMatch",
		"directoryStringApproxMatch", "IA5StringApproxMatch",
		"dnSubtreeMatch", "dnOneLevelMatch", "UUIDOrderingMatch",
		"caseIgnoreSubstringsMatch", "caseExactSubstringsMatch",
		"caseIgnoreListSubstringsMatch",
		"numericStringSubstringsMatch",
		"telephoneNumberSubstringsMatch",
		"directoryStringFirstComponentMatch", "integerBitOrMatch",
		"wordMatch", "keywordMatch", "storedPrefixMatch"
	};
	static const char *const syntaxes[] = {
		"5", "6", "8", "11", "14", "15", "22", "24", "26", "27",
		"28", "34", "36", "38", "39", "41", "44", "50", "53",
		"3", "16", "17", "21", "25", "30", "31", "35", "37", "45",
		"51", "52", "54", "58", NULL
	};
	static struct schema *s;
	const struct syntax *syn;
	char oid[64];
	unsigned i;

	if (s == NULL) {
		s = schema_new();
		schema_freeze(s);
	}
	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		fuzz_rule(s, schema_find_rule(s, slice_of(rules[i])), value);
	for (i = 0; syntaxes[i] != NULL; i++) {
		snprintf(oid, sizeof(oid), "1.3.6.1.4.1.1466.115.121.1.%s",
		    syntaxes[i]);
		syn = schema_find_syntax(s, slice_of(oid));
		if (syn->validate != NULL)
			(void)syn->validate(s, value);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice rest;

	if (size == 0)
		return 0;
	rest = slice(data + 1, size - 1);
	if (data[0] == 'd')
		fuzz_desc(rest);
	else if (data[0] == 'v')
		fuzz_value(rest);
	else
		fuzz_definition((char)data[0], rest);
	return 0;
}
