/*
 * certificateListMatch (RFC 4523 3.6; X.509 11.3.6) and
 * attributeCertificateMatch (X.509 17.3.2).
 */
#include "x509.h"

/* ---- what lists have in common with certificates ---- */

void
x509_read_authority_key(struct x509 *x)
{
	static const struct x509_component rows[] = {
		X509_MAY("keyIdentifier", x509_read_octets),
		X509_MAY("authorityCertIssuer", x509_read_general_names),
		X509_MAY("authorityCertSerialNumber", x509_read_integer)
	};

	X509_READ(x, rows);
}

static void
put_authority_key(struct x509 *x, struct der d)
{
	bool first = true;

	if (der_is_next(&d, DER_CONTEXT(0))) {
		x509_put_name_of(x, "keyIdentifier", first);
		gser_put_octets(&x->out, der_take(&d, DER_CONTEXT(0)));
		first = false;
	}
	if (der_is_next(&d, DER_CONTEXT_OF(1))) {
		x509_put_name_of(x, "authorityCertIssuer", first);
		x509_put_general_names(x, der_enter(&d, DER_CONTEXT_OF(1)));
		first = false;
	}
	if (der_is_next(&d, DER_CONTEXT(2))) {
		x509_put_name_of(x, "authorityCertSerialNumber", first);
		x509_put_integer(x, der_take(&d, DER_CONTEXT(2)));
		first = false;
	}
	der_end(&d);
	buf_put_str(&x->out, first ? "{ }" : " }");
}

bool
x509_has_authority_key(struct x509 *x, struct slice extensions,
    struct slice asserted)
{
	struct slice value;
	struct der d;

	if (!x509_has_extension(extensions, X509_EXT_AUTHORITY_KEY,
	    &x->in.rc, &value))
		return false;
	d = der_reader(value, &x->in.rc);
	put_authority_key(x, der_enter(&d, DER_SEQUENCE));
	return x->in.rc == HB_OK &&
	    match_components(x->schema, buf_slice(&x->out), asserted);
}

/* ---- CertificateList ---- */

static bool
crl_has_issuer(struct x509 *x, const void *stored, struct slice asserted)
{
	const struct x509_crl *c = stored;

	x509_put_name(x, c->issuer);
	return slice_is_eq(buf_slice(&x->out), asserted);
}

/* The number of the list in x->out; false if it has none. */
static bool
has_number(struct x509 *x, const struct x509_crl *c)
{
	struct slice value;
	struct der d;

	if (!x509_has_extension(c->extensions, X509_EXT_CRL_NUMBER,
	    &x->in.rc, &value))
		return false;
	d = der_reader(value, &x->in.rc);
	x509_put_integer(x, der_take(&d, DER_INTEGER));
	return x->in.rc == HB_OK;
}

static bool
is_number_from(struct x509 *x, const void *stored, struct slice asserted)
{
	return has_number(x, stored) &&
	    cmp_integer(buf_slice(&x->out), asserted) >= 0;
}

static bool
is_number_to(struct x509 *x, const void *stored, struct slice asserted)
{
	return has_number(x, stored) &&
	    cmp_integer(buf_slice(&x->out), asserted) <= 0;
}

static void
read_reasons(struct x509 *x)
{
	static const char *const names[] = {
		"unused", "keyCompromise", "cACompromise",
		"affiliationChanged", "superseded", "cessationOfOperation",
		"certificateHold", "privilegeWithdrawn", "aACompromise"
	};

	x509_read_named_bits(x, names, sizeof(names) / sizeof(names[0]));
}

/* The issuing distribution point; *has_r tells if there is one. */
static struct der
enter_point(struct x509 *x, const struct x509_crl *c, bool *has_r)
{
	struct slice value;
	struct der d;

	*has_r = x509_has_extension(c->extensions, X509_EXT_IDP, &x->in.rc,
	    &value);
	d = der_reader(value, &x->in.rc);
	return *has_r ? der_enter(&d, DER_SEQUENCE) : d;
}

