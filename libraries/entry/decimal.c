/*
 * Sums of integers as values hold them (RFC 4525, RFC 4517 3.3.16): decimal
 * texts of any length, so that a number never overflows.
 */
#include "attrs_int.h"
#include "util/err.h"

struct number {
	bool negative;
	struct slice digits;		/* without leading zeros; none for 0 */
};

static int
parse(struct slice text, struct number *n_r)
{
	n_r->negative = text.len > 0 && text.ptr[0] == '-';
	text = slice_skip(text, n_r->negative);
	n_r->digits = text;
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return HB_ESYNTAX;
	while (n_r->digits.len > 0 && n_r->digits.ptr[0] == '0')
		n_r->digits = slice_skip(n_r->digits, 1);
	return text.len > 0 ? HB_OK : HB_ESYNTAX;
}

/* Digit I from the right. */
static int
digit(const struct number *n, size_t i)
{
	return i < n->digits.len ?
	    n->digits.ptr[n->digits.len - 1 - i] - '0' : 0;
}

static int
magnitude_cmp(const struct number *a, const struct number *b)
{
	if (a->digits.len != b->digits.len)
		return a->digits.len < b->digits.len ? -1 : 1;
	return slice_cmp(a->digits, b->digits);
}

int
decimal_add(struct arena *arena, struct slice a, struct slice b,
    struct slice *sum_r)
{
	struct number x, y, swap;
	size_t i, len;
	int carry = 0, d;
	char *out, *p;

	if (parse(a, &x) != HB_OK || parse(b, &y) != HB_OK)
		return HB_ESYNTAX;
	if (magnitude_cmp(&x, &y) < 0) {
		swap = x;
		x = y;
		y = swap;
	}
	/* x is the larger one and gives the sign; one digit more may come */
	len = x.digits.len + 2;
	if ((out = arena_alloc(arena, len)) == NULL)
		return HB_ELIMIT;
	p = out + len;
	for (i = 0; i <= x.digits.len; i++) {
		d = digit(&x, i) + carry + (x.negative == y.negative ?
		    digit(&y, i) : -digit(&y, i));
		carry = d < 0 ? -1 : d / 10;
		*--p = (char)('0' + d - carry * 10);
	}
	while (p < out + len - 1 && *p == '0')
		p++;
	if (x.negative && *p != '0')
		*--p = '-';
	*sum_r = slice(p, (size_t)(out + len - p));
	return HB_OK;
}
