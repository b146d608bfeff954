/*
 * Properties of random names. A name is made up as what it means (types, and
 * values as their equality rule sees them) and spelled in many ways; the
 * library must see the meaning through every spelling.
 */
#include "sample.h"
#include "util/hash.h"
#include "util/text.h"

#define ROUNDS		20000
#define RDNS_MAX	5
#define AVAS_MAX	3
#define VALUE_MAX	12

enum value_kind {
	FOLD,		/* text, case ignored */
	FOLD_ASCII,
	EXACT,		/* text, case counts */
	OCTETS,		/* each octet counts */
	UNKNOWN		/* octets of a type that is not in the schema */
};

static const struct kind_of_type {
	enum value_kind kind;
	const char *names[4];
} types[] = {
	{ FOLD, { "cn", "commonName", "2.5.4.3" } },
	{ FOLD, { "sn", "surname", "2.5.4.4" } },
	{ FOLD, { "ou", "organizationalUnitName", "2.5.4.11" } },
	{ FOLD_ASCII, { "dc", "domainComponent",
	    "0.9.2342.19200300.100.1.25" } },
	{ EXACT, { "exact", "1.1.3" } },
	{ OCTETS, { "userPassword", "2.5.4.35" } },
	{ UNKNOWN, { "odd" } },
	{ UNKNOWN, { "1.2.3.45" } },
};
#define NTYPES	(sizeof(types) / sizeof(*types))

/* What values are made of: small and capital form. */
static const char *const letters[][2] = {
	{ "a", "A" }, { "b", "B" }, { "z", "Z" }, { "7", "7" }, { "-", "-" },
	{ " ", " " }, { ",", "," }, { "+", "+" }, { "\"", "\"" },
	{ "\\", "\\" }, { "<", "<" }, { ">", ">" }, { ";", ";" }, { "=", "=" },
	{ "#", "#" }, { "\xc3\xa4", "\xc3\x84" }, { "\xcf\x80", "\xce\xa0" },
	{ "\xe6\xbc\xa2", "\xe6\xbc\xa2" },
	{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" }
};
#define NASCII		15
#define NLETTERS	(sizeof(letters) / sizeof(*letters))

struct m_ava {
	unsigned type, n;
	/* text: index of the letter, * 2, + 1 for a capital; or an octet */
	uint8_t value[VALUE_MAX];
};

struct m_rdn {
	unsigned n;
	struct m_ava avas[AVAS_MAX];	/* by type */
};

struct m_dn {
	unsigned n;
	struct m_rdn rdns[RDNS_MAX];
};

static struct schema *schema;
static uint64_t seed;

static unsigned
below(unsigned n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)((seed >> 33) % n);
}

static bool
is_blank(uint8_t letter)
{
	return letters[letter / 2][0][0] == ' ';
}

/* Text as its rule sees it: no blanks at the ends, none beside another. */
static void
make_text(struct m_ava *a, enum value_kind kind)
{
	unsigned n = 1 + below(VALUE_MAX), i, l;

	a->n = 0;
	for (i = 0; i < n; i++) {
		l = below(kind == FOLD_ASCII ? NASCII : NLETTERS) * 2;
		if (kind == EXACT && strcmp(letters[l / 2][0],
		    letters[l / 2][1]) != 0)
			l += below(2);
		if (!is_blank((uint8_t)l) ||
		    (a->n > 0 && !is_blank(a->value[a->n - 1])))
			a->value[a->n++] = (uint8_t)l;
	}
	while (a->n > 0 && is_blank(a->value[a->n - 1]))
		a->n--;
	if (a->n == 0)
		a->value[a->n++] = 0;
}

static void
make_octets(struct m_ava *a)
{
	static const uint8_t some[] = " ,+\"\\<>;=#aA\0\x01\x7f\x80\xc3\xa4\xff";

	for (a->n = 0; a->n < VALUE_MAX && below(8) > 0; a->n++)
		a->value[a->n] = below(4) == 0 ? (uint8_t)below(256) :
		    some[below(sizeof(some) - 1)];
}

