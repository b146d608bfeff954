/* What /proc tells about the server's process. */
#ifndef BENCH_PROC_H
#define BENCH_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_usage {
	bool has_cpu, has_io;
	double cpu;			/* seconds, all threads */
	uint64_t write_bytes;		/* to storage */
};

/* Fill in what can be read. */
void proc_usage_get(pid_t pid, struct proc_usage *u_r);

#endif
