/*
 * Every loop waits for every listening socket, one of them is woken for a
 * connection (EPOLLEXCLUSIVE), accepts it, and gives it to the loop with the
 * fewest connections.
 */
#define _GNU_SOURCE		/* accept4 */
#include "listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "conf.h"
#include "loop.h"
#include "server.h"
#include "util/err.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/text.h"

#define LISTEN_BACKLOG	2048
#define ACCEPT_AT_ONCE	16
#define REPORT_EVERY_US	60000000
#define NAME_MAX_LEN	(sizeof(((struct sockaddr_un *)0)->sun_path) + 16)
#define LDAPI_DEFAULT	LOCALSTATEDIR "/run/ldapi"

struct listen_list {
	struct listener *v;
	size_t cap;
	unsigned n;
	enum listener_family family;
};

/* A descriptor in reserve, so that connections can be refused when there is none left. */
static struct {
	struct lk_mutex lock;		/* rank LEAF; guards the rest */
	int fd;
	int64_t reported;		/* time_mono_us() of the last line */
} reserve = { .lock = { PTHREAD_MUTEX_INITIALIZER, LK_LEAF, "reserve" },
    .fd = -1 };

static int
reserve_open(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* "IP=127.0.0.1:389", "IP=[::1]:389", "PATH=..." */
static void
address_name(const struct sockaddr_storage *ss, char *out, size_t size)
{
	char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";
	const struct sockaddr_un *sun = (const struct sockaddr_un *)ss;

	if (ss->ss_family == AF_UNIX) {
		snprintf(out, size, "PATH=%.*s", (int)sizeof(sun->sun_path),
		    sun->sun_path);
		return;
	}
	getnameinfo((const struct sockaddr *)ss, ss->ss_family == AF_INET6 ?
	    sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in), host,
	    sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(out, size, ss->ss_family == AF_INET6 ? "IP=[%s]:%s" :
	    "IP=%s:%s", host, port);
}

static void
listen_add(struct listen_list *list, int fd, struct slice url,
    const char *path)
{
	struct sockaddr_storage ss = { 0 };
	socklen_t len = sizeof(ss);
	char name[NAME_MAX_LEN];
	struct listener *l;

	getsockname(fd, (struct sockaddr *)&ss, &len);
	address_name(&ss, name, sizeof(name));
	list->v = mem_grow(list->v, &list->cap, list->n + 1, sizeof(*list->v));
	l = &list->v[list->n++];
	memset(l, 0, sizeof(*l));
	l->fd = fd;
	l->url = mem_slicedup(url);
	l->name = mem_strdup(name);
	l->path = path != NULL ? mem_strdup(path) : NULL;
}

/* ---- ldap:// ---- */

static int
tcp_socket(const struct addrinfo *ai)
{
	int on = 1, saved;
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_NONBLOCK |
	    SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (ai->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) == 0 &&
	    listen(fd, LISTEN_BACKLOG) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

/* One of several addresses may fail (no IPv6 here, say), not all. */
static int
listen_addresses(struct listen_list *list, const struct addrinfo *ai,
    struct slice url, struct diag *diag)
{
	unsigned before = list->n;
	int fd, err = 0;

	for (; ai != NULL; ai = ai->ai_next) {
		if ((fd = tcp_socket(ai)) >= 0)
			listen_add(list, fd, url, NULL);
		else if (err == 0 || err == EAFNOSUPPORT ||
		    err == EADDRNOTAVAIL)
			err = errno;
	}
	if (list->n > before && err != EADDRINUSE && err != EACCES)
		return HB_OK;
	return diag_err(diag, HB_EIO, "%.*s: %s", SLICE_ARG(url),
	    strerror(err));
}

static int
listen_tcp(struct listen_list *list, struct slice url, struct slice rest,
    struct diag *diag)
{
	struct addrinfo hints = { 0 }, *ai = NULL;
	char host[256], port[16] = "389";
	const char *end = memchr(rest.ptr, '/', rest.len), *colon;
	size_t n = end != NULL ? (size_t)(end - rest.ptr) : rest.len;
	struct slice auth = slice(rest.ptr, n), h = auth;
	int rc;

	if (auth.len > 0 && auth.ptr[0] == '[') {
		end = memchr(auth.ptr, ']', auth.len);
		if (end == NULL)
			return diag_err(diag, HB_EINVAL, "%.*s: ']' missing",
			    SLICE_ARG(url));
		h = slice(auth.ptr + 1, (size_t)(end - auth.ptr) - 1);
		auth = slice_skip(auth, h.len + 2);
		colon = auth.len > 0 && auth.ptr[0] == ':' ? auth.ptr : NULL;
	} else if ((colon = memchr(auth.ptr, ':', auth.len)) != NULL) {
		h.len = (size_t)(colon - auth.ptr);
		auth = slice_skip(auth, h.len);
	}
	if (colon != NULL && auth.len > 1)
		snprintf(port, sizeof(port), "%.*s", (int)auth.len - 1,
		    auth.ptr + 1);
	snprintf(host, sizeof(host), "%.*s", SLICE_ARG(h));
	hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
	hints.ai_socktype = SOCK_STREAM;
	hints.ai_family = list->family == LISTEN_IPV4 ? AF_INET :
	    list->family == LISTEN_IPV6 ? AF_INET6 : AF_UNSPEC;
	rc = getaddrinfo(h.len > 0 && strcmp(host, "*") != 0 ? host : NULL,
	    port, &hints, &ai);
	if (rc != 0)
		return diag_err(diag, HB_EINVAL, "%.*s: %s", SLICE_ARG(url),
		    gai_strerror(rc));
	rc = listen_addresses(list, ai, url, diag);
	freeaddrinfo(ai);
	return rc;
}

/* ---- ldapi:// ---- */

/* The mode of "....x-mod=0777" or "x-mod=-rwx------"; -1: none given; -2: bad. */
static int
ldapi_mode(struct slice rest)
{
	const char *p = memmem(rest.ptr, rest.len, "x-mod=", 6);
	struct slice v;
	int64_t n;
	int mode = 0;

	if (p == NULL)
		return -1;
	v = slice(p + 6, (size_t)(rest.ptr + rest.len - p) - 6);
	if (v.len == 10 && (v.ptr[0] == '-' || v.ptr[0] == 's')) {
		for (size_t i = 1; i < 10; i++) {
			if (v.ptr[i] != '-' && v.ptr[i] != "rwx"[(i - 1) % 3])
				return -2;
			mode = mode << 1 | (v.ptr[i] != '-');
		}
		return mode;
	}
	return text_to_int(v, &n) == HB_OK && n >= 0 && n <= 0777 ? (int)n : -2;
}

/* The path in REST, %2F decoded; false: too long. */
static bool
ldapi_path(struct slice rest, char *out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < rest.len && rest.ptr[i] != '/' &&
	    rest.ptr[i] != '?'; i++) {
		int c = (unsigned char)rest.ptr[i];

		if (c == '%' && i + 2 < rest.len &&
		    text_hex_value(rest.ptr[i + 1]) >= 0 &&
		    text_hex_value(rest.ptr[i + 2]) >= 0) {
			c = text_hex_value(rest.ptr[i + 1]) << 4 |
			    text_hex_value(rest.ptr[i + 2]);
			i += 2;
		}
		if (n + 1 >= size)
			return false;
		out[n++] = (char)c;
	}
	out[n] = '\0';
	if (n == 0)
		return (size_t)snprintf(out, size, "%s", LDAPI_DEFAULT) < size;
	return true;
}

/* A socket file that nobody serves is in the way after a crash. */
static void
ldapi_remove_stale(const struct sockaddr_un *sun)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)sun, sizeof(*sun)) < 0 &&
	    errno == ECONNREFUSED)
		unlink(sun->sun_path);
	close(fd);
}

