/* Requests, as the server's decoder sees them. */
#include "bench_test.h"

#include "../../../servers/slapd/tools/bench/request.h"
#include <unistd.h>

#include "filter.h"
#include "proto.h"

static const char *const command[] = { "run", "-H", "ldap://host", "--attr",
	"cn", "--attr", "mail", "--base", "o=x{n}", "--filter",
	"(&(uid=user.{n})(!(sn={n:4}*)))", "--dn", "uid=user.{n},o=x",
	"--password", "secret.{n}.{x}", "--compare", "sn=n{n}=", "--modify",
	"title=new {x}", "--add-dn", "uid=add.{n},o=x" };

static void
set_up(struct bench_opts *o, struct requests *r)
{
	struct diag diag = DIAG_INIT;
	char *argv[N(command) + 1];

	memcpy(argv, command, sizeof command);
	argv[N(command)] = NULL;
	assert_int_equal(bench_opts_parse(N(command), argv, o, &diag), HB_OK);
	assert_int_equal(requests_init(r, o, &diag), HB_OK);
}

static void
assert_text(struct slice s, const char *text)
{
	if (!slice_is_eq(s, slice_of(text)))
		fail_msg("\"%.*s\", not \"%s\"", SLICE_ARG(s), text);
}

/* The request of KIND with number 7 and ID 300, decoded. */
static void
decode(const struct requests *r, enum req_kind kind, struct arena *arena,
    struct buf *out, struct ldap_msg *msg_r)
{
	buf_reset(out);
	stamp_put(&r->req[kind], out, 7, 99, 300);
	assert_int_equal(ldap_decode(arena, buf_slice(out), msg_r), HB_OK);
	assert_int_equal(msg_r->id, 300);
	assert_int_equal(msg_r->ncontrols, 0);
}

static void
searches(void **state)
{
	struct bench_opts o;
	struct requests r;
	struct arena arena;
	struct ldap_msg m;
	struct buf out, text;

	(void)state;
	set_up(&o, &r);
	arena_init(&arena, 0);
	buf_init(&out);
	buf_init(&text);
	decode(&r, REQ_SEARCH, &arena, &out, &m);
	assert_int_equal(m.tag, LDAP_TAG_SEARCH_REQUEST);
	assert_int_equal(m.req.search.scope, LDAP_SCOPE_SUB);
	assert_text(m.req.search.base, "o=x7");
	assert_int_equal(m.req.search.nattrs, 2);
	assert_text(m.req.search.attrs[0], "cn");
	assert_text(m.req.search.attrs[1], "mail");
	filter_print(m.req.search.filter, &text);
	assert_text(buf_slice(&text), "(&(uid=user.7)(!(sn=0007*)))");
	decode(&r, REQ_BASE, &arena, &out, &m);
	assert_int_equal(m.req.search.scope, LDAP_SCOPE_BASE);
	assert_text(m.req.search.base, "uid=user.7,o=x");
	buf_reset(&text);
	filter_print(m.req.search.filter, &text);
	assert_text(buf_slice(&text), "(objectClass=*)");
	buf_reset(&out);
	stamp_put(&r.dn, &out, 7, 0, 0);
	assert_text(buf_slice(&out), "uid=user.7,o=x");
	buf_fini(&out);
	buf_fini(&text);
	arena_fini(&arena);
	requests_fini(&r);
}

