/*
 * Validators of the X.509 syntaxes. OpenSSL has the last word on what it can
 * decode; before that the encoding must be DER, and our own reader, which
 * makes the normal forms, must find its way. OpenSSL's queue of errors is left
 * as it was, for TLS code looks there after its own calls.
 */
#include <limits.h>

#include <openssl/err.h>
#include <openssl/x509.h>

#include "x509.h"

static bool
is_cert(struct slice v)
{
	const unsigned char *p = (const unsigned char *)v.ptr;
	X509 *cert;

	if (v.len > LONG_MAX)
		return false;
	ERR_set_mark();
	cert = d2i_X509(NULL, &p, (long)v.len);
	ERR_pop_to_mark();
	X509_free(cert);
	return cert != NULL && (const char *)p == v.ptr + v.len;
}

static bool
is_crl(struct slice v)
{
	const unsigned char *p = (const unsigned char *)v.ptr;
	X509_CRL *crl;

	if (v.len > LONG_MAX)
		return false;
	ERR_set_mark();
	crl = d2i_X509_CRL(NULL, &p, (long)v.len);
	ERR_pop_to_mark();
	X509_CRL_free(crl);
	return crl != NULL && (const char *)p == v.ptr + v.len;
}

int
validate_cert(const struct schema *schema, struct slice v)
{
	int rc = HB_OK;
	struct der d = der_reader(v, &rc);
	struct x509_cert c;

	(void)schema;
	x509_take_cert(&d, &c);
	der_end(&d);
	return rc == HB_OK && der_is_strict(v) && is_cert(v) ? HB_OK :
	    HB_ESYNTAX;
}

int
validate_crl(const struct schema *schema, struct slice v)
{
	int rc = HB_OK;
	struct der d = der_reader(v, &rc);
	struct x509_crl c;

	(void)schema;
	x509_take_crl(&d, &c);
	der_end(&d);
	return rc == HB_OK && der_is_strict(v) && is_crl(v) ? HB_OK :
	    HB_ESYNTAX;
}

/* RFC 4523 2.3: two certificates, of which one may be missing. */
int
validate_cert_pair(const struct schema *schema, struct slice v)
{
	int rc = HB_OK;
	struct der d = der_reader(v, &rc), pair, part;
	unsigned n = 0;
	uint8_t i;

	pair = der_enter(&d, DER_SEQUENCE);
	der_end(&d);
	for (i = 0; i < 2; i++) {
		if (!der_is_next(&pair, DER_CONTEXT_OF(i)))
			continue;
		part = der_enter(&pair, DER_CONTEXT_OF(i));
		if (validate_cert(schema, part.rest) != HB_OK)
			return HB_ESYNTAX;
		n++;
	}
	der_end(&pair);
	return rc == HB_OK && n > 0 && der_is_strict(v) ? HB_OK : HB_ESYNTAX;
}

/* RFC 4523 2.4: algorithm, intended usage, intended policies. */
int
validate_supported_algorithm(const struct schema *schema, struct slice v)
{
	int rc = HB_OK;
	struct der d = der_reader(v, &rc), all, id;
	struct buf oid;

	(void)schema;
	all = der_enter(&d, DER_SEQUENCE);
	der_end(&d);
	id = der_enter(&all, DER_SEQUENCE);
	buf_init(&oid);
	if (der_put_oid(&oid, der_take(&id, DER_OID)) != HB_OK)
		rc = HB_ESYNTAX;
	buf_fini(&oid);
	if (der_is_next(&id, DER_ANY))
		der_take(&id, DER_ANY);
	der_end(&id);
	der_skip_if(&all, DER_CONTEXT_OF(0));
	der_skip_if(&all, DER_CONTEXT_OF(1));
	der_end(&all);
	return rc == HB_OK && der_is_strict(v) ? HB_OK : HB_ESYNTAX;
}

static void
check_attributes(struct der list)
{
	struct der one;

	do {
		one = der_enter(&list, DER_SEQUENCE);
		der_take(&one, DER_OID);
		der_take(&one, DER_SET);
		der_end(&one);
	} while (der_is_next(&list, DER_ANY));
}

/* OpenSSL has no decoder for these. Those without attributes are in use. */
int
validate_attr_cert(const struct schema *schema, struct slice v)
{
	int rc = HB_OK;
	struct der d = der_reader(v, &rc);
	struct x509_ac ac;

	x509_take_ac(&d, &ac);
	der_end(&d);
	if (rc == HB_OK && ac.attributes.len > 0)
		check_attributes(der_reader(ac.attributes, &rc));
	if (rc != HB_OK || !der_is_strict(v))
		return HB_ESYNTAX;
	return x509_check(schema, &x509_ac_exact, v);
}

/* Assertions, as values of an attribute: what the rule can take. */
#define ASSERTION(name, kind)						\
int									\
validate_##name(const struct schema *schema, struct slice v)		\
{									\
	return x509_check(schema, &(kind), v);				\
}

ASSERTION(cert_exact, x509_cert_exact)
ASSERTION(crl_exact, x509_crl_exact)
ASSERTION(pair_exact, x509_pair_exact)
ASSERTION(algorithm_id, x509_algorithm)
ASSERTION(ac_exact, x509_ac_exact)
ASSERTION(cert_assertion, x509_cert_assertion)
ASSERTION(crl_assertion, x509_crl_assertion)
ASSERTION(pair_assertion, x509_pair_assertion)
ASSERTION(ac_assertion, x509_ac_assertion)