/* A list that does not say which reasons it is for is for all. */
static bool
has_reason(struct x509 *x, const void *stored, struct slice asserted)
{
	bool has;
	struct der d = enter_point(x, stored, &has);
	struct slice bits;
	size_t i;

	while (has && der_is_next(&d, DER_ANY) &&
	    !der_is_next(&d, DER_CONTEXT(3)))
		der_take(&d, DER_ANY);
	if (!has || !der_is_next(&d, DER_CONTEXT(3)))
		return true;
	x509_put_bits(x, der_take(&d, DER_CONTEXT(3)));
	bits = buf_slice(&x->out);
	for (i = 1; i + 2 < asserted.len && i + 2 < bits.len; i++)
		if (asserted.ptr[i] == '1' && bits.ptr[i] == '1')
			return true;
	return false;
}

static bool
is_current(struct x509 *x, const void *stored, struct slice asserted)
{
	const struct x509_crl *c = stored;

	return c->next_update.len > 0 &&
	    x509_time_cmp(x, c->this_update, asserted) <= 0 &&
	    x509_time_cmp(x, c->next_update, asserted) > 0;
}

static bool
has_point(struct x509 *x, const void *stored, struct slice asserted)
{
	bool has;
	struct der d = enter_point(x, stored, &has);

	if (!has || !der_is_next(&d, DER_CONTEXT_OF(0)))
		return false;
	x509_put_point_name(x, der_take(&d, DER_CONTEXT_OF(0)));
	return x->in.rc == HB_OK &&
	    x509_points_meet(buf_slice(&x->out), asserted);
}

static bool
crl_has_authority_key(struct x509 *x, const void *stored,
    struct slice asserted)
{
	const struct x509_crl *c = stored;

	return x509_has_authority_key(x, c->extensions, asserted);
}

static const struct x509_component crl_rows[] = {
	X509_TEST("issuer", x509_read_name, crl_has_issuer),
	X509_TEST("minCRLNumber", x509_read_integer, is_number_from),
	X509_TEST("maxCRLNumber", x509_read_integer, is_number_to),
	X509_TEST("reasonFlags", read_reasons, has_reason),
	X509_TEST("dateAndTime", x509_read_time, is_current),
	X509_TEST("distributionPoint", x509_read_point_name, has_point),
	X509_TEST("authorityKeyIdentifier", x509_read_authority_key,
	    crl_has_authority_key)
};

static void
read_crl(struct x509 *x)
{
	X509_READ(x, crl_rows);
}

static void
put_crl(struct x509 *x, struct der *d)
{
	struct x509_crl c;

	buf_put_slice(&x->out, d->rest);
	x509_take_crl(d, &c);
}

static bool
match_crl(struct x509 *x, struct der *d, struct slice asserted)
{
	struct x509_crl c;

	x509_take_crl(d, &c);
	return x->in.rc == HB_OK && X509_MATCH(x, crl_rows, &c, asserted);
}

const struct x509_kind x509_crl_assertion = { put_crl, read_crl };

bool
match_certificate_list(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	return x509_match(schema, match_crl, stored, asserted);
}

/* ---- AttributeCertificate ---- */

static void
read_holder(struct x509 *x)
{
	if (gser_has_choice(&x->in, "baseCertificateID")) {
		buf_put_str(&x->out, "baseCertificateID:");
		x509_read_issuer_serial(x);
	} else if (gser_has_choice(&x->in, "holderName")) {
		buf_put_str(&x->out, "holderName:");
		x509_read_general_names(x);
	} else {
		gser_fail(&x->in, HB_ESYNTAX);
	}
}

/* Every item of list ASSERTED is in the list of x->out. */
static bool
has_all(const struct x509 *x, struct slice asserted)
{
	struct slice item;
	struct gser g;
	unsigned n;

	gser_init(&g, x->in.arena, asserted);
	gser_open(&g);
	for (n = 0; gser_has_item(&g, n); n++) {
		item = gser_value(&g);
		if (!x509_list_has(buf_slice(&x->out), item))
			return false;
	}
	return g.rc == HB_OK;
}

