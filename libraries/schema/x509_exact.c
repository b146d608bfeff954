/*
 * The exact rules of RFC 4523 3 for certificates, lists, pairs and algorithms:
 * a stored value and an assertion that names it have one normal form.
 */
#include "x509.h"

/* ---- Certificate: { serialNumber 1, issuer rdnSequence:"cn=ca" } ---- */

static void
put_cert(struct x509 *x, struct der *d)
{
	struct x509_cert c;

	x509_take_cert(d, &c);
	if (x->in.rc != HB_OK)
		return;
	x509_put_name_of(x, "serialNumber", true);
	x509_put_integer(x, c.serial);
	x509_put_name_of(x, "issuer", false);
	x509_put_name(x, c.issuer);
	buf_put_str(&x->out, " }");
}

/* "1$cn=ca", which was the form before RFC 4523. */
static void
read_legacy(struct x509 *x)
{
	struct slice norm;
	int rc;

	x509_put_name_of(x, "serialNumber", true);
	x509_read_integer(x);
	x509_put_name_of(x, "issuer", false);
	if (!gser_is_next(&x->in, '$')) {
		gser_fail(&x->in, HB_ESYNTAX);
		return;
	}
	x->in.pos++;
	rc = x509_norm_dn(x, slice(x->in.pos,
	    (size_t)(x->in.end - x->in.pos)), &norm);
	x->in.pos = x->in.end;
	if (rc != HB_OK) {
		gser_fail(&x->in, rc);
		return;
	}
	buf_put_str(&x->out, "rdnSequence:");
	gser_put_string(&x->out, norm);
	buf_put_str(&x->out, " }");
}

static void
read_cert(struct x509 *x)
{
	static const struct x509_component rows[] = {
		X509_MUST("serialNumber", x509_read_integer),
		X509_MUST("issuer", x509_read_name)
	};

	if (gser_is_next(&x->in, '{'))
		X509_READ(x, rows);
	else
		read_legacy(x);
}

const struct x509_kind x509_cert_exact = { put_cert, read_cert };

/* ---- CertificateList: issuer, thisUpdate, distributionPoint ---- */

/* RFC 5280 5.2.5: the list is one of several of its issuer. */
static void
put_distribution_point(struct x509 *x, struct slice extensions)
{
	struct slice value, name;
	struct der d, idp;

	if (!x509_has_extension(extensions, X509_EXT_IDP, &x->in.rc, &value))
		return;
	d = der_reader(value, &x->in.rc);
	idp = der_enter(&d, DER_SEQUENCE);
	der_end(&d);
	if (!der_is_next(&idp, DER_CONTEXT_OF(0)))
		return;
	name = der_take(&idp, DER_CONTEXT_OF(0));
	x509_put_name_of(x, "distributionPoint", false);
	x509_put_point_name(x, name);
}

static void
put_crl(struct x509 *x, struct der *d)
{
	struct x509_crl c;

	x509_take_crl(d, &c);
	if (x->in.rc != HB_OK)
		return;
	x509_put_name_of(x, "issuer", true);
	x509_put_name(x, c.issuer);
	x509_put_name_of(x, "thisUpdate", false);
	x509_put_time(x, c.this_update);
	put_distribution_point(x, c.extensions);
	buf_put_str(&x->out, " }");
}

static void
read_crl(struct x509 *x)
{
	static const struct x509_component rows[] = {
		X509_MUST("issuer", x509_read_name),
		X509_MUST("thisUpdate", x509_read_time),
		X509_MAY("distributionPoint", x509_read_point_name)
	};

	X509_READ(x, rows);
}

const struct x509_kind x509_crl_exact = { put_crl, read_crl };

/*
 * Key: issuer and thisUpdate, which lists that match have in common; what
 * follows is compared by match_components().
 */
void
key_crl(struct slice norm, struct buf *key)
{
	struct gser g;
	unsigned n;

	gser_init(&g, NULL, norm);
	gser_open(&g);
	for (n = 0; n < 2 && gser_has_item(&g, n); n++) {
		gser_name(&g);
		buf_put_slice(key, gser_value(&g));
	}
}

/* ---- CertificatePair: one assertion for either certificate ---- */

static void
put_pair(struct x509 *x, struct der *d)
{
	static const char *const names[] = {
		"issuedToThisCAAssertion", "issuedByThisCAAssertion"
	};
	struct der pair = der_enter(d, DER_SEQUENCE), part;
	bool first = true;
	uint8_t i;

	for (i = 0; i < 2; i++) {
		if (!der_is_next(&pair, DER_CONTEXT_OF(i)))
			continue;
		part = der_enter(&pair, DER_CONTEXT_OF(i));
		x509_put_name_of(x, names[i], first);
		put_cert(x, &part);
		der_end(&part);
		first = false;
	}
	der_end(&pair);
	if (first)
		gser_fail(&x->in, HB_ESYNTAX);
	buf_put_str(&x->out, " }");
}

static void
read_pair(struct x509 *x)
{
	static const struct x509_component rows[] = {
		X509_MAY("issuedToThisCAAssertion", read_cert),
		X509_MAY("issuedByThisCAAssertion", read_cert)
	};

	X509_READ(x, rows);
	if (slice_is_eq(buf_slice(&x->out), SLICE("{ }")))
		gser_fail(&x->in, HB_ESYNTAX);
}

const struct x509_kind x509_pair_exact = { put_pair, read_pair };

/* ---- AlgorithmIdentifier, SupportedAlgorithm ---- */

/* A SupportedAlgorithm begins with the identifier; the rest does not count. */
static void
put_algorithm(struct x509 *x, struct der *d)
{
	struct der all = der_enter(d, DER_SEQUENCE), id = all;

	if (der_is_next(&all, DER_SEQUENCE))
		id = der_enter(&all, DER_SEQUENCE);
	x509_put_algorithm(x, &id);
}

const struct x509_kind x509_algorithm = { put_algorithm, x509_read_algorithm };

/* ---- the rules ---- */

#define NORM(name, kind)						\
int									\
norm_##name(const struct schema *schema, struct arena *arena,		\
    enum substr_part part, struct slice v, struct slice *norm_r)	\
{									\
	(void)part;							\
	return x509_normalise(schema, arena, &(kind), v, norm_r);	\
}

NORM(cert_exact, x509_cert_exact)
NORM(crl_exact, x509_crl_exact)
NORM(pair_exact, x509_pair_exact)
NORM(algorithm, x509_algorithm)
NORM(ac_exact, x509_ac_exact)
NORM(cert_assertion, x509_cert_assertion)
NORM(crl_assertion, x509_crl_assertion)
NORM(pair_assertion, x509_pair_assertion)
NORM(ac_assertion, x509_ac_assertion)
