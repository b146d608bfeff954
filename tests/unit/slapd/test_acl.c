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
#include "servers/slapd/acl.h"
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

#define NEST	"cn=nest,ou=groups," BASE
#define DYN	"cn=dyn,ou=groups," BASE

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

static const char *const nest_attrs[] = {
	"objectClass", "groupOfNames", "cn", "nest", "member", GROUP,
	"member", NEST, NULL
};
static const char *const dyn_attrs[] = {
	"objectClass", "groupOfURLs", "cn", "dyn", "memberURL", "http://x/",
	"memberURL", "ldap:///ou=people," BASE "??one?(manager=" BOB ")", NULL
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
		"core", "cosine", "inetorgperson", "nis", "dyngroup"
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
	struct entry *ann, *group, *bare, *nest, *dyn;
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
	w->nest = make_entry(w->conf->schema, NEST, nest_attrs, 4);
	w->dyn = make_entry(w->conf->schema, DYN, dyn_attrs, 5);
	fake_entries[0] = w->group;
	fake_entries[1] = w->ann;
	fake_entries[2] = w->nest;
	fake_entries[3] = w->dyn;
	fake_entries[4] = NULL;
	fake_lookups = 0;
	arena_init(&w->arena, 0);
	assert_int_equal(dn_parse(&w->arena, w->conf->schema, slice_of(who),
	    &w->who.dn, NULL), HB_OK);
	w->who.real_dn = w->who.dn;
	w->who.peername = SLICE("IP=192.0.2.7:1234");
	w->who.sockname = SLICE("IP=0.0.0.0:389");
	w->who.peerdomain = SLICE("host.example.com");
	w->who.ssf = 56;
	w->op.arena = &w->arena;
	w->op.schema = w->conf->schema;
	w->op.db = w->conf->dbs[1];
	w->op.who = &w->who;
	w->op.may_wait = true;
}

