/*
 * slapcat: a database as LDIF, in the order in which entries were added.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "ldif.h"
#include "tool_int.h"
#include "util/err.h"
#include "util/text.h"

#define OUTPUT_CHUNK	(256 * 1024)

struct cat {
	struct tool_run *run;
	int fd;
	struct buf out;
	struct arena arena;
	const struct filter *filter;	/* NULL: all */
	struct dn base;
	bool has_base;
	enum ldap_scope scope;
	const struct attr_desc *password;
	bool damaged;
};

static int
option(struct tool_run *run, int c, const char *arg)
{
	const char *v;
	uint64_t n;

	switch (c) {
	case 'a':
		run->filter = arg;
		return 0;
	case 'c':
		run->go_on = true;
		return 0;
	case 'g':
		return 0;
	case 'H':
		run->url = arg;
		return 0;
	case 'l':
		run->ldif = arg;
		return 0;
	case 's':
		run->subtree = arg;
		return 0;
	case 'o':
		if (strcasecmp(arg, "consistent") == 0)
			return 0;
		if ((v = tool_option_value(arg, "consistent")) != NULL) {
			run->joined = strcasecmp(v, "no") == 0;
			if (run->joined || strcasecmp(v, "yes") == 0)
				return 0;
			break;
		}
		if ((run->tmpdir = tool_option_value(arg, "tmpdir")) != NULL)
			return 0;
		/* "ldif_wrap" is an old spelling */
		if ((v = tool_option_value(arg, "ldif-wrap")) == NULL &&
		    (v = tool_option_value(arg, "ldif_wrap")) == NULL)
			break;
		if (strcasecmp(v, "no") == 0) {
			run->wrap = 0;
			return 0;
		}
		if (text_to_uint(slice_of(v), &n) != HB_OK || n < 2 ||
		    n > 100000)
			break;
		run->wrap = (unsigned)n;
		return 0;
	}
	tool_say(run, "-%c: \"%s\" is not a value it can have", c, arg);
	return -1;
}

/* ---- selection ---- */

static int
set_filter(struct cat *c, struct slice text, struct diag *diag)
{
	struct ldap_filter *src;
	struct filter *f;
	int rc;

	if ((rc = filter_parse(&c->arena, text, &src, diag)) == HB_OK &&
	    (rc = filter_resolve(&c->arena, c->run->conf->schema, src, &f)) ==
	    HB_OK)
		c->filter = f;
	return rc;
}

static int
set_base(struct cat *c, struct slice text, struct diag *diag)
{
	c->has_base = true;
	return dn_parse(&c->arena, c->run->conf->schema, text, &c->base, diag);
}

/* %XX of a URL, in place; the length that is left. */
static size_t
unescape(char *s)
{
	char *in = s, *out = s;

	while (*in != '\0') {
		int hi = in[0] == '%' ? text_hex_value(in[1]) : -1;
		int lo = hi >= 0 ? text_hex_value(in[2]) : -1;

		if (lo >= 0) {
			*out++ = (char)(hi * 16 + lo);
			in += 3;
		} else {
			*out++ = *in++;
		}
	}
	return (size_t)(out - s);
}

static int
set_scope(struct cat *c, const char *word, struct diag *diag)
{
	static const struct { const char *word; enum ldap_scope scope; } w[] = {
		{ "", LDAP_SCOPE_SUB }, { "sub", LDAP_SCOPE_SUB },
		{ "subtree", LDAP_SCOPE_SUB }, { "base", LDAP_SCOPE_BASE },
		{ "one", LDAP_SCOPE_ONE }, { "onelevel", LDAP_SCOPE_ONE },
		{ "children", LDAP_SCOPE_CHILDREN },
		{ "subordinate", LDAP_SCOPE_CHILDREN }
	};

	for (size_t i = 0; i < sizeof(w) / sizeof(*w); i++)
		if (strcasecmp(w[i].word, word) == 0) {
			c->scope = w[i].scope;
			return HB_OK;
		}
	return diag_err(diag, HB_EINVAL, "unknown scope \"%s\"", word);
}

/* ldap:///base?attrs?scope?filter; attributes cannot be chosen. */
static int
set_url(struct cat *c, const char *url, struct diag *diag)
{
	char *parts[4] = { NULL, NULL, NULL, NULL }, *p;
	unsigned n = 0;
	int rc;

	if (strncasecmp(url, "ldap:///", 8) != 0)
		return diag_err(diag, HB_EINVAL, "\"%s\": an URL that begins "
		    "with ldap:/// expected", url);
	p = arena_strdup(&c->arena, url + 8);
	while (n < 4 && p != NULL) {
		parts[n++] = p;
		if (n < 4 && (p = strchr(p, '?')) != NULL)
			*p++ = '\0';
	}
	if ((rc = set_base(c, slice(parts[0], unescape(parts[0])), diag)) !=
	    HB_OK)
		return rc;
	if (parts[1] != NULL && *parts[1] != '\0')
		return diag_err(diag, HB_EINVAL, "\"%s\": attributes cannot be "
		    "chosen", url);
	if (parts[2] != NULL && (rc = set_scope(c, parts[2], diag)) != HB_OK)
		return rc;
	if (parts[3] != NULL && *parts[3] != '\0')
		return set_filter(c, slice(parts[3], unescape(parts[3])),
		    diag);
	return HB_OK;
}

static int
set_selection(struct cat *c, struct diag *diag)
{
	const struct tool_run *run = c->run;
	int rc = HB_OK;

	c->scope = LDAP_SCOPE_SUB;
	if (run->url != NULL && (run->filter != NULL || run->subtree != NULL))
		return diag_err(diag, HB_EINVAL, "-H excludes -a and -s");
	if (run->url != NULL)
		return set_url(c, run->url, diag);
	if (run->subtree != NULL)
		rc = set_base(c, slice_of(run->subtree), diag);
	if (rc == HB_OK && run->filter != NULL)
		rc = set_filter(c, slice_of(run->filter), diag);
	return rc;
}

