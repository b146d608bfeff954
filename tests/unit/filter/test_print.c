/*
 * The string form (RFC 4515) of made-up filters, printed and read again: the
 * filter must come back, whatever octets its values have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "filter.h"
#include "util/err.h"

#define ROUNDS	20000
#define DEPTH	5

static unsigned seed = 20261201;

/* xorshift: the same on every machine. */
static unsigned
rnd(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % n;
}

/* Octets of all kinds, those of the syntax more often. */
static struct slice
make_value(struct arena *arena, unsigned min)
{
	static const char often[] = "()*\\ =&|!:<>~\0#ax";
	unsigned n = min + rnd(6), i;
	char *p = arena_alloc(arena, n + 1);

	for (i = 0; i < n; i++)
		p[i] = rnd(3) ? often[rnd(sizeof(often) - 1)] :
		    (char)rnd(256);
	return slice(p, n);
}

static struct slice
make_name(void)
{
	static const char *const names[] = {
		"cn", "2.5.4.3", "sn;lang-en", "x-y;a;b", "userCertificate;binary"
	};

	return slice_of(names[rnd(5)]);
}

static void
make_substrings(struct arena *arena, struct ldap_filter *f)
{
	f->nany = rnd(3);
	f->any = arena_calloc(arena, 3, sizeof(*f->any));
	for (unsigned i = 0; i < f->nany; i++)
		f->any[i] = make_value(arena, 1);
	if (rnd(2) || f->nany == 0)
		f->initial = make_value(arena, 1);
	if (rnd(2))
		f->final = make_value(arena, 1);
}

static void
make_extensible(struct arena *arena, struct ldap_filter *f)
{
	f->value = make_value(arena, 0);
	f->dn_attrs = rnd(2);
	f->rule = SLICE_NONE;
	if (rnd(2))
		f->rule = rnd(2) ? SLICE("caseExactMatch") :
		    SLICE("2.5.13.5");
	if (slice_is_none(f->rule) || rnd(2))
		f->attr = make_name();
}

static struct ldap_filter *
make(struct arena *arena, unsigned depth)
{
	static const enum ldap_filter_type types[] = {
		LDAP_FILTER_AND, LDAP_FILTER_OR, LDAP_FILTER_NOT,
		LDAP_FILTER_EQUALITY, LDAP_FILTER_SUBSTRINGS, LDAP_FILTER_GE,
		LDAP_FILTER_LE, LDAP_FILTER_PRESENT, LDAP_FILTER_APPROX,
		LDAP_FILTER_EXTENSIBLE
	};
	struct ldap_filter *f = arena_zalloc(arena, sizeof(*f)), **tail;
	unsigned n;

	f->type = types[depth == 0 ? 3 + rnd(7) : rnd(10)];
	f->attr = f->initial = f->final = f->rule = SLICE_NONE;
	if (f->type == LDAP_FILTER_AND || f->type == LDAP_FILTER_OR ||
	    f->type == LDAP_FILTER_NOT) {
		n = f->type == LDAP_FILTER_NOT ? 1 : rnd(4);
		for (tail = &f->first; n > 0; n--, tail = &(*tail)->next)
			*tail = make(arena, depth - 1);
		return f;
	}
	if (f->type == LDAP_FILTER_EXTENSIBLE) {
		make_extensible(arena, f);
		return f;
	}
	f->attr = make_name();
	if (f->type == LDAP_FILTER_SUBSTRINGS)
		make_substrings(arena, f);
	else if (f->type != LDAP_FILTER_PRESENT)
		f->value = make_value(arena, 0);
	return f;
}

static bool
is_same_slice(struct slice a, struct slice b)
{
	return slice_is_eq(a, b) && slice_is_none(a) == slice_is_none(b);
}

static bool is_same(const struct ldap_filter *, const struct ldap_filter *);

static bool
is_same_set(const struct ldap_filter *a, const struct ldap_filter *b)
{
	for (a = a->first, b = b->first; a != NULL && b != NULL;
	    a = a->next, b = b->next)
		if (!is_same(a, b))
			return false;
	return a == b;
}

static bool
is_same(const struct ldap_filter *a, const struct ldap_filter *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case LDAP_FILTER_AND:
	case LDAP_FILTER_OR:
	case LDAP_FILTER_NOT:
		return is_same_set(a, b);
	case LDAP_FILTER_SUBSTRINGS:
		if (a->nany != b->nany ||
		    !is_same_slice(a->initial, b->initial) ||
		    !is_same_slice(a->final, b->final))
			return false;
		for (unsigned i = 0; i < a->nany; i++)
			if (!slice_is_eq(a->any[i], b->any[i]))
				return false;
		break;
	case LDAP_FILTER_EXTENSIBLE:
		if (!is_same_slice(a->rule, b->rule) ||
		    a->dn_attrs != b->dn_attrs)
			return false;
		break;
	default:
		break;
	}
	return slice_is_eq(a->attr, b->attr) && slice_is_eq(a->value, b->value);
}

/* Is it one line of ASCII that can be looked at in a log? */
static void
check_printable(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		assert_true(s.ptr[i] >= ' ' && s.ptr[i] <= '~');
}

static void
round_trip(void **state)
{
	struct ldap_filter *f, *again;
	struct arena arena;
	struct diag diag;
	struct buf buf;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	for (unsigned i = 0; i < ROUNDS; i++) {
		f = make(&arena, i % DEPTH);
		buf_reset(&buf);
		filter_print(f, &buf);
		check_printable(buf_slice(&buf));
		diag_clear(&diag);
		if (filter_parse(&arena, buf_slice(&buf), &again, &diag) !=
		    HB_OK || !is_same(f, again))
			fail_msg("%.*s: %s", SLICE_ARG(buf_slice(&buf)),
			    diag.text);
		arena_reset(&arena);
	}
	buf_fini(&buf);
	arena_fini(&arena);
}

/* Ten thousand parentheses are refused, and what is beside them is not. */
static void
depth(void **state)
{
	static const char *const openers[] = { "(&", "(|", "(!" };
	struct ldap_filter *f;
	struct arena arena;
	struct diag diag;
	struct buf buf;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&buf);
	for (unsigned i = 0; i < 6; i++) {
		unsigned n = i < 3 ? LDAP_FILTER_DEPTH_MAX : 10000, k;

		buf_reset(&buf);
		for (k = 0; k < n; k++)
			buf_put_str(&buf, openers[i % 3]);
		buf_put_str(&buf, "(cn=x)");
		for (k = 0; k < n; k++)
			buf_put_char(&buf, ')');
		diag_clear(&diag);
		assert_int_equal(filter_parse(&arena, buf_slice(&buf), &f,
		    &diag), i < 3 ? HB_OK : HB_EPROTO);
		assert_string_equal(diag.text, i < 3 ? "" :
		    "invalid filter: too many levels at offset 2002");
	}
	/* many, but not deep */
	buf_reset(&buf);
	buf_put_str(&buf, "(|");
	for (unsigned i = 0; i < 10000; i++)
		buf_put_str(&buf, "(!(cn=x))");
	buf_put_char(&buf, ')');
	assert_int_equal(filter_parse(&arena, buf_slice(&buf), &f, &diag),
	    HB_OK);
	buf_fini(&buf);
	arena_fini(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
