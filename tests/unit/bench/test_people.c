/* Made-up people as LDIF. */
#include "bench_test.h"

#include "../../../servers/slapd/tools/bench/people.h"
#include "ldif.h"

/* FNV-1a: the bytes are part of what users rely on. */
static uint64_t
digest(const struct buf *b)
{
	uint64_t h = 0xcbf29ce484222325u;
	size_t i;

	for (i = 0; i < b->len; i++)
		h = (h ^ (unsigned char)b->data[i]) * 0x100000001b3u;
	return h;
}

static void
put_all(struct buf *out, const struct people *p)
{
	uint64_t i;

	buf_reset(out);
	assert_int_equal(people_put_base(out, p, NULL), HB_OK);
	for (i = 0; i < p->count; i++) {
		if (p->tree && i % PEOPLE_PER_TEAM == 0)
			people_put_team(out, p, i / PEOPLE_PER_TEAM);
		people_put_person(out, p, i);
	}
	for (i = 0; i * PEOPLE_PER_TEAM < p->count; i++)
		people_put_group(out, p, i);
}

/* Who changes these changes everybody's data: a line for the release notes. */
static void
same_bytes(void **state)
{
	static const struct {
		struct people p;
		uint64_t digest;
	} cases[] = {
		{ { "dc=example,dc=com", 1500, 1, false, false, false },
		    UINT64_C(0xdbc2af30f3822d5) },
		{ { "dc=example,dc=com", 1500, 2, false, false, false },
		    UINT64_C(0xb86af6c96f882c29) },
		{ { "o=Firm", 1500, 1, true, true, true }, UINT64_C(0xb07ff02dcf6edd62) },
	};
	struct buf out, again;
	size_t i;

	(void)state;
	buf_init(&out);
	buf_init(&again);
	for (i = 0; i < N(cases); i++) {
		put_all(&out, &cases[i].p);
		put_all(&again, &cases[i].p);
		assert_true(slice_is_eq(buf_slice(&out), buf_slice(&again)));
		if (digest(&out) != cases[i].digest)
			fail_msg("case %zu: %#llx", i,
			    (unsigned long long)digest(&out));
	}
	buf_fini(&out);
	buf_fini(&again);
}

/* A person does not depend on how many there are. */
static void
alone(void **state)
{
	struct people p = { "dc=x", 1, 1, false, true, true };
	struct people q = { "dc=x", 100000, 1, false, true, true };
	struct buf a, b;

	(void)state;
	buf_init(&a);
	buf_init(&b);
	people_put_person(&a, &p, 77);
	people_put_person(&b, &q, 1);
	buf_reset(&b);
	people_put_person(&b, &q, 77);
	assert_true(slice_is_eq(buf_slice(&a), buf_slice(&b)));
	buf_fini(&a);
	buf_fini(&b);
}

static unsigned
count_values(const struct ldif_record *rec, const char *name)
{
	unsigned i, n = 0;

	for (i = 0; i < rec->nvalues; i++)
		n += slice_is_eq(rec->values[i].name, slice_of(name));
	return n;
}

static void
check_group(const struct ldif_record *rec)
{
	unsigned i, k, n = count_values(rec, "member");

	assert_true(n > 0 && n <= PEOPLE_PER_GROUP);
	for (i = 0; i < rec->nvalues; i++)
		for (k = 0; k < i; k++)
			assert_false(slice_is_eq(rec->values[i].value,
			    rec->values[k].value));
}

static void
ldif(void **state)
{
	static const struct {
		struct people p;
		unsigned records, attrs;	/* attrs: of a person */
	} cases[] = {
		{ { "dc=example,dc=com", 1, 1, false, false, false },
		    3 + 1 + 1, 17 },
		{ { "c=GB", 19, 1, true, false, false }, 3 + 1 + 19 + 1, 17 },
		{ { "ou=a,o=b", 2001, 3, true, true, true },
		    3 + 3 + 2001 + 3, 22 },
		{ { "O=Some Firm,c=GB", 1000, 3, false, true, false },
		    3 + 1000 + 1, 17 },
	};
	struct ldif_reader *reader;
	struct ldif_record rec;
	struct arena arena;
	struct buf out;
	unsigned n;
	size_t i;

	(void)state;
	buf_init(&out);
	arena_init(&arena, 0);
	for (i = 0; i < N(cases); i++) {
		put_all(&out, &cases[i].p);
		reader = ldif_open_memory(buf_slice(&out), "people", 0);
		for (n = 0; ldif_next(reader, &arena, &rec, NULL) == HB_OK;
		    n++) {
			if (slice_has_prefix(rec.dn, SLICE("uid=")))
				assert_int_equal(rec.nvalues, cases[i].attrs);
			if (slice_has_prefix(rec.dn, SLICE("cn=group.")))
				check_group(&rec);
			arena_reset(&arena);
		}
		assert_int_equal(n, cases[i].records);
		ldif_close(&reader);
	}
	arena_fini(&arena);
	buf_fini(&out);
}

static void
bases(void **state)
{
	static const char *const bad[] = { "", "dc", "dc=", "=x", "cn=x",
	    "dcx=1", "dc=a+o=b", "dc=a\\,b,dc=c", "dc=\"a\"", "dc=\xc3\xa9" };
	struct people p = { .count = 1 };
	struct diag diag;
	struct buf out;
	size_t i;

	(void)state;
	buf_init(&out);
	for (i = 0; i < N(bad); i++) {
		p.base = bad[i];
		diag_clear(&diag);
		assert_int_equal(people_put_base(&out, &p, &diag), HB_EINVAL);
		assert_true(diag.text[0] != '\0');
	}
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_bytes),
		cmocka_unit_test(alone),
		cmocka_unit_test(ldif),
		cmocka_unit_test(bases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