static void
world_close(struct world *w)
{
	entry_unref(&w->ann);
	entry_unref(&w->group);
	entry_unref(&w->bare);
	entry_unref(&w->nest);
	entry_unref(&w->dyn);
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
	{ "access to dn.regex=\"^uid=([^,]+),(.*)$\" by "
	    "dn.regex=\"^uid=$1,$2$$\" write", ANN, 'a', "cn", NULL,
	    READ | W },
	{ "access to dn.regex=\"^uid=([^,]+),(.*),[^,]+$\" by "
	    "dn.regex=\"^uid=$1,$2$$\" write", ANN, 'a', "cn", NULL, 0 },
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
	/* names of peers: world_open() gives the name */
	{ "access to * by domain=host.example.com read", "", 'b', "cn", NULL,
	    READ },
	{ "access to * by domain=example.com read", "", 'b', "cn", NULL, 0 },
	{ "access to * by domain.sub=Example.COM read", "", 'b', "cn", NULL,
	    READ },
	{ "access to * by domain.subtree=.example.com read", "", 'b', "cn",
	    NULL, READ },
	{ "access to * by domain.sub=ample.com read", "", 'b', "cn", NULL, 0 },
	{ "access to * by domain.regex=^host\\. read", "", 'b', "cn", NULL,
	    READ },
	{ "access to dn.regex=\"cn=([^,]+),dc=([^,]+)\" by "
	    "domain.sub,expand=\"$2.com\" read", "", 'b', "cn", NULL, READ },
	{ "access to dn.regex=\"cn=([^,]+),dc=([^,]+)\" by "
	    "domain.expand=\"host.$2.com\" read", "", 'b', "cn", NULL, READ },
	{ "access to dn.regex=\"cn=([^,]+),dc=([^,]+)\" by "
	    "domain.sub,expand=\"$1.com\" read", "", 'b', "cn", NULL, 0 },
	/* dynamic groups */
	{ "access to * by group/groupOfURLs/memberURL=\"" DYN "\" read", ANN,
	    'b', "cn", NULL, READ },
	{ "access to * by group/groupOfURLs/memberURL=\"" DYN "\" read", BOB,
	    'b', "cn", NULL, 0 },
	/* values under another rule */
	{ "access to attrs=mail val/caseExactIA5Match=ANN@x.org by * none\n"
	    "access to * by * read", "", 'a', "mail", "ann@x.org", READ },
	{ "access to attrs=mail val/caseExactIA5Match=ann@x.org by * none\n"
	    "access to * by * read", "", 'a', "mail", "ann@x.org", 0 },
	{ "access to attrs=mail val/caseIgnoreIA5Match=ANN@x.org by * none\n"
	    "access to * by * read", "", 'a', "mail", "ann@x.org", 0 },
	{ "access to attrs=member val.regex=\"^uid=([^,]+),ou=(.+)$\" by "
	    "dn.exact,expand=\"uid=${v1},ou=${v2}\" write", ANN, 'g', "member",
	    ANN, READ | W },
	{ "access to attrs=member val.regex=\"^uid=([^,]+),ou=(.+)$\" by "
	    "dn.exact,expand=\"uid=${v1},ou=${v2}\" write", BOB, 'g', "member",
	    ANN, 0 },
	/* sets */
#define SET(s)	"access to * by set=\"" s "\" read"
	{ SET("user"), ANN, 'b', "cn", NULL, READ },
	{ SET("user"), "", 'b', "cn", NULL, 0 },
	{ SET("this"), "", 'b', "cn", NULL, READ },
	{ SET("[x]"), "", 'b', "cn", NULL, READ },
	{ SET("[]"), "", 'b', "cn", NULL, READ },
	{ SET("this & user"), ANN, 'a', "cn", NULL, READ },
	{ SET("this & user"), BOB, 'a', "cn", NULL, 0 },
	{ SET("this&user"), ANN, 'a', "cn", NULL, READ },
	{ SET("this/manager & user"), BOB, 'a', "cn", NULL, READ },
	{ SET("this -> manager & user"), BOB, 'a', "cn", NULL, READ },
	{ SET("this/manager & user"), ANN, 'a', "cn", NULL, 0 },
	{ SET("this/cn"), "", 'b', "cn", NULL, READ },
	{ SET("this/sn"), "", 'b', "cn", NULL, 0 },
	{ SET("[" GROUP "]/member & user"), ANN, 'b', "cn", NULL, READ },
	{ SET("[CN=Staff,ou=groups," BASE "]/member & user"), ANN, 'b', "cn",
	    NULL, READ },
	{ SET("[" GROUP "]/member & user"), BOB, 'b', "cn", NULL, 0 },
	{ SET("([" GROUP "]/member | [" GROUP "]/owner) & user"), BOB, 'b',
	    "cn", NULL, READ },
	{ SET("[" GROUP "]/member/manager & user"), BOB, 'b', "cn", NULL,
	    READ },
	{ SET("[" NEST "]/member & user"), ANN, 'b', "cn", NULL, 0 },
	{ SET("[" NEST "]/member* & user"), ANN, 'b', "cn", NULL, READ },
	{ SET("[" NEST "]/member* & user"), BOB, 'b', "cn", NULL, 0 },
	{ SET("user/uid & [ann]"), ANN, 'b', "cn", NULL, READ },
	{ SET("user/uid & [Ann]"), ANN, 'b', "cn", NULL, 0 },
	{ SET("user/cn & [ann]"), ANN, 'b', "cn", NULL, READ },
	{ SET("user/cn & [x] | [y]"), ANN, 'b', "cn", NULL, READ },
	{ SET("[y] | user/cn & [x]"), ANN, 'b', "cn", NULL, 0 },
	{ SET("[y] | (user/cn & [x])"), ANN, 'b', "cn", NULL, READ },
	{ SET("[uid=] + user/uid + [,ou=people," BASE "] & user"), ANN, 'b',
	    "cn", NULL, READ },
	{ SET("[uid=] + user/sn + [,ou=people," BASE "] & user"), ANN, 'b',
	    "cn", NULL, 0 },
	{ SET("user/-1 & [ou=people," BASE "]"), ANN, 'b', "cn", NULL, READ },
	{ SET("user/-2 & [" BASE "]"), ANN, 'b', "cn", NULL, READ },
	{ SET("user/-2 & [ou=people," BASE "]"), ANN, 'b', "cn", NULL, 0 },
	{ SET("user/-9"), ANN, 'b', "cn", NULL, 0 },
	{ SET("user/-* & this/-1"), ANN, 'b', "cn", NULL, READ },
	{ SET("this/-* & user"), ANN, 'a', "cn", NULL, READ },
	{ SET("this/entryDN & user"), ANN, 'a', "cn", NULL, READ },
	{ SET("user/userPassword"), ANN, 'b', "cn", NULL, READ },
	{ "access to dn.regex=\"^cn=[^,]+,(.+)$\" by "
	    "set.expand=\"[cn=staff,ou=groups,$1]/member & user\" read", ANN,
	    'b', "cn", NULL, READ },
	{ "access to dn.regex=\"^cn=[^,]+,(.+)$\" by "
	    "set=\"[cn=staff,ou=groups,$1]/member & user\" read", ANN, 'b',
	    "cn", NULL, 0 },
	{ SET("[x]"), ANN, 0, "namingContexts", NULL, READ },
	{ SET("this"), ANN, 0, "namingContexts", NULL, READ },
	{ SET("this/-1"), ANN, 0, "namingContexts", NULL, 0 },
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
	world_close(&w);
}

