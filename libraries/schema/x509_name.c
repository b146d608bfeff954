/*
 * Names of X.509: a Name becomes an RFC 4514 string, which the schema's rule
 * for DNs then normalises, so that it has the form of an asserted DN.
 */
#include "x509.h"

/* ---- Name ---- */

/* RFC 4514 2.4; more is escaped than has to be. */
static void
put_escaped(struct buf *out, struct slice text)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t i;

	for (i = 0; i < text.len; i++) {
		uint8_t c = (uint8_t)text.ptr[i];

		if (c > ' ' && c != 0x7f && memchr("\"#+,;<=>\\", c, 9) == NULL) {
			buf_put_char(out, (char)c);
			continue;
		}
		if (c == ' ' && i > 0 && i < text.len - 1) {
			buf_put_char(out, ' ');
			continue;
		}
		buf_put_char(out, '\\');
		buf_put_char(out, hex[c >> 4]);
		buf_put_char(out, hex[c & 15]);
	}
}

static void
put_hex(struct buf *out, struct slice octets)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	buf_put_char(out, '#');
	for (i = 0; i < octets.len; i++) {
		buf_put_char(out, hex[(uint8_t)octets.ptr[i] >> 4]);
		buf_put_char(out, hex[(uint8_t)octets.ptr[i] & 15]);
	}
}

/*
 * AttributeTypeAndValue as "2.5.4.3=value". RFC 4514 2.3, 2.4: what has no
 * string form, or is of a type that is not known, is the hex of its DER.
 */
static void
put_ava(struct x509 *x, struct buf *dn, struct der ava)
{
	size_t start = dn->len;
	struct slice type, value, body, text;
	struct buf string;
	struct der d;

	if (der_put_oid(dn, der_take(&ava, DER_OID)) != HB_OK)
		gser_fail(&x->in, HB_ESYNTAX);
	type = slice_skip(buf_slice(dn), start);
	value = der_element(&ava, DER_ANY);
	der_end(&ava);
	if (x->in.rc != HB_OK)
		return;
	d = der_reader(value, &x->in.rc);
	body = der_take(&d, DER_ANY);
	buf_init(&string);
	text = SLICE_NONE;
	if (schema_find_type(x->schema, type) != NULL &&
	    der_put_string(&string, (uint8_t)value.ptr[0], body) == HB_OK)
		text = buf_slice(&string);
	buf_put_char(dn, '=');
	if (slice_is_none(text))
		put_hex(dn, value);
	else
		put_escaped(dn, text);
	buf_fini(&string);
}

static void
put_rdn(struct x509 *x, struct buf *dn, struct der rdn)
{
	bool first = true;

	do {
		if (!first)
			buf_put_char(dn, '+');
		put_ava(x, dn, der_enter(&rdn, DER_SEQUENCE));
		first = false;
	} while (der_is_next(&rdn, DER_ANY));
}

/* RFC 4514 2.1: the last RDN comes first. */
static void
put_rdns(struct x509 *x, struct buf *dn, struct slice whole)
{
	struct der d = der_reader(whole, &x->in.rc), names, again;
	struct slice *rdns;
	unsigned n = 0, i;

	names = again = der_enter(&d, DER_SEQUENCE);
	der_end(&d);
	while (der_is_next(&names, DER_ANY)) {
		der_element(&names, DER_SET);
		n++;
	}
	rdns = arena_calloc(x->in.arena, (size_t)n + 1, sizeof(*rdns));
	if (rdns == NULL) {
		gser_fail(&x->in, HB_ELIMIT);
		return;
	}
	for (i = 0; i < n; i++)
		rdns[i] = der_take(&again, DER_SET);
	while (n-- > 0) {
		put_rdn(x, dn, der_reader(rdns[n], &x->in.rc));
		if (n > 0)
			buf_put_char(dn, ',');
	}
}

/*
 * A name with code points that RFC 4518 2.4 prohibits is no DN to assertions.
 */
int
x509_norm_dn(struct x509 *x, struct slice text, struct slice *norm_r)
{
	int rc = norm_dn(x->schema, x->in.arena, SUBSTR_WHOLE, text, norm_r);

	if (rc == HB_OK && dn_is_prohibited(x->schema, *norm_r))
		rc = HB_ESYNTAX;
	return rc;
}

static void
put_dn(struct x509 *x, struct slice norm)
{
	buf_put_str(&x->out, "rdnSequence:");
	gser_put_string(&x->out, norm);
}

