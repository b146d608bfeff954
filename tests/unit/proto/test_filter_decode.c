/* Filters (RFC 4511 4.5.1.7, 4526): trees, sequence rules, depth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../../libraries/proto/proto_int.h"

#define N(a)		(sizeof(a) / sizeof((a)[0]))
#define B(lit)		{ lit, sizeof(lit) - 1 }
#define IS(s, lit)	assert_true(slice_is_eq(s, SLICE(lit)))

static struct arena arena;

static int
setup(void **state)
{
	(void)state;
	arena_init(&arena, 0);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	arena_fini(&arena);
	return 0;
}

static int
decode(struct slice s, struct ldap_filter **f)
{
	struct ber_reader r;
	int rc;

	ber_reader_init(&r, s);
	rc = filter_decode(&arena, &r, f);
	if (rc == HB_OK)
		assert_true(ber_is_end(&r));
	return rc;
}

/* The shape as letters: & | ! with children in parentheses. */
static void
shape(const struct ldap_filter *f, struct buf *out)
{
	static const char letters[] = "&|!=*><p~:";

	for (; f != NULL; f = f->next) {
		buf_put_char(out, f->type == LDAP_FILTER_UNKNOWN ? 'U' :
		    letters[f->type & 0x1f]);
		if (f->first != NULL) {
			buf_put_char(out, '(');
			shape(f->first, out);
			buf_put_char(out, ')');
		}
	}
}

#define PRES		"\x87\x01x"
#define EQ		"\xa3\x06\x04\x01x\x04\x01y"

static void
shapes(void **state)
{
	static const struct {
		struct slice in;
		const char *shape;
	} cases[] = {
		{ B(PRES), "p" },
		{ B(EQ), "=" },
		{ B("\xa5\x06\x04\x01x\x04\x01y"), ">" },
		{ B("\xa6\x06\x04\x01x\x04\x01y"), "<" },
		{ B("\xa8\x06\x04\x01x\x04\x01y"), "~" },
		{ B("\xa0\x00"), "&" },		/* true, RFC 4526 */
		{ B("\xa1\x00"), "|" },		/* false */
		{ B("\xa0\x06" PRES PRES), "&(pp)" },
		{ B("\xa0\x0b" EQ PRES), "&(=p)" },
		{ B("\xa1\x08\xa0\x03" PRES PRES), "|(&(p)p)" },
		{ B("\xa0\x0d\xa1\x03" PRES "\xa2\x03" PRES PRES),
		    "&(|(p)!(p)p)" },
		{ B("\xa2\x05\xa2\x03" PRES), "!(!(p))" },
		{ B("\xa0\x04\xa0\x00\xa1\x00"), "&(&|)" },
		{ B("\xa2\x02\xa0\x00"), "!(&)" },
		{ B("\xaa\x03" "abc"), "U" },	/* a choice of the future */
		{ B("\x8a\x00"), "U" },
		{ B("\xa0\x05\x9e\x00" PRES), "&(Up)" },
	};
	struct ldap_filter *f;
	struct buf out;
	size_t i;

	(void)state;
	buf_init(&out);
	for (i = 0; i < N(cases); i++) {
		buf_reset(&out);
		assert_int_equal(decode(cases[i].in, &f), HB_OK);
		shape(f, &out);
		buf_put_char(&out, '\0');
		assert_string_equal(out.data, cases[i].shape);
	}
	buf_fini(&out);
}

static void
refused(void **state)
{
	static const struct {
		struct slice in;
		int rc;
	} cases[] = {
		{ B(""), HB_EENCODING },
		{ B("\xa2\x00"), HB_EENCODING },	/* NOT of nothing */
		{ B("\xa2\x06" PRES PRES), HB_EENCODING },
		{ B("\xa0\x04" PRES), HB_EENCODING },	/* cut */
		{ B("\xa0\x02\x87\x01x"), HB_EENCODING },
		{ B("\xa3\x03\x04\x01x"), HB_EENCODING },
		{ B("\xa3\x00"), HB_EENCODING },
		{ B("\x83\x06\x04\x01x\x04\x01y"), HB_EENCODING },
		{ B("\xa7\x01x"), HB_EENCODING },
		{ B("\x04\x01x"), HB_EENCODING },
		{ B("\x30\x00"), HB_EENCODING },
		{ B("\x80\x00"), HB_EENCODING },
	};
	struct ldap_filter *f;
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++)
		assert_int_equal(decode(cases[i].in, &f), cases[i].rc);
}

