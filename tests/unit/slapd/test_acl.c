/*
 * Access rules: each row is a list of rules, a question and the answer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "backends_fake.h"
#include "servers/slapd/conf.h"
#include "servers/slapd/limit.h"
#include "servers/slapd/passwd.h"
#include "slapd/access.h"
#include "util/err.h"
#include "util/text.h"

#define BASE	"dc=example,dc=com"
#define ADMIN	"cn=admin," BASE
#define ANN	"uid=ann,ou=people," BASE
#define BOB	"uid=bob,ou=people," BASE
#define GROUP	"cn=staff,ou=groups," BASE

#define D	ACCESS_DISCLOSE
#define X	ACCESS_AUTH
#define C	ACCESS_COMPARE
#define S	ACCESS_SEARCH
#define R	ACCESS_READ
#define A	ACCESS_WADD
#define Z	ACCESS_WDEL
#define W	ACCESS_WRITE
#define M	ACCESS_MANAGE

static char path[64];

/* name=value pairs of the entries that all tests share. */
static const char *const ann_attrs[] = {
	"objectClass", "inetOrgPerson", "uid", "ann", "cn", "Ann", "sn", "A",
	"userPassword", "secret", "userPassword", "{SASL}x", "mail",
	"ann@x.org", "mail", "ann@y.org", "manager", BOB, NULL
};
static const char *const group_attrs[] = {
	"objectClass", "groupOfNames", "cn", "staff", "member", ANN, "owner",
	BOB, NULL
};
static const char *const bare_attrs[] = {
	"objectClass", "device", "cn", "bare", NULL
};

static struct attr_dict *dict;

static struct entry *
make_entry(struct schema *schema, const char *dn, const char *const *pairs,
    entry_id id)
{
	struct entry *e;
	unsigned n = 0;

	while (pairs[n] != NULL)
		n++;
	e = fake_entry(schema, dict, dn, pairs, n, id);
	assert_non_null(e);
	return e;
}

static struct slapd_conf *
read_rules(const char *rules, const char *global, struct diag *diag)
{
	static const char *const schema[] = {
		"core", "cosine", "inetorgperson", "nis"
	};
	const char *top = getenv("top_srcdir");
	struct slapd_conf *conf = NULL;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (size_t i = 0; i < sizeof(schema) / sizeof(*schema); i++)
		fprintf(f, "include %s/doc/schema/%s.schema\n",
		    top != NULL ? top : ".", schema[i]);
	fprintf(f, "%s\ndatabase hdb\nsuffix " BASE "\nrootdn " ADMIN "\n%s\n",
	    global, rules);
	fclose(f);
	diag_clear(diag);
	(void)slapd_conf_read(path, &conf, diag);
	return conf;
}

/* One operation on a configuration of its own. */
struct world {
	struct slapd_conf *conf;
	struct entry *ann, *group, *bare;
	struct arena arena;
	struct identity who;
	struct op op;
};

static void
world_open(struct world *w, const char *rules, const char *global,
    const char *who)
{
	struct diag diag = DIAG_INIT;

	memset(w, 0, sizeof(*w));
	if ((w->conf = read_rules(rules, global, &diag)) == NULL)
		fail_msg("<%s>: line %u: %s", rules, diag.line, diag.text);
	dict = attr_dict_new();
	w->ann = make_entry(w->conf->schema, ANN, ann_attrs, 1);
	w->group = make_entry(w->conf->schema, GROUP, group_attrs, 2);
	w->bare = make_entry(w->conf->schema, "cn=bare," BASE, bare_attrs, 3);
	fake_entries[0] = w->group;
	fake_entries[1] = NULL;
	fake_lookups = 0;
	arena_init(&w->arena, 0);
	assert_int_equal(dn_parse(&w->arena, w->conf->schema, slice_of(who),
	    &w->who.dn, NULL), HB_OK);
	w->who.real_dn = w->who.dn;
	w->who.peername = SLICE("IP=192.0.2.7:1234");
	w->who.sockname = SLICE("IP=0.0.0.0:389");
	w->who.ssf = 56;
	w->op.arena = &w->arena;
	w->op.schema = w->conf->schema;
	w->op.db = w->conf->dbs[1];
	w->op.who = &w->who;
}

