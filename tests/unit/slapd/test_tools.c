/*
 * Which tool a word names, and what the tools refuse before they begin.
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
#include "servers/slapd/tools/tools.h"

static const struct { const char *word; int called; const char *name; }
    names[] = {
	{ "slapadd", 1, "slapadd" }, { "slapd", 1, NULL },
	{ "add", 1, NULL }, { "slapcat", 1, "slapcat" },
	{ "slapadd", 0, "slapadd" }, { "add", 0, "slapadd" },
	{ "a", 0, "slapadd" }, { "ad", 0, "slapadd" }, { "c", 0, "slapcat" },
	{ "cat", 0, "slapcat" }, { "i", 0, "slapindex" },
	{ "index", 0, "slapindex" }, { "p", 0, "slappasswd" },
	{ "check", 0, "slapcheck" }, { "b", 0, "slapbackup" },
	{ "restore", 0, "slaprestore" }, { "slapcheck", 1, "slapcheck" },
	{ "t", 0, "slaptest" }, { "test", 0, "slaptest" },
	{ "mdoc", 0, "mdoc" }, { "m", 0, NULL }, { "", 0, NULL },
	{ "adds", 0, NULL }, { "slap", 0, NULL },
};

static void
test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *name = slapd_tool_name(names[i].word,
		    names[i].called);

		if ((name == NULL) != (names[i].name == NULL) ||
		    (name != NULL && strcmp(name, names[i].name) != 0))
			fail_msg("<%s>: %s", names[i].word,
			    name != NULL ? name : "none");
	}
}

static const struct { const char *args[6]; int status; } runs[] = {
	{ { "slapacl", "-f", "/nonexistent", "--lint" }, 1 },
	{ { "slapacl", "-o", "ssf=x" }, 1 },
	{ { "slapacl", "-o", "nonsense=x" }, 1 },
	{ { "slapadd", "--why" }, 1 },
	{ { "slapadd", "-Z" }, 1 },
	{ { "slapadd", "-n", "1", "-b", "dc=x" }, 1 },
	{ { "slapadd", "-n", "x" }, 1 },
	{ { "slapadd", "-S", "4096" }, 1 },
	{ { "slapadd", "-o", "value-check=maybe" }, 1 },
	{ { "slapadd", "-o", "file-urls=maybe" }, 1 },
	{ { "slapadd", "-F", "/etc/slapd.d" }, 1 },
	{ { "slapadd", "-f", "/nonexistent" }, 1 },
	{ { "slapadd", "extra" }, 1 },
	{ { "slapcat", "-o", "ldif-wrap=1" }, 1 },
	{ { "slapcat", "-d", "nonsense" }, 1 },
	{ { "slapcheck", "-o", "nonsense" }, 1 },
	{ { "slapcheck", "extra" }, 1 },
	{ { "slapbackup", "-o", "keep-logs=perhaps" }, 1 },
	{ { "slapbackup", "-o", "verify=perhaps" }, 1 },
	{ { "slaprestore", "-o", "until=yesterday", "x" }, 1 },
	{ { "slaprestore", "-o", "until=20261301000000Z", "x" }, 1 },
	{ { "slaptest", "-f", "/nonexistent", "-u" }, 1 },
	{ { "slappasswd", "-h", "{NOPE}", "-s", "x" }, 1 },
	{ { "slappasswd", "-g", "-s", "x" }, 1 },
	{ { "slappasswd", "-c", "%d", "-s", "x" }, 1 },
	{ { "slappasswd", "-s", "x" }, 0 },
	{ { "slappasswd", "-h", "ssha512", "-s", "x" }, 0 },
	{ { "mdoc", "nothing" }, 1 },
	{ { "mdoc", "global" }, 0 },
	{ { "mdoc", "hdb" }, 0 },
};

static void
test_runs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		char *argv[7] = { NULL };
		int argc = 0, status;

		for (; argc < 6 && runs[i].args[argc] != NULL; argc++)
			argv[argc] = strdup(runs[i].args[argc]);
		status = slapd_tool_main(slapd_tool_name(argv[0], 0), argc,
		    argv);
		if (status != runs[i].status)
			fail_msg("run %zu: %d", i, status);
		for (int k = 0; k < argc; k++)
			free(argv[k]);
	}
}

/* ---- slapadd and slapcat on the fake backend ---- */