static int
listen_unix(struct listen_list *list, struct slice url, struct slice rest,
    struct diag *diag)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int mode = ldapi_mode(rest), fd;

	if (mode == -2 ||
	    !ldapi_path(rest, sun.sun_path, sizeof(sun.sun_path)))
		return diag_err(diag, HB_EINVAL, "%.*s: %s", SLICE_ARG(url),
		    mode == -2 ? "bad x-mod" : "path too long");
	ldapi_remove_stale(&sun);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&sun, sizeof(sun)) < 0 ||
	    chmod(sun.sun_path, (mode_t)(mode >= 0 ? mode : 0777)) < 0 ||
	    listen(fd, LISTEN_BACKLOG) < 0) {
		diag_set(diag, "%.*s: %s", SLICE_ARG(url), strerror(errno));
		if (fd >= 0)
			close(fd);
		return HB_EIO;
	}
	listen_add(list, fd, url, sun.sun_path);
	return HB_OK;
}

static const struct {
	const char *scheme;
	int (*open)(struct listen_list *, struct slice url, struct slice rest,
	    struct diag *);
} schemes[] = {
	{ "ldap://", listen_tcp },
	{ "ldapi://", listen_unix },
	{ "ldaps://", NULL }
};

static int
listen_url(struct listen_list *list, struct slice url, struct diag *diag)
{
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t n = strlen(schemes[i].scheme);

		if (url.len < n ||
		    strncasecmp(url.ptr, schemes[i].scheme, n) != 0)
			continue;
		if (schemes[i].open == NULL)
			return diag_err(diag, HB_EUNSUPPORTED,
			    "%.*s: ldaps is not supported yet",
			    SLICE_ARG(url));
		return schemes[i].open(list, url, slice_skip(url, n), diag);
	}
	return diag_err(diag, HB_EINVAL, "%.*s: not a listener URL (ldap://, "
	    "ldapi://)", SLICE_ARG(url));
}

