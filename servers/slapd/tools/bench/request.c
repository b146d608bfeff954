/* Requests from templates: see request.h. */
#include <errno.h>
#include <stdio.h>

#include "proto.h"
#include "request.h"
#include "util/err.h"
#include "util/mem.h"

#define ENTRY_MAX	(1 << 20)

/* What "add" adds unless told otherwise: a person like those of "gen". */
static const char entry_default[] =
    "objectClass: inetOrgPerson\n"
    "cn: Bench Mark {n}\n"
    "sn: Mark\n"
    "givenName: Bench\n"
    "displayName: Bench Mark {n}\n"
    "mail: bench.{n}@example.com\n"
    "employeeNumber: {n}\n"
    "telephoneNumber: +44 1632 {n:6}\n"
    "title: Load tester\n"
    "l: Reading\n"
    "description: Added by slapbench, {x}\n"
    "userPassword: password.{n}\n";

static const struct {
	const char *name;
	int answer;
} kinds[] = {
	[REQ_SEARCH] = { "search", LDAP_TAG_SEARCH_DONE },
	[REQ_BASE] = { "base", LDAP_TAG_SEARCH_DONE },
	[REQ_BIND] = { "bind", LDAP_TAG_BIND_RESPONSE },
	[REQ_COMPARE] = { "compare", LDAP_TAG_COMPARE_RESPONSE },
	[REQ_COMPARE_FALSE] = { "compare", LDAP_TAG_COMPARE_RESPONSE },
	[REQ_MODIFY] = { "modify", LDAP_TAG_MODIFY_RESPONSE },
	[REQ_ADD] = { "add", LDAP_TAG_ADD_RESPONSE },
	[REQ_DELETE] = { "delete", LDAP_TAG_DEL_RESPONSE },
	[REQ_BIND_FOUND] = { "bind", LDAP_TAG_BIND_RESPONSE }
};

const char *
request_name(enum req_kind kind)
{
	return kinds[kind].name;
}

int
request_answer_tag(enum req_kind kind)
{
	return kinds[kind].answer;
}

struct encoder {
	const struct requests *r;
	enum req_kind kind;
};

static void
put_text(struct ber_writer *w, int tag, const char *text,
    const struct tmpl_vars *vars)
{
	struct buf b;

	buf_init(&b);
	tmpl_put(&b, text, vars);
	ber_put_octets(w, tag, buf_slice(&b));
	buf_fini(&b);
}

/* "attribute=value": a pair, and MORE after the value. */
static void
put_pair(struct ber_writer *w, const char *pair, const char *more,
    const struct tmpl_vars *vars, bool is_set)
{
	const char *eq = strchr(pair, '=');
	size_t mark, set = 0;
	struct buf b;

	buf_init(&b);
	tmpl_put(&b, eq + 1, vars);
	buf_put_str(&b, more);
	mark = ber_begin(w, BER_SEQUENCE);
	ber_put_octets(w, BER_OCTETS, slice(pair, (size_t)(eq - pair)));
	if (is_set)
		set = ber_begin(w, BER_SET);
	ber_put_octets(w, BER_OCTETS, buf_slice(&b));
	if (is_set)
		ber_end(w, set);
	ber_end(w, mark);
	buf_fini(&b);
}

static int
put_search(struct ber_writer *w, const struct bench_opts *o, bool is_base,
    const struct tmpl_vars *vars, struct diag *diag)
{
	size_t mark = ber_begin(w, LDAP_TAG_SEARCH_REQUEST);
	const char *const *a;
	struct buf b;
	int rc;

	put_text(w, BER_OCTETS, is_base ? o->dn : o->base, vars);
	ber_put_int(w, BER_ENUMERATED, is_base ? LDAP_SCOPE_BASE :
	    LDAP_SCOPE_SUB);
	ber_put_int(w, BER_ENUMERATED, LDAP_DEREF_NEVER);
	ber_put_int(w, BER_INTEGER, 0);
	ber_put_int(w, BER_INTEGER, 0);
	ber_put_bool(w, BER_BOOLEAN, false);
	buf_init(&b);
	tmpl_put(&b, is_base ? "(objectClass=*)" : o->filter, vars);
	rc = request_put_filter(w->out, buf_slice(&b), diag);
	buf_fini(&b);
	if (rc == HB_OK) {
		size_t list = ber_begin(w, BER_SEQUENCE);

		for (a = o->attrs; *a != NULL; a++)
			ber_put_octets(w, BER_OCTETS, slice_of(*a));
		ber_end(w, list);
	}
	ber_end(w, mark);
	return rc;
}

