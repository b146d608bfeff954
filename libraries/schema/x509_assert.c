/*
 * certificateMatch and certificatePairMatch (RFC 4523 3.2, 3.4; X.509 11.3.2):
 * assertions of single components of a certificate. nameConstraints is not
 * among them: such an assertion is Undefined.
 */
#include "x509.h"

/* ---- extensions ---- */

/* A reader of extension ARC of C; *has_r tells if there is one. */
static struct der
extension(struct x509 *x, const struct x509_cert *c,
    enum x509_extension arc, bool *has_r)
{
	struct slice value;

	*has_r = x509_has_extension(c->extensions, arc, &x->in.rc, &value);
	return der_reader(value, &x->in.rc);
}

static bool
is_out(const struct x509 *x, struct slice asserted)
{
	return slice_is_eq(buf_slice(&x->out), asserted);
}

/* ---- components, in the order of the SEQUENCE ---- */

static bool
has_serial(struct x509 *x, const void *stored, struct slice asserted)
{
	const struct x509_cert *c = stored;

	x509_put_integer(x, c->serial);
	return is_out(x, asserted);
}

static bool
has_issuer(struct x509 *x, const void *stored, struct slice asserted)
{
	const struct x509_cert *c = stored;

	x509_put_name(x, c->issuer);
	return is_out(x, asserted);
}

static bool
has_subject(struct x509 *x, const void *stored, struct slice asserted)
{
	const struct x509_cert *c = stored;

	x509_put_name(x, c->subject);
	return is_out(x, asserted);
}

static bool
has_subject_key(struct x509 *x, const void *stored, struct slice asserted)
{
	bool has;
	struct der d = extension(x, stored, X509_EXT_SUBJECT_KEY, &has);

	if (!has)
		return false;
	gser_put_octets(&x->out, der_take(&d, DER_OCTETS));
	return is_out(x, asserted);
}

static bool
has_authority_key(struct x509 *x, const void *stored, struct slice asserted)
{
	const struct x509_cert *c = stored;

	return x509_has_authority_key(x, c->extensions, asserted);
}

static bool
is_certificate_valid(struct x509 *x, const void *stored,
    struct slice asserted)
{
	const struct x509_cert *c = stored;

	return x509_time_cmp(x, c->not_before, asserted) <= 0 &&
	    x509_time_cmp(x, c->not_after, asserted) >= 0;
}

/* The period's times have tags of their own: [0] and [1]. */
static bool
is_key_valid(struct x509 *x, const void *stored, struct slice asserted)
{
	bool has, ok = true;
	struct der d = extension(x, stored, X509_EXT_KEY_PERIOD, &has), period;

	if (!has)
		return true;
	period = der_enter(&d, DER_SEQUENCE);
	if (der_is_next(&period, DER_CONTEXT(0)))
		ok = x509_gentime_cmp(x, der_take(&period, DER_CONTEXT(0)),
		    asserted) <= 0;
	if (der_is_next(&period, DER_CONTEXT(1)))
		ok = x509_gentime_cmp(x, der_take(&period, DER_CONTEXT(1)),
		    asserted) >= 0 && ok;
	return ok;
}

static bool
has_key_algorithm(struct x509 *x, const void *stored, struct slice asserted)
{
	const struct x509_cert *c = stored;

	x509_put_oid(x, c->key_algorithm);
	return is_out(x, asserted);
}

static void
read_key_usage(struct x509 *x)
{
	static const char *const names[] = {
		"digitalSignature", "nonRepudiation", "keyEncipherment",
		"dataEncipherment", "keyAgreement", "keyCertSign", "cRLSign",
		"encipherOnly", "decipherOnly"
	};

	x509_read_named_bits(x, names, sizeof(names) / sizeof(names[0]));
}

/* Both are '0101'B: every bit of ASSERTED is set in STORED. */
static bool
has_bits(struct slice stored, struct slice asserted)
{
	size_t i;

	for (i = 1; i + 2 < asserted.len; i++)
		if (asserted.ptr[i] == '1' &&
		    (i + 2 >= stored.len || stored.ptr[i] != '1'))
			return false;
	return true;
}

static bool
has_key_usage(struct x509 *x, const void *stored, struct slice asserted)
{
	bool has;
	struct der d = extension(x, stored, X509_EXT_KEY_USAGE, &has);

	if (!has)
		return true;
	x509_put_bits(x, der_take(&d, DER_BITS));
	return has_bits(buf_slice(&x->out), asserted);
}

/* The type of an alternative name: its place is the number of its tag. */
static const char *const name_types[] = {
	"", "rfc822Name", "dNSName", "x400Address", "directoryName",
	"ediPartyName", "uniformResourceIdentifier", "iPAddress",
	"registeredID"
};
#define NAME_TYPES	(sizeof(name_types) / sizeof(name_types[0]))

