/* Parts of X.509 values that are no names. */
#include "x509.h"

void
x509_put_der(struct x509 *x, struct slice whole)
{
	buf_put_str(&x->out, "der:");
	gser_put_octets(&x->out, whole);
}

bool
x509_has_der(struct x509 *x, struct slice *whole_r)
{
	if (!gser_has_choice(&x->in, "der"))
		return false;
	*whole_r = gser_octets(&x->in);
	if (!der_is_strict(*whole_r))
		gser_fail(&x->in, HB_ESYNTAX);
	return true;
}

static void
check(struct x509 *x, int rc)
{
	if (rc != HB_OK)
		gser_fail(&x->in, rc);
}

void
x509_put_integer(struct x509 *x, struct slice body)
{
	check(x, der_put_integer(&x->out, body));
}

/*
 * Octets are those of the INTEGER: 'FF'H is -1, '00FF'H is 255. They may be
 * more than it takes.
 */
void
x509_read_integer(struct x509 *x)
{
	struct slice s;

	if (!gser_is_next(&x->in, '\'')) {
		buf_put_slice(&x->out, gser_integer(&x->in));
		return;
	}
	s = gser_octets(&x->in);
	while (s.len > 1 && ((s.ptr[0] == 0 && (uint8_t)s.ptr[1] < 0x80) ||
	    ((uint8_t)s.ptr[0] == 0xff && (uint8_t)s.ptr[1] >= 0x80)))
		s = slice_skip(s, 1);
	x509_put_integer(x, s);
}

void
x509_put_oid(struct x509 *x, struct slice body)
{
	check(x, der_put_oid(&x->out, body));
}

void
x509_read_oid(struct x509 *x)
{
	buf_put_slice(&x->out, gser_oid(&x->in));
}

void
x509_read_octets(struct x509 *x)
{
	gser_put_octets(&x->out, gser_octets(&x->in));
}

/* RFC 5280 4.1.2.5.1: a year of two digits is in 1950 .. 2049. */
static void
put_time_text(struct x509 *x, bool is_utc, struct slice text)
{
	struct slice norm;
	int rc;

	if (is_utc) {
		if (validate_utctime(x->schema, text) != HB_OK) {
			gser_fail(&x->in, HB_ESYNTAX);
			return;
		}
		text = arena_printf(x->in.arena, "%s%.*s",
		    text.ptr[0] < '5' ? "20" : "19", SLICE_ARG(text));
		if (text.ptr == NULL) {
			gser_fail(&x->in, HB_ELIMIT);
			return;
		}
	}
	rc = norm_gentime(x->schema, x->in.arena, SUBSTR_WHOLE, text, &norm);
	if (rc != HB_OK) {
		gser_fail(&x->in, rc);
		return;
	}
	buf_put_str(&x->out, "generalizedTime:\"");
	buf_put_slice(&x->out, norm);
	buf_put_char(&x->out, '"');
}

void
x509_put_time(struct x509 *x, struct slice whole)
{
	struct der d = der_reader(whole, &x->in.rc);
	bool is_utc = der_is_next(&d, DER_UTCTIME);
	struct slice text;

	text = der_take(&d, is_utc ? DER_UTCTIME : DER_GENTIME);
	if (x->in.rc == HB_OK)
		put_time_text(x, is_utc, text);
}

/* Users leave the choice out; then it is a GeneralizedTime. */
void
x509_read_time(struct x509 *x)
{
	bool is_utc = gser_has_choice(&x->in, "utcTime");
	struct slice text;

	if (!is_utc && !gser_has_choice(&x->in, "generalizedTime"))
		gser_has_choice(&x->in, "generalTime");
	text = gser_string(&x->in);
	if (x->in.rc == HB_OK)
		put_time_text(x, is_utc, text);
}

static struct slice
quoted_part(struct slice text)
{
	const char *quote = memchr(text.ptr, '"', text.len);

	if (quote == NULL || text.len < 2)
		return SLICE("");
	return slice(quote + 1, (size_t)(text.ptr + text.len - quote) - 2);
}

static int
out_time_cmp(struct x509 *x, struct slice asserted)
{
	return x->in.rc != HB_OK ? 0 : cmp_gentime(quoted_part(
	    buf_slice(&x->out)), quoted_part(asserted));
}

int
x509_time_cmp(struct x509 *x, struct slice whole, struct slice asserted)
{
	buf_reset(&x->out);
	x509_put_time(x, whole);
	return out_time_cmp(x, asserted);
}

int
x509_gentime_cmp(struct x509 *x, struct slice body, struct slice asserted)
{
	buf_reset(&x->out);
	if (x->in.rc == HB_OK)
		put_time_text(x, false, body);
	return out_time_cmp(x, asserted);
}

