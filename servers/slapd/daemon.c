#define _GNU_SOURCE		/* sigwaitinfo and friends in strict modes */
#include "daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "conf.h"
#include "detach.h"
#include "overlay.h"
#include "server.h"
#include "util/err.h"
#include "util/log.h"
#include "util/mem.h"

struct daemon {
	const struct slapd_options *opts;
	struct slapd_conf *conf;
	struct server server;
	bool has_server;
	struct listener *listeners;
	unsigned nlisteners;
	struct ticker *ticker;		/* of overlays; NULL */
	unsigned nopen;			/* databases 0 .. nopen-1 are open */
	bool has_pidfile, has_argsfile;
	sigset_t signals;
};

/* Nothing is sized by it, but clients should not be refused for a soft limit. */
static void
raise_fd_limit(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

/* ---- configuration ---- */

static int
apply_logging(const struct daemon *d, struct diag *diag)
{
	const struct slapd_conf *conf = d->conf;

	if (conf->has_loglevel)
		atomic_store(&log_syslog_mask, conf->loglevel);
	return conf->logfile != NULL ? log_set_file(conf->logfile, diag) :
	    HB_OK;
}

static int
configure(struct daemon *d, struct diag *diag)
{
	const char **urls;
	int rc;

	if ((rc = slapd_conf_read(d->opts->config, &d->conf, diag)) != HB_OK)
		return rc;
	urls = mem_calloc(d->nlisteners + 1, sizeof(*urls));
	for (unsigned i = 0; i < d->nlisteners; i++)
		urls[i] = d->listeners[i].url;
	rc = slapd_conf_pick_server_id(d->conf, urls, d->nlisteners, diag);
	free(urls);
	return rc != HB_OK ? rc : apply_logging(d, diag);
}

/* ---- files ---- */

static int
write_file(const char *path, const char *text, struct diag *diag)
{
	FILE *f = fopen(path, "w");
	int ok;

	if (f == NULL)
		return diag_err(diag, HB_EIO, "%s: %s", path, strerror(errno));
	ok = fputs(text, f) != EOF;
	if (fclose(f) != 0 || !ok)
		return diag_err(diag, HB_EIO, "%s: %s", path, strerror(errno));
	return HB_OK;
}

static int
write_files(struct daemon *d, struct diag *diag)
{
	char pid[32];
	struct buf args;
	int rc = HB_OK;

	snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
	if (d->conf->pidfile != NULL &&
	    (rc = write_file(d->conf->pidfile, pid, diag)) != HB_OK)
		return rc;
	d->has_pidfile = d->conf->pidfile != NULL;
	if (d->conf->argsfile == NULL)
		return HB_OK;
	buf_init(&args);
	for (int i = 0; i < d->opts->argc; i++)
		buf_printf(&args, "%s ", d->opts->argv[i]);
	buf_put(&args, "\n", 2);	/* with its NUL */
	rc = write_file(d->conf->argsfile, args.data, diag);
	buf_fini(&args);
	d->has_argsfile = rc == HB_OK;
	return rc;
}

static void
remove_files(struct daemon *d)
{
	if (d->has_pidfile)
		unlink(d->conf->pidfile);
	if (d->has_argsfile)
		unlink(d->conf->argsfile);
}

/* ---- databases ---- */

static int
open_databases(struct daemon *d, struct diag *diag)
{
	int rc = HB_OK;

	for (; d->nopen < d->conf->ndbs; d->nopen++) {
		struct be_db *db = d->conf->dbs[d->nopen];

		if (db->be != NULL && db->be->db_open != NULL &&
		    (rc = db->be->db_open(db, diag)) != HB_OK)
			break;
	}
	if (rc != HB_OK && diag->text[0] == '\0')
		diag_set(diag, "%s", hb_strerror(rc));
	return rc;
}

static void
close_databases(struct daemon *d)
{
	while (d->nopen-- > 0) {
		struct be_db *db = d->conf->dbs[d->nopen];

		if (db->be != NULL && db->be->db_close != NULL)
			db->be->db_close(db);
	}
}

/* ---- signals ---- */

static void
block_signals(struct daemon *d)
{
	static const int numbers[] = {
		SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD
	};

	sigemptyset(&d->signals);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&d->signals, numbers[i]);
	pthread_sigmask(SIG_BLOCK, &d->signals, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static void
stop_listening(struct daemon *d)
{
	for (unsigned i = 0; i < d->nlisteners; i++)
		listener_stop(&d->listeners[i]);
}

/* Refuse newcomers and writes, end when the last client has left. */
static bool
begin_gentle_end(struct daemon *d)
{
	struct server *srv = &d->server;

	log_printf(LOG_ANY, "slapd gentle shutdown: waiting for clients");
	atomic_store(&srv->refuse_writes, true);
	stop_listening(d);
	atomic_store(&srv->end_when_idle, true);
	return atomic_load(&srv->nconns) == 0;
}

/* True: the server shall end. */
static bool
on_hangup(struct daemon *d)
{
	int how = d->opts->sighup >= 0 ? d->opts->sighup : d->conf->sighup;

	if (how == SIGHUP_SHUTDOWN)
		return !d->conf->gentlehup || begin_gentle_end(d);
	log_reopen();
	log_printf(LOG_ANY, "logs reopened");
	return false;
}

static void
serve_signals(struct daemon *d)
{
	int sig;

	for (;;) {
		if (sigwait(&d->signals, &sig) != 0)
			continue;
		if (sig == SIGTERM || sig == SIGINT || sig == SIGUSR2)
			break;
		if (sig == SIGHUP && on_hangup(d))
			break;
	}
	log_printf(LOG_ANY,
	    "daemon: shutdown requested and initiated.");
}

/* ---- start and end ---- */

/* What must be done before the background, so that its errors are seen. */
static int
prepare(struct daemon *d, struct diag *diag)
{
	const struct slapd_options *o = d->opts;
	int rc;

	/* from the first connection that may be made on */
	block_signals(d);
	raise_fd_limit();
	if ((rc = listeners_open(o->urls, o->family, &d->listeners,
	    &d->nlisteners, diag)) != HB_OK ||
	    (rc = detach_root(o->root, diag)) != HB_OK ||
	    (rc = detach_user(o->user, o->group, diag)) != HB_OK)
		return rc;
	return configure(d, diag);
}

static int
start(struct daemon *d, struct diag *diag)
{
	int rc;

	if ((rc = write_files(d, diag)) != HB_OK ||
	    (rc = open_databases(d, diag)) != HB_OK)
		return rc;
	server_init(&d->server, d->conf);
	d->has_server = true;
	d->server.listeners = d->listeners;
	d->server.nlisteners = d->nlisteners;
	if ((rc = overlays_open(d->conf, diag)) != HB_OK ||
	    (rc = ticker_start(&d->server, &d->ticker, diag)) != HB_OK)
		return rc;
	if ((rc = server_start(&d->server, d->conf->listener_threads,
	    diag)) != HB_OK)
		return rc;
	for (unsigned i = 0; i < d->nlisteners; i++)
		listener_start(&d->listeners[i], &d->server);
	return HB_OK;
}

static void
end(struct daemon *d)
{
	if (d->has_server) {
		stop_listening(d);
		log_printf(LOG_ANY, "slapd shutdown: waiting for operations "
		    "to finish");
		ticker_stop(&d->ticker);
		server_stop(&d->server);
	}
	if (d->conf != NULL) {
		overlays_close(d->conf);
		close_databases(d);
		remove_files(d);
	}
	if (d->has_server)
		server_fini(&d->server);
	listeners_free(&d->listeners, d->nlisteners);
	slapd_conf_free(&d->conf);
}

/*
 * Why there is no server: to the log, and to the terminal where the log does
 * not go there; in the background through the parent.
 */
static void
report_failure(const struct daemon *d, int *tell, int rc,
    const struct diag *diag)
{
	char text[DIAG_TEXT_MAX + 512];

	log_diag(diag);
	if (*tell < 0 && atomic_load(&log_debug_mask) == 0) {
		diag_format(diag, text, sizeof(text));
		fprintf(stderr, "%s: %s\n", d->opts->name, text);
	}
	detach_report(tell, rc, diag);
}

static int
run(struct daemon *d)
{
	struct diag diag = DIAG_INIT;
	int rc, tell = -1;

	if ((rc = prepare(d, &diag)) != HB_OK)
		goto out;
	if (d->opts->test) {
		fprintf(stderr, "config file testing succeeded\n");
		goto out;
	}
	if (!d->opts->foreground &&
	    (rc = detach_background(&tell, &diag)) != HB_OK)
		goto out;
	if ((rc = log_start_queue(&diag)) != HB_OK ||
	    (rc = start(d, &diag)) != HB_OK)
		goto out;
	log_printf(LOG_ANY, "slapd starting");
	detach_report(&tell, HB_OK, NULL);
	serve_signals(d);
out:
	if (rc != HB_OK) {
		if (diag.text[0] == '\0')
			diag_set(&diag, "%s", hb_strerror(rc));
		report_failure(d, &tell, rc, &diag);
	}
	end(d);
	log_stop_queue();
	if (!d->opts->test)
		log_printf(LOG_ANY, "slapd stopped.");
	return rc == HB_OK ? 0 : 1;
}

int
slapd_daemon(const struct slapd_options *opts)
{
	struct daemon *d = mem_zalloc(sizeof(*d));
	struct diag diag = DIAG_INIT;
	int status;

	d->opts = opts;
	if (log_open(opts->name, opts->facility) != HB_OK) {
		fprintf(stderr, "%s: unknown syslog facility %s\n", opts->name,
		    opts->facility);
		free(d);
		return 1;
	}
	atomic_store(&log_debug_mask, opts->debug_mask);
	atomic_store(&log_syslog_mask, opts->has_syslog_mask ?
	    opts->syslog_mask : LOG_STATS);
	diag_clear(&diag);
	status = run(d);
	log_close();
	free(d);
	return status;
}