/* Without waiting: nothing is granted, whatever the rules; then all over. */
static void
test_deferred(void **state)
{
	static const char *const rules[] = {
		"access to * by group=\"" GROUP "\" read by * none",
		"access to * by dn=\"" BOB "\" none by * read continue by "
		"group=\"" GROUP "\" +s by * +c",
		"access to * by set=\"[" GROUP "]/member & user\" read by * "
		"none",
		"access to * by group=\"" GROUP "\" none by * write"
	};
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		world_open(&w, rules[i], "", ANN);
		w.op.may_wait = false;
		assert_int_equal(access_settle(&w.op, HB_OK), HB_OK);
		assert_int_equal(rights_on(&w, w.bare, "cn", NULL), 0);
		assert_int_equal(access_scan(&w.op, w.bare, R),
		    ACCESS_NOTHING);
		assert_int_equal(access_settle(&w.op, HB_OK), HB_EDEFER);
		w.op.may_wait = true;
		assert_int_equal(rights_on(&w, w.bare, "cn", NULL) & R,
		    i < 3 ? R : 0);
		assert_int_equal(access_settle(&w.op, HB_ENOENT), HB_ENOENT);
		world_close(&w);
	}
}

/* ---- what slapacl --why and --lint say ---- */

static void
note_step(const struct acl_step *step, void *arg)
{
	struct buf *b = arg;

	buf_printf(b, "%s|%s|0x%x\n", step->what,
	    step->who != NULL ? step->who : "-", step->rights);
}

static const struct { const char *rules, *who, *attr, *steps; } why_cases[] = {
	{ STD, BOB, "cn", "to *|by * read|0x1f\n" },
	{ STD, BOB, "userPassword", "to attrs=userPassword|by * none|0x0\n" },
	{ "access to attrs=cn by self write by users +s break\n"
	    "access to * by dn=\"" BOB "\" +r continue by * +c", BOB, "cn",
	    "to attrs=cn|by users +s break|0x8\nto *|by * +c|0x1c\n" },
	{ "access to attrs=cn by self write", BOB, "cn",
	    "to attrs=cn|-|0x0\n" },
	{ "access to attrs=cn by self write", BOB, "sn", "" },
};

static void
test_why(void **state)
{
	struct acl_watch watch = { note_step, NULL };
	const struct attr_desc *desc;
	struct world w;
	struct buf b;

	(void)state;
	for (size_t i = 0; i < sizeof(why_cases) / sizeof(*why_cases); i++) {
		world_open(&w, why_cases[i].rules, "", why_cases[i].who);
		buf_init(&b);
		watch.arg = &b;
		assert_int_equal(schema_desc(w.conf->schema,
		    slice_of(why_cases[i].attr), &desc, NULL), HB_OK);
		/* the second time from the cache */
		for (int k = 0; k < 2; k++) {
			buf_reset(&b);
			assert_int_equal(acl_explain(&w.op, w.ann, desc,
			    SLICE_NONE, &watch), rights_on(&w, w.ann,
			    why_cases[i].attr, NULL));
			buf_put_char(&b, '\0');
			assert_string_equal(b.data, why_cases[i].steps);
		}
		buf_fini(&b);
		world_close(&w);
	}
}

static void
note_finding(const char *file, unsigned line, const char *text, void *arg)
{
	(void)file;
	buf_printf(arg, "%u: %s\n", line, text);
}