/*
 * Authorities put values into names that their attributes' syntaxes refuse
 * (countryName "Germany"), or a type twice. No DN matches these; the Name as
 * it is still identifies them.
 */
void
x509_put_name(struct x509 *x, struct slice whole)
{
	struct slice norm;
	struct buf dn;
	int rc;

	buf_init(&dn);
	put_rdns(x, &dn, whole);
	if (x->in.rc != HB_OK)
		goto out;
	rc = x509_norm_dn(x, buf_slice(&dn), &norm);
	if (rc == HB_OK) {
		/* which may point into the string */
		put_dn(x, norm);
	} else if (rc == HB_ESYNTAX) {
		x509_put_der(x, whole);
	} else {
		gser_fail(&x->in, rc);
	}
out:
	buf_fini(&dn);
}

/* The choice has one alternative; users leave its name out. */
void
x509_read_name(struct x509 *x)
{
	struct slice text, norm;
	int rc;

	if (x509_has_der(x, &text)) {
		if (x->in.rc == HB_OK)
			x509_put_name(x, text);
		return;
	}
	gser_has_choice(&x->in, "rdnSequence");
	text = gser_string(&x->in);
	if (x->in.rc != HB_OK)
		return;
	rc = x509_norm_dn(x, text, &norm);
	if (rc == HB_OK)
		put_dn(x, norm);
	else
		gser_fail(&x->in, rc);
}

/* ---- GeneralName ---- */

enum form { FORM_DER, FORM_FOLD, FORM_EXACT, FORM_NAME, FORM_OCTETS, FORM_OID };

static const struct {
	const char *name;
	uint8_t tag;
	enum form form;
} forms[] = {
	{ "otherName", DER_CONTEXT_OF(0), FORM_DER },
	{ "rfc822Name", DER_CONTEXT(1), FORM_FOLD },
	{ "dNSName", DER_CONTEXT(2), FORM_FOLD },
	{ "x400Address", DER_CONTEXT_OF(3), FORM_DER },
	{ "directoryName", DER_CONTEXT_OF(4), FORM_NAME },
	{ "ediPartyName", DER_CONTEXT_OF(5), FORM_DER },
	{ "uniformResourceIdentifier", DER_CONTEXT(6), FORM_EXACT },
	{ "iPAddress", DER_CONTEXT(7), FORM_OCTETS },
	{ "registeredID", DER_CONTEXT(8), FORM_OID }
};
#define NFORMS	(sizeof(forms) / sizeof(forms[0]))

/* Names of hosts and mailboxes are compared without case. */
static void
put_string(struct x509 *x, struct slice text, bool fold)
{
	size_t start = x->out.len;

	gser_put_string(&x->out, text);
	if (fold)
		text_tolower(x->out.data + start, x->out.len - start);
}

static void
put_form(struct x509 *x, enum form form, struct slice whole)
{
	struct der d = der_reader(whole, &x->in.rc);
	struct slice body = der_take(&d, DER_ANY);

	der_end(&d);
	if (x->in.rc != HB_OK)
		return;
	switch (form) {
	case FORM_NAME:
		x509_put_name(x, body);
		break;
	case FORM_OCTETS:
		gser_put_octets(&x->out, body);
		break;
	case FORM_OID:
		x509_put_oid(x, body);
		break;
	case FORM_FOLD:
	case FORM_EXACT:
		if (text_is_utf8(body) && (body.len == 0 ||
		    memchr(body.ptr, '\0', body.len) == NULL)) {
			put_string(x, body, form == FORM_FOLD);
			break;
		}
		/* FALLTHROUGH */
	case FORM_DER:
		x509_put_der(x, whole);
	}
}

void
x509_put_general_name(struct x509 *x, struct slice whole)
{
	unsigned i;

	for (i = 0; i < NFORMS; i++)
		if (whole.len > 0 && (uint8_t)whole.ptr[0] == forms[i].tag)
			break;
	if (i == NFORMS) {
		gser_fail(&x->in, HB_ESYNTAX);
		return;
	}
	buf_put_str(&x->out, forms[i].name);
	buf_put_char(&x->out, ':');
	put_form(x, forms[i].form, whole);
}

void
x509_put_general_names(struct x509 *x, struct der d)
{
	bool first = true;

	do {
		buf_put_str(&x->out, first ? "{ " : ", ");
		x509_put_general_name(x, der_element(&d, DER_ANY));
		first = false;
	} while (der_is_next(&d, DER_ANY));
	buf_put_str(&x->out, " }");
}