static void
world_close(struct world *w)
{
	entry_unref(&w->ann);
	entry_unref(&w->group);
	entry_unref(&w->bare);
	attr_dict_free(&dict);
	arena_fini(&w->arena);
	slapd_conf_free(&w->conf);
}

static const struct entry *
entry_named(const struct world *w, char name)
{
	return name == 'a' ? w->ann : name == 'g' ? w->group :
	    name == 'b' ? w->bare : NULL;
}

static unsigned
rights_on(struct world *w, const struct entry *e, const char *attr,
    const char *value)
{
	const struct attr_desc *desc;
	struct slice v = value != NULL ? slice_of(value) : SLICE_NONE;
	unsigned rights = 0;

	assert_int_equal(schema_desc(w->conf->schema, slice_of(attr), &desc,
	    NULL), HB_OK);
	for (unsigned bit = 1; bit <= M; bit <<= 1)
		if (access_is_allowed(&w->op, e, desc, v, SLICE_NONE, bit))
			rights |= bit;
	return rights;
}

#define READ	(D | X | C | S | R)
#define AUTH	(D | X)

struct acl_case {
	const char *rules;
	const char *who;		/* "" anonymous */
	char entry;			/* a, g, b; 0: the root DSE */
	const char *attr;
	const char *value;
	unsigned rights;
};

#define STD	"access to attrs=userPassword by self write by anonymous " \
	"auth by * none\naccess to * by * read\n"

