/*
 * slapcheck: the order of the parts, findings, threads, and building anew what
 * the entries tell.
 */
#include "backends/store/check.h"

#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/env.h"
#include "backends/store/tool_int.h"
#include "util/mem.h"

#define TELL_MAX	1000		/* findings of one file that are told */
#define SHOW_MS		200
#define THREADS_MAX	16

/* ---- findings ---- */

static struct check_file *
find_file(struct check *c, const char *name)
{
	for (unsigned i = 0; i < c->nfiles; i++)
		if (strcmp(c->files[i].name, name) == 0)
			return &c->files[i];
	return NULL;
}

static bool
is_data(const char *file)
{
	return strcmp(file, FILE_ENTRIES) == 0 ||
	    strcmp(file, FILE_NAMES) == 0 || strcmp(file, FILE_DICT) == 0;
}

void
check_tell(struct check *c, const char *file, const char *where,
    const char *fmt, ...)
{
	struct tool_finding f = { file, where, NULL };
	struct check_file *of;
	char text[512];
	uint64_t n = 1;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	f.what = text;
	lk_lock(&c->lock);
	if ((of = find_file(c, file)) != NULL)
		n = ++of->findings;
	c->tc->findings++;
	c->tc->in_data += is_data(file);
	if (n == TELL_MAX + 1) {
		f.where = "";
		f.what = "more is wrong, which is counted and not told";
	}
	if (n <= TELL_MAX + 1 && c->tc->finding != NULL)
		c->tc->finding(&f, c->tc->arg);
	lk_unlock(&c->lock);
}

void
check_remark(struct check *c, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	lk_lock(&c->lock);
	if (c->tc->remark != NULL)
		c->tc->remark(text, c->tc->arg);
	lk_unlock(&c->lock);
}

bool
check_has_bad_pages(struct check *c, const char *file)
{
	const struct check_file *f = find_file(c, file);

	return f != NULL && f->bad_pages;
}

const char *
check_show(struct slice octets, char *out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < octets.len && n + 8 < size; i++) {
		unsigned char b = (unsigned char)octets.ptr[i];

		if (b >= 0x20 && b != 0x7f && b != '\\')
			out[n++] = (char)b;
		else
			n += (size_t)snprintf(out + n, size - n, "\\%02x", b);
	}
	if (n + 8 >= size) {
		memcpy(out + n, "...", 3);
		n += 3;
	}
	out[n] = '\0';
	return out;
}

/* ---- threads ---- */

struct parallel {
	struct check *c;
	unsigned n, running;		/* running: guarded by check.lock */
	int (*work)(struct check *, unsigned, struct diag *);
	struct lk_cond done;
};

static void *
parallel_main(void *arg)
{
	struct parallel *p = arg;
	struct check *c = p->c;

	lk_lock(&c->lock);
	while (c->next_task < p->n && c->rc == HB_OK) {
		unsigned task = c->next_task++;
		struct diag diag = DIAG_INIT;
		int rc;

		lk_unlock(&c->lock);
		rc = p->work(c, task, &diag);
		lk_lock(&c->lock);
		if (rc != HB_OK && c->rc == HB_OK) {
			c->rc = rc;
			c->diag = diag;
		}
	}
	p->running--;
	lk_cond_broadcast(&p->done);
	lk_unlock(&c->lock);
	return NULL;
}

void
check_progress(struct check *c, const char *phase)
{
	const struct tool_opts *o = &c->tc->opts;
	double done = c->total == 0 ? 1 :
	    (double)atomic_load(&c->done) / (double)c->total;

	if (o->progress != NULL)
		o->progress(phase, done < 1 ? done : 1, o->progress_arg);
}

static void
wait_for_all(struct parallel *p, const char *phase)
{
	struct check *c = p->c;

	lk_lock(&c->lock);
	while (p->running > 0) {
		lk_unlock(&c->lock);
		check_progress(c, phase);
		lk_lock(&c->lock);
		if (p->running > 0)
			(void)lk_cond_timedwait(&p->done, &c->lock, SHOW_MS);
	}
	lk_unlock(&c->lock);
}

int
check_parallel(struct check *c, unsigned n, const char *phase,
    int (*work)(struct check *, unsigned task, struct diag *),
    struct diag *diag)
{
	struct parallel p = { .c = c, .n = n, .work = work };
	pthread_t threads[THREADS_MAX];
	unsigned want = c->tc->opts.threads, started = 0;