static char dir[64], conf[96], ldif[96], out[96];

static void
write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static char *
read_back(const char *path)
{
	static char text[16384];
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static int
run(const char *name, ...)
{
	char *argv[16] = { (char *)(uintptr_t)name, NULL };
	int argc = 1;
	va_list ap;

	va_start(ap, name);
	while (argc < 15 && (argv[argc] = va_arg(ap, char *)) != NULL)
		argc++;
	va_end(ap);
	return slapd_tool_main(name, argc, argv);
}

#define TOP	"dn: dc=x\nobjectClass: dcObject\nobjectClass: organization\n" \
		"o: y\n\n"
#define OU	"dn: ou=a,dc=x\nobjectClass: organizationalUnit\nou: a\n\n"

struct add_case {
	const char *ldif;
	const char *options[4];
	int status;
	unsigned loaded;
	bool closed_ok;
};

static const struct add_case add_cases[] = {
	{ TOP OU, { NULL }, 0, 2, true },
	{ TOP OU, { "-q" }, 0, 2, true },
	{ "", { NULL }, 0, 0, true },
	{ OU TOP, { NULL }, 0, 2, true },
	{ TOP OU, { "-u" }, 0, 0, false },
	{ TOP TOP OU, { NULL }, 1, 1, false },
	{ TOP TOP OU, { "-c" }, 1, 2, true },
	{ TOP "dn: ou=b,dc=x\nobjectClass: person\ncn: b\n\n" OU, { NULL },
	    1, 1, false },
	{ TOP "dn: cn=b,dc=x\nobjectClass: person\ncn: b\n\n" OU, { "-c" },
	    1, 2, true },
	{ TOP "dn: cn=b,dc=x\nobjectClass: person\ncn: b\n\n" OU, { "-s" },
	    0, 3, true },
	{ TOP "dn: cn=b,dc=x\nobjectClass: person\ncn: b\n",
	    { "-o", "schema-check=no" }, 0, 2, true },
	{ "dn: dc=other\nobjectClass: domain\n", { NULL }, 1, 0, false },
	{ "dn: nonsense\nobjectClass: domain\n", { NULL }, 1, 0, false },
	{ "dn:\nobjectClass: domain\n", { NULL }, 1, 0, false },
	{ "dn: dc=x\nobjectClass: domain\nnope: y\n", { NULL }, 1, 0,
	    false },
	{ "dn: dc=x\nobjectClass: domain\ntelephoneNumber:: AAA=\n",
	    { NULL }, 1, 0, false },
	{ "dn: dc=x\nobjectClass: domain\ntelephoneNumber:: AAA=\n",
	    { "-o", "value-check=no" }, 0, 1, true },
	{ "dn: dc=x\nchangetype: delete\n", { NULL }, 1, 0, false },
	{ "no dn here\n\n" TOP, { "-c" }, 1, 1, true },
	{ TOP OU, { "-j", "6" }, 0, 1, true },
	{ TOP OU, { "-v" }, 0, 2, true },
};

static void
test_add(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(add_cases) / sizeof(*add_cases); i++) {
		const struct add_case *c = &add_cases[i];
		const char *const *o = c->options;
		int status;

		fake_closed_ok = false;
		write_file(ldif, c->ldif);
		status = run("slapadd", "-f", conf, "-l", ldif, o[0], o[1],
		    NULL);
		if (status != c->status || fake_nloaded != c->loaded ||
		    fake_closed_ok != c->closed_ok)
			fail_msg("case %zu: status %d, %u loaded, %d", i,
			    status, fake_nloaded, fake_closed_ok);
		fake_forget();
	}
}