static void
read_form(struct x509 *x, uint8_t tag, enum form form)
{
	struct slice whole;

	if (form != FORM_NAME && x509_has_der(x, &whole)) {
		if (x->in.rc == HB_OK && (uint8_t)whole.ptr[0] != tag)
			gser_fail(&x->in, HB_ESYNTAX);
		if (x->in.rc == HB_OK)
			put_form(x, form, whole);
		return;
	}
	switch (form) {
	case FORM_NAME:
		x509_read_name(x);
		break;
	case FORM_OCTETS:
		x509_read_octets(x);
		break;
	case FORM_OID:
		x509_read_oid(x);
		break;
	case FORM_FOLD:
	case FORM_EXACT:
		put_string(x, gser_string(&x->in), form == FORM_FOLD);
		break;
	case FORM_DER:
		gser_fail(&x->in, HB_ESYNTAX);
	}
}

static void
read_general_name(struct x509 *x)
{
	unsigned i;

	for (i = 0; i < NFORMS; i++)
		if (gser_has_choice(&x->in, forms[i].name))
			break;
	if (i == NFORMS) {
		gser_fail(&x->in, HB_ESYNTAX);
		return;
	}
	buf_put_str(&x->out, forms[i].name);
	buf_put_char(&x->out, ':');
	read_form(x, forms[i].tag, forms[i].form);
}

void
x509_read_general_names(struct x509 *x)
{
	unsigned n;

	gser_open(&x->in);
	for (n = 0; gser_has_item(&x->in, n); n++) {
		buf_put_str(&x->out, n == 0 ? "{ " : ", ");
		read_general_name(x);
	}
	if (n == 0)
		gser_fail(&x->in, HB_ESYNTAX);
	buf_put_str(&x->out, " }");
}

/* ---- DistributionPointName ---- */

/* nameRelativeToCRLIssuer is one RDN, for which a DN of one stands. */
static void
put_relative(struct x509 *x, struct slice whole)
{
	struct der d = der_reader(whole, &x->in.rc);
	struct slice norm;
	struct buf dn;
	int rc;

	buf_init(&dn);
	put_rdn(x, &dn, der_enter(&d, DER_CONTEXT_OF(1)));
	if (x->in.rc != HB_OK)
		goto out;
	rc = x509_norm_dn(x, buf_slice(&dn), &norm);
	if (rc == HB_OK)
		gser_put_string(&x->out, norm);
	else if (rc == HB_ESYNTAX)
		x509_put_der(x, whole);
	else
		gser_fail(&x->in, rc);
out:
	buf_fini(&dn);
}

void
x509_put_point_name(struct x509 *x, struct slice whole)
{
	struct der d = der_reader(whole, &x->in.rc);

	if (der_is_next(&d, DER_CONTEXT_OF(0))) {
		buf_put_str(&x->out, "fullName:");
		x509_put_general_names(x, der_enter(&d, DER_CONTEXT_OF(0)));
	} else {
		buf_put_str(&x->out, "nameRelativeToCRLIssuer:");
		put_relative(x, der_element(&d, DER_CONTEXT_OF(1)));
	}
	der_end(&d);
}

void
x509_read_point_name(struct x509 *x)
{
	struct slice text, norm;
	int rc;

	if (gser_has_choice(&x->in, "fullName")) {
		buf_put_str(&x->out, "fullName:");
		x509_read_general_names(x);
		return;
	}
	if (!gser_has_choice(&x->in, "nameRelativeToCRLIssuer")) {
		gser_fail(&x->in, HB_ESYNTAX);
		return;
	}
	buf_put_str(&x->out, "nameRelativeToCRLIssuer:");
	if (x509_has_der(x, &text)) {
		if (x->in.rc == HB_OK)
			put_relative(x, text);
		return;
	}
	text = gser_string(&x->in);
	if (x->in.rc != HB_OK)
		return;
	rc = validate_rdn(x->schema, text);
	if (rc == HB_OK)
		rc = x509_norm_dn(x, text, &norm);
	if (rc == HB_OK)
		gser_put_string(&x->out, norm);
	else
		gser_fail(&x->in, rc);
}

bool
x509_points_meet(struct slice a, struct slice b)
{
	const struct slice head = SLICE("fullName:");
	struct gser g;
	unsigned n;

	if (!slice_has_prefix(a, head) || !slice_has_prefix(b, head))
		return slice_is_eq(a, b);
	gser_init(&g, NULL, slice_skip(b, head.len));
	gser_open(&g);
	for (n = 0; gser_has_item(&g, n); n++)
		if (x509_list_has(slice_skip(a, head.len), gser_value(&g)))
			return true;
	return false;
}
