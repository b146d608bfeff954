/*
 * Listening sockets from the URLs of -h, and how connections reach an event
 * loop. Opened before privileges are dropped; accepting starts later.
 */
#ifndef SLAPD_LISTENER_H
#define SLAPD_LISTENER_H

#include "conn.h"
#include "util/diag.h"

struct conf_tcp_buffer;
struct server;

enum listener_family { LISTEN_ANY, LISTEN_IPV4, LISTEN_IPV6 };

struct listener {
	struct ev ev;
	struct server *server;		/* set by listener_start() */
	int fd;
	char *url;			/* as given */
	char *name;			/* "IP=0.0.0.0:389", "PATH=/run/ldapi" */
	char *path;			/* ldapi: to be removed at the end; else NULL */
};

/*
 * Open what URLS (separated by blanks) name; each may give several sockets.
 * HB_EUNSUPPORTED: ldaps; HB_EINVAL, HB_EIO with DIAG.
 */
int listeners_open(const char *urls, enum listener_family family,
    struct listener **list_r, unsigned *n_r, struct diag *);
/* Let LOOP look after all listeners, or not. Thread of LOOP. */
void listeners_watch(struct server *, struct loop *, bool watch);
/* Let all loops of SERVER accept from L. */
void listener_start(struct listener *, struct server *);
/* Take no more connections. */
void listener_stop(struct listener *);
/* Close them; no loop may run any more. */
void listeners_free(struct listener **, unsigned n);

#endif