	lk_cond_init(&p.done);
	c->next_task = 0;
	if (want > THREADS_MAX)
		want = THREADS_MAX;
	for (; want > 1 && started < want && started < n; started++) {
		lk_lock(&c->lock);
		p.running++;
		lk_unlock(&c->lock);
		if (pthread_create(&threads[started], NULL, parallel_main,
		    &p) != 0) {
			p.running--;
			break;
		}
	}
	if (started == 0) {
		p.running = 1;
		(void)parallel_main(&p);
	}
	wait_for_all(&p, phase);
	while (started-- > 0)
		(void)pthread_join(threads[started], NULL);
	lk_cond_fini(&p.done);
	if (c->rc != HB_OK)
		diag_set(diag, "%s", c->diag.text);
	return c->rc;
}

/* ---- files ---- */

static int
cmp_files(const void *a, const void *b)
{
	const struct check_file *x = a, *y = b;

	return x->size > y->size ? -1 : x->size < y->size;
}

/* The largest first, so that threads end together. */
static int
list_files(struct check *c, struct diag *diag)
{
	const char *dir = c->st->conf->directory;
	struct dirent *de;
	struct stat s;
	size_t cap = 0;
	DIR *d;

	if ((d = opendir(dir)) == NULL)
		return diag_err(diag, HB_EIO, "%s: %s", dir, strerror(errno));
	while ((de = readdir(d)) != NULL) {
		size_t n = strlen(de->d_name);

		if (n <= 4 || strcmp(de->d_name + n - 4, ".bdb") != 0 ||
		    fstatat(dirfd(d), de->d_name, &s, 0) != 0)
			continue;
		c->files = mem_grow(c->files, &cap, c->nfiles + 1,
		    sizeof(c->files[0]));
		c->files[c->nfiles++] = (struct check_file){
			.name = mem_strdup(de->d_name),
			.size = (uint64_t)s.st_size
		};
	}
	closedir(d);
	if (c->nfiles > 0)
		qsort(c->files, c->nfiles, sizeof(c->files[0]), cmp_files);
	return HB_OK;
}

static bool
is_there(const struct check *c, const char *name)
{
	for (unsigned i = 0; i < c->nfiles; i++)
		if (strcmp(c->files[i].name, name) == 0)
			return true;
	return false;
}

/* Files that must be there; a database without any of them is none. */
static int
check_presence(struct check *c, struct diag *diag)
{
	static const char *const needed[] = {
		FILE_ENTRIES, FILE_NAMES, FILE_DICT
	};
	unsigned n = 0;

	for (unsigned i = 0; i < 3; i++)
		n += is_there(c, needed[i]);
	if (n == 0)
		return diag_err(diag, HB_ENOTFOUND, "there is no database in "
		    "%s", c->st->conf->directory);
	for (unsigned i = 0; i < 3; i++)
		if (!is_there(c, needed[i]))
			check_tell(c, needed[i], "", "the file is missing");
	return HB_OK;
}

/* What was found so far allows to read entries and names. */
static bool
may_go_on(struct check *c)
{
	unsigned n = 0;

	if (c->tc->in_data > 0)
		return false;
	c->skip = mem_calloc(c->nfiles + 1, sizeof(*c->skip));
	for (unsigned i = 0; i < c->nfiles; i++)
		if (c->files[i].bad_pages)
			c->skip[n++] = c->files[i].name;
	c->st->skip = c->skip;
	return true;
}

/* ---- all of it ---- */

/* Files can be opened, or it is told why not. */
static bool
open_files(struct check *c)
{
	struct diag diag = DIAG_INIT;

	if (store_open_files(c->db, &diag) == HB_OK)
		return true;
	check_tell(c, FILE_DICT, "", "the database cannot be opened: %s",
	    diag.text);
	return false;
}

static int
run_parts(struct check *c, struct diag *diag)
{
	int rc;

	if ((rc = list_files(c, diag)) != HB_OK ||
	    (rc = check_presence(c, diag)) != HB_OK ||
	    (rc = check_pages(c, diag)) != HB_OK)
		return rc;
	if (!may_go_on(c) || !open_files(c)) {
		check_remark(c, "what the records say was not compared, since "
		    "they cannot be read reliably");
		return HB_OK;
	}
	if ((rc = check_dict(c, diag)) != HB_OK ||
	    (rc = check_entries(c, diag)) != HB_OK ||
	    (rc = check_names(c, diag)) != HB_OK ||
	    (rc = check_special(c, diag)) != HB_OK)
		return rc;
	return check_indexes(c, diag);
}

static void
check_init(struct check *c, struct be_db *db, const struct dnidx_ops *names,
    struct tool_check *tc)
{
	*c = (struct check){ .db = db, .names = names, .tc = tc };
	lk_init(&c->lock, LK_LEAF, "check");
	idset_init(&c->ids);
	idset_init(&c->unread);
	for (unsigned k = 0; k < SPECIAL_KINDS; k++)
		idset_init(&c->special[k]);
	tc->entries = tc->keys = tc->findings = tc->in_data = 0;
}

