/* Certificates and revocation lists in DER (RFC 5280 4.1, 5.1). */
#include "x509.h"

/* The SIGNED macro: what was signed, the algorithm, the signature. */
static struct der
enter_signed(struct der *d)
{
	struct der all = der_enter(d, DER_SEQUENCE);
	struct der tbs = der_enter(&all, DER_SEQUENCE);

	der_take(&all, DER_SEQUENCE);
	der_take(&all, DER_BITS);
	der_end(&all);
	return tbs;
}

static struct slice
take_time(struct der *d)
{
	return der_element(d, der_is_next(d, DER_UTCTIME) ? DER_UTCTIME :
	    DER_GENTIME);
}

static bool
is_time(const struct der *d)
{
	return der_is_next(d, DER_UTCTIME) || der_is_next(d, DER_GENTIME);
}

/* [N] Extensions, the last part. */
static struct slice
take_extensions(struct der *d, unsigned n)
{
	struct slice list = SLICE("");
	struct der outer;

	if (der_is_next(d, DER_CONTEXT_OF(n))) {
		outer = der_enter(d, DER_CONTEXT_OF(n));
		list = der_take(&outer, DER_SEQUENCE);
		der_end(&outer);
	}
	der_end(d);
	return list;
}

void
x509_take_cert(struct der *d, struct x509_cert *c)
{
	struct der tbs = enter_signed(d), validity, key, algorithm;

	der_skip_if(&tbs, DER_CONTEXT_OF(0));		/* version */
	c->serial = der_take(&tbs, DER_INTEGER);
	der_take(&tbs, DER_SEQUENCE);			/* signature */
	c->issuer = der_element(&tbs, DER_SEQUENCE);
	validity = der_enter(&tbs, DER_SEQUENCE);
	c->not_before = take_time(&validity);
	c->not_after = take_time(&validity);
	der_end(&validity);
	c->subject = der_element(&tbs, DER_SEQUENCE);
	key = der_enter(&tbs, DER_SEQUENCE);
	algorithm = der_enter(&key, DER_SEQUENCE);
	c->key_algorithm = der_take(&algorithm, DER_OID);
	der_take(&key, DER_BITS);
	der_end(&key);
	der_skip_if(&tbs, DER_CONTEXT(1));		/* issuerUniqueID */
	der_skip_if(&tbs, DER_CONTEXT(2));		/* subjectUniqueID */
	c->extensions = take_extensions(&tbs, 3);
}

void
x509_take_crl(struct der *d, struct x509_crl *c)
{
	struct der tbs = enter_signed(d);

	der_skip_if(&tbs, DER_INTEGER);			/* version */
	der_take(&tbs, DER_SEQUENCE);			/* signature */
	c->issuer = der_element(&tbs, DER_SEQUENCE);
	c->this_update = take_time(&tbs);
	c->next_update = is_time(&tbs) ? take_time(&tbs) : SLICE("");
	der_skip_if(&tbs, DER_SEQUENCE);		/* the revoked */
	c->extensions = take_extensions(&tbs, 0);
}

bool
x509_has_extension(struct slice extensions, enum x509_extension arc,
    int *rc, struct slice *value_r)
{
	const char id[] = { 0x55, 0x1d, (char)arc };	/* 2.5.29.ARC */
	struct der d = der_reader(extensions, rc), one;
	struct slice oid;

	while (der_is_next(&d, DER_ANY)) {
		one = der_enter(&d, DER_SEQUENCE);
		oid = der_take(&one, DER_OID);
		der_skip_if(&one, DER_BOOLEAN);		/* critical */
		*value_r = der_take(&one, DER_OCTETS);
		der_end(&one);
		if (*rc == HB_OK && slice_is_eq(oid, slice(id, sizeof(id))))
			return true;
	}
	*value_r = SLICE("");
	return false;
}
