/* Log to syslog, stderr and a file: see util/log.h. */
#include "util/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "log_queue.h"
#include "log_syslog.h"
#include "util/err.h"
#include "util/mem.h"
#include "util/text.h"

#define LINE_MAX_LEN	8192
#define BATCH_SIZE	(32 * 1024)
/* Levels of the path of a request: their lines are queued. */
#define LOG_QUEUED	(LOG_STATS | LOG_STATS2)

atomic_int log_syslog_mask = 0;
atomic_int log_debug_mask = 0;

static struct {
	pthread_mutex_t lock;	/* guards file and path; leaf */
	char *path;
	int file;
} logfile = { PTHREAD_MUTEX_INITIALIZER, NULL, -1 };

static bool
mask_has(int mask, int level)
{
	return mask != 0 && (level == LOG_ANY || (mask & level) != 0);
}

/* One write(2) a line, so that lines of threads do not mix. */
static void
write_line(int fd, const char *line, size_t len)
{
	ssize_t n;

	do
		n = write(fd, line, len);
	while (n < 0 && errno == EINTR);
}

/* Lines for stderr and the file, until flush_batch(). */
static struct {
	char data[BATCH_SIZE];
	size_t len;
} batch;

static void
write_debug(const char *lines, size_t len)
{
	if (len == 0)
		return;
	write_line(STDERR_FILENO, lines, len);
	pthread_mutex_lock(&logfile.lock);
	if (logfile.file >= 0)
		write_line(logfile.file, lines, len);
	pthread_mutex_unlock(&logfile.lock);
}

/* "6b0ec54b TEXT\n" to OUT, which has room for it. */
static size_t
make_line(char *out, time_t when, const char *text, size_t len)
{
	static const char hex[] = "0123456789abcdef";

	for (int i = 0; i < 8; i++)
		out[i] = hex[(unsigned long)when >> (28 - 4 * i) & 15];
	out[8] = ' ';
	memcpy(out + 9, text, len);
	out[9 + len] = '\n';
	return len + 10;
}

/* By the thread that empties the queue. */
static void
flush_batch(void)
{
	write_debug(batch.data, batch.len);
	batch.len = 0;
}

static void
to_batch(int level, time_t when, const char *text, size_t len)
{
	if (mask_has(atomic_load(&log_syslog_mask), level))
		log_syslog_put(text, len);
	if (!mask_has(atomic_load(&log_debug_mask), level))
		return;
	if (sizeof(batch.data) - batch.len < len + 10)
		flush_batch();
	batch.len += make_line(batch.data + batch.len, when, text, len);
}

/* Without a queue: one write(2) a line. */
static void
put_alone(int level, const char *text, size_t len)
{
	char line[LINE_MAX_LEN + 16];

	if (mask_has(atomic_load(&log_syslog_mask), level))
		log_syslog_put(text, len);
	if (mask_has(atomic_load(&log_debug_mask), level))
		write_debug(line, make_line(line, time(NULL), text, len));
}

void
log_put(int level, const char *text, size_t len)
{
	bool may_wait = level == LOG_ANY || (level & LOG_QUEUED) == 0;
	int saved = errno;

	if (len >= LINE_MAX_LEN)
		len = LINE_MAX_LEN - 1;
	if (log_is_on(level) && !(may_wait ?
	    log_queue_put_now(level, text, len) :
	    log_queue_put(level, text, len)))
		put_alone(level, text, len);
	errno = saved;
}

void
log_vprintf(int level, const char *fmt, va_list ap)
{
	char text[LINE_MAX_LEN];
	int n;

	if (!log_is_on(level))
		return;
	if ((n = vsnprintf(text, sizeof(text), fmt, ap)) > 0)
		log_put(level, text, (size_t)n);
}

void
log_printf(int level, const char *fmt, ...)
{
	va_list ap;

	if (!log_is_on(level))
		return;
	va_start(ap, fmt);
	log_vprintf(level, fmt, ap);
	va_end(ap);
}

void
log_diag(const struct diag *d)
{
	char text[DIAG_TEXT_MAX + 512];

	diag_format(d, text, sizeof(text));
	log_printf(LOG_ANY, "%s", text);
}