/* The database is closed; what was found stays until check_fini(). */
static void
check_close(struct check *c)
{
	if (c->has_bulk)
		bulk_fini(&c->bulk);
	c->has_bulk = false;
	store_close(c->db);
	c->st = NULL;
}

static void
check_fini(struct check *c)
{
	for (unsigned i = 0; i < c->nfiles; i++)
		free(c->files[i].name);
	free(c->files);
	free(c->skip);
	idset_fini(&c->ids);
	idset_fini(&c->unread);
	for (unsigned k = 0; k < SPECIAL_KINDS; k++)
		idset_fini(&c->special[k]);
	lk_fini(&c->lock);
}

static int
run_one(struct check *c, enum store_mode mode, struct diag *diag)
{
	uint64_t cache = tool_memory(&c->tc->opts) / 4;
	int rc;

	rc = store_open_env(c->db, c->names, mode, cache, diag);
	if (rc != HB_OK)
		return rc;
	c->st = c->db->priv;
	rc = run_parts(c, diag);
	check_close(c);
	return rc;
}

int
check_run(struct be_db *db, const struct dnidx_ops *names,
    enum store_mode mode, struct tool_check *tc, struct diag *diag)
{
	struct check c;
	int rc;

	check_init(&c, db, names, tc);
	rc = run_one(&c, mode, diag);
	check_fini(&c);
	return rc;
}

/* ---- building anew ---- */

/* The configured indexes of FILES with findings. */
static unsigned
pick_descs(const struct check *c, const struct store *st,
    const struct attr_desc **descs)
{
	const struct index_set *set = st->indexes;
	unsigned n = 0;

	for (unsigned i = 0; i < set->n; i++) {
		const struct attr_desc *d = set->v[i].desc;
		char *name = mem_printf("%.*s.bdb", SLICE_ARG(d->name));

		for (unsigned k = 0; k < c->nfiles; k++)
			if (c->files[k].findings > 0 &&
			    strcmp(c->files[k].name, name) == 0)
				descs[n++] = d;
		free(name);
	}
	return n;
}

/*
 * special.bdb is made anew when it is not there, and so is an index file whose
 * pages cannot be relied on.
 */
static int
remove_files(const struct check *c, const char *dir, struct diag *diag)
{
	for (unsigned i = 0; i < c->nfiles; i++) {
		const struct check_file *f = &c->files[i];
		bool whole = f->bad_pages || strcmp(f->name,
		    FILE_SPECIAL) == 0;
		char *path;
		int rc = HB_OK;

		if (f->findings == 0 || !whole)
			continue;
		path = mem_printf("%s/%s", dir, f->name);
		if (unlink(path) != 0)
			rc = diag_err(diag, HB_EIO, "%s: %s", path,
			    strerror(errno));
		free(path);
		if (rc != HB_OK)
			return rc;
	}
	return HB_OK;
}

static int
rebuild(struct check *c, struct diag *diag)
{
	const struct store_conf *conf = c->db->conf;
	struct tool_opts opts = c->tc->opts;
	const struct attr_desc **descs;
	struct store *st;
	unsigned n;
	int rc, closed;

	if ((rc = remove_files(c, conf->directory, diag)) != HB_OK)
		return rc;
	opts.mode = TOOL_WRITE;
	opts.indexes_only = true;
	if ((rc = store_tool_open(c->db, c->names, &opts, diag)) != HB_OK)
		return rc;
	st = c->db->priv;
	/* a file was made anew, of which an older log knows nothing */
	rc = store_db_error(st, store_lineage_new(st->dict_db),
	    "writing the dictionary");
	descs = mem_calloc(st->indexes->n + 1, sizeof(*descs));
	n = pick_descs(c, st, descs);
	if (rc == HB_OK && n > 0)
		rc = store_tool_reindex(c->db, descs, n, diag);
	free(descs);
	closed = store_tool_close(c->db, rc == HB_OK, diag);
	for (unsigned i = 0; i < c->nfiles; i++)
		c->tc->repaired += c->files[i].findings > 0;
	return rc != HB_OK ? rc : closed;
}

int
store_tool_check(struct be_db *db, const struct dnidx_ops *names,
    struct tool_check *tc, struct diag *diag)
{
	bool again = false;
	struct check c;
	int rc;

	check_init(&c, db, names, tc);
	rc = run_one(&c, STORE_CHECK, diag);
	if (rc == HB_OK && tc->repair && tc->findings > 0 &&
	    tc->in_data == 0) {
		rc = rebuild(&c, diag);
		again = rc == HB_OK;
	}
	check_fini(&c);
	return again ? check_run(db, names, STORE_CHECK, tc, diag) : rc;
}