static unsigned
find_name_type(struct slice name)
{
	unsigned i;

	for (i = 1; i < NAME_TYPES; i++)
		if (slice_is_eq_nocase(name, slice_of(name_types[i])))
			break;
	return i;
}

static void
read_name_type(struct x509 *x)
{
	unsigned i;

	if (gser_has_choice(&x->in, "otherNameForm")) {
		buf_put_str(&x->out, "otherNameForm:");
		x509_read_oid(x);
		return;
	}
	if (!gser_has_choice(&x->in, "builtinNameForm")) {
		gser_fail(&x->in, HB_ESYNTAX);
		return;
	}
	i = find_name_type(gser_value(&x->in));
	if (i == NAME_TYPES) {
		gser_fail(&x->in, HB_ESYNTAX);
		return;
	}
	buf_put_str(&x->out, "builtinNameForm:");
	buf_put_str(&x->out, name_types[i]);
}

/* The type of NAME, a GeneralName, as read_name_type() writes it. */
static void
put_name_type(struct x509 *x, struct slice name)
{
	unsigned tag = (uint8_t)name.ptr[0] & 0x1f;
	struct der d = der_reader(name, &x->in.rc);

	buf_reset(&x->out);
	if (tag == 0) {
		d = der_enter(&d, DER_CONTEXT_OF(0));
		buf_put_str(&x->out, "otherNameForm:");
		x509_put_oid(x, der_take(&d, DER_OID));
	} else if (tag < NAME_TYPES) {
		buf_put_str(&x->out, "builtinNameForm:");
		buf_put_str(&x->out, name_types[tag]);
	}
}

static bool
has_alt_name(struct x509 *x, const void *stored, struct slice asserted)
{
	bool has;
	struct der d = extension(x, stored, X509_EXT_SUBJECT_ALT_NAME, &has);
	struct slice name;

	if (!has)
		return false;
	d = der_enter(&d, DER_SEQUENCE);
	while (der_is_next(&d, DER_ANY)) {
		name = der_element(&d, DER_ANY);
		if (name.len == 0)
			return false;
		put_name_type(x, name);
		if (is_out(x, asserted))
			return true;
	}
	return false;
}

/* { 1.2.3, 1.2.4 } */
static void
read_policies(struct x509 *x)
{
	unsigned n;

	gser_open(&x->in);
	for (n = 0; gser_has_item(&x->in, n); n++) {
		buf_put_str(&x->out, n == 0 ? "{ " : ", ");
		x509_read_oid(x);
	}
	if (n == 0)
		gser_fail(&x->in, HB_ESYNTAX);
	buf_put_str(&x->out, " }");
}

#define ANY_POLICY	SLICE("2.5.29.32.0")

/* One of the policies will do, and anyPolicy on either side is all of them. */
static bool
has_policy(struct x509 *x, const void *stored, struct slice asserted)
{
	bool has, any = x509_list_has(asserted, ANY_POLICY);
	struct der d = extension(x, stored, X509_EXT_POLICIES, &has), one;

	if (!has)
		return false;
	d = der_enter(&d, DER_SEQUENCE);
	while (der_is_next(&d, DER_ANY)) {
		one = der_enter(&d, DER_SEQUENCE);
		buf_reset(&x->out);
		x509_put_oid(x, der_take(&one, DER_OID));
		if (x->in.rc == HB_OK && (any || is_out(x, ANY_POLICY) ||
		    x509_list_has(asserted, buf_slice(&x->out))))
			return true;
	}
	return false;
}

/* ---- pathToName ---- */

/* The DN in rdnSequence:"dn"; NONE for der:, which no subtree is known of. */
static struct slice
dn_of(struct slice name)
{
	const struct slice head = SLICE("rdnSequence:\"");

	if (!slice_has_prefix(name, head))
		return SLICE_NONE;
	return slice(name.ptr + head.len, name.len - head.len - 1);
}

/*
 * Names of directories among GeneralSubtrees D: is the asserted one within
 * one of them? *any_r: there are such names.
 */
static bool
is_within(struct x509 *x, struct der d, struct slice asserted, bool *any_r)
{
	struct slice dn = dn_of(asserted), base;
	struct der subtree;

	*any_r = false;
	while (der_is_next(&d, DER_ANY)) {
		subtree = der_enter(&d, DER_SEQUENCE);
		if (!der_is_next(&subtree, DER_CONTEXT_OF(4)))
			continue;
		*any_r = true;
		buf_reset(&x->out);
		x509_put_name(x, der_take(&subtree, DER_CONTEXT_OF(4)));
		if (x->in.rc != HB_OK)
			return false;
		if (is_out(x, asserted))
			return true;
		base = dn_of(buf_slice(&x->out));
		if (!slice_is_none(dn) && !slice_is_none(base) &&
		    match_dn_subtree(x->schema, dn, base))
			return true;
	}
	return false;
}

