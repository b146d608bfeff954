/*
 * Substrings and spaces: RFC 4518 2.6.1 to the letter beside what is stored
 * and matched, on generated strings of letters, spaces and a combining mark.
 */
#include "../dn/sample.h"

#include "filter.h"

enum { PAIRS = 200000, LEN = 6, PIECE = 4 };

static struct schema *schema;
static const struct attr_desc *name_desc;
static uint64_t seed = 4518;

static unsigned
below(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

/* ---- the RFC's algorithm; 'M' is a combining mark that joins no letter ---- */

static bool
rfc_is_space(const char *s, size_t i)
{
	return s[i] == ' ' && s[i + 1] != 'M';
}

static void
rfc_frame(const char *s, enum substr_part part, char *out)
{
	size_t n = strlen(s), from = 0, to = n, i;
	bool spaces = true;

	for (i = 0; i < n; i++)
		spaces = spaces && rfc_is_space(s, i);
	if (spaces) {
		strcpy(out, part == SUBSTR_WHOLE ? "  " : " ");
		return;
	}
	while (rfc_is_space(s, from))
		from++;
	while (to > 0 && rfc_is_space(s, to - 1))
		to--;
	if (from > 0 || part == SUBSTR_WHOLE || part == SUBSTR_INITIAL)
		*out++ = ' ';
	for (i = from; i < to; i++) {
		*out++ = s[i];
		if (rfc_is_space(s, i)) {
			while (rfc_is_space(s, i + 1))
				i++;
			*out++ = ' ';
		}
	}
	if (to < n || part == SUBSTR_WHOLE || part == SUBSTR_FINAL)
		*out++ = ' ';
	*out = '\0';
}

struct pieces {
	char initial[PIECE + 1], any[2][PIECE + 1], final[PIECE + 1];
	bool has_initial, has_final;
	unsigned nany;
};

/* RFC 4517 4.2.6: in order, none over another. */
static bool
rfc_match(const char *value, const struct pieces *p)
{
	char whole[2 * LEN + 4], piece[2 * PIECE + 4];
	const char *at = whole, *end;
	unsigned i;

	rfc_frame(value, SUBSTR_WHOLE, whole);
	end = whole + strlen(whole);
	if (p->has_initial) {
		rfc_frame(p->initial, SUBSTR_INITIAL, piece);
		if (strncmp(at, piece, strlen(piece)) != 0)
			return false;
		at += strlen(piece);
	}
	for (i = 0; i < p->nany; i++) {
		rfc_frame(p->any[i], SUBSTR_ANY, piece);
		if ((at = strstr(at, piece)) == NULL)
			return false;
		at += strlen(piece);
	}
	if (!p->has_final)
		return true;
	rfc_frame(p->final, SUBSTR_FINAL, piece);
	return (size_t)(end - at) >= strlen(piece) &&
	    strcmp(end - strlen(piece), piece) == 0;
}

/* ---- ours ---- */

static void
put_real(struct buf *out, const char *s)
{
	for (; *s != '\0'; s++) {
		if (*s == 'M')
			buf_put_str(out, "\xe2\x83\x9d");
		else
			buf_put_char(out, *s);
	}
}

static struct slice
norm_of(struct arena *arena, const char *value)
{
	struct slice norm;
	struct buf b;

	buf_init(&b);
	put_real(&b, value);
	assert_int_equal(schema_norm_value(schema, arena, name_desc,
	    arena_slice(arena, buf_slice(&b)), &norm), HB_OK);
	buf_fini(&b);
	return norm;
}

static bool
our_match(struct arena *arena, const char *value, const struct pieces *p)
{
	struct ldap_filter *src;
	struct filter *f;
	struct buf text;
	unsigned i;

	buf_init(&text);
	buf_put_str(&text, "(name=");
	if (p->has_initial)
		put_real(&text, p->initial);
	buf_put_char(&text, '*');
	for (i = 0; i < p->nany; i++) {
		put_real(&text, p->any[i]);
		buf_put_char(&text, '*');
	}
	if (p->has_final)
		put_real(&text, p->final);
	buf_put_char(&text, ')');
	assert_int_equal(filter_parse(arena, arena_slice(arena,
	    buf_slice(&text)), &src, NULL), HB_OK);
	buf_fini(&text);
	assert_int_equal(filter_resolve(arena, schema, src, &f), HB_OK);
	assert_int_equal(f->type, FILTER_SUBSTRINGS);
	return filter_substr_match(f, norm_of(arena, value));
}

/* ---- strings ---- */

static void
make_string(char *out, unsigned min, unsigned max)
{
	static const char letters[] = "xy  M";
	unsigned i, n = min + below(max - min + 1);

	for (i = 0; i < n; i++)
		out[i] = letters[below(sizeof(letters) - 1)];
	out[n] = '\0';
}

static void
make_pieces(struct pieces *p)
{
	unsigned i;

	p->has_initial = below(2) == 0;
	p->has_final = below(2) == 0;
	p->nany = below(3);
	if (!p->has_initial && !p->has_final && p->nany == 0)
		p->nany = 1;
	make_string(p->initial, 1, PIECE);
	make_string(p->final, 1, PIECE);
	for (i = 0; i < 2; i++)
		make_string(p->any[i], 1, PIECE - 1);
}

static void
test_substrings(void **state)
{
	unsigned i, matched = 0;
	char value[LEN + 1];
	struct arena arena;
	struct pieces p;
	bool want;

	(void)state;
	arena_init(&arena, 0);
	for (i = 0; i < PAIRS; i++) {
		make_string(value, 0, LEN);
		make_pieces(&p);
		want = rfc_match(value, &p);
		if (our_match(&arena, value, &p) != want)
			fail_msg("'%s' %s initial '%s' any '%s' '%s' final "
			    "'%s'", value, want ? "must match" :
			    "must not match", p.has_initial ? p.initial : "-",
			    p.nany > 0 ? p.any[0] : "-", p.nany > 1 ?
			    p.any[1] : "-", p.has_final ? p.final : "-");
		matched += want;
		arena_reset(&arena);
	}
	assert_true(matched > PAIRS / 20);
	arena_fini(&arena);
}

static void
test_equality(void **state)
{
	char a[LEN + 1], b[LEN + 1], fa[2 * LEN + 4], fb[2 * LEN + 4];
	unsigned i, equal = 0;
	struct arena arena;
	bool want;

	(void)state;
	arena_init(&arena, 0);
	for (i = 0; i < PAIRS; i++) {
		make_string(a, 0, 4);
		make_string(b, 0, 4);
		rfc_frame(a, SUBSTR_WHOLE, fa);
		rfc_frame(b, SUBSTR_WHOLE, fb);
		want = strcmp(fa, fb) == 0;
		if (slice_is_eq(norm_of(&arena, a), norm_of(&arena, b)) != want)
			fail_msg("'%s' '%s'", a, b);
		equal += want;
		arena_reset(&arena);
	}
	assert_true(equal > PAIRS / 100);
	arena_fini(&arena);
}

/* The examples of RFC 4518 appendix B. */
static const struct {
	const char *filter, *value;
	bool match;
} cases[] = {
	{ "(name=foo\\20*\\20bar)", "foobar", false },
	{ "(name=foo\\20*\\20bar)", "foo bar", true },
	{ "(name=*\\20foobar\\20*)", "foobar", true },
	{ "(name=*\\20*foobar*\\20*)", "foobar", true },
	{ "(name=foo *)", "foobar", false }, { "(name=foo *)", "foo", true },
	{ "(name=foo *)", "Foo  Bar", true },
	{ "(name=*o b*)", "foo   bar", true },
	{ "(name=* *)", "x", true }, { "(name= *)", "x", true },
	{ "(name=* * * *)", "x", false }, { "(name=* * *)", "x", true },
	{ "(name=* * * * *)", "x y", true },
	{ "(name=* b)", "ab", false }, { "(name=* b)", "b", true },
	/* RFC 4517 4.2.12: no piece goes from one line to the next */
	{ "(lines=foo*)", "Foo$Bar Baz", true },
	{ "(lines=*baz)", "Foo$Bar Baz", true },
	{ "(lines=*bar*)", "Foo$Bar Baz", true },
	{ "(lines=*r b*)", "Foo$Bar   Baz", true },
	{ "(lines=foo*bar baz)", "Foo$Bar Baz", true },
	{ "(lines=foo *)", "Foo$Bar Baz", true },
	{ "(lines=foo * bar*)", "Foo$Bar Baz", true },
	{ "(lines=foo$*)", "Foo$Bar Baz", false },
	{ "(lines=*foobar*)", "Foo$Bar Baz", false },
	{ "(lines=*oo$b*)", "Foo$Bar Baz", false },
	{ "(lines=*o b*)", "Foo$Bar Baz", false },
	{ "(lines=bar*)", "Foo$Bar Baz", false },
	{ "(lines=*foo)", "Foo$Bar Baz", false },
	{ "(lines=*$b*)", "a\\24b", false },
	{ "(lines=a$b*)", "a\\24b$c", true },
	{ "(lines=*24*)", "a\\24b", false },
	{ "(lines=*\\5c24*)", "a\\24b", false },
	{ "(lines=*\\5c24*)", "a\\5C24b", true },
	{ "(lines=*\\fe*)", "a\\24b", false },
	{ "(lines= foo $bar  baz)", "Foo$Bar Baz", true },
	{ "(lines=foo)", "Foo$Bar Baz", false },
	{ "(lines=foo\\5c24bar)", "Foo$Bar", false },
	{ "(lines=foo\\fe bar)", "Foo\\24bar", false },
	/* a value that preparation prohibits is not matched at all */
	{ "(name=*b*)", "a\xef\xbf\xbd" "b", false },
	{ "(exact>=a)", "a\xef\xbf\xbd" "b", false },
	{ "(exact<=\\f0\\9f\\98\\80)", "a\xef\xbf\xbd" "b", false },
	{ "(name=a\\ef\\bf\\bd*)", "a\xef\xbf\xbd" "b", false },
	{ "(name=*)", "a\xef\xbf\xbd" "b", true },
};

static bool
entry_matches(struct arena *arena, const char *filter, const char *value)
{
	struct attrs as = { NULL, 0, 0 };
	struct attr_dict *dict = attr_dict_new();
	const struct attr_desc *desc = schema_builtin(schema,
	    strncmp(filter, "(exact", 6) == 0 ? "exact" :
	    strncmp(filter, "(lines", 6) == 0 ? "lines" : "name");
	struct slice v = slice_of(value), block;
	struct dn dn = sample_dn(arena, schema, "cn=a");
	struct ldap_filter *src;
	struct filter *f;
	struct entry *e;
	struct attr a;
	struct buf b;
	bool match;

	buf_init(&b);
	assert_int_equal(attr_make(arena, schema, desc, &v, 1, &a, NULL),
	    HB_OK);
	assert_int_equal(attrs_add(arena, &as, &a), HB_OK);
	attr_dict_add(dict, desc, 0);
	assert_int_equal(entry_encode(&as, dict, &b), HB_OK);
	block = arena_slice(arena, buf_slice(&b));
	e = entry_new(1, &dn, dict, block);
	assert_int_equal(filter_parse(arena, slice_of(filter), &src, NULL),
	    HB_OK);
	assert_int_equal(filter_resolve(arena, schema, src, &f), HB_OK);
	match = filter_eval(f, schema, e, NULL, NULL) == FILTER_TRUE;
	entry_unref(&e);
	attr_dict_free(&dict);
	buf_fini(&b);
	return match;
}

static void
test_cases(void **state)
{
	struct arena arena;
	unsigned i;

	(void)state;
	arena_init(&arena, 0);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (entry_matches(&arena, cases[i].filter, cases[i].value) !=
		    cases[i].match)
			fail_msg("%s: '%s'", cases[i].filter, cases[i].value);
	arena_fini(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_substrings),
		cmocka_unit_test(test_equality),
		cmocka_unit_test(test_cases),
	};
	int rc;

	schema = sample_schema();
	name_desc = schema_builtin(schema, "name");
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	schema_free(&schema);
	return rc;
}
