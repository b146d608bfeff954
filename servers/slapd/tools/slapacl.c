/*
 * slapacl: who may do what with an entry, and why; defects of access rules.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "../acl_int.h"
#include "../route.h"
#include "tool_int.h"
#include "util/err.h"
#include "util/text.h"

/* One request: who asks, for which entry. */
struct ask {
	struct tool_run *run;
	struct op op;
	struct identity who;
	struct arena arena;
	struct buf out;
	struct entry *e;
	struct dn dn;
	bool *is_open;			/* by number of the database */
};

/* ---- options ---- */

static int
text_option(struct tool_run *run, const char *arg)
{
	struct tool_who *w = &run->who;
	const struct { const char *name; const char **field; } rows[] = {
		{ "authzDN", &w->authz_dn }, { "peername", &w->peername },
		{ "domain", &w->domain }, { "sockname", &w->sockname },
		{ "sockurl", &w->sockurl }
	};
	const char *v;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if ((v = tool_option_value(arg, rows[i].name)) != NULL) {
			*rows[i].field = v;
			return 0;
		}
	return 1;
}

static int
suboption(struct tool_run *run, const char *arg)
{
	struct tool_who *w = &run->who;
	const struct { const char *name; unsigned *field; } rows[] = {
		{ "ssf", &w->ssf }, { "transport_ssf", &w->transport_ssf },
		{ "tls_ssf", &w->tls_ssf }, { "sasl_ssf", &w->sasl_ssf }
	};
	const char *v;
	uint64_t n;

	if (text_option(run, arg) == 0)
		return 0;
	if ((v = tool_option_value(arg, "consistent")) != NULL &&
	    (strcasecmp(v, "no") == 0 || strcasecmp(v, "yes") == 0)) {
		run->joined = strcasecmp(v, "no") == 0;
		return 0;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if ((v = tool_option_value(arg, rows[i].name)) == NULL)
			continue;
		if (text_to_uint(slice_of(v), &n) != HB_OK || n > INT_MAX)
			break;
		*rows[i].field = (unsigned)n;
		return 0;
	}
	tool_say(run, "-o: \"%s\" is not a value it can have", arg);
	return -1;
}

static int
option(struct tool_run *run, int c, const char *arg)
{
	switch (c) {
	case 'W':
		run->who.why = true;
		return 0;
	case 'L':
		run->who.lint = true;
		return 0;
	case 'b':
		run->subtree = arg;
		return 0;
	case 'D':
		run->who.authc_dn = arg;
		return 0;
	case 'U':
		run->who.authc_id = arg;
		return 0;
	case 'X':
		run->who.authz_id = arg;
		return 0;
	case 'u':
		run->dry_run = true;
		return 0;
	default:
		return suboption(run, arg);
	}
}

/* ---- who ---- */

static int
parse_dn(struct ask *a, const char *what, const char *text, struct dn *dn_r)
{
	struct diag diag = DIAG_INIT;
	int rc = dn_parse(&a->arena, a->run->conf->schema, slice_of(text), dn_r,
	    &diag);

	if (rc == HB_OK)
		return 0;
	diag_prefix(&diag, "%s \"%s\"", what, text);
	tool_say_diag(a->run, rc, &diag);
	return -1;
}

/* "dn:DN", "u:ID" or an ID alone. */
static int
parse_id(struct ask *a, const char *what, const char *id, struct dn *dn_r)
{
	struct buf text;
	int rc;

	if (strncasecmp(id, "dn:", 3) == 0)
		return parse_dn(a, what, id + 3, dn_r);
	buf_init(&text);
	buf_put_slice(&text, SLICE("uid="));
	dn_put_escaped(&text, slice_of(strncasecmp(id, "u:", 2) == 0 ?
	    id + 2 : id));
	buf_put_slice(&text, SLICE(",cn=auth"));
	buf_put_char(&text, '\0');
	rc = parse_dn(a, what, text.data, dn_r);
	buf_fini(&text);
	return rc;
}

