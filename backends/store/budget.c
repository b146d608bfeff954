/*
 * How much memory a database may use: what `memory` says, or when the
 * configuration is silent a share of what the machine, or the cgroup that we
 * are in, has, divided among the databases. The process itself takes a
 * little of it; of the rest, two fifths each are for Berkeley DB's pages and for
 * entries, a tenth each for names and candidates.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/env.h"
#include "util/text.h"

#define MIB		((uint64_t)1 << 20)
/* Program, libraries, regions of locks and logs, buffers of threads. */
#define OWN_BYTES	(24 * MIB)
#define OWN_DIV		4		/* but at most a quarter */
#define POOL_MAX	(2048 * MIB)
#define POOL_MIN	(8 * MIB)
#define CACHE_MAX	(16384 * MIB)
#define CACHE_MIN	(4 * MIB)
/* 5/16 of the machine when the configuration is silent */
#define SILENT_MUL	5
#define SILENT_DIV	16
/* Per item of a count given by the configuration; a bound, not an estimate. */
#define COUNTED_BYTES	((uint64_t)64 * 1024)

/* Databases that the machine's memory is divided among. */
static atomic_uint sharers;

/* The number in FILE; UINT64_MAX where there is none ("max") or no file. */
static uint64_t
read_number(const char *file)
{
	char line[64];
	uint64_t v;
	FILE *f;

	if ((f = fopen(file, "re")) == NULL)
		return UINT64_MAX;
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return text_to_uint(slice_of(line), &v) == HB_OK ? v : UINT64_MAX;
}

/* Version 2: the smallest memory.max on the way up from our own group. */
static uint64_t
cgroup_limit(void)
{
	char line[1024], path[1200];
	uint64_t least = UINT64_MAX, v;
	char *end;
	FILE *f;

	if ((f = fopen("/proc/self/cgroup", "re")) == NULL)
		return UINT64_MAX;
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::", 3) != 0)
			continue;
		for (;;) {
			snprintf(path, sizeof(path),
			    "/sys/fs/cgroup%s/memory.max", line + 3);
			v = read_number(path);
			least = v < least ? v : least;
			if ((end = strrchr(line + 3, '/')) == NULL)
				break;
			*end = '\0';
		}
	}
	fclose(f);
	v = read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes");
	return v < least ? v : least;
}

uint64_t
budget_memory(void)
{
	uint64_t ram = (uint64_t)sysconf(_SC_PHYS_PAGES) *
	    (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t limit = cgroup_limit();

	return limit < ram ? limit : ram;
}

static uint64_t
clamp(uint64_t v, uint64_t min, uint64_t max)
{
	return v < min ? min : v > max ? max : v;
}

void
budget_share(void)
{
	atomic_fetch_add(&sharers, 1);
}

/* What all caches of a database may take, when nothing is configured. */
static uint64_t
own_share(void)
{
	unsigned n = atomic_load(&sharers);

	return budget_memory() / (n > 1 ? n : 1) / SILENT_DIV * SILENT_MUL;
}

void
budget_make(const struct store_conf *conf, struct budget *b_r)
{
	uint64_t all = conf->memory != 0 ? conf->memory : own_share();

	all -= clamp(OWN_BYTES, 0, all / OWN_DIV);
	b_r->pool = clamp(all / 5 * 2, POOL_MIN, POOL_MAX);
	b_r->entries = clamp(all / 5 * 2, CACHE_MIN, CACHE_MAX);
	b_r->names = clamp(all / 10, CACHE_MIN, CACHE_MAX);
	b_r->cands = clamp(all / 10, CACHE_MIN, CACHE_MAX);
	if (conf->cachesize != 0)
		b_r->entries = conf->cachesize * COUNTED_BYTES;
	if (conf->dncachesize != 0)
		b_r->names = conf->dncachesize * COUNTED_BYTES;
}