static void
make_value(struct m_ava *a)
{
	enum value_kind kind = types[a->type].kind;

	if (kind >= OCTETS)
		make_octets(a);
	else
		make_text(a, kind);
}

static void
make_rdn(struct m_rdn *r)
{
	unsigned t, want = below(4) > 0 ? 1 : 1 + below(AVAS_MAX);

	do {
		r->n = 0;
		for (t = 0; t < NTYPES && r->n < want; t++)
			if (below(NTYPES) < want)
				r->avas[r->n++].type = t;
	} while (r->n == 0);
	for (t = 0; t < r->n; t++)
		make_value(&r->avas[t]);
}

static void
make_dn(struct m_dn *d)
{
	unsigned i;

	d->n = below(RDNS_MAX + 1);
	for (i = 0; i < d->n; i++)
		make_rdn(&d->rdns[i]);
}

/* One thing of D is another. */
static void
change_dn(struct m_dn *d)
{
	struct m_rdn *r, swap;

	if (d->n == 0) {
		make_dn(d);
		return;
	}
	r = &d->rdns[below(d->n)];
	switch (below(4)) {
	case 0:
		make_rdn(r);
		break;
	case 1:
		d->n--;
		break;
	case 2:
		swap = *r;
		*r = d->rdns[0];
		d->rdns[0] = swap;
		break;
	default:
		make_value(&r->avas[below(r->n)]);
	}
}

static bool
rdn_is_same(const struct m_rdn *a, const struct m_rdn *b)
{
	unsigned i;

	for (i = 0; i < a->n; i++)
		if (a->n != b->n || a->avas[i].type != b->avas[i].type ||
		    a->avas[i].n != b->avas[i].n ||
		    memcmp(a->avas[i].value, b->avas[i].value,
		    a->avas[i].n) != 0)
			return false;
	return a->n == b->n;
}

/* The last N RDNs of A and B mean the same. */
static bool
tail_is_same(const struct m_dn *a, const struct m_dn *b, unsigned n)
{
	unsigned i;

	for (i = 1; i <= n; i++)
		if (!rdn_is_same(&a->rdns[a->n - i], &b->rdns[b->n - i]))
			return false;
	return true;
}

static bool
dn_is_same(const struct m_dn *a, const struct m_dn *b)
{
	return a->n == b->n && tail_is_same(a, b, a->n);
}

static void
spell_blanks(struct buf *out)
{
	while (below(4) == 0)
		buf_put_char(out, ' ');
}

static void
spell_type(struct buf *out, unsigned type)
{
	const char *const *names = types[type].names;
	unsigned n = 0, i;
	const char *name;

	while (n < 4 && names[n] != NULL)
		n++;
	name = names[below(n)];
	if (name[0] >= '0' && name[0] <= '9' && below(2) == 0)
		buf_put_str(out, below(2) ? "OID." : "oid.");
	for (i = 0; name[i] != '\0'; i++)
		buf_put_char(out, name[i] >= 'a' && name[i] <= 'z' &&
		    below(3) == 0 ? (char)(name[i] - 32) : name[i]);
}

/* The octets of a value that its rule takes for A's. */
static void
value_octets(struct buf *out, const struct m_ava *a)
{
	enum value_kind kind = types[a->type].kind;
	unsigned i;

	buf_reset(out);
	if (kind >= OCTETS) {
		buf_put(out, a->value, a->n);
		return;
	}
	spell_blanks(out);
	for (i = 0; i < a->n; i++) {
		bool capital = kind == EXACT ? a->value[i] % 2 != 0 :
		    below(3) == 0;

		buf_put_str(out, letters[a->value[i] / 2][capital]);
		if (is_blank(a->value[i]))
			spell_blanks(out);
	}
	spell_blanks(out);
}

static void
spell_hex(struct buf *out, struct slice value)
{
	static const char *const digits[] = {
		"0123456789abcdef", "0123456789ABCDEF"
	};
	size_t i;

	for (i = 0; i < value.len; i++) {
		buf_put_char(out, digits[below(2)][(uint8_t)value.ptr[i] >> 4]);
		buf_put_char(out, digits[below(2)][value.ptr[i] & 15]);
	}
}

