/*
 * Records (RFC 2849): what stands between two blank lines.
 */
#include "ldif.h"
#include "ldif_int.h"
#include "util/err.h"
#include "util/mem.h"

/* A record on its way: its line and what was read of it. */
struct parse {
	struct ldif_reader *r;
	struct arena *arena;
	struct diag *diag;
	struct ldif_record *rec;
	struct ldif_line line;		/* the last one */
	struct ldif_value v;		/* parsed from it */
};

static int
expected(struct parse *p, const char *what)
{
	return ldif_line_fail(p->r, &p->line, p->diag, what);
}

/* The record ended where WHAT was to come. */
static int
ended(struct parse *p, const char *what)
{
	p->line.text = slice("", 0);
	return expected(p, what);
}

static inline int
next(struct parse *p)
{
	int rc = ldif_line_next(p->r, p->arena, &p->line);

	return rc != HB_OK ? rc : ldif_line_parse(p->r, p->arena, &p->line,
	    &p->v, p->diag);
}

static bool
is_name(const struct parse *p, const char *name)
{
	return slice_is_eq_nocase(p->v.name, slice_of(name));
}

static inline void
push_value(struct parse *p)
{
	struct ldif_reader *r = p->r;

	if (r->nvalues == r->cap_values)
		r->values = mem_grow(r->values, &r->cap_values, r->nvalues + 1,
		    sizeof(*r->values));
	r->values[r->nvalues++] = p->v;
}

/* N items of SIZE octets to the arena. NULL with HB_ELIMIT. */
static int
take(struct arena *arena, const void *items, size_t n, size_t size,
    void **copy_r)
{
	*copy_r = NULL;
	if (n == 0)
		return HB_OK;
	if ((*copy_r = arena_calloc(arena, n, size)) == NULL)
		return HB_ELIMIT;
	memcpy(*copy_r, items, n * size);
	return HB_OK;
}

static int
take_values(struct parse *p)
{
	void *copy;
	int rc = take(p->arena, p->r->values, p->r->nvalues,
	    sizeof(*p->r->values), &copy);

	p->rec->values = copy;
	p->rec->nvalues = (unsigned)p->r->nvalues;
	return rc;
}

/* Lines of attributes to the end of the record; the first one is parsed. */
static int
parse_values(struct parse *p)
{
	int rc;

	do {
		push_value(p);
		rc = next(p);
	} while (rc == HB_OK);
	return rc == HB_EEND ? take_values(p) : rc;
}

/* ---- change records ---- */

/* "OID [true|false] [:value]" behind "control:" */
static int
parse_control(struct parse *p)
{
	struct ldif_control c = { SLICE_NONE, SLICE_NONE, false };
	struct ldif_reader *r = p->r;
	struct slice s = p->v.value, word;
	size_t n;
	int rc;

	for (n = 0; n < s.len && s.ptr[n] != ' ' && s.ptr[n] != ':'; n++)
		;
	c.oid = slice(s.ptr, n);
	if (n == 0 || s.ptr[0] < '0' || s.ptr[0] > '9')
		return expected(p, "OID of a control");
	for (s = slice_skip(s, n); s.len > 0 && *s.ptr == ' ';)
		s = slice_skip(s, 1);
	for (n = 0; n < s.len && s.ptr[n] != ' ' && s.ptr[n] != ':'; n++)
		;
	word = slice(s.ptr, n);
	c.critical = slice_is_eq_nocase(word, SLICE("true"));
	if (n > 0 && !c.critical && !slice_is_eq_nocase(word, SLICE("false")))
		return expected(p, "\"true\" or \"false\" after the OID");
	for (s = slice_skip(s, n); s.len > 0 && *s.ptr == ' ';)
		s = slice_skip(s, 1);
	if (s.len > 0 && *s.ptr != ':')
		return expected(p, "':' before the control's value");
	if (s.len > 0 && (rc = ldif_line_value(r, p->arena, &p->line, s,
	    &c.value, p->diag)) != HB_OK)
		return rc;
	if (r->ncontrols == r->cap_controls)
		r->controls = mem_grow(r->controls, &r->cap_controls,
		    r->ncontrols + 1, sizeof(*r->controls));
	r->controls[r->ncontrols++] = c;
	return HB_OK;
}

