/* How long parsing and normalising a DN takes. */
#include "bench.h"
#include "dn.h"
#include "schema.h"

static void
define(struct schema *schema, const char *text)
{
	struct diag diag = DIAG_INIT;

	if (schema_add_attr_type(schema, slice_of(text), "bench", 1, NULL,
	    &diag) != HB_OK) {
		fprintf(stderr, "%s\n", diag.text);
		exit(1);
	}
}

static void
parse(struct arena *arena, struct schema *schema, const char *text)
{
	struct dn dn;

	arena_reset(arena);
	if (dn_parse(arena, schema, slice_of(text), &dn, NULL) != HB_OK)
		abort();
}

int
main(void)
{
	struct schema *schema;
	struct arena arena;

	dn_init();
	schema = schema_new();
	define(schema, "( 2.5.4.11 NAME ( 'ou' 'organizationalUnitName' ) "
	    "SUP name )");
	define(schema, "( 0.9.2342.19200300.100.1.25 NAME ( 'dc' "
	    "'domainComponent' ) EQUALITY caseIgnoreIA5Match "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE )");
	schema_freeze(schema);
	arena_init(&arena, 0);
	BENCH("4 RDNs, lower case", 0, parse(&arena, schema,
	    "uid=user.12345,ou=people,dc=example,dc=com"));
	BENCH("4 RDNs, mixed case and blanks", 0, parse(&arena, schema,
	    "UID=User.12345, OU=People, DC=Example, DC=com"));
	BENCH("4 RDNs, escapes", 0, parse(&arena, schema,
	    "cn=Smith\\, John,ou=a\\+b,dc=example,dc=com"));
	BENCH("4 RDNs, UTF-8", 0, parse(&arena, schema,
	    "cn=J\xc3\xb6rg,ou=people,dc=example,dc=com"));
	arena_fini(&arena);
	schema_free(&schema);
	return 0;
}
