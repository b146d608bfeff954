/*
 * slapadd: LDIF into a database, record by record.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../route.h"
#include "ldif.h"
#include "tool_int.h"
#include "util/err.h"
#include "util/text.h"

#define SERVER_ID_MAX	4095
#define NAME_SLOTS	256

/* A description as the file spells it: the same ones come in every record. */
struct name_slot {
	struct slice name;
	const struct attr_desc *desc;
};

struct add {
	struct tool_run *run;
	struct be_db *db;
	struct ldif_reader *reader;
	struct arena arena;		/* of one record */
	struct diag diag;
	struct progress progress;
	uint64_t added, failed;
	bool is_open;
	unsigned server_id;
	time_t now;			/* of gentime */
	char gentime[16];
	struct name_slot names[NAME_SLOTS];
	/* -w: the highest entryCSN of each server */
	char *csn[SERVER_ID_MAX + 1];
};

static int
option(struct tool_run *run, int c, const char *arg)
{
	const char *v;
	uint64_t n;

	switch (c) {
	case 'q':
		run->quick = true;
		return 0;
	case 'c':
		run->go_on = true;
		return 0;
	case 'u':
		run->dry_run = true;
		return 0;
	case 's':
		run->no_schema = true;
		return 0;
	case 'w':
		run->write_csn = true;
		return 0;
	case 'g':
		return 0;
	case 'l':
		run->ldif = arg;
		return 0;
	case 'j':
		if (text_to_uint(slice_of(arg), &n) != HB_OK || n > UINT32_MAX)
			break;
		run->jump = (unsigned)n;
		return 0;
	case 'S':
		if (text_to_uint(slice_of(arg), &n) != HB_OK ||
		    n > SERVER_ID_MAX)
			break;
		run->server_id = (int)n;
		return 0;
	case 'o':
		if ((v = tool_option_value(arg, "schema-check")) != NULL)
			run->no_schema = strcasecmp(v, "no") == 0;
		else if ((v = tool_option_value(arg, "value-check")) != NULL)
			run->no_values = strcasecmp(v, "no") == 0;
		else if ((v = tool_option_value(arg, "file-urls")) != NULL)
			run->no_file_urls = strcasecmp(v, "no") == 0;
		else
			break;
		if (strcasecmp(v, "no") == 0 || strcasecmp(v, "yes") == 0)
			return 0;
		break;
	}
	tool_say(run, "-%c: \"%s\" is not a value it can have", c,
	    arg != NULL ? arg : "");
	return -1;
}

/* ---- one record ---- */

/* -o value-check=no: what the syntax refuses is taken as it is. */
static int
make_unchecked(struct add *a, const struct attr_desc *desc,
    struct slice *values, unsigned n, struct attr *attr)
{
	struct slice *norms = arena_calloc(&a->arena, n, sizeof(*norms));

	for (unsigned i = 0; i < n; i++)
		if (schema_norm_value(a->db->schema, &a->arena, desc,
		    values[i], &norms[i]) != HB_OK)
			norms[i] = values[i];
	*attr = (struct attr){ desc, values, norms, n, n };
	diag_clear(&a->diag);
	return HB_OK;
}

static int
add_attr(struct add *a, struct attrs *attrs, const struct attr_desc *desc,
    struct slice *values, unsigned n)
{
	struct attr attr;
	int rc;

	rc = attr_make(&a->arena, a->db->schema, desc, values, n, &attr,
	    &a->diag);
	if (rc == HB_ESYNTAX && a->run->no_values)
		rc = make_unchecked(a, desc, values, n, &attr);
	if (rc == HB_OK && (rc = attrs_add(&a->arena, attrs, &attr)) ==
	    HB_EVALEXISTS)
		diag_set(&a->diag, "attribute \"%.*s\" has a value twice",
		    SLICE_ARG(desc->name));
	return rc;
}

static struct name_slot *
name_slot(struct add *a, struct slice name)
{
	unsigned h = (unsigned)name.len;

	if (name.len > 0)
		h = h * 31 + (unsigned char)name.ptr[0] * 7 +
		    (unsigned char)name.ptr[name.len / 2] * 13 +
		    (unsigned char)name.ptr[name.len - 1];
	return &a->names[h % NAME_SLOTS];
}

