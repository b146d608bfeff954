/*
 * Change sequence numbers: YYYYmmddHHMMSS.uuuuuuZ#cccccc#sss#mmmmmm. Two of
 * one process never have the same microsecond, so they are unique and ordered
 * by their time alone; the counters after it stay 0.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "slapd/op.h"
#include "util/text.h"

static atomic_int_least64_t last_us;

struct slice
op_new_csn(struct arena *arena, unsigned server_id)
{
	int64_t last = atomic_load(&last_us), us = time_wall_us(), t;
	time_t sec;
	struct tm tm;

	do {
		t = us > last ? us : last + 1;
	} while (!atomic_compare_exchange_weak(&last_us, &last, t));
	sec = (time_t)(t / 1000000);
	gmtime_r(&sec, &tm);
	return arena_printf(arena,
	    "%04d%02d%02d%02d%02d%02d.%06dZ#000000#%03x#000000",
	    tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
	    tm.tm_min, tm.tm_sec, (int)(t % 1000000), server_id & 0xfff);
}