static void
put_modify(struct ber_writer *w, const struct bench_opts *o,
    const struct tmpl_vars *vars)
{
	size_t mark = ber_begin(w, LDAP_TAG_MODIFY_REQUEST), list, change;

	put_text(w, BER_OCTETS, o->dn, vars);
	list = ber_begin(w, BER_SEQUENCE);
	change = ber_begin(w, BER_SEQUENCE);
	ber_put_int(w, BER_ENUMERATED, LDAP_MOD_REPLACE);
	put_pair(w, o->modify, "", vars, true);
	ber_end(w, change);
	ber_end(w, list);
	ber_end(w, mark);
}

/*
 * The next line "name: value" of *TEXT. HB_OK, HB_EEND, HB_EINVAL. Empty lines
 * and comments are passed over.
 */
static int
entry_line(const char **text, struct slice *name_r, struct slice *value_r)
{
	const char *end, *colon;

	for (;; *text = *end != '\0' ? end + 1 : end) {
		if (**text == '\0')
			return HB_EEND;
		end = *text + strcspn(*text, "\n");
		if (**text != '#' && end > *text)
			break;
	}
	colon = memchr(*text, ':', (size_t)(end - *text));
	if (colon == NULL || colon == *text || colon[1] == ':')
		return HB_EINVAL;
	*name_r = slice(*text, (size_t)(colon - *text));
	for (colon++; *colon == ' ';)
		colon++;
	*value_r = slice(colon, (size_t)(end - colon));
	*text = *end != '\0' ? end + 1 : end;
	return value_r->len > 0 ? HB_OK : HB_EINVAL;
}

/* One after the other, values of an attribute stand in adjacent lines. */
static int
put_add(struct ber_writer *w, const struct requests *r,
    const struct tmpl_vars *vars, struct diag *diag)
{
	size_t mark = ber_begin(w, LDAP_TAG_ADD_REQUEST), list, attr = 0, set = 0;
	struct slice name, value, last = SLICE_NONE;
	const char *text = r->entry;
	char *one;
	int rc;

	put_text(w, BER_OCTETS, r->opts->add_dn, vars);
	list = ber_begin(w, BER_SEQUENCE);
	while ((rc = entry_line(&text, &name, &value)) == HB_OK) {
		if (slice_is_none(last) || !slice_is_eq_nocase(name, last)) {
			if (!slice_is_none(last)) {
				ber_end(w, set);
				ber_end(w, attr);
			}
			attr = ber_begin(w, BER_SEQUENCE);
			ber_put_octets(w, BER_OCTETS, name);
			set = ber_begin(w, BER_SET);
			last = name;
		}
		one = mem_slicedup(value);
		put_text(w, BER_OCTETS, one, vars);
		free(one);
	}
	if (!slice_is_none(last)) {
		ber_end(w, set);
		ber_end(w, attr);
	}
	ber_end(w, list);
	ber_end(w, mark);
	return rc == HB_EEND && !slice_is_none(last) ? HB_OK :
	    diag_err(diag, HB_EINVAL, "\"attribute: value\" expected at "
	    "\"%.*s\"", (int)strcspn(text, "\n"), text);
}

static int
encode(const void *arg, const struct tmpl_vars *vars, struct buf *out,
    struct diag *diag)
{
	const struct encoder *e = arg;
	const struct bench_opts *o = e->r->opts;
	struct ber_writer w;
	size_t msg, mark;
	int rc = HB_OK;

	ber_writer_init(&w, out);
	msg = ber_begin(&w, BER_SEQUENCE);
	ber_put_int(&w, BER_INTEGER, STAMP_ID_MIN);
	switch (e->kind) {
	case REQ_SEARCH:
	case REQ_BASE:
		rc = put_search(&w, o, e->kind == REQ_BASE, vars, diag);
		break;
	case REQ_BIND:
		mark = ber_begin(&w, LDAP_TAG_BIND_REQUEST);
		ber_put_int(&w, BER_INTEGER, 3);
		put_text(&w, BER_OCTETS, o->dn, vars);
		put_text(&w, 0x80, o->password, vars);
		ber_end(&w, mark);
		break;
	case REQ_COMPARE:
	case REQ_COMPARE_FALSE:
		mark = ber_begin(&w, LDAP_TAG_COMPARE_REQUEST);
		put_text(&w, BER_OCTETS, o->dn, vars);
		put_pair(&w, o->compare, e->kind == REQ_COMPARE ? "" : ".not",
		    vars, false);
		ber_end(&w, mark);
		break;
	case REQ_MODIFY:
		put_modify(&w, o, vars);
		break;
	case REQ_ADD:
		rc = put_add(&w, e->r, vars, diag);
		break;
	case REQ_DELETE:
		put_text(&w, LDAP_TAG_DEL_REQUEST, o->add_dn, vars);
		break;
	case REQ_BIND_FOUND:
		break;
	}
	ber_end(&w, msg);
	return rc;
}

