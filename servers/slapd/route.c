/*
 * Suffixes, longest first: the first that fits is the most specific.
 */
#include "route.h"

#include "conf.h"
#include "util/mem.h"

struct route_row {
	struct dn suffix;
	struct be_db *db;
};

struct route {
	unsigned n;
	struct route_row rows[];
};

static void
insert(struct route *r, const struct dn *suffix, struct be_db *db)
{
	unsigned i = r->n++;

	while (i > 0 && r->rows[i - 1].suffix.norm.len < suffix->norm.len) {
		r->rows[i] = r->rows[i - 1];
		i--;
	}
	r->rows[i] = (struct route_row){ *suffix, db };
}

struct route *
route_new(const struct slapd_conf *conf)
{
	struct route *r;
	unsigned n = 0;

	for (unsigned i = 0; i < conf->ndbs; i++)
		n += conf->dbs[i]->nsuffixes;
	r = mem_zalloc(sizeof(*r) + n * sizeof(*r->rows));
	for (unsigned i = 0; i < conf->ndbs; i++)
		for (unsigned k = 0; !conf->dbs[i]->hidden &&
		    k < conf->dbs[i]->nsuffixes; k++)
			insert(r, &conf->dbs[i]->suffixes[k], conf->dbs[i]);
	return r;
}

void
route_free(struct route **rp)
{
	free(*rp);
	*rp = NULL;
}

struct be_db *
route_find(const struct slapd_conf *conf, const struct dn *dn)
{
	const struct route *r = conf->route;

	for (unsigned i = 0; i < r->n; i++)
		if (dn_is_within(dn, &r->rows[i].suffix))
			return r->rows[i].db;
	return NULL;
}

struct be_db *
route_default(const struct slapd_conf *conf)
{
	for (unsigned i = 1; i < conf->ndbs; i++) {
		struct be_db *db = conf->dbs[i];

		if (strcasecmp(db->be->name, "monitor") != 0 &&
		    !db->subordinate)
			return db;
	}
	return NULL;
}
