/* The server's process: see proc.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proc.h"

static bool
get_cpu(pid_t pid, double *cpu_r)
{
	unsigned long user, sys;
	char path[64], line[1024], *p = NULL;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	if ((f = fopen(path, "re")) == NULL)
		return false;
	if (fgets(line, sizeof line, f) != NULL)
		p = strrchr(line, ')');	/* the name may hold anything */
	fclose(f);
	if (p == NULL || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u "
	    "%*u %*u %lu %lu", &user, &sys) != 2)
		return false;
	*cpu_r = (double)(user + sys) / (double)sysconf(_SC_CLK_TCK);
	return true;
}

static bool
get_io(pid_t pid, uint64_t *bytes_r)
{
	unsigned long long n;
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/io", (long)pid);
	if ((f = fopen(path, "re")) == NULL)
		return false;
	while (!found && fgets(line, sizeof line, f) != NULL)
		found = sscanf(line, "write_bytes: %llu", &n) == 1;
	fclose(f);
	if (found)
		*bytes_r = n;
	return found;
}

void
proc_usage_get(pid_t pid, struct proc_usage *u_r)
{
	memset(u_r, 0, sizeof *u_r);
	u_r->has_cpu = get_cpu(pid, &u_r->cpu);
	u_r->has_io = get_io(pid, &u_r->write_bytes);
}