static int
find_desc(struct add *a, const struct ldif_value *v,
    const struct attr_desc **desc_r)
{
	struct name_slot *slot = name_slot(a, v->name);
	int rc;

	if (slot->desc != NULL && slice_is_eq(slot->name, v->name)) {
		*desc_r = slot->desc;
		return HB_OK;
	}
	rc = schema_desc(a->db->schema, v->name, desc_r, &a->diag);
	if (rc != HB_OK) {
		diag_prefix(&a->diag, "line %u", v->line);
		return rc;
	}
	if (slot->desc == NULL)
		*slot = (struct name_slot){ arena_slice(&a->run->conf->arena,
		    v->name), *desc_r };
	return HB_OK;
}

/* Values that stand together under one name make one attribute. */
static int
make_attrs(struct add *a, const struct ldif_record *rec, struct attrs *attrs)
{
	struct slice *values = arena_calloc(&a->arena, rec->nvalues + 1,
	    sizeof(*values));
	const struct attr_desc *desc;
	unsigned i, k;
	int rc = HB_OK;

	memset(attrs, 0, sizeof(*attrs));
	for (i = 0; i < rec->nvalues && rc == HB_OK; i = k) {
		for (k = i; k < rec->nvalues && (k == i || slice_is_eq(
		    rec->values[k].name, rec->values[i].name)); k++)
			values[k] = rec->values[k].value;
		if ((rc = find_desc(a, &rec->values[i], &desc)) == HB_OK)
			rc = add_attr(a, attrs, desc, &values[i], k - i);
	}
	return rc;
}

static int
check_dn(struct add *a, const struct ldif_record *rec, struct dn *dn)
{
	const struct be_db *db = a->db;
	int rc;

	rc = dn_parse(&a->arena, db->schema, rec->dn, dn, &a->diag);
	if (rc != HB_OK)
		return rc;
	if (dn_is_empty(dn) && (db->nsuffixes == 0 ||
	    !dn_is_empty(&db->suffixes[0])))
		return diag_err(&a->diag, HB_EINVAL,
		    "an entry with an empty DN cannot be stored here");
	if (route_find(a->run->conf, dn) != db)
		return diag_err(&a->diag, HB_EINVAL, "database %u (%.*s) is "
		    "not configured to hold it", db->number,
		    SLICE_ARG(db->nsuffixes > 0 ? db->suffixes[0].text :
		    SLICE("no suffix")));
	return HB_OK;
}

static int
check_schema(struct add *a, const struct dn *dn, struct attrs *attrs)
{
	struct diag ignored = DIAG_INIT;
	int rc;

	if (a->run->no_schema) {
		/* for structuralObjectClass, where it can be told */
		(void)entry_check(&a->arena, a->db->schema, dn, attrs,
		    ENTRY_CHECK_RELAX, &ignored);
		return HB_OK;
	}
	if ((rc = entry_add_naming(&a->arena, a->db->schema, dn, attrs,
	    &a->diag)) != HB_OK)
		return rc;
	return entry_check(&a->arena, a->db->schema, dn, attrs, 0, &a->diag);
}

static void
note_csn(struct add *a, const struct attrs *attrs)
{
	const struct attr *at = attrs_find(attrs, schema_builtin(a->db->schema,
	    "entryCSN"));
	struct slice csn, sid;
	unsigned id = 0;

	/* 20261201002412.123456Z#000000#005#000000 */
	if (at == NULL || at->n == 0 || (csn = at->norms[0]).len < 33)
		return;
	sid = slice(csn.ptr + 30, 3);
	for (unsigned i = 0; i < sid.len; i++) {
		if (text_hex_value(sid.ptr[i]) < 0)
			return;
		id = id * 16 + (unsigned)text_hex_value(sid.ptr[i]);
	}
	if (a->csn[id] == NULL || slice_cmp(slice_of(a->csn[id]), csn) < 0) {
		free(a->csn[id]);
		a->csn[id] = strndup(csn.ptr, csn.len);
	}
}

static int
stamp(struct add *a, struct attrs *attrs)
{
	struct entry_stamp st = { .who = a->db->root_dn };
	time_t now = time(NULL);
	int rc = HB_OK;

	if (a->db->lastmod) {
		if (now != a->now) {
			a->now = now;
			text_gentime(now, a->gentime);
		}
		st.csn = op_new_csn(&a->arena, a->server_id);
		st.time = slice(a->gentime, 15);
		if (dn_is_empty(&st.who))
			st.who = (struct dn){ SLICE("cn=anonymous"),
				SLICE("cn=anonymous") };
		rc = entry_stamp_add(&a->arena, a->db->schema, attrs, &st);
	}
	if (rc == HB_OK && a->run->write_csn)
		note_csn(a, attrs);
	return rc;
}

