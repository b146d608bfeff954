/* Attribute certificates (RFC 5755 4.1, X.509 12.1) in DER and GSER. */
#include "x509.h"

/* ---- IssuerSerial, AttCertIssuer ---- */

void
x509_put_issuer_serial(struct x509 *x, struct der d)
{
	x509_put_name_of(x, "issuer", true);
	x509_put_general_names(x, der_enter(&d, DER_SEQUENCE));
	x509_put_name_of(x, "serial", false);
	x509_put_integer(x, der_take(&d, DER_INTEGER));
	if (der_is_next(&d, DER_BITS)) {
		x509_put_name_of(x, "issuerUID", false);
		x509_put_bits(x, der_take(&d, DER_BITS));
	}
	der_end(&d);
	buf_put_str(&x->out, " }");
}

void
x509_read_issuer_serial(struct x509 *x)
{
	static const struct x509_component rows[] = {
		X509_MUST("issuer", x509_read_general_names),
		X509_MUST("serial", x509_read_integer),
		X509_MAY("issuerUID", x509_read_bits)
	};

	X509_READ(x, rows);
}

/* V2Form; the older form is the names alone. */
static void
put_issuer(struct x509 *x, const struct x509_ac *ac)
{
	struct der d = der_reader(ac->issuer, &x->in.rc);
	bool first = true;

	if (!ac->is_v2) {
		x509_put_name_of(x, "issuerName", true);
		x509_put_general_names(x, d);
		buf_put_str(&x->out, " }");
		return;
	}
	if (der_is_next(&d, DER_SEQUENCE)) {
		x509_put_name_of(x, "issuerName", true);
		x509_put_general_names(x, der_enter(&d, DER_SEQUENCE));
		first = false;
	}
	if (der_is_next(&d, DER_CONTEXT_OF(0))) {
		x509_put_name_of(x, "baseCertificateID", first);
		x509_put_issuer_serial(x, der_enter(&d, DER_CONTEXT_OF(0)));
		first = false;
	}
	if (der_is_next(&d, DER_CONTEXT_OF(1))) {
		x509_put_name_of(x, "objectDigestInfo", first);
		x509_put_der(x, der_element(&d, DER_CONTEXT_OF(1)));
		first = false;
	}
	der_end(&d);
	if (first)
		gser_fail(&x->in, HB_ESYNTAX);
	buf_put_str(&x->out, " }");
}

static void
read_digest(struct x509 *x)
{
	struct slice whole;

	if (!x509_has_der(x, &whole))
		gser_fail(&x->in, HB_ESYNTAX);
	if (x->in.rc == HB_OK)
		x509_put_der(x, whole);
}

static void
read_issuer(struct x509 *x)
{
	static const struct x509_component rows[] = {
		X509_MAY("issuerName", x509_read_general_names),
		X509_MAY("baseCertificateID", x509_read_issuer_serial),
		X509_MAY("objectDigestInfo", read_digest)
	};
	size_t start = x->out.len;

	X509_READ(x, rows);
	if (x->out.len - start <= sizeof("{ }") - 1)
		gser_fail(&x->in, HB_ESYNTAX);
}

/* ---- AttributeCertificate ---- */

static void
take_holder_id(struct der *d, struct x509_ac *ac)
{
	if (der_is_next(d, DER_CONTEXT_OF(0)))
		ac->holder_id = der_take(d, DER_CONTEXT_OF(0));
}

static void
take_holder_name(struct der *d, struct x509_ac *ac)
{
	if (der_is_next(d, DER_CONTEXT_OF(1)))
		ac->holder_name = der_take(d, DER_CONTEXT_OF(1));
}

/* Holder; the older form is a choice of one of its parts. */
static void
take_holder(struct der *info, struct x509_ac *ac)
{
	struct der d;

	if (!der_is_next(info, DER_SEQUENCE)) {
		take_holder_id(info, ac);
		if (ac->holder_id.len == 0)
			take_holder_name(info, ac);
		return;
	}
	d = der_enter(info, DER_SEQUENCE);
	take_holder_id(&d, ac);
	take_holder_name(&d, ac);
	der_skip_if(&d, DER_CONTEXT_OF(2));		/* objectDigestInfo */
	der_end(&d);
}

void
x509_take_ac(struct der *d, struct x509_ac *ac)
{
	struct der all = der_enter(d, DER_SEQUENCE);
	struct der info = der_enter(&all, DER_SEQUENCE), validity;

	*ac = (struct x509_ac){ .holder_id = SLICE(""),
	    .holder_name = SLICE("") };
	der_take(&all, DER_SEQUENCE);
	der_take(&all, DER_BITS);
	der_end(&all);
	der_skip_if(&info, DER_INTEGER);		/* version */
	take_holder(&info, ac);
	ac->is_v2 = der_is_next(&info, DER_CONTEXT_OF(0));
	ac->issuer = der_take(&info, ac->is_v2 ? DER_CONTEXT_OF(0) :
	    DER_SEQUENCE);
	der_take(&info, DER_SEQUENCE);			/* signature */
	ac->serial = der_take(&info, DER_INTEGER);
	validity = der_enter(&info, DER_SEQUENCE);
	ac->not_before = der_element(&validity, DER_GENTIME);
	ac->not_after = der_element(&validity, DER_GENTIME);
	der_end(&validity);
	ac->attributes = der_take(&info, DER_SEQUENCE);
	der_skip_if(&info, DER_BITS);			/* issuerUniqueID */
	der_skip_if(&info, DER_SEQUENCE);		/* extensions */
	der_end(&info);
}

static void
put_ac(struct x509 *x, struct der *d)
{
	struct x509_ac ac;

	x509_take_ac(d, &ac);
	if (x->in.rc != HB_OK)
		return;
	x509_put_name_of(x, "serialNumber", true);
	x509_put_integer(x, ac.serial);
	x509_put_name_of(x, "issuer", false);
	put_issuer(x, &ac);
	buf_put_str(&x->out, " }");
}

static void
read_ac(struct x509 *x)
{
	static const struct x509_component rows[] = {
		X509_MUST("serialNumber", x509_read_integer),
		X509_MUST("issuer", read_issuer)
	};

	X509_READ(x, rows);
}

const struct x509_kind x509_ac_exact = { put_ac, read_ac };