/* X.690 8.6: the number of unused bits, then the bits. */
void
x509_put_bits(struct x509 *x, struct slice body)
{
	unsigned unused = body.len > 0 ? (uint8_t)body.ptr[0] : 8;
	size_t i, n;

	if (unused > 7 || (body.len == 1 && unused > 0)) {
		gser_fail(&x->in, HB_ESYNTAX);
		return;
	}
	n = (body.len - 1) * 8 - unused;
	buf_put_char(&x->out, '\'');
	for (i = 0; i < n; i++)
		buf_put_char(&x->out, (uint8_t)body.ptr[1 + i / 8] >>
		    (7 - i % 8) & 1 ? '1' : '0');
	buf_put_str(&x->out, "'B");
}

void
x509_read_bits(struct x509 *x)
{
	buf_put_char(&x->out, '\'');
	buf_put_slice(&x->out, gser_bits(&x->in));
	buf_put_str(&x->out, "'B");
}

#define NAMED_BITS_MAX	64

struct named_bits {
	char bits[NAMED_BITS_MAX];	/* '0' or '1' */
	unsigned n;			/* up to the last that is set */
};

static void
set_bit(struct x509 *x, struct named_bits *b, size_t i)
{
	if (i >= NAMED_BITS_MAX) {
		gser_fail(&x->in, HB_ESYNTAX);
		return;
	}
	b->bits[i] = '1';
	if (i >= b->n)
		b->n = (unsigned)i + 1;
}

static void
read_bit_names(struct x509 *x, const char *const *names, unsigned n,
    struct named_bits *b)
{
	struct slice name;
	unsigned item, i;

	gser_open(&x->in);
	for (item = 0; gser_has_item(&x->in, item); item++) {
		name = gser_value(&x->in);
		for (i = 0; i < n; i++)
			if (slice_is_eq_nocase(name, slice_of(names[i])))
				break;
		set_bit(x, b, i < n ? i : NAMED_BITS_MAX);
	}
}

/* X.680 22.7: zeros at the end of a list of named bits mean nothing. */
void
x509_read_named_bits(struct x509 *x, const char *const *names, unsigned n)
{
	struct gser ahead = x->in;
	struct slice text = gser_value(&ahead);
	struct named_bits b = { .n = 0 };
	size_t i;

	memset(b.bits, '0', sizeof(b.bits));
	if (gser_is_next(&x->in, '{')) {
		read_bit_names(x, names, n, &b);
	} else if (text.len > 0 && text.ptr[text.len - 1] == 'H') {
		text = gser_octets(&x->in);
		for (i = 0; i < text.len * 8; i++)
			if ((uint8_t)text.ptr[i / 8] >> (7 - i % 8) & 1)
				set_bit(x, &b, i);
	} else {
		text = gser_bits(&x->in);
		for (i = 0; i < text.len; i++)
			if (text.ptr[i] == '1')
				set_bit(x, &b, i);
	}
	buf_put_char(&x->out, '\'');
	buf_put(&x->out, b.bits, b.n);
	buf_put_str(&x->out, "'B");
}

/* ---- AlgorithmIdentifier ---- */

/* ANY: the simple types have their own forms, all others are der:. */
static void
put_any(struct x509 *x, struct slice whole)
{
	struct der d = der_reader(whole, &x->in.rc);
	uint8_t tag = whole.len > 0 ? (uint8_t)whole.ptr[0] : 0;
	struct slice body = der_take(&d, tag);

	der_end(&d);
	if (tag == DER_NULL && body.len == 0)
		buf_put_str(&x->out, "NULL");
	else if (tag == DER_INTEGER)
		x509_put_integer(x, body);
	else if (tag == DER_OID)
		x509_put_oid(x, body);
	else if (tag == DER_OCTETS)
		gser_put_octets(&x->out, body);
	else
		x509_put_der(x, whole);
}

static void
read_any(struct x509 *x)
{
	struct slice whole, text;
	struct gser *g = &x->in;

	if (x509_has_der(x, &whole)) {
		put_any(x, whole);
	} else if (gser_is_next(g, '\'')) {
		x509_read_octets(x);
	} else if (gser_is_next(g, 'N')) {
		text = gser_value(g);
		if (!slice_is_eq(text, SLICE("NULL")))
			gser_fail(g, HB_ESYNTAX);
		buf_put_slice(&x->out, text);
	} else {
		struct gser ahead = *g;

		text = gser_value(&ahead);
		if (memchr(text.ptr, '.', text.len) != NULL)
			x509_read_oid(x);
		else
			buf_put_slice(&x->out, gser_integer(g));
	}
}

void
x509_put_algorithm(struct x509 *x, struct der *d)
{
	x509_put_name_of(x, "algorithm", true);
	x509_put_oid(x, der_take(d, DER_OID));
	if (der_is_next(d, DER_ANY)) {
		x509_put_name_of(x, "parameters", false);
		put_any(x, der_element(d, DER_ANY));
	}
	der_end(d);
	buf_put_str(&x->out, " }");
}

void
x509_read_algorithm(struct x509 *x)
{
	static const struct x509_component rows[] = {
		X509_MUST("algorithm", x509_read_oid),
		X509_MAY("parameters", read_any)
	};

	X509_READ(x, rows);
}
