/*
 * Connections to the server: TCP or a local socket, TLS from the start or
 * after StartTLS. Setting up waits for the server; after net_go() nothing
 * does. A connection belongs to one thread.
 */
#ifndef BENCH_NET_H
#define BENCH_NET_H

#include <openssl/ssl.h>
#include <sys/socket.h>

#include "bench.h"
#include "util/buf.h"

struct net_target {
	const struct bench_opts *opts;
	struct sockaddr_storage addr;
	socklen_t addrlen;
	bool tls;			/* ldaps */
	char host[256];			/* for the certificate */
	SSL_CTX *ctx;			/* NULL: no TLS at all */
};

struct net {
	int fd;				/* -1: not open */
	SSL *ssl;
};

#define NET_INIT	{ -1, NULL }
/* Of net_read() and net_write(). */
enum { NET_AGAIN = -1, NET_CLOSED = -2 };

/*
 * Understand the URL, find the address, load the certificates. HB_OK;
 * HB_EINVAL, HB_EIO with what to do.
 */
int net_target_init(struct net_target *t, const struct bench_opts *,
    struct diag *);
void net_target_fini(struct net_target *t);

/* Connect, StartTLS and TLS, bind if asked to. HB_OK; HB_EIO with a text. */
int net_open(struct net *n, const struct net_target *t, struct diag *);
/* From here on reading and writing do not wait. */
void net_go(struct net *n);
/* Octets moved, NET_AGAIN, or NET_CLOSED with the reason in DIAG. */
ssize_t net_read(struct net *n, void *p, size_t len, struct diag *);
ssize_t net_write(struct net *n, const void *p, size_t len, struct diag *);
/* Is more readable than the socket tells? */
bool net_has_pending(const struct net *n);
void net_close(struct net *n);

#endif
