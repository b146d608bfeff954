/*
 * Backends and overlays by name; modules by libltdl.
 */
#include "registry.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <ltdl.h>
#include <stdio.h>
#include <unistd.h>

#include "slapd/overlay.h"
#include "util/err.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

#ifndef MODULEDIR
#define MODULEDIR	"/usr/local/lib/hornbeam"
#endif

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))
#define NAME_MAX_LEN	64

struct module {
	char *name;			/* base name of the file */
	lt_dlhandle handle;
	const struct slapd_module *desc;	/* NULL: a backend */
};

static const struct slapd_backend **backends;
static size_t nbackends, backends_cap;
static const struct slapd_overlay **overlays;
static size_t noverlays, overlays_cap;
static struct module *modules;		/* those loaded */
static size_t nmodules, modules_cap;
static bool is_initialised;

/* Modules of slapd whose work is done here without one. */
static const char *const needless[] = {
	"back_config", "back_monitor", "pw-sha2", "pw-argon2", "argon2"
};

/* Modules of slapd that have no counterpart yet. */
static const char *const foreign[] = {
	"accesslog", "allop", "allowed", "auditlog", "autoca", "autogroup",
	"back_asyncmeta", "back_dnssrv", "back_ldap", "back_ldif", "back_mdb",
	"back_meta", "back_ndb", "back_passwd", "back_perl", "back_relay",
	"back_shell", "back_sock", "back_sql", "back_wt", "chain", "cloak",
	"collect", "constraint", "dds", "denyop", "deref", "dupent", "dyngroup",
	"dynlist", "homedir", "lastbind", "lastmod", "lloadd", "memberof",
	"nestgroup", "noopsrch", "nops", "nssov", "otp", "pbind", "pcache",
	"ppolicy", "proxycache", "pw-kerberos", "pw-netscape", "pw-pbkdf2",
	"pw-radius", "pw-totp", "refint", "remoteauth", "retcode", "rwm",
	"samba4", "seqmod", "smbk5pwd", "sssvlv", "syncprov", "syncrepl",
	"trace", "translucent", "unique", "usn", "valsort"
};

int
slapd_register_backend(const struct slapd_backend *be)
{
	if (registry_find_backend(be->name) != NULL)
		return HB_EDUPLICATE;
	backends = mem_grow(backends, &backends_cap, nbackends + 1,
	    sizeof(*backends));
	backends[nbackends++] = be;
	return HB_OK;
}

int
slapd_register_overlay(const struct slapd_overlay *ov)
{
	if (ov->abi != SLAPD_OVERLAY_ABI)
		return HB_EVERSION;
	if (registry_find_overlay(ov->name) != NULL)
		return HB_EDUPLICATE;
	overlays = mem_grow(overlays, &overlays_cap, noverlays + 1,
	    sizeof(*overlays));
	overlays[noverlays++] = ov;
	return HB_OK;
}

void
registry_init(void)
{
	if (is_initialised)
		return;
	is_initialised = true;
	for (unsigned i = 0; slapd_static_backends[i] != NULL; i++)
		(void)slapd_register_backend(slapd_static_backends[i]);
}

const struct slapd_backend *
registry_find_backend(const char *name)
{
	for (size_t i = 0; i < nbackends; i++)
		if (strcasecmp(backends[i]->name, name) == 0)
			return backends[i];
	return NULL;
}

const struct slapd_overlay *
registry_find_overlay(const char *name)
{
	for (size_t i = 0; i < noverlays; i++)
		if (strcasecmp(overlays[i]->name, name) == 0)
			return overlays[i];
	return NULL;
}

const struct slapd_overlay *
registry_overlay_at(unsigned i)
{
	return i < noverlays ? overlays[i] : NULL;
}

const struct slapd_backend *
registry_backend_at(unsigned i)
{
	return i < nbackends ? backends[i] : NULL;
}

const char *
registry_nearest_backend(const char *name)
{
	const char *known[32];
	size_t n = 0;

	for (; n < nbackends && n < COUNT(known); n++)
		known[n] = backends[n]->name;
	return text_nearest(slice_of(name), known, n);
}

static bool
is_listed(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(list[i], name) == 0)
			return true;
	return false;
}

bool
registry_is_foreign(const char *name)
{
	return is_listed(foreign, COUNT(foreign), name);
}

/* "/usr/lib/ldap/back_hdb.la" is back_hdb. False: too long to be one. */
static bool
base_name(const char *file, char out[NAME_MAX_LEN])
{
	const char *slash = strrchr(file, '/');
	struct slice s = slice_of(slash != NULL ? slash + 1 : file);
	const char *dot = memmem(s.ptr, s.len, ".so", 3);

	if (slice_has_suffix(s, SLICE(".la")))
		s.len -= 3;
	else if (dot != NULL)
		s.len = (size_t)(dot - s.ptr);
	if (s.len == 0 || s.len >= NAME_MAX_LEN)
		return false;
	memcpy(out, s.ptr, s.len);
	out[s.len] = '\0';
	return true;
}

static bool
is_present(const char *name)
{
	if (strncasecmp(name, "back_", 5) == 0 &&
	    registry_find_backend(name + 5) != NULL)
		return true;
	if (registry_find_overlay(name) != NULL ||
	    is_listed(needless, COUNT(needless), name))
		return true;
	for (size_t i = 0; i < nmodules; i++)
		if (strcasecmp(modules[i].name, name) == 0)
			return true;
	return false;
}

/*
 * What a module exports: slapd_backend_<name> of back_<name>, or slapd_module.
 */