static int
put(struct add *a, const struct dn *dn, const struct attrs *attrs,
    unsigned line)
{
	struct tool_entry e = { dn, attrs, line };
	entry_id id = ENTRY_ID_NONE;
	int rc = HB_OK;

	if (!a->run->dry_run)
		rc = a->db->be->tool->put(a->db, &a->arena, &e, &id, &a->diag);
	if (rc == HB_EEXISTS)
		diag_set(&a->diag, "the entry is there already");
	if (rc == HB_OK && a->run->verbose)
		fprintf(stderr, a->run->dry_run ?
		    "added: \"%.*s\" (dry run)\n" :
		    "added: \"%.*s\" (%08lx)\n", SLICE_ARG(dn->text),
		    (unsigned long)id);
	return rc;
}

static int
add_record(struct add *a, const struct ldif_record *rec)
{
	struct attrs attrs;
	struct dn dn;
	int rc;

	if (rec->change != LDIF_CONTENT)
		return diag_err(&a->diag, HB_EINVAL, "a change record; "
		    "slapadd takes entries only");
	if ((rc = check_dn(a, rec, &dn)) != HB_OK ||
	    (rc = make_attrs(a, rec, &attrs)) != HB_OK ||
	    (rc = check_schema(a, &dn, &attrs)) != HB_OK ||
	    (rc = stamp(a, &attrs)) != HB_OK)
		return rc;
	return put(a, &dn, &attrs, rec->line);
}

/* ---- all of them ---- */

static const char *
input_name(const struct add *a)
{
	return a->run->ldif != NULL && strcmp(a->run->ldif, "-") != 0 ?
	    a->run->ldif : "standard input";
}

static void
report(struct add *a, const struct ldif_record *rec, int rc)
{
	const char *text = a->diag.text[0] != '\0' ? a->diag.text :
	    hb_strerror(rc);

	progress_end(&a->progress);
	a->failed++;
	if (rec == NULL)
		tool_say_diag(a->run, rc, &a->diag);
	else
		tool_say(a->run, "%s: line %u: dn=\"%.*s\": %s", input_name(a),
		    rec->line, SLICE_ARG(rec->dn), *text != '\0' ? text :
		    hb_errname(rc));
}

/* HB_OK at the end of the input, or the error that ended it. */
static int
add_all(struct add *a)
{
	struct ldif_record rec;
	uint64_t octets;
	int rc;

	for (;;) {
		arena_reset(&a->arena);
		diag_clear(&a->diag);
		rc = ldif_next(a->reader, &a->arena, &rec, &a->diag);
		if (rc == HB_EEND)
			return HB_OK;
		if (rc == HB_EINVAL) {
			report(a, NULL, rc);
		} else if (rc != HB_OK) {
			report(a, NULL, rc);
			return rc;
		} else if (rec.line >= a->run->jump) {
			if ((rc = add_record(a, &rec)) == HB_OK)
				a->added++;
			else
				report(a, &rec, rc);
		}
		if (rc != HB_OK && !a->run->go_on)
			return rc;
		if (tool_is_interrupted()) {
			tool_say(a->run, "interrupted");
			return HB_EABANDONED;
		}
		ldif_position(a->reader, &octets, &a->progress.total);
		progress_step(&a->progress, a->added, octets);
	}
}

static int
open_db(struct add *a)
{
	struct tool_opts opts = {
		.mode = a->run->quick ? TOOL_QUICK : TOOL_WRITE,
		.threads = tool_threads(a->run),
		.progress = progress_phase, .progress_arg = &a->progress
	};
	int rc;

	if (a->run->dry_run)
		return HB_OK;
	if (tool_become_owner(a->run, a->db) != 0)
		return HB_EACCESS;
	rc = a->db->be->tool->open(a->db, &opts, &a->diag);
	a->is_open = rc == HB_OK;
	if (rc != HB_OK)
		tool_say_diag(a->run, rc, &a->diag);
	return rc;
}