int
listeners_open(const char *urls, enum listener_family family,
    struct listener **list_r, unsigned *n_r, struct diag *diag)
{
	struct listen_list list = { NULL, 0, 0, family };
	const char *p = urls;
	int rc = HB_OK;

	while (rc == HB_OK && *(p += strspn(p, " \t")) != '\0') {
		size_t n = strcspn(p, " \t");

		rc = listen_url(&list, slice(p, n), diag);
		p += n;
	}
	if (rc == HB_OK && list.n == 0)
		rc = diag_err(diag, HB_EINVAL, "no listener URL given");
	if (rc != HB_OK)
		listeners_free(&list.v, list.n);
	*list_r = list.v;
	*n_r = rc == HB_OK ? list.n : 0;
	return rc;
}

void
listeners_free(struct listener **list, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct listener *l = &(*list)[i];

		close(l->fd);
		if (l->path != NULL && l->server == NULL)
			unlink(l->path);
		free(l->url);
		free(l->name);
		free(l->path);
	}
	free(*list);
	*list = NULL;
}

/* ---- accepting ---- */

static void
set_options(const struct listener *l, int fd)
{
	const struct slapd_conf *conf = l->server->conf;
	int on = 1;

	if (l->path != NULL)
		return;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	for (unsigned i = 0; i < conf->ntcp_buffers; i++) {
		const struct conf_tcp_buffer *b = &conf->tcp_buffers[i];

		if (b->listener != NULL && strcmp(b->listener, l->url) != 0)
			continue;
		if (b->read != 0)
			setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &b->read,
			    sizeof(b->read));
		if (b->write != 0)
			setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &b->write,
			    sizeof(b->write));
		break;
	}
}

static struct loop *
emptiest_loop(struct server *srv, struct loop *here)
{
	struct loop *best = here;
	unsigned n, least = atomic_load_explicit(&here->nconns,
	    memory_order_relaxed);

	for (unsigned i = 0; i < srv->nloops; i++) {
		n = atomic_load_explicit(&srv->loops[i].nconns,
		    memory_order_relaxed);
		if (n < least) {
			least = n;
			best = &srv->loops[i];
		}
	}
	return best;
}

/* Once in a while: it goes on as long as clients come. */
static void
report_shortage(const char *what)
{
	int64_t now = time_mono_us();
	struct rlimit r = { 0 };
	bool is_due;

	lk_lock(&reserve.lock);
	is_due = reserve.reported == 0 ||
	    now - reserve.reported > REPORT_EVERY_US;
	if (is_due)
		reserve.reported = now;
	lk_unlock(&reserve.lock);
	if (!is_due)
		return;
	getrlimit(RLIMIT_NOFILE, &r);
	log_printf(LOG_ANY, "no file descriptor left, all %llu are in use: %s. "
	    "The limit can be raised where slapd is started (ulimit -n, "
	    "LimitNOFILE=)", (unsigned long long)r.rlim_cur, what);
}