/* Length of the character at S; 0 if it is none. */
static size_t
character(struct slice s)
{
	uint8_t c = (uint8_t)s.ptr[0];
	size_t n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

	return n <= s.len && text_is_utf8(slice(s.ptr, n)) ? n : 0;
}

static void
spell_escaped(struct buf *out, struct slice c)
{
	size_t i;

	if (c.len == 1 && strchr(" \"#+,;<=>\\", c.ptr[0]) != NULL &&
	    c.ptr[0] != '\0' && below(2) == 0) {
		buf_put_char(out, '\\');
		buf_put_char(out, c.ptr[0]);
		return;
	}
	for (i = 0; i < c.len; i++) {
		buf_put_char(out, '\\');
		spell_hex(out, slice(c.ptr + i, 1));
	}
}

/* VALUE between quotes or bare; escapes where they must and may be. */
static void
spell_string(struct buf *out, struct slice value, bool quoted)
{
	const char *must = quoted ? "\"\\" : "\"+,;<>\\";
	size_t i, n;
	char c;

	for (i = 0; i < value.len; i += n) {
		c = value.ptr[i];
		n = character(slice_skip(value, i));
		if (n == 0 || strchr(must, c) != NULL || below(10) == 0 ||
		    (!quoted && (c == ' ' || c == '#') && i == 0) ||
		    (!quoted && c == ' ' && i == value.len - 1)) {
			n = n == 0 ? 1 : n;
			spell_escaped(out, slice(value.ptr + i, n));
		} else {
			buf_put(out, value.ptr + i, n);
		}
	}
}

static void
spell_value(struct buf *out, const struct m_ava *a)
{
	struct buf value;
	struct slice v;
	char head[2];

	buf_init(&value);
	value_octets(&value, a);
	v = buf_slice(&value);
	switch (below(8)) {
	case 0:
		if (types[a->type].kind == UNKNOWN) {
			spell_string(out, v, false);
			break;
		}
		head[0] = below(2) ? 0x04 : 0x0c;
		head[1] = (char)v.len;
		buf_put_char(out, '#');
		spell_hex(out, slice(head, 2));
		spell_hex(out, v);
		break;
	case 1:
		buf_put_char(out, '"');
		spell_string(out, v, true);
		buf_put_char(out, '"');
		break;
	default:
		spell_string(out, v, false);
	}
	buf_fini(&value);
}

static void
spell_rdn(struct buf *out, const struct m_rdn *r)
{
	unsigned first = below(r->n), i;

	for (i = 0; i < r->n; i++) {
		const struct m_ava *a = &r->avas[(first + i) % r->n];

		if (i > 0)
			buf_put_char(out, '+');
		spell_blanks(out);
		spell_type(out, a->type);
		spell_blanks(out);
		buf_put_char(out, '=');
		spell_blanks(out);
		spell_value(out, a);
		spell_blanks(out);
	}
}

/* A name with the spelling of each of its RDNs. */
struct spelled {
	unsigned n;
	struct slice rdns[2 * RDNS_MAX];
};

static void
spell(struct arena *arena, const struct m_dn *d, struct spelled *s)
{
	struct buf out;
	unsigned i;

	buf_init(&out);
	s->n = d->n;
	for (i = 0; i < d->n; i++) {
		buf_reset(&out);
		spell_rdn(&out, &d->rdns[i]);
		s->rdns[i] = arena_slice(arena, buf_slice(&out));
	}
	buf_fini(&out);
}

static struct dn
parse(struct arena *arena, struct slice text)
{
	struct diag diag = DIAG_INIT;
	struct dn dn;
	int rc = dn_parse(arena, schema, text, &dn, &diag);

	if (rc != HB_OK)
		print_message("%.*s: %s\n", SLICE_ARG(text), diag.text);
	assert_int_equal(rc, HB_OK);
	return dn;
}

/* RDNs FROM..TO of S, parsed as one name. */
static struct dn
parse_part(struct arena *arena, const struct spelled *s, unsigned from,
    unsigned to)
{
	struct buf out;
	struct dn dn;
	unsigned i;

	buf_init(&out);
	for (i = from; i < to; i++) {
		if (i > from)
			buf_put_char(&out, below(8) ? ',' : ';');
		buf_put_slice(&out, s->rdns[i]);
	}
	dn = parse(arena, arena_slice(arena, buf_slice(&out)));
	buf_fini(&out);
	return dn;
}