static struct slice
given(const char *text)
{
	return text != NULL ? slice_of(text) : SLICE_NONE;
}

static int
make_who(struct ask *a)
{
	const struct tool_who *w = &a->run->who;
	struct identity *who = &a->who;

	if (w->authc_dn != NULL && w->authc_id != NULL) {
		tool_say(a->run, "-D and -U exclude each other");
		return -1;
	}
	who->dn = DN_EMPTY;
	if (w->authc_dn != NULL ?
	    parse_dn(a, "-D", w->authc_dn, &who->dn) != 0 :
	    w->authc_id != NULL &&
	    parse_id(a, "-U", w->authc_id, &who->dn) != 0)
		return -1;
	who->real_dn = who->dn;
	if (!dn_is_empty(&who->dn))
		fprintf(stderr, "authcDN: \"%.*s\"\n", SLICE_ARG(who->dn.text));
	if (w->authz_dn != NULL ?
	    parse_dn(a, "authzDN", w->authz_dn, &who->dn) != 0 :
	    w->authz_id != NULL &&
	    parse_id(a, "-X", w->authz_id, &who->dn) != 0)
		return -1;
	if (w->authz_dn != NULL || w->authz_id != NULL)
		fprintf(stderr, "authzDN: \"%.*s\"\n", SLICE_ARG(who->dn.text));
	who->peername = given(w->peername);
	who->peerdomain = given(w->domain);
	who->sockname = given(w->sockname);
	who->sockurl = given(w->sockurl);
	who->ssf = w->ssf;
	who->transport_ssf = w->transport_ssf;
	who->tls_ssf = w->tls_ssf;
	who->sasl_ssf = w->sasl_ssf;
	return 0;
}

/* ---- the entry ---- */

/* With -u: an entry that has nothing but its name. */
static int
make_entry(struct ask *a)
{
	static struct attr_dict *dict;
	struct attrs none = { NULL, 0, 0 };
	struct buf block;

	if (dict == NULL)
		dict = attr_dict_new();
	buf_init(&block);
	if (entry_encode(&none, dict, &block) == HB_OK)
		a->e = entry_new(ENTRY_ID_NONE, &a->dn, dict,
		    buf_slice(&block));
	buf_fini(&block);
	return a->e != NULL ? 0 : -1;
}

/* HB_OK: DB is open, and closed by close_all(). */
static int
open_db(struct ask *a, struct be_db *db, struct diag *diag)
{
	struct tool_opts opts = { .mode = TOOL_READ, .threads = 1,
		.joined = a->run->joined };
	int rc;

	if (a->run->dry_run || db->be->tool == NULL ||
	    db->be->entry_get == NULL)
		return HB_EUNSUPPORTED;
	if ((rc = db->be->tool->open(db, &opts, diag)) == HB_OK)
		a->is_open[db->number] = true;
	return rc;
}

/*
 * Groups and sets may name entries of any database. Those that are not open are
 * hidden: nothing is found there.
 */
static int
open_all(struct ask *a)
{
	struct slapd_conf *conf = a->run->conf;

	a->is_open = arena_zalloc(&a->arena, conf->ndbs);
	if (!a->run->dry_run && tool_become_owner(a->run, a->op.db) != 0)
		return -1;
	for (unsigned i = 0; i < conf->ndbs; i++) {
		struct be_db *db = conf->dbs[i];
		struct diag diag = DIAG_INIT;
		int rc;

		if ((rc = open_db(a, db, &diag)) == HB_OK)
			continue;
		db->hidden = true;
		if (rc == HB_EUNSUPPORTED && db != a->op.db)
			continue;
		if (rc == HB_EUNSUPPORTED && !a->run->dry_run)
			diag_set(&diag, "database %u (%s) has no entries that "
			    "could be looked at; use -u", db->number,
			    db->be->name);
		if (!a->run->dry_run)
			tool_say_diag(a->run, rc, &diag);
		if (!a->run->dry_run && db == a->op.db)
			return -1;
	}
	route_free(&conf->route);
	conf->route = route_new(conf);
	return 0;
}