/* One row a kind of finding; "" none. */
static const struct { const char *rules, *finding; } lint_cases[] = {
	{ STD, "" },
	{ "", "there are no rules" },
	{ "access to * by * read\naccess to attrs=cn by self write",
	    "\"to attrs=cn\" is never reached: \"to *\"" },
	{ "access to dn.sub=\"" BASE "\" by * none\n"
	    "access to dn.base=\"" ANN "\" attrs=cn by * read",
	    "is never reached" },
	{ "access to attrs=@person by * none\naccess to attrs=sn by * read",
	    "\"to attrs=sn\" is never reached" },
	{ "access to dn.children=\"" BASE "\" by * none\n"
	    "access to dn.base=\"" BASE "\" by users read", "nobody can bind" },
	{ "access to dn.sub=\"dc=other\" by * none\n" STD, "never matches" },
	{ STD "access to attrs=cn by users read break", "is never reached" },
	{ "access to attrs=cn by users read break\n" STD, "" },
	{ "access to attrs=cn by users read by dn=\"" BOB "\" write\n" STD,
	    "\"by dn=" BOB " write\" is never reached: \"by users read\"" },
	{ "access to attrs=cn by users read by anonymous auth by * none\n" STD,
	    "\"by * none\" is never reached" },
	{ "access to attrs=cn by users read continue by self write\n" STD,
	    "" },
	{ "access to attrs=cn by set=\"user/title & [Admin]\" read\n" STD,
	    "[Admin]" },
	{ "access to attrs=cn by set=\"user/title & [admin]\" read\n" STD,
	    "" },
	{ "access to * by * read", "anybody may read userPassword" },
	{ "access to * by anonymous auth by users read",
	    "every user may read userPassword" },
	{ "access to filter=(cn=a) attrs=userPassword by * read\n" STD,
	    "anybody may read userPassword by \"to filter=(cn=a) "
	    "attrs=userPassword\"" },
	{ "access to attrs=userPassword by self write by * none\n"
	    "access to * by * read", "nobody can bind" },
};

static void
test_lint(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lint_cases) / sizeof(*lint_cases); i++) {
		const char *want = lint_cases[i].finding;
		struct world w;
		struct buf b;
		unsigned n;

		world_open(&w, lint_cases[i].rules, "", "");
		buf_init(&b);
		acl_lint(w.op.db, note_finding, &b, &n);
		buf_put_char(&b, '\0');
		if ((n == 0) != (*want == '\0') ||
		    strstr(b.data, want) == NULL)
			fail_msg("<%s>: %u findings: %s", lint_cases[i].rules,
			    n, b.data);
		buf_fini(&b);
		world_close(&w);
	}
}

static const struct { const char *rules, *error; } bad_cases[] = {
	{ "access", "missing" },
	{ "access by * read", "expecting \"to\" got \"by\"" },
	{ "access to * read", "missing \"=\" in \"read\"" },
	{ "access to by * read", "expecting <what>" },
	{ "access to *", "expecting \"by\"" },
	{ "access to * by", "expecting <who>" },
	{ "access to * by read", "expecting <who> after \"by\" got \"read\"" },
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
	{ "access to * by self=w read", "expecting <who> after \"by\" got \"self=w\"" },
	{ "access to * by self.odd read", "expecting self" },
	{ "access to * by users.sub=x read", "neither style nor value" },
	{ "access to * by dynacl/aci read", "no modules for dynamic" },
	{ "access to * by domain.one=x read", "unknown style" },
	{ "access to * by domain.sub,odd=x read", "expecting expand" },
	{ "access to * by set.regex=\"user\" read", "expecting set, set.exact" },
	{ "access to * by set=\"\" read", "expecting \"this\", \"user\"" },
	{ "access to * by set=\"user &\" read", "at the end of \"user &\"" },
	{ "access to * by set=\"user this\" read",
	    "got \"this\" (character 6 of \"user this\")" },
	{ "access to * by set=\"(user\" read", "or \")\" at the end" },
	{ "access to * by set=\"user)\" read", "got \")\"" },
	{ "access to * by set=\"[x\" read", "expecting \"]\"" },
	{ "access to * by set=\"user/\" read", "expecting an attribute" },
	{ "access to * by set=\"user/-x\" read", "a number of levels" },
	{ "access to * by set=\"user/nonesuch\" read", "set: " },
	{ "access to * by set=\"[ldap:///??wide]/cn\" read", "unknown scope" },
	{ "access to * by set=\"[ldap:///??" "?(cn]/cn\" read", "set: " },
	{ "access to attrs=cn val/nonesuch=x by * read",
	    "unknown matching rule" },
	{ "access to attrs=cn val/integerMatch=1 by * read",
	    "is not for the values" },
	{ "access to attrs=cn val.sub=dc=x by * read", "are no DNs" },
	{ "limits group.expand=\"$1\" size=1", "nothing to expand" },
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
		cmocka_unit_test(test_deferred),
		cmocka_unit_test(test_why),
		cmocka_unit_test(test_lint),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_mods),
		cmocka_unit_test(test_bind),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_speed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