/* RFC 5280 4.2.1.10: name constraints do not stand in the way. */
static bool
has_path_to(struct x509 *x, const void *stored, struct slice asserted)
{
	bool has, any;
	struct der d = extension(x, stored, X509_EXT_NAME_CONSTRAINTS, &has);

	if (!has)
		return true;
	d = der_enter(&d, DER_SEQUENCE);
	if (der_is_next(&d, DER_CONTEXT_OF(0)) &&
	    !is_within(x, der_enter(&d, DER_CONTEXT_OF(0)), asserted, &any) &&
	    any)
		return false;
	return !der_is_next(&d, DER_CONTEXT_OF(1)) ||
	    !is_within(x, der_enter(&d, DER_CONTEXT_OF(1)), asserted, &any);
}

/* ---- the rules ---- */

static const struct x509_component cert_rows[] = {
	X509_TEST("serialNumber", x509_read_integer, has_serial),
	X509_TEST("issuer", x509_read_name, has_issuer),
	X509_TEST("subjectKeyIdentifier", x509_read_octets, has_subject_key),
	X509_TEST("authorityKeyIdentifier", x509_read_authority_key,
	    has_authority_key),
	X509_TEST("certificateValid", x509_read_time, is_certificate_valid),
	X509_TEST("privateKeyValid", x509_read_time, is_key_valid),
	X509_TEST("subjectPublicKeyAlgID", x509_read_oid, has_key_algorithm),
	X509_TEST("keyUsage", read_key_usage, has_key_usage),
	X509_TEST("subjectAltName", read_name_type, has_alt_name),
	X509_TEST("policy", read_policies, has_policy),
	X509_TEST("pathToName", x509_read_name, has_path_to),
	X509_TEST("subject", x509_read_name, has_subject)
};

static void
read_cert(struct x509 *x)
{
	X509_READ(x, cert_rows);
}

static bool
match_cert(struct x509 *x, struct der *d, struct slice asserted)
{
	struct x509_cert c;

	x509_take_cert(d, &c);
	return x->in.rc == HB_OK && X509_MATCH(x, cert_rows, &c, asserted);
}

static void
put_cert(struct x509 *x, struct der *d)
{
	struct x509_cert c;

	buf_put_slice(&x->out, d->rest);
	x509_take_cert(d, &c);
}

const struct x509_kind x509_cert_assertion = { put_cert, read_cert };

/* Part N of the pair, a whole SEQUENCE. */
static bool
match_part(struct x509 *x, const void *stored, unsigned n,
    struct slice asserted)
{
	struct der pair = *(const struct der *)stored;
	struct der part;

	if (n > 0)
		der_skip_if(&pair, DER_CONTEXT_OF(0));
	if (!der_is_next(&pair, (uint8_t)DER_CONTEXT_OF(n)))
		return false;
	part = der_enter(&pair, (uint8_t)DER_CONTEXT_OF(n));
	return match_cert(x, &part, asserted);
}

static bool
match_issued_to(struct x509 *x, const void *stored, struct slice asserted)
{
	return match_part(x, stored, 0, asserted);
}

static bool
match_issued_by(struct x509 *x, const void *stored, struct slice asserted)
{
	return match_part(x, stored, 1, asserted);
}

static const struct x509_component pair_rows[] = {
	X509_TEST("issuedToThisCAAssertion", read_cert, match_issued_to),
	X509_TEST("issuedByThisCAAssertion", read_cert, match_issued_by)
};

static void
read_pair(struct x509 *x)
{
	X509_READ(x, pair_rows);
	if (slice_is_eq(buf_slice(&x->out), SLICE("{ }")))
		gser_fail(&x->in, HB_ESYNTAX);
}

static bool
match_pair(struct x509 *x, struct der *d, struct slice asserted)
{
	struct der pair = der_enter(d, DER_SEQUENCE);

	return X509_MATCH(x, pair_rows, &pair, asserted);
}

static void
put_pair(struct x509 *x, struct der *d)
{
	buf_put_slice(&x->out, d->rest);
	der_take(d, DER_SEQUENCE);
}

const struct x509_kind x509_pair_assertion = { put_pair, read_pair };

bool
match_certificate(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	return x509_match(schema, match_cert, stored, asserted);
}

bool
match_certificate_pair(const struct schema *schema, struct slice stored,
    struct slice asserted)
{
	return x509_match(schema, match_pair, stored, asserted);
}
