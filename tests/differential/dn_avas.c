/*
 * What our parser makes of DN strings, for a script to compare. Reads lines:
 *
 *	objectidentifier NAME OID	attributetype DEFINITION
 *	type HEX	the name shown for an attribute type: "sn", or "-"
 *	dn HEX		"ok cn=41,dc=42+sn=43" (values in hex), or "refused WHY"
 */
#include <stdio.h>
#include <stdlib.h>

#include "dn.h"
#include "util/err.h"
#include "util/text.h"

static struct schema *schema;
static bool frozen;

static void
fail(const char *what, const char *why)
{
	fprintf(stderr, "dn_avas: %s: %s\n", what, why);
	exit(1);
}

static void
define(bool macro, char *rest)
{
	struct diag diag = DIAG_INIT;
	char *oid = strchr(rest, ' ');
	int rc = HB_EINVAL;

	if (macro && oid != NULL)
		rc = schema_add_macro(schema, slice(rest,
		    (size_t)(oid - rest)), slice_of(oid + 1), "stdin", 1,
		    NULL, &diag);
	else if (!macro)
		rc = schema_add_attr_type(schema, slice_of(rest), "stdin", 1,
		    NULL, &diag);
	if (rc != HB_OK)
		fail(rest, diag.text);
}

/* HEX in place to the octets it means. */
static struct slice
octets(char *hex)
{
	size_t n = strlen(hex) / 2, i;

	for (i = 0; i < n; i++)
		hex[i] = (char)(text_hex_value(hex[2 * i]) << 4 |
		    text_hex_value(hex[2 * i + 1]));
	return slice(hex, n);
}

static void
print_type(struct slice name)
{
	const struct attr_type *t = schema_find_type(schema, name);

	if (t == NULL)
		puts("-");
	else
		printf("%.*s\n", SLICE_ARG(t->desc.name));
}

static void
print_rdn(struct arena *arena, const struct dn *dn)
{
	struct ava *avas;
	unsigned n, i;
	size_t j;

	if (dn_rdn_avas(arena, schema, dn, &avas, &n) != HB_OK)
		fail("dn_rdn_avas", "refuses what dn_parse gave");
	for (i = 0; i < n; i++) {
		printf("%s%.*s=", i == 0 ? "" : "+",
		    SLICE_ARG(avas[i].desc->name));
		for (j = 0; j < avas[i].value.len; j++)
			printf("%02x", (uint8_t)avas[i].value.ptr[j]);
	}
}

static void
print_dn(struct arena *arena, struct slice text)
{
	struct diag diag = DIAG_INIT;
	struct dn dn;

	if (dn_parse(arena, schema, text, &dn, &diag) != HB_OK) {
		printf("refused %s\n", diag.text);
		return;
	}
	printf("ok ");
	for (; !dn_is_empty(&dn); dn = dn_parent(&dn)) {
		print_rdn(arena, &dn);
		if (dn_depth(&dn) > 1)
			putchar(',');
	}
	putchar('\n');
}

static void
one_line(struct arena *arena, char *line)
{
	char *rest = strchr(line, ' ');

	if (rest == NULL)
		fail(line, "not understood");
	*rest++ = '\0';
	if (strcmp(line, "attributetype") == 0 ||
	    strcmp(line, "objectidentifier") == 0) {
		define(line[0] == 'o', rest);
		return;
	}
	if (!frozen)
		schema_freeze(schema);
	frozen = true;
	if (strcmp(line, "type") == 0)
		print_type(octets(rest));
	else if (strcmp(line, "dn") == 0)
		print_dn(arena, octets(rest));
	else
		fail(line, "not understood");
	arena_reset(arena);
}

int
main(void)
{
	struct arena arena;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	dn_init();
	schema = schema_new();
	arena_init(&arena, 0);
	while ((n = getline(&line, &cap, stdin)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		one_line(&arena, line);
	}
	free(line);
	arena_fini(&arena);
	schema_free(&schema);
	return fflush(stdout) == 0 ? 0 : 1;
}
