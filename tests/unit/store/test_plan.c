/*
 * Indexes and candidates against no indexes at all: two databases get the same
 * random changes, one with every kind of index and one without any, and must
 * answer the same to random filters. IDs begin below the border of a record of
 * an index (4096), so that sets of several records occur.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/store/index.h"
#include "tests/unit/store/fixture.h"
#include "util/mem.h"

#define PEOPLE		"ou=People," SUFFIX
#define INDEXES		"index objectClass eq\nindex uid pres,eq,sub\n" \
	"index cn,sn pres,eq,sub,approx\nindex description eq\n" \
	"index uidNumber pres,eq\n"
#define FIRST_ID	3900
#define NAMES		400
#define CHANGES		3000
#define FILTERS		1500

static const struct dnidx_ops *names;
static unsigned seed;

/* xorshift: the same on every machine. */
static unsigned
rnd(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % n;
}

static const char *const words[] = {
	"anna", "Annabel", "bernd", "Bernadette", "carla", "Karl", "dora",
	"van der Berg", "Müller", "mueller", "Smith", "smythe", "a", "zz",
	"(odd)", "star*", "back\\slash", "two  blanks"
};

#define NWORDS	(sizeof(words) / sizeof(words[0]))

static const char *
word(void)
{
	return words[rnd(NWORDS)];
}

/* WORD, or a piece of it, as RFC 4515 writes it. */
static void
put_piece(struct buf *b, bool whole)
{
	const char *w = word();
	size_t n = strlen(w), from = whole ? 0 : rnd((unsigned)n);
	size_t len = whole ? n : 1 + rnd((unsigned)(n - from));

	for (size_t i = from; i < from + len; i++) {
		if (strchr("()*\\", w[i]) != NULL || (unsigned char)w[i] > 127)
			buf_printf(b, "\\%02x", (unsigned char)w[i]);
		else
			buf_put_char(b, w[i]);
	}
}

static void
put_item(struct buf *b)
{
	static const char *const attrs[] = {
		"cn", "sn", "description", "name", "uid", "cn;lang-de"
	};
	const char *a = attrs[rnd(6)];

	switch (rnd(10)) {
	case 0:
	case 1:
		buf_printf(b, "(%s=", a);
		put_piece(b, true);
		break;
	case 2:
		buf_printf(b, "(%s=", a);
		put_piece(b, false);
		buf_put_char(b, '*');
		break;
	case 3:
		buf_printf(b, "(%s=*", a);
		put_piece(b, false);
		break;
	case 4:
		buf_printf(b, "(%s=*", a);
		put_piece(b, false);
		buf_put_char(b, '*');
		if (rnd(2))
			put_piece(b, false);
		break;
	case 5:
		buf_printf(b, "(%s=*", a);
		break;
	case 6:
		buf_printf(b, "(uidNumber%s%u", rnd(3) == 0 ? "=" :
		    rnd(2) ? ">=" : "<=", rnd(120));
		break;
	case 7:
		buf_printf(b, "(%s~=", a);
		put_piece(b, true);
		break;
	case 8:
		buf_printf(b, "(objectClass=%s", rnd(3) ? "person" :
		    rnd(2) ? "top" : "organizationalUnit");
		break;
	default:
		buf_printf(b, rnd(2) ? "(uid=u%u" : "(noSuchType=%u",
		    rnd(NAMES));
	}
	buf_put_char(b, ')');
}

static void
put_filter(struct buf *b, unsigned depth)
{
	unsigned n = 1 + rnd(3);

	if (depth == 0 || rnd(3) == 0) {
		put_item(b);
		return;
	}
	switch (rnd(3)) {
	case 0:
		buf_put_str(b, "(!");
		n = 1;
		break;
	case 1:
		buf_put_str(b, "(&");
		break;
	default:
		buf_put_str(b, "(|");
	}
	while (n-- > 0)
		put_filter(b, depth - 1);
	buf_put_char(b, ')');
}

struct pair {
	struct fixture *with, *without;
};

