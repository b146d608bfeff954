/*
 * Generalized time (RFC 4517 3.3.13, 4.2.16): the normal form is in UTC to the
 * second, with the fraction that is left, no zeros at its end:
 *   2026120112+0130      -> 20261201103000Z
 *   20261201120000.500Z  -> 20261201120000.5Z
 */
#include <ctype.h>
#include <stdio.h>

#include "schema_int.h"

struct gentime {
	int year, month, day, hour, minute, second;
	struct slice fraction;	/* digits behind the last number */
	int unit;		/* seconds that the fraction is a part of */
	int offset;		/* minutes east of UTC */
};

static bool
take_number(struct slice *s, size_t digits, int low, int high, int *v_r)
{
	size_t i;
	int v = 0;

	if (s->len < digits)
		return false;
	for (i = 0; i < digits; i++) {
		if (!isdigit((unsigned char)s->ptr[i]))
			return false;
		v = v * 10 + s->ptr[i] - '0';
	}
	*s = slice_skip(*s, digits);
	*v_r = v;
	return v >= low && v <= high;
}

static bool
starts_with_digit(struct slice s)
{
	return s.len > 0 && isdigit((unsigned char)s.ptr[0]);
}

static bool
is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int
month_days(int year, int month)
{
	static const int days[] = {
		31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
	};

	return days[month - 1] + (month == 2 && is_leap(year));
}

static bool
parse_fraction(struct slice *s, struct gentime *t)
{
	size_t n = 0;

	t->fraction = SLICE("");
	if (s->len == 0 || (s->ptr[0] != '.' && s->ptr[0] != ','))
		return true;
	*s = slice_skip(*s, 1);
	while (n < s->len && isdigit((unsigned char)s->ptr[n]))
		n++;
	t->fraction = slice(s->ptr, n);
	*s = slice_skip(*s, n);
	if (n == 0)
		return false;
	while (t->fraction.len > 0 &&
	    t->fraction.ptr[t->fraction.len - 1] == '0')
		t->fraction.len--;
	return true;
}

static bool
parse_zone(struct slice s, struct gentime *t)
{
	int hours, minutes = 0, sign;

	t->offset = 0;
	if (slice_is_eq(s, SLICE("Z")))
		return true;
	if (s.len == 0 || (s.ptr[0] != '+' && s.ptr[0] != '-'))
		return false;
	sign = s.ptr[0] == '-' ? -1 : 1;
	s = slice_skip(s, 1);
	if (!take_number(&s, 2, 0, 23, &hours) ||
	    (s.len > 0 && !take_number(&s, 2, 0, 59, &minutes)) || s.len > 0)
		return false;
	t->offset = sign * (hours * 60 + minutes);
	return true;
}

static bool
parse_gentime(struct slice s, struct gentime *t)
{
	*t = (struct gentime){ .unit = 3600 };
	if (!take_number(&s, 4, 0, 9999, &t->year) ||
	    !take_number(&s, 2, 1, 12, &t->month) ||
	    !take_number(&s, 2, 1, month_days(t->year, t->month), &t->day) ||
	    !take_number(&s, 2, 0, 23, &t->hour))
		return false;
	if (starts_with_digit(s)) {
		if (!take_number(&s, 2, 0, 59, &t->minute))
			return false;
		t->unit = 60;
		if (starts_with_digit(s)) {
			if (!take_number(&s, 2, 0, 60, &t->second))
				return false;
			t->unit = 1;
		}
	}
	return parse_fraction(&s, t) && parse_zone(s, t);
}

int
validate_gentime(const struct schema *schema, struct slice v)
{
	struct gentime t;

	(void)schema;
	return parse_gentime(v, &t) ? HB_OK : HB_ESYNTAX;
}

/*
 * RFC 4517 3.3.34: YYMMDDhhmm[ss][Z|+hhmm|-hhmm], the years 1950 to 2049. It
 * is UTC where nothing else is said.
 */
