/*
 * What the micro-benchmarks share: run until half a second has passed, print
 * nanoseconds a turn.
 */
#ifndef BENCH_H
#define BENCH_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/text.h"

#define BENCH(name, octets, statement) do {				\
	int64_t t0_ = time_mono_us(), t_;				\
	unsigned long n_ = 0, i_;					\
	do {								\
		for (i_ = 0; i_ < 100; i_++)				\
			statement;					\
		n_ += 100;						\
		t_ = time_mono_us() - t0_;				\
	} while (t_ < 500000);						\
	printf("%-32s %10.1f ns", name, (double)t_ * 1000 / (double)n_);	\
	if ((octets) > 0)						\
		printf(" %8.1f MB/s", (double)(octets) * (double)n_ /	\
		    (double)t_);					\
	putchar('\n');							\
} while (0)

#endif
