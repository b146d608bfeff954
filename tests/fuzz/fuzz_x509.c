/*
 * X.509: every input is a value and an assertion to all syntaxes and rules.
 * What a rule makes of it must be its own normal form, and match itself where
 * matching is the rule's equality; assertions of components are tried on it.
 */
#include <stddef.h>
#include <stdint.h>

#include "dn.h"
#include "schema.h"
#include "util/lock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const syntaxes[] = {
	"1.3.6.1.4.1.1466.115.121.1.8", "1.3.6.1.4.1.1466.115.121.1.9",
	"1.3.6.1.4.1.1466.115.121.1.10", "1.3.6.1.4.1.1466.115.121.1.49",
	"1.3.6.1.4.1.4203.666.11.10.2.1", "1.3.6.1.1.15.1", "1.3.6.1.1.15.2",
	"1.3.6.1.1.15.3", "1.3.6.1.1.15.4", "1.3.6.1.1.15.5",
	"1.3.6.1.1.15.6", "1.3.6.1.1.15.7",
	"1.3.6.1.4.1.4203.666.11.10.2.2", "1.3.6.1.4.1.4203.666.11.10.2.3"
};

static const struct {
	const char *rule, *asserted;
} tries[] = {
	{ "certificateExactMatch", "{ serialNumber 1, issuer \"cn=x\" }" },
	{ "certificateListExactMatch", "{ issuer \"cn=x\", thisUpdate "
	    "\"20260101000000Z\", distributionPoint fullName:{ dNSName:\"d\" "
	    "} }" },
	{ "certificatePairExactMatch", "{ issuedToThisCAAssertion "
	    "{ serialNumber 1, issuer \"cn=x\" } }" },
	{ "attributeCertificateExactMatch", "{ serialNumber 1, issuer "
	    "{ issuerName { dNSName:\"d\" } } }" },
	{ "algorithmIdentifierMatch", "{ algorithm 1.2.3 }" },
	{ "certificateMatch", "{ issuer \"cn=x\" }" },
	{ "certificateMatch", "{ subjectKeyIdentifier '5A'H }" },
	{ "certificateMatch", "{ authorityKeyIdentifier { keyIdentifier "
	    "'5A'H, authorityCertIssuer { dNSName:\"d\" } } }" },
	{ "certificateMatch", "{ certificateValid \"20260101000000Z\" }" },
	{ "certificateMatch", "{ privateKeyValid \"20260101000000Z\" }" },
	{ "certificateMatch", "{ subjectPublicKeyAlgID 1.2.3 }" },
	{ "certificateMatch", "{ keyUsage { cRLSign } }" },
	{ "certificateMatch", "{ subjectAltName builtinNameForm:dNSName }" },
	{ "certificateMatch", "{ subjectAltName otherNameForm:1.2.3 }" },
	{ "certificateMatch", "{ policy { 1.2.3 } }" },
	{ "certificateMatch", "{ pathToName \"cn=a,cn=x\" }" },
	{ "certificateListMatch", "{ minCRLNumber 2, maxCRLNumber 3 }" },
	{ "certificateListMatch", "{ reasonFlags { superseded } }" },
	{ "certificateListMatch", "{ dateAndTime \"20260101000000Z\" }" },
	{ "certificateListMatch", "{ distributionPoint "
	    "nameRelativeToCRLIssuer:\"cn=x\" }" },
	{ "certificatePairMatch", "{ issuedByThisCAAssertion { keyUsage "
	    "{ cRLSign } } }" },
	{ "attributeCertificateMatch", "{ holder holderName:{ dNSName:\"d\" "
	    "} }" },
	{ "attributeCertificateMatch", "{ issuer { dNSName:\"d\" } }" },
	{ "attributeCertificateMatch", "{ attCertValidity "
	    "\"20260101000000Z\" }" },
	{ "attributeCertificateMatch", "{ attType { 1.2.3 } }" }
};

static struct schema *
frozen_schema(void)
{
	static struct schema *s;

	if (s == NULL) {
		dn_init();
		s = schema_new();
		schema_freeze(s);
	}
	return s;
}

static void
fuzz_rule(const struct schema *s, const struct matching_rule *r,
    const char *asserted, struct slice value)
{
	struct slice norm, again, other;
	struct arena arena;
	bool stored = (r->kind & MR_STORED) != 0;
	struct buf key;

	buf_init(&key);
	arena_init(&arena, 4 << 20);
	if (schema_norm_assertion(s, &arena, r, SUBSTR_WHOLE, value,
	    &norm) != HB_OK)
		goto out;
	hb_assert(schema_norm_assertion(s, &arena, r, SUBSTR_WHOLE, norm,
	    &again) == HB_OK);
	hb_assert(slice_is_eq(norm, again));
	if (r->match != NULL && !stored)
		hb_assert(r->match(s, norm, norm));
	hb_assert(schema_norm_assertion(s, &arena, r, SUBSTR_WHOLE,
	    slice_of(asserted), &other) == HB_OK);
	if (r->order_key != NULL)
		r->order_key(norm, &key);
	if (r->match != NULL) {
		(void)r->match(s, stored ? value : norm, other);
		(void)r->match(s, stored ? value : other, norm);
	}
out:
	buf_fini(&key);
	arena_fini(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct schema *s = frozen_schema();
	struct slice value = slice(data, size);
	unsigned i;

	for (i = 0; i < sizeof(syntaxes) / sizeof(syntaxes[0]); i++)
		(void)schema_find_syntax(s, slice_of(syntaxes[i]))->validate(s,
		    value);
	for (i = 0; i < sizeof(tries) / sizeof(tries[0]); i++)
		fuzz_rule(s, schema_find_rule(s, slice_of(tries[i].rule)),
		    tries[i].asserted, value);
	return 0;
}
