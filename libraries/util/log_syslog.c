#include "log_syslog.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <syslog.h>

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

void
log_syslog_put(const char *text)
{
	if (is_open)
		syslog(LOG_DEBUG, "%s", text);
}

static void
reopen(void)
{
	openlog(syslog_ident, LOG_PID, syslog_facility);
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
