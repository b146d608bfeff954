/*
 * How much memory a database may use when the configuration is silent: shares
 * of what the machine, or the cgroup that we are in, has.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/store/env.h"
#include "util/text.h"

#define MIB		((uint64_t)1 << 20)
#define POOL_MAX	(2048 * MIB)
#define POOL_MIN	(8 * MIB)
#define CACHE_MAX	(16384 * MIB)
#define CACHE_MIN	(4 * MIB)
/* Per item of a count given by the configuration; a bound, not an estimate. */
#define COUNTED_BYTES	((uint64_t)64 * 1024)

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
budget_make(const struct store_conf *conf, struct budget *b_r)
{
	uint64_t ram = budget_memory();

	b_r->pool = clamp(ram / 8, POOL_MIN, POOL_MAX);
	b_r->entries = clamp(ram / 8, CACHE_MIN, CACHE_MAX);
	b_r->names = clamp(ram / 32, CACHE_MIN, CACHE_MAX);
	b_r->cands = clamp(ram / 32, CACHE_MIN, CACHE_MAX);
	if (conf->cachesize != 0)
		b_r->entries = conf->cachesize * COUNTED_BYTES;
	if (conf->dncachesize != 0)
		b_r->names = conf->dncachesize * COUNTED_BYTES;
}