static bool
has_holder(struct x509 *x, const void *stored, struct slice asserted)
{
	const struct slice head = SLICE("holderName:");
	const struct x509_ac *ac = stored;

	if (slice_has_prefix(asserted, head)) {
		if (ac->holder_name.len == 0)
			return false;
		x509_put_general_names(x, der_reader(ac->holder_name,
		    &x->in.rc));
		return has_all(x, slice_skip(asserted, head.len));
	}
	if (ac->holder_id.len == 0)
		return false;
	buf_put_str(&x->out, "baseCertificateID:");
	x509_put_issuer_serial(x, der_reader(ac->holder_id, &x->in.rc));
	return slice_is_eq(buf_slice(&x->out), asserted);
}

static bool
ac_has_issuer(struct x509 *x, const void *stored, struct slice asserted)
{
	const struct x509_ac *ac = stored;
	struct der d = der_reader(ac->issuer, &x->in.rc);

	if (ac->is_v2) {
		if (!der_is_next(&d, DER_SEQUENCE))
			return false;
		d = der_enter(&d, DER_SEQUENCE);
	}
	x509_put_general_names(x, d);
	return has_all(x, asserted);
}

static bool
is_ac_valid(struct x509 *x, const void *stored, struct slice asserted)
{
	const struct x509_ac *ac = stored;

	return x509_time_cmp(x, ac->not_before, asserted) <= 0 &&
	    x509_time_cmp(x, ac->not_after, asserted) >= 0;
}

/* { 2.5.4.72, role }: types by OID or name */
static void
read_types(struct x509 *x)
{
	struct slice type, oid;
	unsigned n;
	int rc;

	gser_open(&x->in);
	for (n = 0; gser_has_item(&x->in, n); n++) {
		type = gser_value(&x->in);
		if (x->in.rc != HB_OK)
			return;
		rc = norm_oid(x->schema, x->in.arena, SUBSTR_WHOLE, type,
		    &oid);
		if (rc != HB_OK) {
			gser_fail(&x->in, rc);
			return;
		}
		buf_put_str(&x->out, n == 0 ? "{ " : ", ");
		buf_put_slice(&x->out, oid);
	}
	if (n == 0)
		gser_fail(&x->in, HB_ESYNTAX);
	buf_put_str(&x->out, " }");
}

static bool
has_types(struct x509 *x, const void *stored, struct slice asserted)
{
	const struct x509_ac *ac = stored;
	struct der d = der_reader(ac->attributes, &x->in.rc), one;
	bool first = true;

	while (der_is_next(&d, DER_ANY)) {
		one = der_enter(&d, DER_SEQUENCE);
		buf_put_str(&x->out, first ? "{ " : ", ");
		x509_put_oid(x, der_take(&one, DER_OID));
		first = false;
	}
	buf_put_str(&x->out, first ? "{ }" : " }");
	return has_all(x, asserted);
}

static const struct x509_component ac_rows[] = {
	X509_TEST("holder", read_holder, has_holder),
	X509_TEST("issuer", x509_read_general_names, ac_has_issuer),
	X509_TEST("attCertValidity", x509_read_time, is_ac_valid),
	X509_TEST("attType", read_types, has_types)
};

static void
read_ac(struct x509 *x)
{
	X509_READ(x, ac_rows);
}

static void
put_ac(struct x509 *x, struct der *d)
{
	struct x509_ac ac;

	buf_put_slice(&x->out, d->rest);
	x509_take_ac(d, &ac);
}

static bool
match_ac(struct x509 *x, struct der *d, struct slice asserted)
{
	struct x509_ac ac;

	x509_take_ac(d, &ac);
	return x->in.rc == HB_OK && X509_MATCH(x, ac_rows, &ac, asserted);
}

const struct x509_kind x509_ac_assertion = { put_ac, read_ac };

bool
match_attr_certificate(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	return x509_match(schema, match_ac, stored, asserted);
}
