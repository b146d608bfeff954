/* Names already seen: an open hash table of 16 octets a name. */
#include <stdlib.h>
#include <sys/random.h>

#include "backends/store/bulk.h"
#include "util/hash.h"
#include "util/mem.h"
#include "util/text.h"

#define SLOTS_FIRST	4096

struct slot {
	uint64_t hash;			/* never 0 in use */
	uint32_t id, line;		/* id: above base */
};

struct bulk_map {
	uint64_t seed;
	entry_id base;			/* of the first name */
	struct slot *v;
	size_t nslots, n;
};

struct bulk_map *
bulk_map_new(void)
{
	struct bulk_map *m = mem_zalloc(sizeof(*m));

	if (getrandom(&m->seed, sizeof(m->seed), GRND_NONBLOCK) !=
	    sizeof(m->seed))
		m->seed = (uint64_t)time_wall_us();
	m->nslots = SLOTS_FIRST;
	m->v = mem_calloc(m->nslots, sizeof(m->v[0]));
	return m;
}

void
bulk_map_free(struct bulk_map **m)
{
	if (*m != NULL)
		free((*m)->v);
	free(*m);
	*m = NULL;
}

uint64_t
bulk_map_hash(const struct bulk_map *m, struct slice norm)
{
	uint64_t h = hash_bytes(norm.ptr, norm.len, m->seed);

	return h != 0 ? h : 1;
}

static struct slot *
find(const struct bulk_map *m, uint64_t hash)
{
	size_t i = hash & (m->nslots - 1);

	while (m->v[i].hash != 0 && m->v[i].hash != hash)
		i = (i + 1) & (m->nslots - 1);
	return &m->v[i];
}

bool
bulk_map_find(const struct bulk_map *m, uint64_t hash, entry_id *id_r,
    unsigned *line_r)
{
	const struct slot *s = find(m, hash);

	if (s->hash == 0)
		return false;
	*id_r = m->base + s->id;
	if (line_r != NULL)
		*line_r = s->line;
	return true;
}

static void
grow(struct bulk_map *m)
{
	struct bulk_map old = *m;

	m->nslots *= 2;
	m->v = mem_calloc(m->nslots, sizeof(m->v[0]));
	for (size_t i = 0; i < old.nslots; i++)
		if (old.v[i].hash != 0)
			*find(m, old.v[i].hash) = old.v[i];
	free(old.v);
}

void
bulk_map_add(struct bulk_map *m, uint64_t hash, entry_id id, unsigned line)
{
	if (m->n == 0)
		m->base = id;
	/* what does not fit is looked up in the database */
	if (id < m->base || id - m->base > UINT32_MAX)
		return;
	if (++m->n * 4 > m->nslots * 3)
		grow(m);
	*find(m, hash) = (struct slot){ hash, (uint32_t)(id - m->base),
	    line };
}

void
bulk_map_set_line(struct bulk_map *m, uint64_t hash, unsigned line)
{
	struct slot *s = find(m, hash);

	if (s->hash != 0)
		s->line = line;
}