static const struct acl_case acl_cases[] = {
	/* no rules: read */
	{ "", "", 'a', "cn", NULL, READ },
	{ "", ANN, 'a', "userPassword", NULL, READ },
	{ "access to * by * read", "", 'a', "cn", NULL, READ },
	{ "access to * by users read", "", 'a', "cn", NULL, 0 },
	/* the usual two */
	{ STD, "", 'a', "userPassword", NULL, AUTH },
	{ STD, ANN, 'a', "userPassword", NULL, READ | W },
	{ STD, BOB, 'a', "userPassword", NULL, 0 },
	{ STD, BOB, 'a', "cn", NULL, READ },
	{ STD, BOB, 'a', "entry", NULL, READ },
	{ STD, ADMIN, 'a', "userPassword", NULL, 0 },	/* is_root is not set */
	/* what is not named is refused at the end */
	{ "access to attrs=cn by * read", "", 'a', "sn", NULL, 0 },
	{ "access to dn.base=\"\" by * read", "", 0, "namingContexts", NULL,
	    READ },
	{ "access to dn.base=\"\" by * read", "", 'a', "cn", NULL, 0 },
	/* dn styles */
	{ "access to dn=\"" ANN "\" by * read", "", 'a', "cn", NULL, READ },
	{ "access to dn.exact=\"UID=Ann, ou=People," BASE "\" by * read", "",
	    'a', "cn", NULL, READ },
	{ "access to dn.one=\"ou=people," BASE "\" by * read", "", 'a', "cn",
	    NULL, READ },
	{ "access to dn.onelevel=\"" BASE "\" by * read", "", 'a', "cn", NULL,
	    0 },
	{ "access to dn.sub=\"" BASE "\" by * read", "", 'a', "cn", NULL,
	    READ },
	{ "access to dn.subtree=\"" ANN "\" by * read", "", 'a', "cn", NULL,
	    READ },
	{ "access to dn.children=\"" ANN "\" by * read", "", 'a', "cn", NULL,
	    0 },
	{ "access to dn.regex=\"^uid=[^,]+,ou=people,\" by * read", "", 'a',
	    "cn", NULL, READ },
	{ "access to dn.regex=\"^uid=[^,]+, ou=people, dc=example\" by * read",
	    "", 'a', "cn", NULL, READ },
	{ "access to dn.regex=\".*\" by * read", "", 'g', "cn", NULL, READ },
	/* filter */
	{ "access to filter=(sn=a) by * read", "", 'a', "cn", NULL, READ },
	{ "access to filter=(sn=b) by * read", "", 'a', "cn", NULL, 0 },
	{ "access to filter=\"(objectClass=groupOfNames)\" attrs=member "
	    "by * read", "", 'g', "member", NULL, READ },
	{ "access to filter=\"(objectClass=groupOfNames)\" attrs=member "
	    "by * read", "", 'g', "cn", NULL, 0 },
	/* attributes */
	{ "access to attrs=userPassword,shadowLastChange, by * read", "", 'a',
	    "userPassword", NULL, READ },
	{ "access to attrs=\"userPassword\" by * read", "", 'a',
	    "userPassword", NULL, READ },
	{ "access to attr=cn by * read", "", 'a', "cn", NULL, READ },
	{ "access to attrs=name by * read", "", 'a', "cn", NULL, READ },
	{ "access to attrs=cn by * read", "", 'a', "cn;lang-en", NULL, READ },
	{ "access to attrs=cn;lang-en by * read", "", 'a', "cn", NULL, 0 },
	{ "access to attrs=entry,@extensibleObject by * read", "", 'a', "sn",
	    NULL, READ },
	{ "access to attrs=@person by * read", "", 'a', "sn", NULL, READ },
	{ "access to attrs=@person by * read", "", 'a', "mail", NULL, 0 },
	{ "access to attrs=inetOrgPerson by * read", "", 'a', "mail", NULL,
	    READ },
	{ "access to attrs=!person by * read", "", 'a', "sn", NULL, 0 },
	{ "access to attrs=!person by * read", "", 'a', "mail", NULL, READ },
	{ "access to attrs=entry by * read", "", 'a', "entry", NULL, READ },
	{ "access to attrs=children by users write", BOB, 'a', "children",
	    NULL, READ | W },
	{ "access to attrs=children by users write", BOB, 'a', "entry", NULL,
	    0 },
	/* values */
	{ "access to attrs=mail val=ANN@x.org by * none\naccess to * by * read",
	    "", 'a', "mail", "ann@x.org", 0 },
	{ "access to attrs=mail val=ann@x.org by * none\naccess to * by * read",
	    "", 'a', "mail", "ann@y.org", READ },
	{ "access to attrs=mail val.regex=\"@y\" by * none\n"
	    "access to * by * read", "", 'a', "mail", "ann@y.org", 0 },
	{ "access to attrs=mail val.regex=\"^$\" by * none\n"
	    "access to * by * read", "", 'a', "mail", "ann@y.org", READ },
	{ "access to attrs=manager val.sub=\"ou=people," BASE "\" by * none\n"
	    "access to * by * read", "", 'a', "manager", BOB, 0 },
	{ "access to attrs=mail val=ann@x.org by * none\naccess to * by * read",
	    "", 'a', "mail", NULL, READ },
	/* who */
	{ "access to * by anonymous read by users search", BOB, 'a', "cn",
	    NULL, D | X | C | S },
	{ "access to * by dn=\"" BOB "\" write", BOB, 'a', "cn", NULL,
	    READ | W },
	{ "access to * by dn=\"" BOB "\" write", ANN, 'a', "cn", NULL, 0 },
	{ "access to * by dn.children=\"ou=people," BASE "\" read", ANN, 'g',
	    "cn", NULL, READ },
	{ "access to * by dn.one=\"ou=people," BASE "\" read", ANN, 'g', "cn",
	    NULL, READ },
	{ "access to * by dn.level{2}=\"" BASE "\" read", ANN, 'g', "cn", NULL,
	    READ },
	{ "access to * by dn.level{1}=\"" BASE "\" read", ANN, 'g', "cn", NULL,
	    0 },
	{ "access to * by dn.regex=\"^uid=a[^/]+,ou=people\" write", ANN, 'g',
	    "cn", NULL, READ | W },
	{ "access to * by dn.regex=\"uid=a\\+b\" write", ANN, 'g', "cn", NULL,
	    0 },
	{ "access to * by dn.regex=\".*\" read", "", 'g', "cn", NULL, READ },
	{ "access to * by dn.regex=\".+\" read", "", 'g', "cn", NULL, 0 },
	{ "access to * by dn.regex=\"\" read", "", 'g', "cn", NULL, READ },
	{ "access to * by dn.regex=\"\" read", ANN, 'g', "cn", NULL, 0 },
	{ "access to * by dn=\"*\" read", "", 'g', "cn", NULL, 0 },
	{ "access to dn.regex=\"^(.*,)?(ou=people),(.*)$\" by "
	    "dn.exact,expand=\"uid=bob,$2,$3\" read", BOB, 'a', "cn", NULL,
	    READ },
	{ "access to dn.regex=\"^uid=([^,]+),(.*)$\" by "
	    "dn.regex=\"^uid=$1,${2}$\" write", ANN, 'a', "cn", NULL,
	    READ | W },
	{ "access to dn.regex=\"^uid=([^,]+),(.*)$\" by "
	    "dn.regex=\"^uid=$1,$2$$\" write", BOB, 'a', "cn", NULL, 0 },
	{ "access to dn.sub=\"ou=people," BASE "\" by "
	    "dn.exact,expand=\"uid=bob,$1\" read", BOB, 'a', "cn", NULL,
	    READ },
	{ "access to * by self.level{-1} read", BASE, 'b', "cn", NULL, READ },
	{ "access to * by self.level{1} read", "uid=x," ANN, 'a', "cn", NULL,
	    READ },
	{ "access to * by dnattr=manager write", BOB, 'a', "cn", NULL,
	    READ | W },
	{ "access to * by dnattr=manager write", ANN, 'a', "cn", NULL, 0 },
	{ "access to * by group=\"" GROUP "\" write", ANN, 'b', "cn", NULL,
	    READ | W },
	{ "access to * by group=\"" GROUP "\" write", BOB, 'b', "cn", NULL,
	    0 },
	{ "access to * by group/groupOfNames/owner.exact=\"" GROUP "\" manage",
	    BOB, 'b', "cn", NULL, READ | W | M },
	{ "access to * by group/groupOfUniqueNames/uniqueMember=\"" GROUP
	    "\" read", ANN, 'b', "cn", NULL, 0 },
	{ "access to dn.sub=\"" BASE "\" by group.expand=\"cn=staff,ou=groups,"
	    "$1\" read", ANN, 'b', "cn", NULL, READ },
	{ "access to * by peername.ip=192.0.2.7 read", "", 'b', "cn", NULL,
	    READ },
	{ "access to * by peername.ip=192.0.2.0%255.255.255.0 read", "", 'b',
	    "cn", NULL, READ },
	{ "access to * by peername.ip=192.0.2.0%24{1234} read", "", 'b', "cn",
	    NULL, READ },
	{ "access to * by peername.ip=192.0.2.7{1} read", "", 'b', "cn", NULL,
	    0 },
	{ "access to * by peername.ip=192.0.3.0%24 read", "", 'b', "cn", NULL,
	    0 },
	{ "access to * by peername.regex=192\\\\.0\\\\.2 read", "", 'b', "cn",
	    NULL, READ },
	{ "access to * by peername=IP=192.0.2.7:1234 read", "", 'b', "cn",
	    NULL, READ },
	{ "access to * by peername.path=/run/ldapi read", "", 'b', "cn", NULL,
	    0 },
	{ "access to * by sockname.regex=:389$ read", "", 'b', "cn", NULL,
	    READ },
	{ "access to * by ssf=56 self write by ssf=128 users read by * auth",
	    ANN, 'a', "cn", NULL, READ | W },
	{ "access to * by ssf=56 self write by ssf=128 users read by * auth",
	    BOB, 'a', "cn", NULL, AUTH },
	{ "access to * by tls_ssf=1 read", BOB, 'a', "cn", NULL, 0 },
	/* rights */
	{ "access to * by * =wx", "", 'a', "cn", NULL, W | X },
	{ "access to * by * =wrscx", "", 'a', "cn", NULL, W | R | S | C | X },
	{ "access to * by * +w", "", 'a', "cn", NULL, W },
	{ "access to * by * =0", "", 'a', "cn", NULL, 0 },
	{ "access to * by * add", "", 'a', "cn", NULL, READ | A },
	{ "access to * by * disclose", "", 'a', "cn", NULL, D },
	{ "access to * by self by * read", ANN, 'a', "cn", NULL, 0 },
	{ "access to * by * none", "", 'a', "cn", NULL, 0 },
	/* control */
	{ "access to * by * read continue by self +w", ANN, 'a', "cn", NULL,
	    READ | W },
	{ "access to * by * read continue by self +w", BOB, 'a', "cn", NULL,
	    0 },
	{ "access to * by * read continue by self +w by * +0", BOB, 'a', "cn",
	    NULL, READ },
	{ "access to * by self write by * break\naccess to * by * read", BOB,
	    'a', "cn", NULL, READ },
	{ "access to * by users =r break\naccess to * by * +s", BOB, 'a', "cn",
	    NULL, R | S },
	{ "access to * by * read break", "", 'a', "cn", NULL, 0 },
	{ "access to * by * write continue by users -w stop by * none", BOB,
	    'a', "cn", NULL, READ },
	/* only the own value */
	{ "access to attrs=member by users selfwrite by * read", ANN, 'g',
	    "member", ANN, READ | W },
	{ "access to attrs=member by users selfwrite by * read", BOB, 'g',
	    "member", ANN, READ },
	{ "access to attrs=member by users self=w by * read", ANN, 'g',
	    "member", NULL, READ },
};

