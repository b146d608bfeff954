#include "log_syslog.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

static const struct {
	const char *name;
	int facility;
} facilities[] = {
	{ "LOCAL0", LOG_LOCAL0 }, { "LOCAL1", LOG_LOCAL1 },
	{ "LOCAL2", LOG_LOCAL2 }, { "LOCAL3", LOG_LOCAL3 },
	{ "LOCAL4", LOG_LOCAL4 }, { "LOCAL5", LOG_LOCAL5 },
	{ "LOCAL6", LOG_LOCAL6 }, { "LOCAL7", LOG_LOCAL7 },
	{ "USER", LOG_USER }, { "DAEMON", LOG_DAEMON },
};

static char syslog_ident[64];
static int syslog_facility = LOG_LOCAL4;
static atomic_bool is_open;

static atomic_bool has_daemon;		/* one was seen since the log was opened */
static atomic_long looked_at;		/* s: when it was last looked for */

static bool
look_for_daemon(void)
{
	bool has = access("/dev/log", F_OK) == 0;

	has_daemon = has;
	return has;
}

/*
 * Without a daemon each syslog(3) would make a socket in vain, which costs more
 * than a search. So it is looked for, once a second, until it is there; not
 * afterwards, since a changed root may hide it while the socket goes on.
 */
static bool
daemon_listens(void)
{
	struct timespec ts;

	if (has_daemon)
		return true;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	if (atomic_exchange(&looked_at, (long)ts.tv_sec) == (long)ts.tv_sec)
		return false;
	return look_for_daemon();
}

void
log_syslog_put(const char *text, size_t len)
{
	if (is_open && daemon_listens())
		syslog(LOG_DEBUG, "%.*s", (int)len, text);
}

static void
reopen(void)
{
	/* at once: later the root may be another one */
	openlog(syslog_ident, LOG_PID | LOG_NDELAY, syslog_facility);
	look_for_daemon();
	is_open = true;
}

bool
log_syslog_open(const char *ident, const char *facility)
{
	size_t i, n = strlen(ident);

	for (i = 0; i < sizeof(facilities) / sizeof(facilities[0]); i++) {
		if (strcasecmp(facility, facilities[i].name) == 0) {
			syslog_facility = facilities[i].facility;
			if (n >= sizeof(syslog_ident))
				n = sizeof(syslog_ident) - 1;
			memcpy(syslog_ident, ident, n);
			syslog_ident[n] = '\0';
			reopen();
			return true;
		}
	}
	return false;
}

void
log_syslog_reopen(void)
{
	if (is_open) {
		closelog();
		reopen();
	}
}

void
log_syslog_close(void)
{
	if (is_open)
		closelog();
	is_open = false;
}