static int
mod_op(const struct parse *p)
{
	static const char *const names[] = {
		"add", "delete", "replace", "increment"
	};
	int i;

	for (i = 0; i < 4; i++)
		if (is_name(p, names[i]))
			return i;
	return -1;
}

static struct slice
trim(struct slice s)
{
	while (s.len > 0 && s.ptr[s.len - 1] == ' ')
		s.len--;
	return s;
}

/* Values of the modification that was pushed last, up to "-" or the end. */
static int
parse_mod_values(struct parse *p)
{
	struct ldif_reader *r = p->r;
	struct ldif_mod *m = &r->mods[r->nmods - 1];
	int rc;

	for (;;) {
		rc = ldif_line_next(r, p->arena, &p->line);
		if (rc != HB_OK)
			return rc;
		if (slice_is_eq(trim(p->line.text), SLICE("-")))
			return HB_OK;
		rc = ldif_line_parse(r, p->arena, &p->line, &p->v, p->diag);
		if (rc != HB_OK)
			return rc;
		if (!slice_is_eq_nocase(p->v.name, m->name))
			return expected(p, "value of the attribute that is "
			    "modified, or \"-\"");
		push_value(p);
		m->n++;
	}
}

static int
take_mods(struct parse *p)
{
	struct ldif_value *values;
	struct ldif_mod *m;
	void *copy;
	size_t i;
	int rc;

	if ((rc = take_values(p)) != HB_OK ||
	    (rc = take(p->arena, p->r->mods, p->r->nmods,
	    sizeof(*p->r->mods), &copy)) != HB_OK)
		return rc;
	values = p->rec->values;
	p->rec->values = NULL;
	p->rec->nvalues = 0;
	p->rec->mods = m = copy;
	p->rec->nmods = (unsigned)p->r->nmods;
	for (i = 0; i < p->r->nmods; i++) {
		if (m[i].n == 0)
			continue;
		m[i].values = values;
		values += m[i].n;
	}
	return HB_OK;
}

static int
parse_modify(struct parse *p)
{
	struct ldif_reader *r = p->r;
	int op, rc;

	while ((rc = next(p)) == HB_OK) {
		if ((op = mod_op(p)) < 0)
			return expected(p, "\"add:\", \"delete:\", \"replace:\" "
			    "or \"increment:\"");
		if (trim(p->v.value).len == 0)
			return expected(p, "attribute description");
		if (r->nmods == r->cap_mods)
			r->mods = mem_grow(r->mods, &r->cap_mods, r->nmods + 1,
			    sizeof(*r->mods));
		r->mods[r->nmods++] = (struct ldif_mod){
			.op = op, .name = trim(p->v.value), .line = p->line.no
		};
		if ((rc = parse_mod_values(p)) != HB_OK)
			break;
	}
	if (rc != HB_EEND)
		return rc;
	return take_mods(p);
}

static int
parse_modrdn(struct parse *p)
{
	struct ldif_record *rec = p->rec;
	int rc;

	if ((rc = next(p)) == HB_EEND)
		return ended(p, "\"newrdn:\"");
	if (rc != HB_OK)
		return rc;
	if (!is_name(p, "newrdn"))
		return expected(p, "\"newrdn:\"");
	rec->new_rdn = p->v.value;
	if ((rc = next(p)) == HB_EEND)
		return ended(p, "\"deleteoldrdn:\"");
	if (rc != HB_OK)
		return rc;
	rec->delete_old = slice_is_eq(trim(p->v.value), SLICE("1"));
	if (!is_name(p, "deleteoldrdn") || (!rec->delete_old &&
	    !slice_is_eq(trim(p->v.value), SLICE("0"))))
		return expected(p, "\"deleteoldrdn:\" with 0 or 1");
	rc = next(p);
	if (rc == HB_OK && is_name(p, "newsuperior")) {
		rec->new_superior = p->v.value;
		rc = next(p);
	}
	if (rc == HB_OK)
		return expected(p, "end of the record");
	return rc == HB_EEND ? HB_OK : rc;
}