static void
test_rights(void **state)
{
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(acl_cases) / sizeof(*acl_cases); i++) {
		const struct acl_case *c = &acl_cases[i];
		unsigned rights, again;

		world_open(&w, c->rules, "", c->who);
		rights = rights_on(&w, entry_named(&w, c->entry), c->attr,
		    c->value);
		/* from the cache of the operation */
		again = rights_on(&w, entry_named(&w, c->entry), c->attr,
		    c->value);
		if (rights != c->rights || again != rights)
			fail_msg("<%s> who <%s> %c %s: 0x%x, then 0x%x, not "
			    "0x%x", c->rules, c->who, c->entry, c->attr,
			    rights, again, c->rights);
		world_close(&w);
	}
}

/*
 * A scan must agree with the single questions: never more than they grant,
 * never nothing where the entry itself may be seen.
 */
static void
check_scan(struct world *w, const char *rules, const struct entry *e)
{
	enum access_verdict v = access_scan(&w->op, e, R);
	struct entry_attr a;
	bool all = true, on_entry;
	struct slice value, norm;

	on_entry = access_is_allowed(&w->op, e, access_entry_desc(&w->op),
	    SLICE_NONE, SLICE_NONE, R);
	for (unsigned i = 0; i < entry_nattrs(e); i++) {
		entry_attr_at(e, i, &a);
		while (entry_value_next(&a, &value, &norm))
			all = all && access_is_allowed(&w->op, e, a.desc,
			    value, norm, R);
	}
	if ((v == ACCESS_EVERYTHING && !(all && on_entry)) ||
	    (v == ACCESS_NOTHING && on_entry))
		fail_msg("<%s> %.*s: scan %d, all %d, entry %d", rules,
		    SLICE_ARG(e->dn.text), v, all, on_entry);
}

