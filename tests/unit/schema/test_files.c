/* The schema files that we ship: they load, in the usual order, and suffice. */
#include <errno.h>
#include <stdlib.h>

#include "schema_test.h"
#include "util/buf.h"

struct loader {
	struct schema *schema;
	const char *file;
	unsigned count;
};

static void
add_macro(struct loader *ld, struct slice rest)
{
	struct diag diag = DIAG_INIT;
	size_t n = 0;
	struct slice name;

	while (n < rest.len && rest.ptr[n] != ' ')
		n++;
	name = slice(rest.ptr, n);
	if (schema_add_macro(ld->schema, name, slice_skip(rest, n + 1),
	    ld->file, 0, NULL, &diag) != HB_OK)
		fail_msg("%s: %s", ld->file, diag.text);
}

/* One definition, its continuation lines joined. */
static void
add_line(struct loader *ld, struct slice line, unsigned no)
{
	struct diag diag = DIAG_INIT;
	struct slice rest;
	struct schema_note note = { .same = false };
	size_t n = 0;
	int rc = HB_EINVAL;

	if (line.len == 0 || line.ptr[0] == '#')
		return;
	while (n < line.len && line.ptr[n] != ' ')
		n++;
	rest = slice_skip(line, n < line.len ? n + 1 : n);
	line.len = n;
	ld->count++;
	if (slice_is_eq(line, SLICE("objectidentifier"))) {
		add_macro(ld, rest);
		return;
	}
	if (slice_is_eq(line, SLICE("attributetype")))
		rc = schema_add_attr_type(ld->schema, rest, ld->file, no,
		    &note, &diag);
	else if (slice_is_eq(line, SLICE("objectclass")))
		rc = schema_add_object_class(ld->schema, rest, ld->file, no,
		    &note, &diag);
	else if (slice_is_eq(line, SLICE("ldapsyntax")))
		rc = schema_add_syntax(ld->schema, rest, ld->file, no, &note,
		    &diag);
	if (rc != HB_OK || note.same)
		fail_msg("%s line %u: %s", ld->file, no,
		    note.same ? note.text : diag.text);
}

static void
load(struct loader *ld, const char *name)
{
	const char *top = getenv("top_srcdir");
	char path[1024], text[1024];
	struct buf logical;
	unsigned no = 0, start = 0;
	FILE *fp;

	snprintf(path, sizeof(path), "%s/doc/schema/%s.schema",
	    top != NULL ? top : ".", name);
	fp = fopen(path, "r");
	if (fp == NULL)
		fail_msg("%s: %s", path, strerror(errno));
	ld->file = name;
	buf_init(&logical);
	while (fgets(text, sizeof(text), fp) != NULL) {
		no++;
		text[strcspn(text, "\n")] = '\0';
		if (text[0] != '\t') {
			add_line(ld, buf_slice(&logical), start);
			buf_reset(&logical);
			start = no;
		} else {
			text[0] = ' ';
		}
		buf_put_str(&logical, text);
	}
	add_line(ld, buf_slice(&logical), start);
	fclose(fp);
	buf_fini(&logical);
}

static void
load_all(const char *const *names)
{
	struct loader ld = { schema_new(), NULL, 0 };

	for (; *names != NULL; names++)
		load(&ld, *names);
	assert_true(ld.count > 0);
	schema_freeze(ld.schema);
	schema_free(&ld.schema);
}

static const char *const orders[][16] = {
	{ "core", "cosine", "inetorgperson", "nis", "misc", "openldap",
	    "dyngroup", "ppolicy", "collective", "corba", "java", "duaconf",
	    "pmi", "dsee", "namedobject", NULL },
	{ "core", "cosine", "rfc2307bis", "inetorgperson", "ppolicy", NULL },
	{ "core", "dsee", "pmi", "duaconf", "java", "corba", "collective", "ppolicy",
	    "dyngroup", "misc", NULL },
};

static void
test_orders(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		load_all(orders[i]);
}

/* What users' entries need, and where it is. */
static const struct {
	const char *class, *attr;
} needs[] = {
	{ "inetOrgPerson", "mail" }, { "inetOrgPerson", "jpegPhoto" },
	{ "inetOrgPerson", "sn" }, { "inetOrgPerson", "telephoneNumber" },
	{ "posixAccount", "uidNumber" }, { "posixAccount", "loginShell" },
	{ "posixGroup", "memberUid" }, { "shadowAccount", "shadowMax" },
	{ "groupOfNames", "member" }, { "groupOfUniqueNames", "uniqueMember" },
	{ "dcObject", "dc" }, { "organization", "o" },
	{ "organizationalUnit", "ou" }, { "domain", "associatedName" },
	{ "account", "host" }, { "groupOfURLs", "memberURL" },
	{ "OpenLDAPperson", "favouriteDrink" }, { "pwdPolicy", "pwdMaxAge" },
	{ "simpleSecurityObject", "userPassword" },
	{ "inetLocalMailRecipient", "mailHost" }, { "nisNetgroup", "cn" },
	{ "ipHost", "ipHostNumber" }, { "organizationalRole", "roleOccupant" },
	{ "inetOrgPerson", "x500uniqueIdentifier" }, { "device", "owner" },
};

static void
test_needs(void **state)
{
	struct loader ld = { schema_new(), NULL, 0 };
	const struct object_class *oc;
	const struct attr_type *at;
	unsigned i;

	(void)state;
	for (i = 0; orders[0][i] != NULL; i++)
		load(&ld, orders[0][i]);
	schema_freeze(ld.schema);
	for (i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		oc = schema_find_class(ld.schema, slice_of(needs[i].class));
		at = schema_find_type(ld.schema, slice_of(needs[i].attr));
		if (oc == NULL || at == NULL || !object_class_allows(oc, at))
			fail_msg("%s %s", needs[i].class, needs[i].attr);
	}
	schema_free(&ld.schema);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
