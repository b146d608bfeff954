/* Parts of X.509 values that are no names, and what reads and writes them. */
#include "x509.h"

static int
run(struct x509 *x, const struct x509_kind *kind, struct slice value)
{
	struct der d = der_reader(value, &x->in.rc);

	x->in.rc = HB_ESYNTAX;
	if (value.len > 0 && (uint8_t)value.ptr[0] == DER_SEQUENCE &&
	    der_is_strict(value)) {
		x->in.rc = HB_OK;
		kind->put(x, &d);
		der_end(&d);
	}
	/* "0$cn=ca" begins like DER does */
	if (x->in.rc == HB_ESYNTAX) {
		buf_reset(&x->out);
		gser_init(&x->in, x->in.arena, value);
		kind->read(x);
		gser_end(&x->in);
	}
	return x->in.rc;
}

int
x509_normalise(const struct schema *schema, struct arena *arena,
    const struct x509_kind *kind, struct slice value, struct slice *norm_r)
{
	struct x509 x = { .schema = schema, .in.arena = arena };
	int rc;

	buf_init(&x.out);
	rc = run(&x, kind, value);
	if (rc != HB_OK)
		goto out;
	*norm_r = value;
	if (!slice_is_eq(value, buf_slice(&x.out)))
		*norm_r = arena_slice(arena, buf_slice(&x.out));
	if (norm_r->ptr == NULL)
		rc = HB_ELIMIT;
out:
	buf_fini(&x.out);
	return rc;
}

int
x509_check(const struct schema *schema, const struct x509_kind *kind,
    struct slice value)
{
	struct arena arena;
	struct slice norm;
	int rc;

	arena_init(&arena, 0);
	rc = x509_normalise(schema, &arena, kind, value, &norm);
	arena_fini(&arena);
	return rc;
}

/* ---- sequences ---- */

struct span {
	size_t at, len;
};

static unsigned
find_row(const struct x509_component *rows, unsigned nrows, struct slice name)
{
	unsigned i;

	for (i = 0; i < nrows; i++)
		if (slice_is_eq_nocase(name, slice_of(rows[i].name)))
			break;
	return i;
}

void
x509_put_name_of(struct x509 *x, const char *name, bool first)
{
	buf_put_str(&x->out, first ? "{ " : ", ");
	buf_put_str(&x->out, name);
	buf_put_char(&x->out, ' ');
}

/* Put what was read, which begins at START, into the order of ROWS. */
static void
put_in_order(struct x509 *x, const struct x509_component *rows,
    unsigned nrows, const struct span *found, size_t start)
{
	struct slice parts;
	bool first = true;
	unsigned i;

	parts = arena_slice(x->in.arena, slice_skip(buf_slice(&x->out),
	    start));
	if (parts.ptr == NULL) {
		gser_fail(&x->in, HB_ELIMIT);
		return;
	}
	x->out.len = start;
	for (i = 0; i < nrows; i++) {
		if (found[i].len == 0)
			continue;
		x509_put_name_of(x, rows[i].name, first);
		buf_put(&x->out, parts.ptr + (found[i].at - start),
		    found[i].len);
		first = false;
	}
	buf_put_str(&x->out, first ? "{ }" : " }");
}

void
x509_read_components(struct x509 *x, const struct x509_component *rows,
    unsigned nrows)
{
	struct span found[X509_COMPONENTS_MAX] = { { 0, 0 } };
	size_t start = x->out.len;
	unsigned n, i;

	hb_assert(nrows <= X509_COMPONENTS_MAX);
	gser_open(&x->in);
	for (n = 0; gser_has_item(&x->in, n); n++) {
		i = find_row(rows, nrows, gser_name(&x->in));
		if (i == nrows || found[i].len > 0) {
			gser_fail(&x->in, HB_ESYNTAX);
			return;
		}
		found[i].at = x->out.len;
		rows[i].read(x);
		found[i].len = x->out.len - found[i].at;
	}
	for (i = 0; i < nrows; i++)
		if (rows[i].required && found[i].len == 0)
			gser_fail(&x->in, HB_ESYNTAX);
	if (x->in.rc == HB_OK)
		put_in_order(x, rows, nrows, found, start);
}

/* ---- values ---- */

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
		{ "algorithm", true, x509_read_oid },
		{ "parameters", false, read_any }
	};

	X509_READ(x, rows);
}