static void
others(void **state)
{
	struct bench_opts o;
	struct requests r;
	struct arena arena;
	struct ldap_msg m;
	struct buf out;

	(void)state;
	set_up(&o, &r);
	arena_init(&arena, 0);
	buf_init(&out);
	decode(&r, REQ_BIND, &arena, &out, &m);
	assert_int_equal(m.tag, LDAP_TAG_BIND_REQUEST);
	assert_int_equal(m.req.bind.version, 3);
	assert_text(m.req.bind.dn, "uid=user.7,o=x");
	assert_text(m.req.bind.password, "secret.7.00000099");
	decode(&r, REQ_COMPARE, &arena, &out, &m);
	assert_text(m.req.compare.dn, "uid=user.7,o=x");
	assert_text(m.req.compare.attr, "sn");
	assert_text(m.req.compare.value, "n7=");
	decode(&r, REQ_COMPARE_FALSE, &arena, &out, &m);
	assert_text(m.req.compare.value, "n7=.not");
	decode(&r, REQ_MODIFY, &arena, &out, &m);
	assert_int_equal(m.req.modify.nmods, 1);
	assert_int_equal(m.req.modify.mods[0].type, LDAP_MOD_REPLACE);
	assert_text(m.req.modify.mods[0].attr.name, "title");
	assert_text(m.req.modify.mods[0].attr.values[0], "new 00000099");
	decode(&r, REQ_DELETE, &arena, &out, &m);
	assert_text(m.req.del, "uid=add.7,o=x");
	decode(&r, REQ_ADD, &arena, &out, &m);
	assert_text(m.req.add.dn, "uid=add.7,o=x");
	assert_true(m.req.add.nattrs > 8);
	buf_reset(&out);
	request_put_bind(&out, 1, SLICE("cn=a"), SLICE("pw"));
	assert_int_equal(ldap_decode(&arena, buf_slice(&out), &m), HB_OK);
	assert_text(m.req.bind.dn, "cn=a");
	buf_reset(&out);
	request_put_starttls(&out, 2);
	assert_int_equal(ldap_decode(&arena, buf_slice(&out), &m), HB_OK);
	assert_text(m.req.extended.oid, "1.3.6.1.4.1.1466.20037");
	buf_fini(&out);
	arena_fini(&arena);
	requests_fini(&r);
}

/* Long enough for lengths of two and three octets, also of the message. */
static void
lengths(void **state)
{
	static const size_t sizes[] = { 60, 90, 120, 127, 128, 200, 255, 256,
	    300, 70000 };
	struct bench_opts o;
	struct requests r;
	struct arena arena;
	struct ldap_msg m;
	struct buf out, value;
	size_t i, k;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&out);
	buf_init(&value);
	for (i = 0; i < N(sizes); i++) {
		buf_reset(&value);
		buf_put_str(&value, "description={n}");
		for (k = 0; k < sizes[i]; k++)
			buf_put_char(&value, 'x');
		buf_put_char(&value, '\0');
		set_up(&o, &r);
		requests_fini(&r);
		o.modify = value.data;
		assert_int_equal(requests_init(&r, &o, NULL), HB_OK);
		decode(&r, REQ_MODIFY, &arena, &out, &m);
		assert_int_equal(m.req.modify.mods[0].attr.values[0].len,
		    sizes[i] + 1);
		requests_fini(&r);
	}
	buf_fini(&out);
	buf_fini(&value);
	arena_fini(&arena);
}

static void
entry_file(void **state)
{
	static const struct {
		const char *text;
		int rc;
		unsigned nattrs;
	} cases[] = {
		{ "objectClass: person\nobjectClass: top\n# no\n\ncn: a {n}\n"
		    "sn:x", HB_OK, 3 },
		{ "cn: {n}\ncn:  b: c\n", HB_OK, 1 },
		{ "", HB_EINVAL, 0 }, { "\n#\n", HB_EINVAL, 0 },
		{ "cn\n", HB_EINVAL, 0 }, { "cn: a\nsn:\n", HB_EINVAL, 0 },
		{ ": a\n", HB_EINVAL, 0 }, { "cn:: YQ==\n", HB_EINVAL, 0 },
		{ "cn: {m}\n", HB_EINVAL, 0 },
	};
	char path[] = "/tmp/test_request.XXXXXX";
	struct bench_opts o;
	struct requests r;
	struct arena arena;
	struct diag diag;
	struct ldap_msg m;
	struct buf out;
	size_t i;
	FILE *f;

	(void)state;
	assert_true(close(mkstemp(path)) == 0);
	set_up(&o, &r);
	requests_fini(&r);
	arena_init(&arena, 0);
	buf_init(&out);
	o.entry_file = path;
	for (i = 0; i < N(cases); i++) {
		f = fopen(path, "w");
		fputs(cases[i].text, f);
		fclose(f);
		diag_clear(&diag);
		assert_int_equal(requests_init(&r, &o, &diag), cases[i].rc);
		if (cases[i].rc == HB_OK) {
			decode(&r, REQ_ADD, &arena, &out, &m);
			assert_int_equal(m.req.add.nattrs, cases[i].nattrs);
		} else
			assert_true(diag.text[0] != '\0');
		requests_fini(&r);
	}
	unlink(path);
	diag_clear(&diag);
	assert_int_equal(requests_init(&r, &o, &diag), HB_EIO);
	requests_fini(&r);
	buf_fini(&out);
	arena_fini(&arena);
}