void
log_fatal(const char *fmt, ...)
{
	char text[LINE_MAX_LEN], line[LINE_MAX_LEN + 16];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_queue_save();
	log_syslog_put(text, strlen(text));
	write_debug(line, make_line(line, time(NULL), text, strlen(text)));
	abort();
}

int
log_start_queue(struct diag *diag)
{
	int err = log_queue_open(to_batch, flush_batch);

	return err == 0 ? HB_OK : diag_err(diag, HB_EIO,
	    "cannot start the thread of the log: %s", strerror(err));
}

void
log_stop_queue(void)
{
	log_queue_close();
}

int
log_open(const char *ident, const char *facility)
{
	return log_syslog_open(ident, facility) ? HB_OK : HB_EINVAL;
}

static int
open_file(const char *path, struct diag *diag)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);

	if (fd < 0) {
		diag_set(diag, "log file %s cannot be opened: %s", path,
		    strerror(errno));
		return -1;
	}
	return fd;
}

int
log_set_file(const char *path, struct diag *diag)
{
	int fd = -1;

	if (path != NULL && (fd = open_file(path, diag)) < 0)
		return HB_EIO;
	pthread_mutex_lock(&logfile.lock);
	if (logfile.file >= 0)
		close(logfile.file);
	free(logfile.path);
	logfile.file = fd;
	logfile.path = path != NULL ? mem_strdup(path) : NULL;
	pthread_mutex_unlock(&logfile.lock);
	return HB_OK;
}

void
log_reopen(void)
{
	struct diag diag = DIAG_INIT;
	int fd;

	pthread_mutex_lock(&logfile.lock);
	if (logfile.path != NULL &&
	    (fd = open_file(logfile.path, &diag)) >= 0) {
		close(logfile.file);
		logfile.file = fd;
	}
	pthread_mutex_unlock(&logfile.lock);
	if (diag.text[0] != '\0')
		log_diag(&diag);
	log_syslog_reopen();
}

void
log_close(void)
{
	log_set_file(NULL, NULL);
	log_syslog_close();
}

/* ---- levels ---- */

static const struct level_row {
	int bit;
	const char *name, *what;
} levels[] = {
#define LOG_LEVEL(sym, bit, name, what)	{ bit, name, what },
#include "tbl/log_levels.tbl"
#undef LOG_LEVEL
};

#define NLEVELS	(sizeof(levels) / sizeof(levels[0]))

const char *
log_level_name(unsigned row, int *bit_r, const char **what_r)
{
	if (row >= NLEVELS)
		return NULL;
	if (bit_r != NULL)
		*bit_r = levels[row].bit;
	if (what_r != NULL)
		*what_r = levels[row].what;
	return levels[row].name;
}

static int
parse_word(struct slice word, int *mask, struct diag *diag)
{
	int64_t v;
	size_t i;

	if (text_to_int(word, &v) == HB_OK && v >= INT32_MIN &&
	    v <= UINT32_MAX) {
		*mask |= (int)v;
		return HB_OK;
	}
	if (slice_is_eq_nocase(word, SLICE("any"))) {
		*mask = -1;
		return HB_OK;
	}
	for (i = 0; i < NLEVELS; i++) {
		if (slice_is_eq_nocase(word, slice_of(levels[i].name))) {
			*mask |= levels[i].bit;
			return HB_OK;
		}
	}
	diag_set(diag, "unknown log level \"%.*s\"; known are numbers, any",
	    SLICE_ARG(word));
	for (i = 0; diag != NULL && i < NLEVELS; i++) {
		size_t at = strlen(diag->text);

		snprintf(diag->text + at, sizeof(diag->text) - at, ", %s",
		    levels[i].name);
	}
	return HB_EINVAL;
}

int
log_parse_level(const char *text, int *mask_r, struct diag *diag)
{
	int mask = 0, rc = HB_OK;
	const char *p = text;

	do {
		size_t n = strcspn(p, ",");

		rc = parse_word(slice(p, n), &mask, diag);
		p += n;
	} while (rc == HB_OK && *p++ == ',');
	if (rc == HB_OK)
		*mask_r = mask;
	return rc;
}