static void
close_all(struct ask *a)
{
	for (unsigned i = 0; a->is_open != NULL && i < a->run->conf->ndbs;
	    i++) {
		struct be_db *db = a->run->conf->dbs[i];
		struct diag diag = DIAG_INIT;

		if (a->is_open[i])
			(void)db->be->tool->close(db, true, &diag);
	}
}

static int
get_entry(struct ask *a)
{
	struct be_db *db = a->op.db;
	struct diag diag = DIAG_INIT;
	int rc = db->be->entry_get(db, &a->op, &a->dn, &a->e);

	if (rc == HB_OK)
		return 0;
	diag_set(&diag, rc == HB_ENOENT ? "there is no entry \"%s\"" :
	    "cannot read \"%s\"", a->run->subtree);
	tool_say_diag(a->run, rc, &diag);
	return -1;
}

static int
ask_begin(struct ask *a, struct tool_run *run)
{
	struct op *op = &a->op;

	memset(a, 0, sizeof(*a));
	a->run = run;
	arena_init(&a->arena, 0);
	buf_init(&a->out);
	if (run->subtree == NULL) {
		tool_say(run, "-b: the DN of an entry is needed");
		return -1;
	}
	if (parse_dn(a, "-b", run->subtree, &a->dn) != 0 || make_who(a) != 0)
		return -1;
	op->kind = OP_COMPARE;
	op->may_wait = true;
	op->arena = &a->arena;
	op->schema = run->conf->schema;
	op->who = &a->who;
	op->dn = a->dn;
	if ((op->db = route_find(run->conf, &a->dn)) == NULL) {
		tool_say(run, "no database holds \"%s\"", run->subtree);
		return -1;
	}
	op->is_root = !dn_is_empty(&op->db->root_dn) &&
	    dn_is_eq(&a->who.dn, &op->db->root_dn);
	if (open_all(a) != 0)
		return -1;
	return run->dry_run ? make_entry(a) : get_entry(a);
}

static void
ask_end(struct ask *a)
{
	entry_unref(&a->e);
	close_all(a);
	buf_fini(&a->out);
	arena_fini(&a->arena);
}

/* ---- answers ---- */

static void
put_step(const struct acl_step *step, void *arg)
{
	struct ask *a = arg;

	buf_printf(&a->out, "  %s: line %u: %s: %s -> ", step->file,
	    step->line, step->what, step->who != NULL ? step->who :
	    "no clause is for the requester (by * none)");
	acl_put_rights(&a->out, step->rights);
	buf_put_char(&a->out, '\n');
}

/* The rights on DESC, or on its VALUE; *rights_r. The reasons go to OUT. */
static unsigned
rights(struct ask *a, const struct attr_desc *desc, struct slice value)
{
	const struct acl_watch watch = { put_step, a };
	unsigned r;

	buf_reset(&a->out);
	r = acl_explain(&a->op, a->e, desc, value,
	    a->run->who.why ? &watch : NULL);
	if (!a->run->who.why || a->out.len > 0)
		return r;
	buf_printf(&a->out, "  %s\n", a->op.is_root ? "the rootdn may do all" :
	    a->op.db->rules == NULL || a->op.db->rules->n == 0 ?
	    "there are no rules: anybody may read" :
	    "no rule is for it: nobody may do anything");
	return r;
}

static void
print_rights(struct ask *a, const struct attr_desc *desc, struct slice value,
    bool is_secret)
{
	unsigned r = rights(a, desc, value);
	struct buf line;

	buf_init(&line);
	buf_put_slice(&line, desc->name);
	if (!slice_is_none(value)) {
		buf_put_char(&line, '=');
		buf_put_slice(&line, is_secret ? SLICE("****") : value);
	}
	buf_put_slice(&line, SLICE(": "));
	acl_put_rights(&line, r);
	printf("%.*s\n%.*s", (int)line.len, line.data, (int)a->out.len,
	    a->out.len > 0 ? a->out.data : "");
	buf_fini(&line);
}

