/*
 * A frozen schema with what the tests of dn, entry and filter speak of.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "dn.h"
#include "schema.h"
#include "util/err.h"

static const char *const sample_types[] = {
	"( 2.5.4.4 NAME ( 'sn' 'surname' ) SUP name )",
	"( 2.5.4.42 NAME ( 'givenName' 'gn' ) SUP name )",
	"( 2.5.4.11 NAME ( 'ou' 'organizationalUnitName' ) SUP name )",
	"( 2.5.4.10 NAME ( 'o' 'organizationName' ) SUP name )",
	"( 2.5.4.6 NAME ( 'c' 'countryName' ) SUP name "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.11 SINGLE-VALUE )",
	"( 0.9.2342.19200300.100.1.25 NAME ( 'dc' 'domainComponent' ) "
	    "EQUALITY caseIgnoreIA5Match SUBSTR caseIgnoreIA5SubstringsMatch "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE )",
	"( 0.9.2342.19200300.100.1.3 NAME ( 'mail' 'rfc822Mailbox' ) "
	    "EQUALITY caseIgnoreIA5Match SUBSTR caseIgnoreIA5SubstringsMatch "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.26{256} )",
	"( 2.5.4.20 NAME 'telephoneNumber' EQUALITY telephoneNumberMatch "
	    "SUBSTR telephoneNumberSubstringsMatch "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.50{32} )",
	"( 2.5.4.31 NAME 'member' SUP distinguishedName )",
	"( 2.5.4.50 NAME 'uniqueMember' EQUALITY uniqueMemberMatch "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.34 )",
	"( 1.1.1 NAME 'number' EQUALITY integerMatch "
	    "ORDERING integerOrderingMatch "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 )",
	"( 1.1.2 NAME 'blob' SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 )",
	"( 1.1.3 NAME 'exact' EQUALITY caseExactMatch "
	    "ORDERING caseExactOrderingMatch SUBSTR caseExactSubstringsMatch "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )",
	"( 1.1.4 NAME 'gone' OBSOLETE EQUALITY caseIgnoreMatch "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )",
	"( 1.1.5 NAME 'shared' EQUALITY caseIgnoreMatch "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 COLLECTIVE )",
	"( 1.1.6 NAME 'when' EQUALITY generalizedTimeMatch "
	    "ORDERING generalizedTimeOrderingMatch "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 )",
	"( 1.1.7 NAME 'list' EQUALITY caseIgnoreMatch "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 X-ORDERED 'VALUES' )",
	"( 1.1.8 NAME 'ranks' EQUALITY integerMatch "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 X-ORDERED 'VALUES' )",
	"( 1.1.9 NAME 'cert' SYNTAX 1.3.6.1.4.1.1466.115.121.1.8 )",
	"( 1.1.10 NAME 'mark' EQUALITY caseIgnoreMatch "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 "
	    "NO-USER-MODIFICATION USAGE directoryOperation )",
	"( 1.1.99 NAME 'lines' EQUALITY caseIgnoreListMatch "
	    "SUBSTR caseIgnoreListSubstringsMatch "
	    "SYNTAX 1.3.6.1.4.1.1466.115.121.1.41 )",
	NULL
};

static const char *const sample_classes[] = {
	"( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn ) "
	    "MAY ( userPassword $ telephoneNumber $ seeAlso $ description ) )",
	"( 2.5.6.7 NAME 'organizationalPerson' SUP person STRUCTURAL "
	    "MAY ( ou $ c ) )",
	"( 2.16.840.1.113730.3.2.2 NAME 'inetOrgPerson' "
	    "SUP organizationalPerson STRUCTURAL "
	    "MAY ( givenName $ mail $ uid $ o $ number $ blob $ exact $ gone "
	    "$ shared $ when ) )",
	"( 2.5.6.5 NAME 'organizationalUnit' SUP top STRUCTURAL MUST ou "
	    "MAY description )",
	"( 2.5.6.9 NAME 'groupOfNames' SUP top STRUCTURAL "
	    "MUST ( member $ cn ) MAY ( description $ uniqueMember ) )",
	"( 1.3.6.1.4.1.1466.344 NAME 'dcObject' SUP top AUXILIARY MUST dc )",
	"( 1.1.20 NAME 'account' SUP top STRUCTURAL MUST uid )",
	"( 1.1.21 NAME 'plain' SUP top ABSTRACT MAY description )",
	"( 1.1.22 NAME 'strict' SUP top STRUCTURAL MUST cn MAY description )",
	"( 1.1.23 NAME 'helper' SUP top AUXILIARY MAY mail )",
	"( 1.1.24 NAME 'old' OBSOLETE SUP top AUXILIARY )",
	NULL
};

static const char sample_rule[] =
    "( 1.1.22 NAME 'strictRule' AUX helper MUST sn MAY o NOT description )";

static inline struct schema *
sample_schema(void)
{
	struct diag diag = DIAG_INIT;
	struct schema *schema;
	unsigned i;
	int rc = HB_OK;

	dn_init();
	schema = schema_new();
	for (i = 0; rc == HB_OK && sample_types[i] != NULL; i++)
		rc = schema_add_attr_type(schema, slice_of(sample_types[i]),
		    "sample", i + 1, NULL, &diag);
	for (i = 0; rc == HB_OK && sample_classes[i] != NULL; i++)
		rc = schema_add_object_class(schema,
		    slice_of(sample_classes[i]), "sample", i + 1, NULL, &diag);
	if (rc == HB_OK)
		rc = schema_add_content_rule(schema, slice_of(sample_rule),
		    "sample", 1, NULL, &diag);
	if (rc != HB_OK)
		print_message("sample schema: %s\n", diag.text);
	assert_int_equal(rc, HB_OK);
	schema_freeze(schema);
	return schema;
}

#define assert_slice_is(s, text)	do {				\
	struct slice s_ = (s);						\
	assert_int_equal(s_.len, strlen(text));				\
	assert_memory_equal(s_.ptr, text, s_.len);			\
} while (0)

/* DN of TEXT, which must be one. */
static inline struct dn
sample_dn(struct arena *arena, struct schema *schema, const char *text)
{
	struct diag diag = DIAG_INIT;
	struct dn dn;
	int rc = dn_parse(arena, schema, slice_of(text), &dn, &diag);

	if (rc != HB_OK)
		print_message("%s: %s\n", text, diag.text);
	assert_int_equal(rc, HB_OK);
	return dn;
}

#endif