static int
encode_dn(const void *arg, const struct tmpl_vars *vars, struct buf *out,
    struct diag *diag)
{
	(void)diag;
	tmpl_put(out, arg, vars);
	return HB_OK;
}

static int
check_templates(const struct bench_opts *o, struct diag *diag)
{
	const char *const texts[] = { o->base, o->filter, o->dn, o->password,
	    o->compare, o->modify, o->add_dn };
	size_t i;
	int rc;

	for (i = 0; i < sizeof texts / sizeof *texts; i++)
		if ((rc = tmpl_check(texts[i], diag)) != HB_OK)
			return rc;
	if (strchr(o->compare, '=') == NULL || strchr(o->modify, '=') == NULL)
		return diag_err(diag, HB_EINVAL, "--compare and --modify: "
		    "\"attribute=value\" expected");
	return HB_OK;
}

static int
read_entry(const char *file, char **text_r, struct diag *diag)
{
	FILE *f = fopen(file, "re");
	size_t n;

	if (f == NULL)
		return diag_err(diag, HB_EIO, "--entry %s: %s", file,
		    strerror(errno));
	*text_r = mem_zalloc(ENTRY_MAX + 1);
	n = fread(*text_r, 1, ENTRY_MAX, f);
	fclose(f);
	if (n == ENTRY_MAX)
		return diag_err(diag, HB_ELIMIT, "--entry %s: longer than %d "
		    "bytes", file, ENTRY_MAX);
	return tmpl_check(*text_r, diag);
}

int
requests_init(struct requests *r, const struct bench_opts *o,
    struct diag *diag)
{
	struct encoder e = { r, 0 };
	int rc;

	memset(r, 0, sizeof *r);
	r->opts = o;
	if ((rc = check_templates(o, diag)) != HB_OK)
		return rc;
	if (o->entry_file == NULL)
		r->entry = mem_strdup(entry_default);
	else if ((rc = read_entry(o->entry_file, &r->entry, diag)) != HB_OK)
		return rc;
	for (e.kind = 0; e.kind < REQ_NSTAMPS; e.kind++)
		if ((rc = stamp_compile(&r->req[e.kind], true, encode, &e,
		    diag)) != HB_OK)
			return rc;
	if ((rc = stamp_compile(&r->dn, false, encode_dn, o->dn, diag)) !=
	    HB_OK)
		return rc;
	return stamp_compile(&r->password, false, encode_dn, o->password,
	    diag);
}

void
requests_fini(struct requests *r)
{
	size_t i;

	for (i = 0; i < REQ_NSTAMPS; i++)
		stamp_fini(&r->req[i]);
	stamp_fini(&r->dn);
	stamp_fini(&r->password);
	free(r->entry);
	memset(r, 0, sizeof *r);
}

void
request_put_bind(struct buf *out, unsigned id, struct slice dn,
    struct slice password)
{
	struct ber_writer w;
	size_t msg, mark;

	ber_writer_init(&w, out);
	msg = ber_begin(&w, BER_SEQUENCE);
	ber_put_int(&w, BER_INTEGER, id);
	mark = ber_begin(&w, LDAP_TAG_BIND_REQUEST);
	ber_put_int(&w, BER_INTEGER, 3);
	ber_put_octets(&w, BER_OCTETS, dn);
	ber_put_octets(&w, 0x80, password);
	ber_end(&w, mark);
	ber_end(&w, msg);
}

void
request_put_starttls(struct buf *out, unsigned id)
{
	struct ber_writer w;
	size_t msg, mark;

	ber_writer_init(&w, out);
	msg = ber_begin(&w, BER_SEQUENCE);
	ber_put_int(&w, BER_INTEGER, id);
	mark = ber_begin(&w, LDAP_TAG_EXTENDED_REQUEST);
	ber_put_octets(&w, 0x80, SLICE("1.3.6.1.4.1.1466.20037"));
	ber_end(&w, mark);
	ber_end(&w, msg);
}

void
request_put_unbind(struct buf *out, unsigned id)
{
	struct ber_writer w;
	size_t msg;

	ber_writer_init(&w, out);
	msg = ber_begin(&w, BER_SEQUENCE);
	ber_put_int(&w, BER_INTEGER, id);
	ber_put_null(&w, LDAP_TAG_UNBIND_REQUEST);
	ber_end(&w, msg);
}