static void
add_person(struct pair *p, unsigned i)
{
	char *dn = mem_printf("uid=u%u," PEOPLE, i);
	struct buf b;
	int rc;

	buf_init(&b);
	buf_printf(&b, "objectClass: person\ncn: %s\n", word());
	if (rnd(2))
		buf_printf(&b, "cn;lang-de: %s\n", word());
	if (rnd(4))
		buf_printf(&b, "sn: %s\n", word());
	if (rnd(3) == 0)
		buf_printf(&b, "description: %s\n", word());
	if (rnd(2))
		buf_printf(&b, "uidNumber: %u\n", rnd(120));
	buf_put_char(&b, '\0');
	rc = do_add(p->with, dn, b.data);
	assert_true(rc == HB_OK || rc == HB_EEXISTS);
	assert_int_equal(do_add(p->without, dn, b.data), rc);
	buf_fini(&b);
	free(dn);
}

static void
change(struct pair *p)
{
	unsigned i = rnd(NAMES);
	char *dn = mem_printf("uid=u%u," PEOPLE, i), *what = NULL;
	int rc, rc2;

	switch (rnd(6)) {
	case 0:
	case 1:
		add_person(p, i);
		rc = rc2 = HB_OK;
		break;
	case 2:
		rc = do_delete(p->with, dn);
		rc2 = do_delete(p->without, dn);
		break;
	case 3:
		what = mem_printf("u%u", rnd(NAMES));
		free(dn);
		dn = mem_printf("uid=%s," PEOPLE, what);
		free(what);
		what = mem_printf("uid=u%u", rnd(NAMES));
		rc = do_rename(p->with, dn, what, NULL);
		rc2 = do_rename(p->without, dn, what, NULL);
		break;
	default:
		what = rnd(3) == 0 ? mem_printf("replace sn: %s", word()) :
		    rnd(2) ? mem_printf("add cn: %s", word()) :
		    mem_printf("replace uidNumber: %u", rnd(120));
		rc = do_modify(p->with, dn, what);
		rc2 = do_modify(p->without, dn, what);
	}
	if (rc != rc2)
		fail_msg("%s %s: %s, %s", dn, what, hb_errname(rc),
		    hb_errname(rc2));
	free(what);
	free(dn);
}

static void
compare(struct pair *p, unsigned n)
{
	struct buf b;

	buf_init(&b);
	for (unsigned i = 0; i < n; i++) {
		enum ldap_scope scope = rnd(4) == 0 ? LDAP_SCOPE_ONE :
		    LDAP_SCOPE_SUB;
		const char *base = rnd(3) == 0 ? PEOPLE : SUFFIX;
		char *got, *wanted;

		buf_reset(&b);
		put_filter(&b, 3);
		buf_put_char(&b, '\0');
		got = do_search(p->with, base, scope, b.data, 0);
		wanted = do_search(p->without, base, scope, b.data, 0);
		if (strcmp(got, wanted) != 0)
			fail_msg("%s: with indexes %s, without %s", b.data,
			    got, wanted);
		free(got);
		free(wanted);
	}
	buf_fini(&b);
}

static void
test_same_answers(void **state)
{
	struct pair p = { fixture_new(names, INDEXES),
	    fixture_new(names, NULL) };
	struct fixture *both[] = { p.with, p.without };

	(void)state;
	seed = 20261201;
	for (int i = 0; i < 2; i++) {
		both[i]->conf.dbnosync = true;
		fixture_open(both[i]);
		fill(both[i], 0);
		atomic_store(&fixture_store(both[i])->next_id, FIRST_ID);
	}
	for (unsigned i = 0; i < NAMES / 2; i++)
		add_person(&p, i);
	compare(&p, FILTERS / 3);
	for (unsigned i = 0; i < CHANGES; i++) {
		change(&p);
		if (i % 100 == 0)
			compare(&p, FILTERS / 3 / (CHANGES / 100));
	}
	compare(&p, FILTERS / 3);
	/* from disk, with nothing cached */
	for (int i = 0; i < 2; i++) {
		fixture_close(both[i]);
		fixture_open(both[i]);
	}
	compare(&p, 200);
	fixture_free(&p.with);
	fixture_free(&p.without);
}

int
main(void)
{
	static const struct dnidx_ops *const both[] = {
		&dnidx_flat, &dnidx_tree
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_answers),
	};
	int failed = 0;

	for (int i = 0; i < 2; i++) {
		names = both[i];
		failed += cmocka_run_group_tests_name(names->name, tests, NULL,
		    NULL);
	}
	return failed;
}