/* accept(2) wants a descriptor before it looks whether anybody waits. */
static bool
somebody_waits(const struct listener *l)
{
	struct pollfd p = { .fd = l->fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/*
 * The connection that waits is taken with the descriptor in reserve. Served,
 * if there is another one by now; refused, if not. -1: it was refused, with
 * *GONE_r, or nothing could be done.
 */
static int
take_or_refuse(const struct listener *l, struct sockaddr_storage *ss,
    socklen_t *len, bool *gone_r)
{
	int fd;

	lk_lock(&reserve.lock);
	if (reserve.fd >= 0)
		close(reserve.fd);
	fd = accept4(l->fd, (struct sockaddr *)ss, len,
	    SOCK_NONBLOCK | SOCK_CLOEXEC);
	*gone_r = fd >= 0 || errno == EAGAIN;
	reserve.fd = reserve_open();
	if (fd >= 0 && reserve.fd < 0) {
		close(fd);
		fd = -1;
		reserve.fd = reserve_open();
	}
	lk_unlock(&reserve.lock);
	return fd;
}

/*
 * No descriptor is left. The connection that waits is accepted in one of the
 * next turns, if idle ones make room, or refused; if not even that can be done,
 * nothing is accepted for a second: it would wake the loop for ever. Returns
 * its descriptor if there was one after all.
 */
static int
make_room(const struct listener *l, struct loop *here,
    struct sockaddr_storage *ss, socklen_t *len)
{
	struct server *srv = l->server;
	bool gone;
	int fd;

	for (unsigned i = 0; i < srv->nloops; i++) {
		if (!loop_drop_idle(&srv->loops[(here->number + i) %
		    srv->nloops], here->now))
			continue;
		report_shortage("closing anonymous connections that are idle");
		return -1;
	}
	fd = take_or_refuse(l, ss, len, &gone);
	if (fd < 0 && gone)
		report_shortage("refusing connections");
	if (!gone)
		loop_pause_listeners(here);
	return fd;
}

/* False when there is nothing more to accept now. */
static bool
accept_one(struct listener *l, struct loop *here)
{
	struct sockaddr_storage ss = { 0 };
	socklen_t len = sizeof(ss);
	char peer[NAME_MAX_LEN];
	struct loop *loop;
	struct conn *c;
	bool again;
	int fd = accept4(l->fd, (struct sockaddr *)&ss, &len,
	    SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0) {
		again = errno == ECONNABORTED || errno == EINTR;
		if ((errno != EMFILE && errno != ENFILE) || !somebody_waits(l) ||
		    (fd = make_room(l, here, &ss, &len)) < 0)
			return again;
	}
	set_options(l, fd);
	if (l->path != NULL)
		snprintf(peer, sizeof(peer), "%s", l->name);
	else
		address_name(&ss, peer, sizeof(peer));
	loop = emptiest_loop(l->server, here);
	c = conn_new(loop, fd, &transport_socket, NULL, peer,
	    slice_of(l->name), slice_of(l->url));
	if (!loop_watch(loop, fd, &c->ev, EPOLLIN)) {
		atomic_store(&c->is_lost, true);
		loop_post(loop, c);
	}
	return true;
}

static void
listener_ready(struct ev *ev, struct loop *loop, uint32_t events)
{
	struct listener *l = (struct listener *)ev;

	(void)events;
	for (int i = 0; i < ACCEPT_AT_ONCE && accept_one(l, loop); i++)
		;
}

void
listeners_watch(struct server *srv, struct loop *loop, bool watch)
{
	for (unsigned i = 0; i < srv->nlisteners; i++) {
		struct listener *l = &srv->listeners[i];

		if (watch)
			loop_watch(loop, l->fd, &l->ev,
			    EPOLLIN | EPOLLEXCLUSIVE);
		else
			loop_unwatch(loop, l->fd);
	}
}

void
listener_start(struct listener *l, struct server *srv)
{
	lk_lock(&reserve.lock);
	if (reserve.fd < 0)
		reserve.fd = reserve_open();
	lk_unlock(&reserve.lock);
	l->server = srv;
	l->ev.ready = listener_ready;
	for (unsigned i = 0; i < srv->nloops; i++)
		loop_watch(&srv->loops[i], l->fd, &l->ev,
		    EPOLLIN | EPOLLEXCLUSIVE);
}

void
listener_stop(struct listener *l)
{
	if (l->server == NULL || l->fd < 0)
		return;
	for (unsigned i = 0; i < l->server->nloops; i++)
		loop_unwatch(&l->server->loops[i], l->fd);
	/* refuses who is in the queue; the number stays taken, a loop may use it now */
	shutdown(l->fd, SHUT_RDWR);
	if (l->path != NULL)
		unlink(l->path);
}
