/*
 * Lines on their way to the log, off the path of those who write them. Private
 * to util. A ring of bounded size for each thread, which only that thread
 * fills; one thread empties all of them, by time, so that what happened before
 * something else stands before it. What does not fit is dropped and counted.
 */
#ifndef UTIL_LOG_QUEUE_H
#define UTIL_LOG_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Lines in order; called by one thread at a time. */
typedef void (*log_sink)(int level, time_t when, const char *text, size_t len);

/* SINK_END is called when several lines have been handed over. 0 or errno. */
int log_queue_open(log_sink sink, void (*sink_end)(void));
/* All lines are out, and later ones are refused. */
void log_queue_close(void);
/* The calling thread never waits. False: no queue is open. */
bool log_queue_put(int level, const char *text, size_t len);
/* The same behind all lines put before, and out when it returns. */
bool log_queue_put_now(int level, const char *text, size_t len);
/* Before the process aborts: write what is there, if nobody does. */
void log_queue_save(void);

#endif
