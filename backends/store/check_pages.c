/*
 * Every page of every file, by Berkeley DB's own verification. Each file has an
 * environment of its own: a page whose checksum is wrong ends the use of one.
 */
#include "backends/store/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/store/env.h"
#include "backends/store/tool_int.h"

struct verify {
	struct check *c;
	struct check_file *file;
	unsigned told;
};

static bool
is_echo(const char *text)
{
	static const char *const echoes[] = {
		"DB_VERIFY_BAD", "PANIC", "DB_RUNRECOVERY", "pgin failed"
	};

	for (unsigned i = 0; i < sizeof(echoes) / sizeof(*echoes); i++)
		if (strstr(text, echoes[i]) != NULL)
			return true;
	return false;
}

static void
on_error(const DB_ENV *env, const char *prefix, const char *text)
{
	struct verify *v = env->app_private;
	const char *name = strstr(text, v->file->name);
	char where[32] = "";
	unsigned page;

	(void)prefix;
	/* what follows tells nothing more */
	if (v->told > 0 && is_echo(text))
		return;
	if (name != NULL && strncmp(name + strlen(v->file->name), ": ",
	    2) == 0)
		text = name + strlen(v->file->name) + 2;
	/* "BDB1234 Page 5: ..." */
	if (strncmp(text, "BDB", 3) == 0 && strchr(text, ' ') != NULL)
		text = strchr(text, ' ') + 1;
	if (sscanf(text, "checksum error: page %u:", &page) == 1) {
		snprintf(where, sizeof(where), "page %u", page);
		text = "the checksum is wrong; pages behind it were not "
		    "looked at";
	} else if (strncasecmp(text, "page ", 5) == 0 &&
	    sscanf(text + 5, "%u: ", &page) == 1) {
		snprintf(where, sizeof(where), "page %u", page);
		text = strchr(text, ':') + 2;
	}
	v->told++;
	check_tell(v->c, v->file->name, where, "%s", text);
}

static int
make_env(struct verify *v, DB_ENV **env_r, struct diag *diag)
{
	const struct tool_opts *o = &v->c->tc->opts;
	const struct store_conf *conf = v->c->st->conf;
	uint64_t cache = tool_memory(o) / 4 /
	    (o->threads > 1 ? o->threads : 1);
	unsigned flag;
	int err, rc;

	*env_r = NULL;
	if ((err = db_env_create(env_r, 0)) != 0)
		return diag_err(diag, HB_EIO, "%s", db_strerror(err));
	(*env_r)->app_private = v;
	(*env_r)->set_errcall(*env_r, on_error);
	if ((rc = env_set_key(conf, *env_r, &flag, diag)) != HB_OK)
		return rc;
	if ((err = (*env_r)->set_cachesize(*env_r, (u_int32_t)(cache >> 30),
	    (u_int32_t)(cache & ((1u << 30) - 1)), 1)) != 0 ||
	    (err = (*env_r)->set_tmp_dir(*env_r, o->tmpdir != NULL ?
	    o->tmpdir : conf->directory)) != 0 ||
	    (err = (*env_r)->open(*env_r, conf->directory, DB_CREATE |
	    DB_PRIVATE | DB_INIT_MPOOL, 0)) != 0)
		return diag_err(diag, HB_EIO, "%s: %s", conf->directory,
		    db_strerror(err));
	return HB_OK;
}

static int
verify_file(struct check *c, unsigned task, struct diag *diag)
{
	struct verify v = { .c = c, .file = &c->files[task] };
	DB_ENV *env = NULL;
	DB *db;
	int err, rc;

	if ((rc = make_env(&v, &env, diag)) != HB_OK)
		goto out;
	if ((err = db_create(&db, env, 0)) != 0)
		rc = diag_err(diag, HB_EIO, "%s", db_strerror(err));
	else
		/* the handle is gone afterwards */
		err = db->verify(db, v.file->name, NULL, NULL, 0);
	if (rc == HB_OK && err == ENOMEM)
		rc = diag_err(diag, HB_EIO, "%s: %s", v.file->name,
		    db_strerror(err));
	else if (rc == HB_OK && err != 0) {
		if (v.told == 0)
			check_tell(c, v.file->name, "", "%s",
			    db_strerror(err));
		lk_lock(&c->lock);
		v.file->bad_pages = true;
		lk_unlock(&c->lock);
	}
	atomic_fetch_add(&c->done, v.file->size);
out:
	if (env != NULL)
		(void)env->close(env, 0);
	return rc;
}

int
check_pages(struct check *c, struct diag *diag)
{
	atomic_store(&c->done, 0);
	c->total = 0;
	for (unsigned i = 0; i < c->nfiles; i++)
		c->total += c->files[i].size;
	return check_parallel(c, c->nfiles, "verifying pages", verify_file,
	    diag);
}