static int
parse_change(struct parse *p)
{
	struct slice type = trim(p->v.value);
	int rc;

	if (slice_is_eq_nocase(type, SLICE("modify"))) {
		p->rec->change = LDIF_MODIFY;
		return parse_modify(p);
	}
	if (slice_is_eq_nocase(type, SLICE("modrdn")) ||
	    slice_is_eq_nocase(type, SLICE("moddn"))) {
		p->rec->change = LDIF_MODRDN;
		return parse_modrdn(p);
	}
	if (slice_is_eq_nocase(type, SLICE("add"))) {
		p->rec->change = LDIF_ADD;
		rc = next(p);
		if (rc == HB_EEND)
			return ended(p, "\"attribute: value\"");
		return rc != HB_OK ? rc : parse_values(p);
	}
	if (!slice_is_eq_nocase(type, SLICE("delete")))
		return expected(p, "add, delete, modify, modrdn or moddn");
	p->rec->change = LDIF_DELETE;
	if ((rc = next(p)) == HB_OK)
		return expected(p, "end of the record");
	return rc == HB_EEND ? HB_OK : rc;
}

/* ---- whole records ---- */

/* What follows the dn: line. */
static int
parse_body(struct parse *p)
{
	struct ldif_reader *r = p->r;
	void *copy;
	int rc;

	while ((rc = next(p)) == HB_OK && is_name(p, "control"))
		if ((rc = parse_control(p)) != HB_OK)
			return rc;
	if (rc == HB_EEND && r->ncontrols == 0)
		return HB_OK;		/* an entry without attributes */
	if (rc == HB_EEND)
		return ended(p, "\"changetype:\"");
	if (rc != HB_OK)
		return rc;
	if (is_name(p, "changetype"))
		rc = parse_change(p);
	else if (r->ncontrols > 0)
		rc = expected(p, "\"changetype:\"");
	else
		rc = parse_values(p);
	if (rc != HB_OK)
		return rc;
	rc = take(p->arena, r->controls, r->ncontrols, sizeof(*r->controls),
	    &copy);
	p->rec->controls = copy;
	p->rec->ncontrols = (unsigned)r->ncontrols;
	return rc;
}

/*
 * The dn: line. HB_EEND: a blank line or the version. Blank lines may stand in
 * any number before a record.
 */
static int
parse_head(struct parse *p)
{
	int rc;

	for (;;) {
		p->r->in_record = true;
		rc = ldif_line_next(p->r, p->arena, &p->line);
		if (rc != HB_OK)
			return rc;
		if (trim(p->line.text).len == 0)
			continue;
		if (p->line.text.ptr[0] == ' ')
			return expected(p, "line that is no continuation");
		rc = ldif_line_parse(p->r, p->arena, &p->line, &p->v, p->diag);
		if (rc != HB_OK)
			return rc;
		if (is_name(p, "dn"))
			break;
		if (!is_name(p, "version"))
			return expected(p, "\"dn:\"");
		if (!slice_is_eq(trim(p->v.value), SLICE("1")))
			return expected(p, "version 1");
	}
	p->rec->dn = p->v.value;
	p->rec->line = p->line.no;
	return HB_OK;
}

static int
parse_record(struct parse *p)
{
	const char *start, *end;
	int rc;

	if ((rc = parse_head(p)) != HB_OK)
		return rc;
	start = p->line.start;
	if ((rc = parse_body(p)) != HB_OK)
		return rc == HB_EEND ? HB_OK : rc;
	/* the blank line was taken with the record */
	for (end = p->r->pos; end > start && (end[-1] == '\n' ||
	    end[-1] == '\r'); end--)
		;
	p->rec->raw = slice(start, (size_t)(end - start));
	return HB_OK;
}

int
ldif_next(struct ldif_reader *r, struct arena *arena,
    struct ldif_record *rec_r, struct diag *diag)
{
	struct parse p = { .r = r, .arena = arena, .diag = diag, .rec = rec_r };
	int rc;

	do {
		memset(rec_r, 0, sizeof(*rec_r));
		r->nvalues = r->nmods = r->ncontrols = 0;
		if ((rc = ldif_source_fill(r, arena, diag)) != HB_OK)
			return rc;
		rc = parse_record(&p);
	} while (rc == HB_EEND);
	if (rc != HB_OK)
		ldif_line_skip_record(r);
	return rc;
}