/* What TEXT is to the parser here, printed by the server's library. */
static int
print_ours(struct arena *arena, const char *text, struct buf *out,
    struct diag *diag)
{
	struct bench_opts o;
	struct requests r;
	struct ldap_msg m;
	int rc;

	set_up(&o, &r);
	requests_fini(&r);
	o.filter = text;
	if ((rc = requests_init(&r, &o, diag)) == HB_OK) {
		struct buf pdu;

		buf_init(&pdu);
		decode(&r, REQ_SEARCH, arena, &pdu, &m);
		filter_print(m.req.search.filter, out);
		buf_fini(&pdu);
	}
	requests_fini(&r);
	return rc;
}

static void
filters(void **state)
{
	static const char *const good[] = { "(cn=a)", "(cn=)", "(cn=*)",
	    "(cn=a*)", "(cn=*a)", "(cn=*a*)", "(cn=a*b*c)", "(cn=a*b*c*d)",
	    "(cn=\\2a\\28\\29\\5c\\00\\ff)", "(cn=a\\2a*)", "(a>=1)", "(a<=1)",
	    "(a~=b c)", "(&)", "(|)", "(!(a=b))", "(&(a=b)(c=d)(|(e=f)))",
	    "(a:=b)", "(a:dn:=b)", "(a:1.2.3:=b)", "(a:dn:1.2.3:=b)",
	    "(:caseExactMatch:=b)", "(:dn:1.2:=b)", "(a;lang-en=b=c)",
	    "(cn=a>b)", "(cn=  a )" };
	static const char *const bad[] = { "", "a=b", "(", "()", "(a)", "(=b)",
	    "(a=b", "(a=b))", "(a=(b)", "(a=\\)", "(a=\\4)", "(a=\\zz)",
	    "(&(a=b)", "(!)", "(!(a=b)(c=d))", "(>=b)", "(a=b) ", "(&a=b)",
	    "(cn =a)", "( cn=a)", "(a b=c)", "(a\x01=c)", "(c\xc3=a)" };
	struct ldap_filter *f;
	struct arena arena;
	struct buf ours, theirs;
	struct diag diag;
	size_t i;

	(void)state;
	arena_init(&arena, 0);
	buf_init(&ours);
	buf_init(&theirs);
	for (i = 0; i < N(good); i++) {
		buf_reset(&ours);
		buf_reset(&theirs);
		assert_int_equal(print_ours(&arena, good[i], &ours, NULL),
		    HB_OK);
		assert_int_equal(filter_parse(&arena, slice_of(good[i]), &f,
		    NULL), HB_OK);
		filter_print(f, &theirs);
		buf_put_char(&theirs, '\0');
		assert_text(buf_slice(&ours), theirs.data);
	}
	for (i = 0; i < N(bad); i++) {
		diag_clear(&diag);
		if (print_ours(&arena, bad[i], &ours, &diag) != HB_EINVAL)
			fail_msg("%s is accepted", bad[i]);
		assert_true(diag.text[0] != '\0');
	}
	buf_reset(&theirs);
	for (i = 0; i < 100000; i++)
		buf_put_str(&theirs, "(!");
	buf_reset(&ours);
	assert_int_equal(request_put_filter(&ours, buf_slice(&theirs), &diag),
	    HB_ELIMIT);
	buf_fini(&ours);
	buf_fini(&theirs);
	arena_fini(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(searches),
		cmocka_unit_test(others),
		cmocka_unit_test(lengths),
		cmocka_unit_test(entry_file),
		cmocka_unit_test(filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
