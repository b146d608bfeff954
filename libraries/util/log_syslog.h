/*
 * The only file that sees <syslog.h>, whose LOG_* macros collide with our
 * levels. Thread-safe as syslog(3) is.
 */
#ifndef UTIL_LOG_SYSLOG_H
#define UTIL_LOG_SYSLOG_H

#include <stdbool.h>
#include <stddef.h>

void log_syslog_put(const char *text, size_t len);
/* False if FACILITY is not known. IDENT is copied. */
bool log_syslog_open(const char *ident, const char *facility);
void log_syslog_reopen(void);
void log_syslog_close(void);

#endif