static void
assert_same(const struct dn *a, const struct dn *b)
{
	assert_true(dn_is_eq(a, b));
	assert_true(slice_is_eq(a->text, b->text));
}

/* Both forms are names, canonical, and mean the same. */
static void
check_canonical(struct arena *arena, const struct dn *dn)
{
	struct dn again = parse(arena, dn->text);

	assert_same(&again, dn);
	again = parse(arena, dn->norm);
	assert_true(dn_is_eq(&again, dn));
	again = parse(arena, again.text);
	assert_true(dn_is_eq(&again, dn));
	assert_true(text_is_utf8(dn->text) && text_is_utf8(dn->norm));
}

/* The operations, which only look for ',', against names put together anew. */
static void
check_operations(struct arena *arena, const struct spelled *s,
    const struct dn *dn, const struct spelled *other)
{
	unsigned cut = below(s->n + 1), i;
	struct dn want, got, part, base, to;
	struct spelled moved = { 0, { SLICE_NONE } };
	struct buf key, model;

	assert_int_equal(dn_depth(dn), s->n);
	want = parse_part(arena, s, s->n > 0, s->n);
	got = dn_parent(dn);
	assert_same(&got, &want);
	part = dn_rdn(dn);
	if (s->n > 0) {
		assert_int_equal(dn_parse_rdn(arena, schema, s->rdns[0], &want,
		    NULL), HB_OK);
		assert_same(&part, &want);
	}
	assert_int_equal(dn_join(arena, &part, &got, &want), HB_OK);
	assert_same(&want, dn);
	base = parse_part(arena, s, cut, s->n);
	to = parse_part(arena, other, 0, other->n);
	for (i = 0; i < cut; i++)
		moved.rdns[moved.n++] = s->rdns[i];
	for (i = 0; i < other->n; i++)
		moved.rdns[moved.n++] = other->rdns[i];
	want = parse_part(arena, &moved, 0, moved.n);
	assert_int_equal(dn_rebase(arena, dn, &base, &to, &got), HB_OK);
	assert_same(&got, &want);
	buf_init(&key);
	buf_init(&model);
	dn_put_flat_key(&key, dn->norm);
	for (i = s->n; i > 0; i--) {
		part = parse_part(arena, s, i - 1, i);
		buf_put_slice(&model, part.norm);
		buf_put_char(&model, '\0');
	}
	assert_true(slice_is_eq(buf_slice(&key), buf_slice(&model)));
	buf_fini(&key);
	buf_fini(&model);
}

/* What A means, for a map. */
static struct slice
meaning(struct arena *arena, const struct m_dn *d)
{
	struct buf out;
	struct slice s;
	unsigned i, j;

	buf_init(&out);
	for (i = 0; i < d->n; i++) {
		for (j = 0; j < d->rdns[i].n; j++) {
			const struct m_ava *a = &d->rdns[i].avas[j];

			buf_put_char(&out, (char)('a' + a->type));
			buf_put_char(&out, (char)a->n);
			buf_put(&out, a->value, a->n);
		}
		buf_put_char(&out, 'Z');
	}
	s = arena_slice(arena, buf_slice(&out));
	buf_fini(&out);
	return s;
}

struct dn_maps {
	struct arena arena;
	struct strmap *meaning_of, *norm_of;
};

/* Of all names so far, one meaning has one norm and the other way round. */
static void
check_maps(struct dn_maps *maps, const struct m_dn *d, const struct dn *dn)
{
	struct slice m = meaning(&maps->arena, d);
	struct slice *have, *copy;

	have = strmap_find(maps->norm_of, m);
	if (have != NULL)
		assert_true(slice_is_eq(*have, dn->norm));
	have = strmap_find(maps->meaning_of, dn->norm);
	if (have != NULL) {
		assert_true(slice_is_eq(*have, m));
		return;
	}
	copy = arena_alloc(&maps->arena, 2 * sizeof(*copy));
	copy[0] = m;
	copy[1] = arena_slice(&maps->arena, dn->norm);
	strmap_set(maps->meaning_of, dn->norm, &copy[0]);
	strmap_set(maps->norm_of, m, &copy[1]);
}

