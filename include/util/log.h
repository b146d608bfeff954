/*
 * Log: to syslog (server) and, in the debug levels, to stderr. Levels are
 * slapd's bits. LOG_ANY messages appear whenever the mask is not 0.
 * Thread-safe.
 * Do not include <syslog.h> beside this header: its macros collide.
 */
#ifndef UTIL_LOG_H
#define UTIL_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdatomic.h>

#include "util/api.h"
#include "util/diag.h"
#include "util/slice.h"

enum log_level {
#define LOG_LEVEL(sym, bit, name, what)	sym = bit,
#include "tbl/log_levels.tbl"
#undef LOG_LEVEL
	LOG_ANY = -1
};

HB_API_BEGIN

/* Masks of levels wanted; read by log_is_on(), set at start and on reload. */
extern atomic_int log_syslog_mask;
extern atomic_int log_debug_mask;

/* True if LEVEL goes anywhere: test it before formatting is expensive. */
static inline bool
log_is_on(int level)
{
	int m = atomic_load_explicit(&log_syslog_mask, memory_order_relaxed) |
	    atomic_load_explicit(&log_debug_mask, memory_order_relaxed);

	return m != 0 && (level == LOG_ANY || (m & level) != 0);
}

/* One message, a newline is added. stderr lines begin with the hex seconds. */
void log_printf(int level, const char *fmt, ...) HB_PRINTF(2, 3);
void log_vprintf(int level, const char *fmt, va_list ap);
/* The same of LEN octets, composed by the caller. */
void log_put(int level, const char *text, size_t len);
/* What a struct diag says, at LOG_ANY. */
void log_diag(const struct diag *d);
/* Log at LOG_ANY and abort(). */
void log_fatal(const char *fmt, ...) HB_PRINTF(1, 2)
    __attribute__((noreturn));

/*
 * From now on, until the end, lines of the levels stats and stats2 are written
 * by a thread of the log: whoever logs them waits for nobody. In order, soon,
 * and dropped (which is told) if there is no room. Other lines come behind all
 * before them, at once. HB_EIO.
 */
int log_start_queue(struct diag *diag);
void log_stop_queue(void);

/* IDENT: syslog name (copied). FACILITY: "LOCAL4", "DAEMON", ...: HB_EINVAL if unknown. */
int log_open(const char *ident, const char *facility);
/* Copy of stderr output to PATH ("logfile" directive), NULL for none. HB_EIO. */
int log_set_file(const char *path, struct diag *diag);
void log_reopen(void);
void log_close(void);

/*
 * Parse "256", "0x104", "-1", "stats", "stats,conns" into *MASK_r (which it
 * replaces). "any" is -1. HB_EINVAL with the known names in DIAG.
 */
int log_parse_level(const char *text, int *mask_r, struct diag *diag);
/* The rows of tbl/log_levels.tbl in order; NULL beyond the last. */
const char *log_level_name(unsigned row, int *bit_r, const char **what_r);

HB_API_END

#endif