static void
test_scan(void **state)
{
	static const char *const who[] = { "", ANN, BOB };
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(acl_cases) / sizeof(*acl_cases); i++)
		for (size_t k = 0; k < 3; k++) {
			world_open(&w, acl_cases[i].rules, "", who[k]);
			check_scan(&w, acl_cases[i].rules, w.ann);
			check_scan(&w, acl_cases[i].rules, w.group);
			check_scan(&w, acl_cases[i].rules, w.bare);
			world_close(&w);
		}
	world_open(&w, STD, "", BOB);
	assert_int_equal(access_scan(&w.op, w.bare, R), ACCESS_EVERYTHING);
	assert_int_equal(access_scan(&w.op, w.ann, R), ACCESS_SOME);
	assert_int_equal(access_scan(&w.op, w.bare, W), ACCESS_NOTHING);
	world_close(&w);
	world_open(&w, "access to * by * read", "", "");
	assert_int_equal(access_scan(&w.op, w.ann, R), ACCESS_EVERYTHING);
	world_close(&w);
}

static void
test_global(void **state)
{
	struct world w;

	(void)state;
	/* the database's own come first, the global ones after */
	world_open(&w, "access to attrs=sn by * none",
	    "access to * by * read", "");
	assert_int_equal(rights_on(&w, w.ann, "sn", NULL), 0);
	assert_int_equal(rights_on(&w, w.ann, "cn", NULL), READ);
	/* outside of databases only the global ones hold */
	w.op.db = w.conf->frontend;
	w.op.access = NULL;
	assert_int_equal(rights_on(&w, NULL, "namingContexts", NULL), READ);
	world_close(&w);
	/* rootdn and the server itself are not asked */
	world_open(&w, "access to * by * none", "", ADMIN);
	assert_int_equal(rights_on(&w, w.ann, "cn", NULL), 0);
	w.op.is_root = true;
	assert_int_equal(rights_on(&w, w.ann, "cn", NULL), 0xff);
	w.op.is_root = false;
	w.op.flags = OP_INTERNAL;
	assert_int_equal(rights_on(&w, w.ann, "cn", NULL), 0xff);
	world_close(&w);
}