static void
substrings(void **state)
{
	/* after "x": i, a, f with one letter each */
#define SUB(n, m, body)	B("\xa4" n "\x04\x01x\x30" m body)
#define I	"\x80\x01i"
#define A	"\x81\x01" "a"
#define F	"\x82\x01" "f"
	static const struct {
		struct slice in;
		int rc;
		bool has_initial, has_final;
		unsigned nany;
	} cases[] = {
		{ SUB("\x08", "\x03", I), HB_OK, true, false, 0 },
		{ SUB("\x08", "\x03", A), HB_OK, false, false, 1 },
		{ SUB("\x08", "\x03", F), HB_OK, false, true, 0 },
		{ SUB("\x0b", "\x06", I F), HB_OK, true, true, 0 },
		{ SUB("\x0e", "\x09", I A F), HB_OK, true, true, 1 },
		{ SUB("\x11", "\x0c", I A A F), HB_OK, true, true, 2 },
		{ SUB("\x0b", "\x06", A A), HB_OK, false, false, 2 },
		{ SUB("\x05", "\x00", ""), HB_EPROTO, false, false, 0 },
		{ SUB("\x0b", "\x06", A I), HB_EPROTO, false, false, 0 },
		{ SUB("\x0b", "\x06", I I), HB_EPROTO, false, false, 0 },
		{ SUB("\x0b", "\x06", F A), HB_EPROTO, false, false, 0 },
		{ SUB("\x0b", "\x06", F F), HB_EPROTO, false, false, 0 },
		{ SUB("\x0b", "\x06", F I), HB_EPROTO, false, false, 0 },
		{ SUB("\x07", "\x02", "\x80\x00"), HB_EPROTO, false, false, 0 },
		{ SUB("\x07", "\x02", "\x81\x00"), HB_EPROTO, false, false, 0 },
		{ SUB("\x08", "\x03", "\x83\x01q"), HB_EPROTO, false, false,
		    0 },
		{ SUB("\x08", "\x03", "\x04\x01q"), HB_EPROTO, false, false,
		    0 },
		{ SUB("\x08", "\x03", "\x80\x05i"), HB_EENCODING, false,
		    false, 0 },
		{ B("\xa4\x03\x04\x01x"), HB_EENCODING, false, false, 0 },
	};
	struct ldap_filter *f;
	size_t i;
	unsigned k;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		assert_int_equal(decode(cases[i].in, &f), cases[i].rc);
		if (cases[i].rc != HB_OK)
			continue;
		IS(f->attr, "x");
		assert_int_equal(!slice_is_none(f->initial),
		    cases[i].has_initial);
		assert_int_equal(!slice_is_none(f->final), cases[i].has_final);
		assert_int_equal(f->nany, cases[i].nany);
		for (k = 0; k < f->nany; k++)
			IS(f->any[k], "a");
		if (cases[i].has_initial)
			IS(f->initial, "i");
		if (cases[i].has_final)
			IS(f->final, "f");
	}
}