static void
check_relations(const struct m_dn *ma, const struct m_dn *mb,
    const struct dn *a, const struct dn *b)
{
	bool within = ma->n >= mb->n && tail_is_same(ma, mb, mb->n);

	assert_int_equal(dn_is_eq(a, b), dn_is_same(ma, mb));
	assert_int_equal(dn_is_within(a, b), within);
	assert_int_equal(dn_is_child(a, b), within && ma->n == mb->n + 1);
}

static void
one_round(struct arena *arena, struct dn_maps *maps)
{
	struct spelled s1, s2, s3;
	struct m_dn d, changed;
	struct dn a, b, c;

	make_dn(&d);
	changed = d;
	change_dn(&changed);
	spell(arena, &d, &s1);
	spell(arena, &d, &s2);
	spell(arena, &changed, &s3);
	a = parse_part(arena, &s1, 0, s1.n);
	b = parse_part(arena, &s2, 0, s2.n);
	c = parse_part(arena, &s3, 0, s3.n);
	assert_true(dn_is_eq(&a, &b));
	check_relations(&d, &changed, &a, &c);
	check_relations(&changed, &d, &c, &a);
	check_canonical(arena, &a);
	check_operations(arena, &s1, &a, &s3);
	check_maps(maps, &d, &b);
	check_maps(maps, &changed, &c);
}

static void
properties(void **state)
{
	struct dn_maps maps;
	struct arena arena;
	unsigned i;

	(void)state;
	arena_init(&arena, 0);
	arena_init(&maps.arena, 0);
	maps.meaning_of = strmap_new(false);
	maps.norm_of = strmap_new(false);
	for (i = 0; i < ROUNDS; i++) {
		seed = i;
		below(1);
		one_round(&arena, &maps);
		arena_reset(&arena);
	}
	assert_true(strmap_count(maps.norm_of) > ROUNDS);
	strmap_free(&maps.meaning_of);
	strmap_free(&maps.norm_of);
	arena_fini(&maps.arena);
	arena_fini(&arena);
}

/* The AVAs of an RDN put together make the RDN again. */
static void
avas_make_rdn(void **state)
{
	struct arena arena;
	struct spelled s;
	struct m_dn d;
	struct ava *avas;
	struct buf out;
	struct dn dn, rdn;
	unsigned i, j, n;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&out);
	for (i = 0; i < ROUNDS / 4; i++) {
		seed = i;
		make_dn(&d);
		spell(&arena, &d, &s);
		dn = parse_part(&arena, &s, 0, s.n);
		assert_int_equal(dn_rdn_avas(&arena, schema, &dn, &avas, &n),
		    HB_OK);
		assert_int_equal(n, d.n == 0 ? 0 : d.rdns[0].n);
		buf_reset(&out);
		for (j = 0; j < n; j++) {
			buf_put_str(&out, j == 0 ? "" : "+");
			buf_put_slice(&out, avas[j].desc->name);
			buf_put_char(&out, '=');
			dn_put_escaped(&out, avas[j].value);
		}
		rdn = dn_rdn(&dn);
		/* an unknown type has the name that was seen first */
		assert_true(slice_is_eq_nocase(rdn.text, buf_slice(&out)));
		buf_reset(&out);
		for (j = 0; j < n; j++) {
			size_t at = out.len + (j > 0);

			buf_put_str(&out, j == 0 ? "" : "+");
			buf_put_slice(&out, avas[j].desc->name);
			text_tolower(out.data + at, out.len - at);
			buf_put_char(&out, '=');
			dn_put_escaped(&out, avas[j].norm);
		}
		assert_true(slice_is_eq(rdn.norm, buf_slice(&out)));
		arena_reset(&arena);
	}
	buf_fini(&out);
	arena_fini(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(properties),
		cmocka_unit_test(avas_make_rdn),
	};
	int rc;

	schema = sample_schema();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	schema_free(&schema);
	return rc;
}
