/* Templates and stamps: see tmpl.h. */
#include "ber.h"
#include "tmpl.h"
#include "util/err.h"
#include "util/mem.h"

struct place {
	size_t len;			/* of "{n:6}"; 0: not a place */
	bool is_x;
	size_t drop;			/* digits that "/1000" leaves out */
	size_t width;
};

/* "/1000" at *P. */
static bool
get_divisor(const char **p, size_t *drop_r)
{
	if (*(*p)++ != '/' || *(*p)++ != '1')
		return false;
	for (*drop_r = 0; **p == '0'; (*p)++)
		++*drop_r;
	return *drop_r > 0;
}

/* ":6" at *P. */
static bool
get_width(const char **p, size_t *width_r)
{
	(*p)++;
	for (*width_r = 0; **p >= '0' && **p <= '9' && *width_r <= 64; (*p)++)
		*width_r = *width_r * 10 + (size_t)(**p - '0');
	return *width_r > 0 && *width_r <= 64;
}

/* What stands at P, which points at a '{'. */
static struct place
place_at(const char *p)
{
	struct place pl = { 0, false, 0, 0 };
	const char *q = p + 2;

	if (p[1] == 'x' && p[2] == '}')
		return (struct place){ 3, true, 0, TMPL_X_DIGITS };
	if (p[1] != 'n' || (*q == '/' && !get_divisor(&q, &pl.drop)) ||
	    (*q == ':' && !get_width(&q, &pl.width)))
		return pl;
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
			    "{n:WIDTH}, {n/1000} or {x} expected at \"%s\"",
			    text, p);
	return HB_OK;
}

void
tmpl_put(struct buf *out, const char *text, const struct tmpl_vars *vars)
{
	const char *p;
	struct slice number;
	struct place pl;
	size_t len;

	for (; (p = strchr(text, '{')) != NULL; text = p + pl.len) {
		buf_put(out, text, (size_t)(p - text));
		if ((pl = place_at(p)).len == 0) {
			buf_put_char(out, *p);
			pl.len = 1;
			continue;
		}
		number = slice_of(pl.is_x ? vars->x : vars->n);
		if (number.len > pl.drop)
			number.len -= pl.drop;
		else
			number = SLICE("0");
		for (len = number.len; len < pl.width; len++)
			buf_put_char(out, '0');
		buf_put_slice(out, number);
	}
	buf_put_str(out, text);
}

/* What is encoded when each digit is 0, and when DIGIT is 9 instead. */
struct compiler {
	char n[TMPL_DIGITS_MAX + 1], x[TMPL_X_DIGITS + 1];
	struct tmpl_vars vars;
	struct buf plain, other;
	struct stamp_place places[TMPL_PLACES_MAX];
	uint32_t nplaces;
};

/* PLAIN and OTHER differ where DIGIT stands. */
static int
find_places(struct compiler *c, uint32_t digit, struct diag *diag)
{
	const struct buf *a = &c->plain, *b = &c->other;
	size_t i;

	if (a->len != b->len)
		return diag_err(diag, HB_EINVAL, "a number changes the length "
		    "of what is sent");
	for (i = 0; i < a->len; i++) {
		if (a->data[i] == b->data[i])
			continue;
		if (a->data[i] != '0' || b->data[i] != '9')
			return diag_err(diag, HB_EINVAL, "a number stands "
			    "where it is not sent as digits");
		if (c->nplaces == TMPL_PLACES_MAX)
			return diag_err(diag, HB_ELIMIT, "too many {n} and "
			    "{x}: more than %d digits change",
			    TMPL_PLACES_MAX);
		c->places[c->nplaces++] = (struct stamp_place){
		    (uint32_t)i, digit };
	}
	return HB_OK;
}

static int
find_digit(struct compiler *c, char *digit, uint32_t number,
    stamp_encode encode, const void *arg, struct diag *diag)
{
	int rc;

	buf_reset(&c->other);
	*digit = '9';
	rc = encode(arg, &c->vars, &c->other, diag);
	*digit = '0';
	return rc == HB_OK ? find_places(c, number, diag) : rc;
}

static int
compile_form(struct stamp_form *f, size_t digits, bool has_id,
    stamp_encode encode, const void *arg, struct diag *diag)
{
	struct compiler c = { .vars = { c.n, c.x } };
	uint32_t i;
	int rc;

	memset(c.n, '0', digits);
	memset(c.x, '0', TMPL_X_DIGITS);
	if ((rc = encode(arg, &c.vars, &c.plain, diag)) != HB_OK)
		goto out;
	for (i = 0; i < digits && rc == HB_OK; i++)
		rc = find_digit(&c, &c.n[i], i, encode, arg, diag);
	for (i = 0; i < TMPL_X_DIGITS && rc == HB_OK; i++)
		rc = find_digit(&c, &c.x[i], TMPL_DIGITS_MAX + i, encode, arg,
		    diag);
	if (rc != HB_OK)
		goto out;
	/* SEQUENCE header, then 02 02 and the ID */
	if (has_id)
		f->id_at = 1 + ((uint8_t)c.plain.data[1] < 0x80 ? 1 :
		    1 + (c.plain.data[1] & 0x7f)) + 2;
	f->len = (uint32_t)c.plain.len;
	f->data = mem_slicedup(buf_slice(&c.plain));
	f->nplaces = c.nplaces;
	f->places = mem_alloc(c.nplaces * sizeof *c.places + 1);
	memcpy(f->places, c.places, c.nplaces * sizeof *c.places);
out:
	buf_fini(&c.plain);
	buf_fini(&c.other);
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

	for (digits = 0; digits <= TMPL_DIGITS_MAX; digits++) {
		free(st->form[digits].data);
		free(st->form[digits].places);
	}
	memset(st, 0, sizeof *st);
}

/* The digits of V, with zeros before them, up to END. */
static void
put_digits(char *end, size_t n, uint64_t v)
{
	for (; n > 0; n--, v /= 10)
		*--end = (char)('0' + v % 10);
}

static size_t
count_digits(uint64_t v)
{
	size_t n = 1;

	for (; v >= 10 && n < TMPL_DIGITS_MAX; v /= 10)
		n++;
	return n;
}

void
stamp_put(const struct stamp *st, struct buf *out, uint64_t n, uint32_t x,
    unsigned id)
{
	char text[TMPL_DIGITS_MAX + TMPL_X_DIGITS];
	size_t digits = count_digits(n);
	const struct stamp_form *f = &st->form[digits];
	uint32_t i;
	char *p;

	put_digits(text + digits, digits, n);
	put_digits(text + sizeof text, TMPL_X_DIGITS, x);
	buf_reserve(out, f->len);
	p = out->data + out->len;
	memcpy(p, f->data, f->len);
	for (i = 0; i < f->nplaces; i++)
		p[f->places[i].at] = text[f->places[i].digit];
	if (f->id_at != 0) {
		p[f->id_at] = (char)(id >> 8);
		p[f->id_at + 1] = (char)id;
	}
	out->len += f->len;
}