static bool
parse_utctime(struct slice s, struct gentime *t)
{
	*t = (struct gentime){ .unit = 1, .fraction = SLICE("") };
	if (!take_number(&s, 2, 0, 99, &t->year) ||
	    !take_number(&s, 2, 1, 12, &t->month))
		return false;
	t->year += t->year < 50 ? 2000 : 1900;
	if (!take_number(&s, 2, 1, month_days(t->year, t->month), &t->day) ||
	    !take_number(&s, 2, 0, 23, &t->hour) ||
	    !take_number(&s, 2, 0, 59, &t->minute) ||
	    (starts_with_digit(s) && !take_number(&s, 2, 0, 59, &t->second)))
		return false;
	return s.len == 0 || (s.len != 3 && parse_zone(s, t));
}

int
validate_utctime(const struct schema *schema, struct slice v)
{
	struct gentime t;

	(void)schema;
	return parse_utctime(v, &t) ? HB_OK : HB_ESYNTAX;
}

/*
 * Turn a fraction of an hour or minute into seconds and a fraction of one,
 * whose digits go to DIGITS: the fraction times the unit, digit by digit.
 */
static void
spread_fraction(struct gentime *t, char *digits)
{
	size_t i, n = t->fraction.len;
	int v = 0;

	if (t->unit == 1 || n == 0)
		return;
	for (i = n; i-- > 0; v /= 10) {
		v += (t->fraction.ptr[i] - '0') * t->unit;
		digits[i] = (char)('0' + v % 10);
	}
	t->minute += v / 60;
	t->second += v % 60;
	while (n > 0 && digits[n - 1] == '0')
		n--;
	t->fraction = slice(digits, n);
}

static bool
shift_day(struct gentime *t, int days)
{
	t->day += days;
	if (t->day < 1) {
		if (--t->month < 1) {
			t->month = 12;
			t->year--;
		}
		t->day = month_days(t->year, t->month);
	} else if (t->day > month_days(t->year, t->month)) {
		t->day = 1;
		if (++t->month > 12) {
			t->month = 1;
			t->year++;
		}
	}
	return t->year >= 0 && t->year <= 9999;
}

/* To UTC. A leap second (60) stays one: zones differ by minutes. */
static bool
shift_zone(struct gentime *t)
{
	int minutes = t->hour * 60 + t->minute - t->offset, days = 0;

	if (minutes < 0)
		days = -1;
	else if (minutes >= 24 * 60)
		days = 1;
	minutes -= days * 24 * 60;
	t->hour = minutes / 60;
	t->minute = minutes % 60;
	return days == 0 || shift_day(t, days);
}

static bool
is_normal(struct slice v)
{
	size_t i;

	if (v.len != 15 || v.ptr[14] != 'Z')
		return false;
	for (i = 0; i < 14; i++)
		if (!isdigit((unsigned char)v.ptr[i]))
			return false;
	return true;
}

int
norm_gentime(const struct schema *schema, struct arena *arena,
    enum substr_part part, struct slice v, struct slice *norm_r)
{
	struct gentime t;
	char *digits;

	(void)schema;
	(void)part;
	if (!parse_gentime(v, &t))
		return HB_ESYNTAX;
	if (is_normal(v)) {
		*norm_r = v;
		return HB_OK;
	}
	digits = arena_alloc(arena, t.fraction.len + 1);
	if (digits == NULL)
		return HB_ELIMIT;
	spread_fraction(&t, digits);
	if (!shift_zone(&t))
		return HB_ESYNTAX;
	*norm_r = arena_printf(arena, "%04d%02d%02d%02d%02d%02d%s%.*sZ",
	    t.year, t.month, t.day, t.hour, t.minute, t.second,
	    t.fraction.len > 0 ? "." : "", SLICE_ARG(t.fraction));
	return norm_r->ptr == NULL ? HB_ELIMIT : HB_OK;
}

/* Without the 'Z', so that a fraction comes after its second. */
static struct slice
without_zone(struct slice norm)
{
	return slice(norm.ptr, norm.len > 0 ? norm.len - 1 : 0);
}

int
cmp_gentime(struct slice a, struct slice b)
{
	return slice_cmp(without_zone(a), without_zone(b));
}

void
key_gentime(struct slice norm, struct buf *key)
{
	buf_put_slice(key, without_zone(norm));
}