static bool
is_in_scope(const struct cat *c, const struct entry *e)
{
	if (!c->has_base)
		return true;
	switch (c->scope) {
	case LDAP_SCOPE_BASE:
		return dn_is_eq(&e->dn, &c->base);
	case LDAP_SCOPE_ONE:
		return dn_is_child(&e->dn, &c->base);
	case LDAP_SCOPE_CHILDREN:
		return dn_is_within(&e->dn, &c->base) &&
		    !dn_is_eq(&e->dn, &c->base);
	default:
		return dn_is_within(&e->dn, &c->base);
	}
}

/* ---- output ---- */

static int
flush(struct cat *c)
{
	size_t done = 0;
	ssize_t n;

	while (done < c->out.len) {
		n = write(c->fd, c->out.data + done, c->out.len - done);
		if (n < 0 && errno == EINTR && !tool_is_interrupted())
			continue;
		if (n < 0) {
			if (errno != EPIPE)
				tool_say(c->run, "cannot write: %s",
				    strerror(errno));
			return HB_EIO;
		}
		done += (size_t)n;
	}
	buf_reset(&c->out);
	return HB_OK;
}

static void
put_entry(struct cat *c, const struct entry *e)
{
	struct entry_attr a;
	struct slice value;

	if (c->run->verbose)
		buf_printf(&c->out, "# id=%08lx\n", (unsigned long)e->id);
	ldif_put(&c->out, SLICE("dn"), e->dn.text, c->run->wrap, false);
	for (unsigned i = 0; i < entry_nattrs(e); i++) {
		bool force64;

		entry_attr_at(e, i, &a);
		force64 = attr_desc_is_sub(a.desc, c->password);
		while (entry_value_next(&a, &value, NULL))
			ldif_put(&c->out, a.desc->name, value, c->run->wrap,
			    force64);
	}
	buf_put_char(&c->out, '\n');
}

static int
on_entry(struct entry *e, entry_id id, void *arg)
{
	struct cat *c = arg;

	if (tool_is_interrupted())
		return HB_EABANDONED;
	if (e == NULL) {
		c->damaged = true;
		buf_printf(&c->out, "# no data for entry id=%08lx\n\n",
		    (unsigned long)id);
		return c->run->go_on ? HB_OK : HB_ECORRUPT;
	}
	if (is_in_scope(c, e) && (c->filter == NULL || filter_eval(c->filter,
	    c->run->conf->schema, e, NULL, NULL) == FILTER_TRUE))
		put_entry(c, e);
	return c->out.len < OUTPUT_CHUNK ? HB_OK : flush(c);
}

static int
open_output(struct cat *c)
{
	const char *file = c->run->ldif;

	c->fd = STDOUT_FILENO;
	if (file == NULL || strcmp(file, "-") == 0)
		return HB_OK;
	/* a dump holds passwords */
	c->fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (c->fd >= 0)
		return HB_OK;
	tool_say(c->run, "%s: %s", file, strerror(errno));
	return HB_EIO;
}

static int
dump(struct cat *c)
{
	const struct slapd_tool_ops *tool = c->run->db->be->tool;
	struct tool_opts opts = {
		.mode = TOOL_READ, .threads = 1,
		.joined = c->run->joined, .tmpdir = c->run->tmpdir
	};
	struct diag diag = DIAG_INIT, closing = DIAG_INIT;
	int rc, closed;

	if ((rc = tool->open(c->run->db, &opts, &diag)) == HB_OK) {
		rc = tool->each(c->run->db, c->has_base ? &c->base : NULL,
		    on_entry, c, &diag);
		if (flush(c) != HB_OK)
			rc = HB_EIO;
		closed = tool->close(c->run->db, rc == HB_OK, &closing);
		if (closed != HB_OK && rc == HB_OK) {
			rc = closed;
			diag = closing;
		}
	}
	if (rc != HB_OK && rc != HB_EABANDONED && rc != HB_EIO)
		tool_say_diag(c->run, rc, &diag);
	else if (rc == HB_EIO && diag.text[0] != '\0')
		tool_say_diag(c->run, rc, &diag);
	return rc;
}

static int
run_cat(struct tool_run *run, int nargs, char **args)
{
	struct cat c = { .run = run, .fd = -1 };
	struct diag diag = DIAG_INIT;
	int rc;

	(void)nargs;
	(void)args;
	arena_init(&c.arena, 0);
	buf_init(&c.out);
	c.password = schema_builtin(run->conf->schema, "userPassword");
	tool_catch_signals();
	if ((rc = set_selection(&c, &diag)) != HB_OK)
		tool_say_diag(run, rc, &diag);
	else if ((rc = open_output(&c)) == HB_OK &&
	    (rc = tool_become_owner(run, run->db)) == 0)
		rc = dump(&c);
	if (c.fd > STDERR_FILENO && close(c.fd) != 0 && rc == HB_OK) {
		tool_say(run, "%s: %s", run->ldif, strerror(errno));
		rc = HB_EIO;
	}
	buf_fini(&c.out);
	arena_fini(&c.arena);
	return rc == HB_OK && !c.damaged ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct tool tool_cat = {
	"slapcat", "a:cgH:l:s:",
	"[-cv] [-a filter] [-b suffix | -n number] [-d level] [-f file] "
	"[-H url] [-l ldif] [-o consistent=no] [-o ldif-wrap=n|no] "
	"[-o tmpdir=folder] [-s subtree]",
	TOOL_WANTS_CONF | TOOL_WANTS_DB, option, run_cat
};