static void
extensible(void **state)
{
#define RULE	"\x81\x01r"
#define TYPE	"\x82\x01t"
#define VALUE	"\x83\x01v"
	static const struct {
		struct slice in;
		int rc;
		bool has_rule, has_type, dn_attrs;
	} cases[] = {
		{ B("\xa9\x09" RULE TYPE VALUE), HB_OK, true, true, false },
		{ B("\xa9\x06" RULE VALUE), HB_OK, true, false, false },
		{ B("\xa9\x06" TYPE VALUE), HB_OK, false, true, false },
		{ B("\xa9\x09" TYPE VALUE "\x84\x01\xff"), HB_OK, false, true,
		    true },
		{ B("\xa9\x09" TYPE VALUE "\x84\x01\x00"), HB_OK, false, true,
		    false },
		{ B("\xa9\x08" TYPE VALUE "\x85\x00"), HB_OK, false, true,
		    false },
		{ B("\xa9\x03" VALUE), HB_EPROTO, false, false, false },
		{ B("\xa9\x03" TYPE), HB_EENCODING, false, false, false },
		{ B("\xa9\x09" TYPE RULE VALUE), HB_EENCODING, false, false,
		    false },
		{ B("\xa9\x09" TYPE VALUE VALUE), HB_EENCODING, false, false,
		    false },
		{ B("\xa9\x08" TYPE VALUE "\x84\x00"), HB_EENCODING, false,
		    false, false },
		{ B("\xa9\x00"), HB_EENCODING, false, false, false },
	};
	struct ldap_filter *f;
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		assert_int_equal(decode(cases[i].in, &f), cases[i].rc);
		if (cases[i].rc != HB_OK)
			continue;
		assert_int_equal(!slice_is_none(f->rule), cases[i].has_rule);
		assert_int_equal(!slice_is_none(f->attr), cases[i].has_type);
		assert_int_equal(f->dn_attrs, cases[i].dn_attrs);
		IS(f->value, "v");
	}
}

/* (&(&(& ... PRES))) with DEPTH levels, built from the inside. */
static struct slice
nest(char *out, size_t size, unsigned depth, int tag)
{
	size_t at = size - 3, len = 3;
	struct ber_writer w;
	struct buf head;

	memcpy(out + at, PRES, 3);
	while (depth-- > 0) {
		buf_init(&head);
		ber_writer_init(&w, &head);
		ber_put_header(&w, tag, len);
		at -= head.len;
		memcpy(out + at, head.data, head.len);
		len += head.len;
		buf_fini(&head);
	}
	return slice(out + at, len);
}

static void
depth(void **state)
{
	static const struct {
		unsigned depth;
		int rc;
	} cases[] = {
		{ 1, HB_OK }, { 100, HB_OK },
		{ LDAP_FILTER_DEPTH_MAX, HB_OK },
		{ LDAP_FILTER_DEPTH_MAX + 1, HB_ELIMIT },
		{ 10000, HB_ELIMIT },
	};
	static char text[100000];
	struct ldap_filter *f;
	unsigned n;
	size_t i;

	(void)state;
	for (i = 0; i < N(cases); i++) {
		assert_int_equal(decode(nest(text, sizeof(text),
		    cases[i].depth, LDAP_FILTER_NOT), &f), cases[i].rc);
		if (cases[i].rc != HB_OK)
			continue;
		for (n = 0; f->first != NULL; f = f->first)
			n++;
		assert_int_equal(n, cases[i].depth);
	}
}

/* What is wide is not deep. */
static void
width(void **state)
{
	struct ber_writer w;
	struct ldap_filter *f;
	struct buf out;
	size_t mark;
	unsigned i, n = 0;

	(void)state;
	buf_init(&out);
	ber_writer_init(&w, &out);
	mark = ber_begin(&w, LDAP_FILTER_OR);
	for (i = 0; i < 5000; i++)
		ber_put_raw(&w, SLICE("\xa2\x03" PRES));
	ber_end(&w, mark);
	assert_int_equal(decode(buf_slice(&out), &f), HB_OK);
	for (f = f->first; f != NULL; f = f->next)
		n++;
	assert_int_equal(n, 5000);
	buf_fini(&out);
}

static void
arena_full(void **state)
{
	static char text[100000];
	struct ldap_filter *f;
	struct ber_reader r;
	struct arena small;

	(void)state;
	arena_init(&small, 8192);
	ber_reader_init(&r, nest(text, sizeof(text), 500, LDAP_FILTER_AND));
	assert_int_equal(filter_decode(&small, &r, &f), HB_ELIMIT);
	arena_fini(&small);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(shapes, setup, teardown),
		cmocka_unit_test_setup_teardown(refused, setup, teardown),
		cmocka_unit_test_setup_teardown(substrings, setup, teardown),
		cmocka_unit_test_setup_teardown(extensible, setup, teardown),
		cmocka_unit_test_setup_teardown(depth, setup, teardown),
		cmocka_unit_test_setup_teardown(width, setup, teardown),
		cmocka_unit_test(arena_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