/* attr[/access][:value] */
static int
answer_one(struct ask *a, const char *word)
{
	const char *colon = strchr(word, ':');
	size_t n = colon != NULL ? (size_t)(colon - word) : strlen(word);
	const char *slash = memchr(word, '/', n);
	struct slice value = colon != NULL ? slice_of(colon + 1) : SLICE_NONE;
	struct slice name = slice(word, slash != NULL ?
	    (size_t)(slash - word) : n);
	const struct attr_desc *desc;
	struct diag diag = DIAG_INIT;
	char access[32], op;
	unsigned want, have;
	int rc;

	if ((rc = schema_desc(a->op.schema, arena_slice(&a->arena, name),
	    &desc, &diag)) != HB_OK) {
		diag_prefix(&diag, "\"%s\"", word);
		tool_say_diag(a->run, rc, &diag);
		return -1;
	}
	if (slash == NULL) {
		print_rights(a, desc, value, false);
		return 0;
	}
	snprintf(access, sizeof(access), "%.*s", (int)(word + n - slash - 1),
	    slash + 1);
	if (!acl_parse_rights(access, &want, &op) || op != '=') {
		tool_say(a->run, "unknown access \"%s\" for attribute "
		    "\"%.*s\"", access, SLICE_ARG(desc->name));
		return -1;
	}
	have = rights(a, desc, value);
	printf("%s access to %.*s%s%.*s: %s\n%.*s", access,
	    SLICE_ARG(desc->name), slice_is_none(value) ? "" : "=",
	    SLICE_ARG(value), acl_is_level_in(want, have) ? "ALLOWED" :
	    "DENIED", (int)a->out.len, a->out.len > 0 ? a->out.data : "");
	return 0;
}

static void
answer_all(struct ask *a)
{
	const struct attr_desc *password = schema_builtin(a->op.schema,
	    "userPassword");
	struct entry_attr at;
	struct slice value;

	print_rights(a, schema_builtin(a->op.schema, "entry"), SLICE_NONE,
	    false);
	print_rights(a, schema_builtin(a->op.schema, "children"), SLICE_NONE,
	    false);
	for (unsigned i = 0; i < entry_nattrs(a->e); i++) {
		entry_attr_at(a->e, i, &at);
		while (entry_value_next(&at, &value, NULL))
			print_rights(a, at.desc, value,
			    attr_desc_is_sub(at.desc, password));
	}
}

/* ---- lint ---- */

static void
put_finding(const char *file, unsigned line, const char *text, void *arg)
{
	const struct be_db *db = arg;

	printf("%s: line %u: %s\n", file != NULL ? file : db->file,
	    file != NULL ? line : db->line, text);
}

static int
lint(struct tool_run *run)
{
	unsigned n, total = 0;

	for (unsigned i = 1; i < run->conf->ndbs; i++) {
		struct be_db *db = run->conf->dbs[i];

		if (db->be->tool == NULL)
			continue;
		acl_lint(db, put_finding, db, &n);
		total += n;
	}
	if (total == 0 && run->verbose)
		tool_say(run, "nothing found");
	return total == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int
run_acl(struct tool_run *run, int nargs, char **args)
{
	struct ask ask;
	int status = EXIT_FAILURE, i = 0;

	if (run->who.lint)
		return lint(run);
	if (ask_begin(&ask, run) != 0)
		goto out;
	if (nargs == 0)
		answer_all(&ask);
	while (i < nargs && answer_one(&ask, args[i]) == 0)
		i++;
	if (i == nargs)
		status = EXIT_SUCCESS;
out:
	ask_end(&ask);
	return status;
}

const struct tool tool_acl = {
	"slapacl", "b:D:U:X:uLW", "-b dn [-uv] [-d level] [-D dn | -U id] "
	"[-f file] [-o name=value] [-X id]\n"
	"\t[--why] [attribute[/access][:value] ...]\n"
	"       slapacl --lint [-v] [-f file]",
	TOOL_WANTS_CONF | TOOL_TAKES_ARGS, option, run_acl
};
