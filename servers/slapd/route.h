/*
 * Which database holds a DN. Built once a configuration; lookups take no lock
 * and allocate nothing.
 */
#ifndef SLAPD_ROUTE_H
#define SLAPD_ROUTE_H

#include "dn.h"
#include "util/diag.h"

struct be_db;
struct route;
struct slapd_conf;

struct route *route_new(const struct slapd_conf *);
void route_free(struct route **);

/*
 * The database with the most specific suffix that holds DN; NULL. Hidden ones
 * never.
 */
struct be_db *route_find(const struct slapd_conf *, const struct dn *dn);

/*
 * For tools: the first database that is neither config, monitor nor a
 * subordinate; NULL.
 */
struct be_db *route_default(const struct slapd_conf *);

#endif
