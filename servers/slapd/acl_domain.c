/*
 * Names of peers, for `domain`: looked up when a rule asks, by threads that may
 * wait, and remembered for a while. A name counts only if it leads back to the
 * address, since whoever owns an address can give it any name.
 */
#include <sys/socket.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>

#include "acl_int.h"
#include "util/err.h"
#include "util/text.h"

enum {
	ROWS = 1024,			/* a power of two */
	KEEP_S = 300,			/* a name */
	KEEP_NONE_S = 60		/* that there is none */
};

struct row {
	uint8_t addr[16];
	unsigned len;			/* 0: unused */
	int64_t until;			/* time_mono_us() */
	char name[NI_MAXHOST];		/* "": none */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct row rows[ROWS];

static struct row *
row_of(const uint8_t addr[16])
{
	unsigned h = 0;

	for (int i = 0; i < 16; i++)
		h = h * 31 + addr[i];
	return &rows[h & (ROWS - 1)];
}

static bool
remembered(const uint8_t addr[16], unsigned len, struct arena *arena,
    struct slice *name_r)
{
	struct row *r = row_of(addr);
	bool found;

	pthread_mutex_lock(&lock);
	found = r->len == len && memcmp(r->addr, addr, len) == 0 &&
	    time_mono_us() < r->until;
	if (found)
		*name_r = r->name[0] == '\0' ? SLICE_NONE :
		    arena_slice(arena, slice_of(r->name));
	pthread_mutex_unlock(&lock);
	return found;
}

static void
remember(const uint8_t addr[16], unsigned len, const char *name)
{
	struct row *r = row_of(addr);
	size_t n = strlen(name);

	pthread_mutex_lock(&lock);
	memcpy(r->addr, addr, 16);
	r->len = len;
	memcpy(r->name, name, n + 1);
	r->until = time_mono_us() +
	    (n > 0 ? KEEP_S : KEEP_NONE_S) * (int64_t)1000000;
	pthread_mutex_unlock(&lock);
}

static socklen_t
make_address(const uint8_t addr[16], unsigned len,
    struct sockaddr_storage *sa)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)sa;
	struct sockaddr_in *in = (struct sockaddr_in *)sa;

	memset(sa, 0, sizeof(*sa));
	if (len == 4) {
		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, addr, 4);
		return sizeof(*in);
	}
	in6->sin6_family = AF_INET6;
	memcpy(&in6->sin6_addr, addr, 16);
	return sizeof(*in6);
}

static bool
leads_back(const char *name, const uint8_t addr[16], unsigned len)
{
	struct addrinfo hints = {
		.ai_family = len == 4 ? AF_INET : AF_INET6,
		.ai_socktype = SOCK_STREAM
	}, *all = NULL;
	bool found = false;

	if (getaddrinfo(name, NULL, &hints, &all) != 0)
		return false;
	for (const struct addrinfo *a = all; a != NULL && !found;
	    a = a->ai_next)
		found = memcmp(len == 4 ?
		    (const void *)&((const struct sockaddr_in *)
		    (const void *)a->ai_addr)->sin_addr :
		    (const void *)&((const struct sockaddr_in6 *)
		    (const void *)a->ai_addr)->sin6_addr, addr, len) == 0;
	freeaddrinfo(all);
	return found;
}

struct slice
acl_peer_domain(struct op *op, struct arena *arena)
{
	const struct identity *who = op->who;
	struct sockaddr_storage sa;
	struct slice name = SLICE_NONE;
	char host[NI_MAXHOST];
	uint8_t addr[16] = { 0 };
	unsigned len;
	socklen_t n;

	if (!slice_is_none(who->peerdomain))
		return who->peerdomain;
	if ((len = acl_peer_address(who->peername, addr)) == 0 ||
	    remembered(addr, len, arena, &name))
		return name;
	if (!op->may_wait) {
		acl_must_wait(op);
		return SLICE_NONE;
	}
	n = make_address(addr, len, &sa);
	if (getnameinfo((struct sockaddr *)&sa, n, host, sizeof(host), NULL, 0,
	    NI_NAMEREQD) != 0 || !leads_back(host, addr, len))
		host[0] = '\0';
	remember(addr, len, host);
	return host[0] == '\0' ? SLICE_NONE :
	    arena_slice(arena, slice_of(host));
}
