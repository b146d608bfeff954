/* Templates and stamps: see tmpl.h. */
#include "ber.h"
#include "tmpl.h"
#include "util/err.h"
#include "util/mem.h"

struct place {
	size_t len;			/* of "{n:6}"; 0: not a place */
	bool is_x;
	size_t width;
};

/* What stands at P, which points at a '{'. */
static struct place
place_at(const char *p)
{
	struct place pl = { 0, false, 0 };
	const char *q = p + 2;

	if (p[1] == 'x' && p[2] == '}')
		return (struct place){ 3, true, TMPL_X_DIGITS };
	if (p[1] != 'n')
		return pl;
	if (*q == ':') {
		for (q++; *q >= '0' && *q <= '9' && pl.width < 100; q++)
			pl.width = pl.width * 10 + (size_t)(*q - '0');
		if (pl.width == 0 || pl.width > 64)
			return pl;
	}
	pl.len = *q == '}' ? (size_t)(q + 1 - p) : 0;
	return pl;
}

int
tmpl_check(const char *text, struct diag *diag)
{
	const char *p;

	for (p = text; (p = strchr(p, '{')) != NULL; p++)
		if (place_at(p).len == 0)
			return diag_err(diag, HB_EINVAL, "\"%s\": {n}, "
			    "{n:WIDTH} or {x} expected at \"%s\"", text, p);
	return HB_OK;
}

void
tmpl_put(struct buf *out, const char *text, const struct tmpl_vars *vars)
{
	const char *p, *number;
	struct place pl;
	size_t len;

	for (; (p = strchr(text, '{')) != NULL; text = p + pl.len) {
		buf_put(out, text, (size_t)(p - text));
		if ((pl = place_at(p)).len == 0) {
			buf_put_char(out, *p);
			pl.len = 1;
			continue;
		}
		number = pl.is_x ? vars->x : vars->n;
		for (len = strlen(number); len < pl.width; len++)
			buf_put_char(out, '0');
		buf_put_str(out, number);
	}
	buf_put_str(out, text);
}

/*
 * Two encodings of the same length differ in the digits only, each run of them
 * GROUP long or a multiple: note where they begin.
 */
static int
find_places(const struct buf *a, const struct buf *b, size_t group,
    uint32_t *at, uint32_t *n_r, struct diag *diag)
{
	size_t i, k;

	*n_r = 0;
	if (a->len != b->len)
		return diag_err(diag, HB_EINVAL, "a number changes the length "
		    "of what is sent");
	for (i = 0; i < a->len; i++) {
		if (a->data[i] == b->data[i])
			continue;
		for (k = 0; k < group; k++)
			if (i + k >= a->len || a->data[i + k] != '0' ||
			    b->data[i + k] != '9')
				return diag_err(diag, HB_EINVAL, "a number "
				    "stands where it is not sent as digits");
		if (*n_r == TMPL_PLACES_MAX)
			return diag_err(diag, HB_ELIMIT, "more than %d numbers "
			    "in one template", TMPL_PLACES_MAX);
		at[(*n_r)++] = (uint32_t)i;
		i += group - 1;
	}
	return HB_OK;
}

static int
compile_form(struct stamp_form *f, size_t digits, bool has_id,
    stamp_encode encode, const void *arg, struct diag *diag)
{
	static const char zeros[] = "0000000000", nines[] = "9999999999";
	const char *z = zeros + TMPL_DIGITS_MAX - digits;
	const char *zx = zeros + TMPL_DIGITS_MAX - TMPL_X_DIGITS;
	const struct tmpl_vars v0 = { z, zx };
	const struct tmpl_vars vn = { nines + TMPL_DIGITS_MAX - digits, zx };
	const struct tmpl_vars vx = { z, nines + TMPL_DIGITS_MAX -
	    TMPL_X_DIGITS };
	struct buf b0, bn, bx;
	int rc;

	buf_init(&b0);
	buf_init(&bn);
	buf_init(&bx);
	if ((rc = encode(arg, &v0, &b0, diag)) != HB_OK ||
	    (rc = encode(arg, &vn, &bn, diag)) != HB_OK ||
	    (rc = encode(arg, &vx, &bx, diag)) != HB_OK ||
	    (rc = find_places(&b0, &bn, digits, f->n_at, &f->nn, diag)) !=
	    HB_OK || (rc = find_places(&b0, &bx, TMPL_X_DIGITS, f->x_at,
	    &f->nx, diag)) != HB_OK)
		goto out;
	f->len = (uint32_t)b0.len;
	/* SEQUENCE header, then 02 02 and the ID */
	if (has_id)
		f->id_at = 1 + ((uint8_t)b0.data[1] < 0x80 ? 1 :
		    1 + (b0.data[1] & 0x7f)) + 2;
	buf_put_char(&b0, '\0');
	f->data = b0.data;
	buf_init(&b0);
out:
	buf_fini(&b0);
	buf_fini(&bn);
	buf_fini(&bx);
	return rc;
}

int
stamp_compile(struct stamp *st, bool has_id, stamp_encode encode,
    const void *arg, struct diag *diag)
{
	size_t digits;
	int rc;

	memset(st, 0, sizeof *st);
	for (digits = 1; digits <= TMPL_DIGITS_MAX; digits++)
		if ((rc = compile_form(&st->form[digits], digits, has_id,
		    encode, arg, diag)) != HB_OK)
			return rc;
	return HB_OK;
}

void
stamp_fini(struct stamp *st)
{
	size_t digits;

	for (digits = 0; digits <= TMPL_DIGITS_MAX; digits++)
		free(st->form[digits].data);
	memset(st, 0, sizeof *st);
}

/* The digits of V, N of them at least, at the end of TEXT; returns how many. */
static size_t
put_digits(char text[TMPL_DIGITS_MAX], uint64_t v, size_t n)
{
	size_t i = TMPL_DIGITS_MAX;

	do {
		text[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (i > 0 && (v > 0 || TMPL_DIGITS_MAX - i < n));
	return TMPL_DIGITS_MAX - i;
}

void
stamp_put(const struct stamp *st, struct buf *out, uint64_t n, uint32_t x,
    unsigned id)
{
	char ntext[TMPL_DIGITS_MAX], xtext[TMPL_DIGITS_MAX];
	size_t digits = put_digits(ntext, n, 1);
	const struct stamp_form *f = &st->form[digits];
	const char *nfrom = ntext + TMPL_DIGITS_MAX - digits;
	char *p;
	uint32_t i;

	buf_reserve(out, f->len);
	p = out->data + out->len;
	memcpy(p, f->data, f->len);
	for (i = 0; i < f->nn; i++)
		memcpy(p + f->n_at[i], nfrom, digits);
	if (f->nx > 0)
		put_digits(xtext, x % TMPL_X_MAX, TMPL_X_DIGITS);
	for (i = 0; i < f->nx; i++)
		memcpy(p + f->x_at[i], xtext + TMPL_DIGITS_MAX - TMPL_X_DIGITS,
		    TMPL_X_DIGITS);
	if (f->id_at != 0) {
		p[f->id_at] = (char)(id >> 8);
		p[f->id_at + 1] = (char)id;
	}
	out->len += f->len;
}