static void
test_group_once(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "access to * by group=\"" GROUP "\" read", "", ANN);
	for (int i = 0; i < 10; i++)
		assert_int_equal(rights_on(&w, w.bare, "cn", NULL), READ);
	assert_int_equal(fake_lookups, 1);
	assert_false(w.op.may_wait);
	world_close(&w);
}

static const struct { const char *rules, *error; } bad_cases[] = {
	{ "access", "missing" },
	{ "access by * read", "expecting \"to\" got \"by\"" },
	{ "access to * read", "missing \"=\" in \"read\"" },
	{ "access to by * read", "expecting <what>" },
	{ "access to *", "expecting \"by\"" },
	{ "access to * by", "expecting <who>" },
	{ "access to * by read", "expecting <who> got \"read\"" },
	{ "access to * by * reed", "got \"reed\"" },
	{ "access to * by * read foo", "got \"foo\"" },
	{ "access to * by * =q", "got \"=q\"" },
	{ "access to userPassword by * read", "missing \"=\"" },
	{ "access to attrs=nonesuch by * read", "unknown attr \"nonesuch\"" },
	{ "access to attrs=userPasword by * read",
	    "did you mean \"userPassword\"" },
	{ "access to attrs=@nonesuch by * read", "unknown attr" },
	{ "access to attrs=, by * read", "no attribute" },
	{ "access to attrs=cn,sn val=x by * read", "one attribute" },
	{ "access to attrs=manager val=x by * read", "does not fit" },
	{ "access to dn=foo by * read", "bad DN" },
	{ "access to dn.odd=\"\" by * read", "unknown style" },
	{ "access to dn.regex=\"(\" by * read", "regular expression" },
	{ "access to dn.regex=\"(a+++)\" by * read", "repeats too much" },
	{ "access to * by dn.regex=\"($1\" read", "regular expression" },
	{ "access to * by dn.regex=\"[*+?]*$1[^]*+?]\" reed", "got \"reed\"" },
	{ "access to dn.regex=\"((a{99}){99}){99}\" by * read",
	    "repeats too much" },
	{ "access to filter=(a by * read", "bad filter" },
	{ "access to dn=\"\" dn=\"\" by * read", "second DN" },
	{ "access to * by dn=\".*,ou=Admins," BASE "\" read", "bad DN" },
	{ "access to * by dn read", "missing \"=\"" },
	{ "access to * by dnattr=cn read", "no DNs" },
	{ "access to * by group/nope=\"" GROUP "\" read",
	    "unknown object class" },
	{ "access to * by peername.ip=300.1.1.1 read", "no address" },
	{ "access to * by ssf=x read", "invalid ssf" },
	{ "access to * by self=w read", "expecting <who> got \"self=w\"" },
	{ "access to * by self.odd read", "expecting self" },
	{ "access to * by users.sub=x read", "neither style nor value" },
	{ "access to * by set=\"user\" read", "set is not supported yet" },
	{ "access to * by domain.sub=x read", "domain is not supported yet" },
	{ "access to * by dynacl/aci read", "dynacl is not supported yet" },
};