static void
symbol_of(const char *name, char out[NAME_MAX_LEN + 16])
{
	if (strncmp(name, "back_", 5) == 0)
		snprintf(out, NAME_MAX_LEN + 16, "slapd_backend_%s", name + 5);
	else
		snprintf(out, NAME_MAX_LEN + 16, "slapd_module");
}

/*
 * modulepath often still names the folder of another server, whose modules have
 * the same file names: look before loading, since loading runs their code.
 */
static bool
is_ours(const char *path, const char *symbol)
{
	struct stat st;
	bool found = false;
	void *map;
	int fd;

	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		size_t n = (size_t)st.st_size;

		map = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map != MAP_FAILED) {
			found = memmem(map, n, symbol, strlen(symbol) + 1) !=
			    NULL;
			munmap(map, n);
		}
	}
	close(fd);
	return found;
}

/*
 * The file of module NAME in DIR (of LEN octets), as installed or as built;
 * NULL.
 */
static char *
file_in(const char *dir, size_t len, const char *name, const char *symbol)
{
	for (unsigned i = 0; i < 2; i++) {
		char *path = i == 0 ?
		    mem_printf("%.*s/%s.so", (int)len, dir, name) :
		    mem_printf("%.*s/.libs/%s.so", (int)len, dir, name);

		if (is_ours(path, symbol))
			return path;
		free(path);
	}
	return NULL;
}

static char *
find_file(const char *path, const char *file, const char *name,
    const char *symbol)
{
	const char *slash = strrchr(file, '/'), *p, *end;
	char *found = NULL;

	if (slash != NULL)
		return file_in(file, (size_t)(slash - file), name, symbol);
	for (p = path; p != NULL && found == NULL;
	    p = *end != '\0' ? end + 1 : NULL) {
		end = p + strcspn(p, ":");
		if (end > p)
			found = file_in(p, (size_t)(end - p), name, symbol);
	}
	return found != NULL ? found :
	    file_in(MODULEDIR, strlen(MODULEDIR), name, symbol);
}

static int
start_module(const char *name, void *symbol, unsigned nargs, char **args,
    struct diag *diag)
{
	const struct slapd_backend *be = symbol;
	const struct slapd_module *mod = symbol;
	int rc;

	if (strncmp(name, "back_", 5) == 0) {
		if (be->abi != SLAPD_BACKEND_ABI)
			return diag_err(diag, HB_EVERSION, "module %s was built"
			    " for another version (%u, not %d)", name, be->abi,
			    SLAPD_BACKEND_ABI);
		return slapd_register_backend(be);
	}
	if (mod->abi != SLAPD_BACKEND_ABI)
		return diag_err(diag, HB_EVERSION, "module %s was built for "
		    "another version (%u, not %d)", name, mod->abi,
		    SLAPD_BACKEND_ABI);
	rc = mod->init(nargs, args, diag);
	if (rc == HB_EVERSION && diag->text[0] == '\0')
		diag_set(diag, "module %s was built for another version of "
		    "overlays (not %d)", name, SLAPD_OVERLAY_ABI);
	else if (rc != HB_OK && diag->text[0] == '\0')
		diag_set(diag, "module %s: %s", name, hb_strerror(rc));
	return rc;
}

static int
load_file(const char *path, const char *name, const char *symbol_name,
    unsigned nargs, char **args, struct diag *diag)
{
	lt_dlhandle handle;
	void *symbol;
	int rc;

	if (lt_dlinit() != 0 || (handle = lt_dlopen(path)) == NULL)
		return diag_err(diag, HB_EINVAL, "module %s: %s", path,
		    lt_dlerror());
	if ((symbol = lt_dlsym(handle, symbol_name)) == NULL)
		rc = diag_err(diag, HB_EINVAL, "module %s: %s", path,
		    lt_dlerror());
	else
		rc = start_module(name, symbol, nargs, args, diag);
	if (rc != HB_OK) {
		lt_dlclose(handle);
		return rc;
	}
	modules = mem_grow(modules, &modules_cap, nmodules + 1,
	    sizeof(*modules));
	modules[nmodules++] = (struct module){ mem_strdup(name), handle,
	    strncmp(name, "back_", 5) == 0 ? NULL : symbol };
	return HB_OK;
}

int
registry_load_module(const char *path, const char *file, unsigned nargs,
    char **args, struct diag *diag)
{
	char name[NAME_MAX_LEN], symbol[NAME_MAX_LEN + 16];
	char *found;
	int rc;

	registry_init();
	if (!base_name(file, name))
		return diag_err(diag, HB_EINVAL, "module \"%s\" has no usable "
		    "name", file);
	if (is_present(name))
		return HB_OK;
	symbol_of(name, symbol);
	if ((found = find_file(path, file, name, symbol)) != NULL) {
		rc = load_file(found, name, symbol, nargs, args, diag);
		free(found);
		return rc;
	}
	if (registry_is_foreign(name))
		return diag_err(diag, HB_EUNSUPPORTED, "module \"%s\" is not "
		    "supported yet", name);
	return diag_err(diag, HB_EINVAL, "module \"%s\": no such module in "
	    "\"%s\" or \"%s\"", file, path != NULL ? path : "", MODULEDIR);
}

void
registry_fini(void)
{
	while (nmodules-- > 0) {
		struct module *m = &modules[nmodules];

		if (m->desc != NULL && m->desc->fini != NULL)
			m->desc->fini();
		(void)lt_dlclose(m->handle);
		free(m->name);
		(void)lt_dlexit();	/* as often as lt_dlinit() */
	}
	free(modules);
	free(overlays);
	free(backends);
	modules = NULL;
	overlays = NULL;
	backends = NULL;
	nmodules = noverlays = nbackends = 0;
	modules_cap = overlays_cap = backends_cap = 0;
	is_initialised = false;
}