static int
close_db(struct add *a, bool ok)
{
	int rc;

	if (!a->is_open)
		return HB_OK;
	diag_clear(&a->diag);
	rc = a->db->be->tool->close(a->db, ok, &a->diag);
	progress_end(&a->progress);
	if (rc != HB_OK)
		tool_say_diag(a->run, rc, &a->diag);
	return rc;
}

/* ---- -w ---- */

static int
modify_suffix(struct add *a, const struct mod *mod)
{
	struct identity who = { .dn = a->db->root_dn,
		.real_dn = a->db->root_dn };
	struct op op = {
		.kind = OP_MODIFY, .flags = OP_INTERNAL, .is_root = true,
		.may_wait = true, .arena = &a->arena, .schema = a->db->schema,
		.db = a->db, .who = &who, .dn = a->db->suffixes[0],
		.req.modify = { mod, 1 }
	};
	int rc = a->db->be->op[OP_MODIFY](a->db, &op);

	if (rc != HB_OK)
		diag_set(&a->diag, "contextCSN of \"%.*s\": %s",
		    SLICE_ARG(op.dn.text), op.diag.text[0] != '\0' ?
		    op.diag.text : hb_strerror(rc));
	return rc;
}

/*
 * contextCSN is written when all is loaded, by the database as the server runs
 * it.
 */
static int
write_context_csn(struct add *a)
{
	const struct slapd_backend *be = a->db->be;
	struct slice values[SERVER_ID_MAX + 1];
	struct mod mod = { .type = MOD_REPLACE, .values = values,
		.norms = values, .internal = true };
	int rc;

	for (unsigned i = 0; i <= SERVER_ID_MAX; i++)
		if (a->csn[i] != NULL)
			values[mod.n++] = slice_of(a->csn[i]);
	if (mod.n == 0 || be->op[OP_MODIFY] == NULL || be->db_open == NULL)
		return HB_OK;
	mod.desc = schema_builtin(a->db->schema, "contextCSN");
	diag_clear(&a->diag);
	if ((rc = be->db_open(a->db, &a->diag)) == HB_OK) {
		rc = modify_suffix(a, &mod);
		be->db_close(a->db);
	}
	if (rc != HB_OK)
		tool_say_diag(a->run, rc, &a->diag);
	return rc;
}

static void
summary(const struct add *a)
{
	double s = progress_seconds(&a->progress);

	fprintf(stderr, "%s: %ju entries %s in %.1f s (%.0f/s)",
	    a->run->tool->name, (uintmax_t)a->added, a->run->dry_run ?
	    "checked" : "added", s, s > 0 ? (double)a->added / s : 0);
	if (a->failed > 0)
		fprintf(stderr, ", %ju failed", (uintmax_t)a->failed);
	fputc('\n', stderr);
}

static int
run_add(struct tool_run *run, int nargs, char **args)
{
	struct add *a = calloc(1, sizeof(*a));
	int rc, closed;

	(void)nargs;
	(void)args;
	if (a == NULL)
		return EXIT_FAILURE;
	a->run = run;
	a->db = run->db;
	a->server_id = run->server_id >= 0 ? (unsigned)run->server_id :
	    run->db->server_id;
	arena_init(&a->arena, 0);
	progress_init(&a->progress, run->tool->name, !run->verbose);
	tool_catch_signals();
	if ((rc = ldif_open(run->ldif, run->no_file_urls ? 0 : LDIF_ALLOW_URLS,
	    &a->reader, &a->diag)) != HB_OK) {
		tool_say_diag(run, rc, &a->diag);
		goto out;
	}
	if ((rc = open_db(a)) != HB_OK)
		goto out;
	rc = add_all(a);
	if ((closed = close_db(a, rc == HB_OK)) != HB_OK)
		rc = closed;
	if (rc == HB_OK && a->failed == 0 && run->write_csn && !run->dry_run)
		rc = write_context_csn(a);
	summary(a);
out:
	ldif_close(&a->reader);
	arena_fini(&a->arena);
	rc = rc == HB_OK && a->failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
	for (unsigned i = 0; i <= SERVER_ID_MAX; i++)
		free(a->csn[i]);
	free(a);
	return rc;
}

const struct tool tool_add = {
	"slapadd", "cgj:l:qsS:uw",
	"[-cqsuvw] [-b suffix | -n number] [-d level] [-f file] [-j line] "
	"[-l ldif] [-o option=value] [-S id]",
	TOOL_WANTS_CONF | TOOL_WANTS_DB, option, run_add
};