static void
test_bad(void **state)
{
	struct diag diag = DIAG_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(bad_cases) / sizeof(*bad_cases); i++) {
		struct slapd_conf *conf = read_rules(bad_cases[i].rules, "",
		    &diag);

		if (conf != NULL)
			fail_msg("<%s>: accepted", bad_cases[i].rules);
		if (strstr(diag.text, bad_cases[i].error) == NULL)
			fail_msg("<%s>: %s", bad_cases[i].rules, diag.text);
	}
}

static int
check_mod(struct world *w, enum mod_type type, const char *attr,
    const char *value)
{
	struct slice v = slice_of(value != NULL ? value : ""), norm;
	struct mod m = { .type = type, .values = &v, .norms = &norm,
		.n = value != NULL };

	assert_int_equal(schema_desc(w->conf->schema, slice_of(attr), &m.desc,
	    NULL), HB_OK);
	assert_int_equal(schema_norm_value(w->conf->schema, &w->arena, m.desc,
	    v, &norm), HB_OK);
	diag_clear(&w->op.diag);
	return access_check_mods(&w->op, w->ann, &m, 1);
}

static void
test_mods(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, "access to attrs=mail by * =a\naccess to attrs=cn by * "
	    "=z\naccess to attrs=sn by * write\n", "", BOB);
	assert_int_equal(check_mod(&w, MOD_ADD, "mail", "x@y"), HB_OK);
	assert_int_equal(check_mod(&w, MOD_DELETE, "mail", "ann@x.org"),
	    HB_EACCESS);
	assert_non_null(strstr(w.op.diag.text, "\"mail\""));
	assert_int_equal(check_mod(&w, MOD_REPLACE, "mail", "x@y"),
	    HB_EACCESS);
	assert_int_equal(check_mod(&w, MOD_DELETE, "cn", "Ann"), HB_OK);
	assert_int_equal(check_mod(&w, MOD_DELETE, "cn", NULL), HB_OK);
	assert_int_equal(check_mod(&w, MOD_REPLACE, "cn", NULL), HB_OK);
	assert_int_equal(check_mod(&w, MOD_REPLACE, "cn", "B"), HB_EACCESS);
	assert_int_equal(check_mod(&w, MOD_REPLACE, "sn", "B"), HB_OK);
	assert_int_equal(check_mod(&w, MOD_ADD, "description", "B"),
	    HB_EACCESS);
	assert_int_equal(access_refuse(&w.op, w.ann), HB_ENOENT);
	world_close(&w);
	/* a protected value protects the attribute from being dropped */
	world_open(&w, "access to attrs=mail val=ann@y.org by * read\n"
	    "access to * by * write", "", BOB);
	assert_int_equal(check_mod(&w, MOD_DELETE, "mail", "ann@x.org"),
	    HB_OK);
	assert_int_equal(check_mod(&w, MOD_DELETE, "mail", NULL), HB_EACCESS);
	assert_int_equal(check_mod(&w, MOD_REPLACE, "mail", "n@x"),
	    HB_EACCESS);
	assert_true(access_is_per_value(&w.op));
	assert_int_equal(access_refuse(&w.op, w.ann), HB_EACCESS);
	world_close(&w);
}

