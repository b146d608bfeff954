/* The folder of a database: who may do what there, what lies in it. */
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/env.h"
#include "util/log.h"
#include "util/mem.h"

static void
user_name(uid_t uid, char *out, size_t size)
{
	struct passwd pw, *found = NULL;
	char room[4096];

	if (getpwuid_r(uid, &pw, room, sizeof(room), &found) == 0 &&
	    found != NULL)
		snprintf(out, size, "%s", pw.pw_name);
	else
		snprintf(out, size, "uid %ld", (long)uid);
}

static int
refuse(const char *dir, const struct stat *st, bool write, struct diag *diag)
{
	char owner[64], wanted[64];

	user_name(st->st_uid, owner, sizeof(owner));
	user_name(geteuid(), wanted, sizeof(wanted));
	return diag_err(diag, HB_EIO, "%s belongs to %s and cannot be %s by "
	    "%s: run \"chown -R %s %s\" (as root)", dir, owner,
	    write ? "written" : "read", wanted, wanted, dir);
}

int
dir_check(const char *dir, bool write, struct diag *diag)
{
	char *probe;
	struct stat st;
	int fd, rc = HB_OK;

	if (stat(dir, &st) != 0) {
		if (errno == ENOENT)
			return diag_err(diag, HB_EIO, "directory %s does not "
			    "exist: run \"mkdir -p -m 700 %s\" (as the user "
			    "that runs slapd)", dir, dir);
		return diag_err(diag, HB_EIO, "directory %s: %s", dir,
		    strerror(errno));
	}
	if (!S_ISDIR(st.st_mode))
		return diag_err(diag, HB_EIO, "%s is not a directory", dir);
	if (access(dir, R_OK | X_OK) != 0)
		return refuse(dir, &st, false, diag);
	if (!write)
		return HB_OK;
	/* a file is made, since access() does not know read-only mounts,
	 * capabilities and quotas */
	probe = mem_printf("%s/.probe.%ld", dir, (long)getpid());
	fd = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		unlink(probe);
	else if (errno == EACCES || errno == EPERM)
		rc = refuse(dir, &st, true, diag);
	else if (errno != EEXIST)
		rc = diag_err(diag, HB_EIO, "directory %s cannot be written: "
		    "%s", dir, strerror(errno));
	if (fd >= 0)
		close(fd);
	free(probe);
	return rc;
}

bool
dir_has_env(const char *dir)
{
	struct dirent *de;
	bool has = false;
	DIR *d;

	if ((d = opendir(dir)) == NULL)
		return false;
	while (!has && (de = readdir(d)) != NULL)
		has = strncmp(de->d_name, "__db.0", 6) == 0 ||
		    strncmp(de->d_name, "log.0", 5) == 0 ||
		    strncmp(de->d_name, "log.1", 5) == 0;
	closedir(d);
	return has;
}

void
dir_drop_regions(const char *dir)
{
	struct dirent *de;
	DIR *d;

	if ((d = opendir(dir)) == NULL)
		return;
	while ((de = readdir(d)) != NULL) {
		if (strncmp(de->d_name, "__db.", 5) == 0 &&
		    unlinkat(dirfd(d), de->d_name, 0) != 0)
			log_printf(LOG_ANY, "%s/%s: %s", dir, de->d_name,
			    strerror(errno));
	}
	closedir(d);
}

void
dir_give(const char *dir)
{
	struct dirent *de;
	struct stat st;
	DIR *d;

	if (geteuid() != 0 || stat(dir, &st) != 0 || st.st_uid == 0 ||
	    (d = opendir(dir)) == NULL)
		return;
	while ((de = readdir(d)) != NULL) {
		if (de->d_name[0] != '.' && fchownat(dirfd(d), de->d_name,
		    st.st_uid, st.st_gid, AT_SYMLINK_NOFOLLOW) != 0)
			log_printf(LOG_ANY, "%s/%s: %s", dir, de->d_name,
			    strerror(errno));
	}
	closedir(d);
}

static void
report_config(const char *path, FILE *f)
{
	char line[512];

	log_printf(LOG_ANY, "%s is read by Berkeley DB; none is needed",
	    path);
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\r\n")] = '\0';
		if (line[0] != '\0' && line[0] != '#')
			log_printf(LOG_ANY, "%s overrides: %s", path, line);
	}
}

int
dir_db_config(const struct store_conf *conf, struct diag *diag)
{
	char *path = mem_printf("%s/DB_CONFIG", conf->directory);
	int rc = HB_OK;
	FILE *f;

	if ((f = fopen(path, "re")) != NULL) {
		report_config(path, f);
		if (conf->dbconfig.n > 0)
			log_printf(LOG_ANY, "%s exists: dbconfig lines of the "
			    "configuration are not used", path);
		fclose(f);
	} else if (conf->dbconfig.n > 0) {
		if ((f = fopen(path, "we")) == NULL) {
			rc = diag_err(diag, HB_EIO, "%s: %s", path,
			    strerror(errno));
			goto out;
		}
		for (unsigned i = 0; i < conf->dbconfig.n; i++)
			fprintf(f, "%s\n", conf->dbconfig.v[i]);
		if (fclose(f) != 0)
			rc = diag_err(diag, HB_EIO, "%s: %s", path,
			    strerror(errno));
	}
out:
	free(path);
	return rc;
}

char *
dir_logs(const struct store_conf *conf)
{
	char *path = mem_printf("%s/DB_CONFIG", conf->directory);
	char line[512], where[256] = "";
	FILE *f = fopen(path, "re");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		(void)sscanf(line, " set_lg_dir %255s", where);
	for (unsigned i = 0; f == NULL && i < conf->dbconfig.n; i++)
		(void)sscanf(conf->dbconfig.v[i], " set_lg_dir %255s", where);
	if (f != NULL)
		fclose(f);
	free(path);
	if (where[0] == '/')
		return mem_strdup(where);
	return where[0] == '\0' ? mem_strdup(conf->directory) :
	    mem_printf("%s/%s", conf->directory, where);
}