static const char given[] =
    "dn: dc=x\n"
    "objectClass: domain\n"
    "dc: x\n"
    "description: a long line that is folded, since it has more than seventy "
    "six \n columns\n"
    "userPassword:: c2VjcmV0\n"
    "structuralObjectClass: domain\n"
    "entryUUID: 01234567-89ab-cdef-0123-456789abcdef\n"
    "creatorsName: cn=long ago\n"
    "createTimestamp: 20010101000000Z\n"
    "entryCSN: 20010101000000.000000Z#000000#000#000000\n"
    "modifiersName: cn=long ago\n"
    "modifyTimestamp: 20010101000000Z\n"
    "\n";

static void
test_cat(void **state)
{
	const char *text;

	(void)state;
	write_file(ldif, given);
	assert_int_equal(run("slapadd", "-f", conf, "-l", ldif, NULL), 0);
	assert_int_equal(run("slapcat", "-f", conf, "-l", out, NULL), 0);
	assert_string_equal(read_back(out), given);
	write_file(ldif, OU);
	assert_int_equal(run("slapadd", "-f", conf, "-l", ldif, "-S", "10",
	    NULL), 0);
	assert_int_equal(run("slapcat", "-f", conf, "-l", out, "-v", "-a",
	    "(ou=A)", "-o", "ldif-wrap=no", NULL), 0);
	text = read_back(out);
	assert_ptr_equal(strstr(text, "# id=00000002\ndn: ou=a,dc=x\n"), text);
	assert_non_null(strstr(text, "#00a#"));
	assert_non_null(strstr(text, "\ncreatorsName: cn=r,dc=x\n"));
	assert_non_null(strstr(text, "\nstructuralObjectClass: "
	    "organizationalUnit\n"));
	assert_int_equal(run("slapcat", "-f", conf, "-l", out, "-H",
	    "ldap:///ou=A%2cdc=x??base?(ou=*)", NULL), 0);
	assert_ptr_equal(strstr(read_back(out), "dn: ou=a"), read_back(out));
	assert_int_equal(run("slapcat", "-f", conf, "-l", out, "-H",
	    "ldap:///dc=x??children", "-b", "dc=x", NULL), 0);
	assert_null(strstr(read_back(out), "dn: dc=x"));
	assert_int_equal(run("slapcat", "-f", conf, "-l", out, "-s",
	    "ou=a,dc=x", NULL), 0);
	assert_null(strstr(read_back(out), "dn: dc=x"));
	assert_int_equal(run("slapcat", "-f", conf, "-a", "(x", NULL), 1);
	assert_int_equal(run("slapcat", "-f", conf, "-H", "http://", NULL), 1);
	assert_int_equal(run("slapcat", "-f", conf, "-n", "9", NULL), 1);
	assert_int_equal(run("slapcat", "-f", conf, "-n", "0", NULL), 1);
	assert_int_equal(run("slapcat", "-f", conf, "-b", "dc=y", NULL), 1);
	fake_forget();
}

static void
test_others(void **state)
{
	(void)state;
	assert_int_equal(run("slapindex", "-f", conf, NULL), 0);
	assert_int_equal(run("slapindex", "-f", conf, "-q", "cn", NULL), 0);
	assert_int_equal(run("slapindex", "-f", conf, "sn", NULL), 1);
	assert_int_equal(run("slapindex", "-f", conf, "nope", NULL), 1);
	assert_int_equal(run("slaptest", "-f", conf, "-u", NULL), 0);
	assert_int_equal(run("slaptest", "-f", conf, "-Q", NULL), 0);
	fake_forget();
}

static int
setup(void **state)
{
	const char *top = getenv("top_srcdir");
	char text[1024];

	(void)state;
	strcpy(dir, "/tmp/test_tools.XXXXXX");
	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(conf, sizeof(conf), "%s/slapd.conf", dir);
	snprintf(ldif, sizeof(ldif), "%s/in.ldif", dir);
	snprintf(out, sizeof(out), "%s/out.ldif", dir);
	if (top == NULL)
		top = ".";
	snprintf(text, sizeof(text), "include %s/doc/schema/core.schema\n"
	    "include %s/doc/schema/cosine.schema\n"
	    "database hdb\nsuffix dc=x\nrootdn cn=r,dc=x\ndirectory %s\n",
	    top, top, dir);
	write_file(conf, text);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	unlink(conf);
	unlink(ldif);
	unlink(out);
	return rmdir(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_cat),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_runs),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