static int
bind_as(struct world *w, const struct entry *e, const char *password)
{
	w->op.req.bind.password = slice_of(password);
	return op_bind_entry(&w->op, e);
}

static void
test_bind(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, STD, "", "");
	assert_int_equal(bind_as(&w, w.ann, "secret"), HB_OK);
	assert_int_equal(bind_as(&w, w.ann, "Secret"), HB_ECREDENTIALS);
	assert_int_equal(bind_as(&w, w.ann, "{SASL}x"), HB_ECREDENTIALS);
	assert_int_equal(bind_as(&w, w.bare, "x"), HB_EINAPPROPAUTH);
	world_close(&w);
	world_open(&w, "access to * by users auth", "", "");
	assert_int_equal(bind_as(&w, w.ann, "secret"), HB_ECREDENTIALS);
	world_close(&w);
}

static void
test_limits(void **state)
{
	struct limit_set set;
	struct world w;

	(void)state;
	world_open(&w, "sizelimit 100\nlimits anonymous size=1\n"
	    "limits dn.exact=\"" BOB "\" size.soft=5 size.hard=10 time=7\n"
	    "limits group=\"" GROUP "\" size=unlimited\n", "", BOB);
	limits_of(&w.op, &set);
	assert_int_equal(limits_size(&set, 0), 5);
	assert_int_equal(limits_size(&set, 7), 7);
	assert_int_equal(limits_size(&set, 70), 10);
	assert_int_equal(limits_time(&set, 0), 7);
	assert_int_equal(limits_time(&set, 3600), 7);
	w.who.dn = w.ann->dn;
	limits_of(&w.op, &set);
	assert_int_equal(limits_size(&set, 0), 0);
	assert_int_equal(limits_size(&set, 12), 12);
	w.who.dn = w.bare->dn;
	limits_of(&w.op, &set);
	assert_int_equal(limits_size(&set, 0), 100);
	assert_int_equal(limits_size(&set, 1000), 100);
	assert_int_equal(limits_time(&set, 0), 3600);
	w.op.is_root = true;
	limits_of(&w.op, &set);
	assert_int_equal(limits_size(&set, 0), 0);
	assert_int_equal(set.size_unchecked, LIMIT_NONE);
	world_close(&w);
}

/* Printed, not asserted. */
static void
time_scans(const char *what, const char *rules)
{
	struct world w;
	int64_t t;
	unsigned n = 200000, sum = 0;

	world_open(&w, rules, "", BOB);
	t = time_mono_us();
	for (unsigned i = 0; i < n; i++)
		sum += access_scan(&w.op, w.ann, R);
	print_message("%s: scan %.0f ns (%u)", what,
	    (double)(time_mono_us() - t) * 1000 / n, sum / n);
	t = time_mono_us();
	for (unsigned i = 0; i < n; i++)
		sum += access_is_allowed(&w.op, w.ann,
		    access_entry_desc(&w.op), SLICE_NONE, SLICE_NONE, R);
	print_message(", one %.0f ns\n",
	    (double)(time_mono_us() - t) * 1000 / n);
	world_close(&w);
}

static void
test_speed(void **state)
{
	(void)state;
	time_scans("none", "");
	time_scans("open", "access to * by * read");
	time_scans("usual", STD);
}

static int
setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/test_acl.XXXXXX");
	fd = mkstemp(path);
	close(fd);
	return fd < 0;
}

static int
teardown(void **state)
{
	(void)state;
	return unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rights),
		cmocka_unit_test(test_scan),
		cmocka_unit_test(test_global),
		cmocka_unit_test(test_group_once),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_mods),
		cmocka_unit_test(test_bind),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_speed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
