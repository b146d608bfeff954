/* Where to: the URL, its address, the certificates (see net.h). */
#include <netdb.h>
#include <openssl/err.h>
#include <stdio.h>
#include <sys/un.h>

#include "net.h"
#include "util/err.h"
#include "util/text.h"

static int
local_address(struct net_target *t, struct slice path, struct diag *diag)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&t->addr;
	size_t i, n = 0;
	int hi, lo;

	un->sun_family = AF_UNIX;
	for (i = 0; i < path.len; i++) {
		char c = path.ptr[i];

		if (c == '/')
			break;
		if (c == '%' && i + 2 < path.len &&
		    (hi = text_hex_value(path.ptr[i + 1])) >= 0 &&
		    (lo = text_hex_value(path.ptr[i + 2])) >= 0) {
			c = (char)(hi << 4 | lo);
			i += 2;
		}
		if (n + 1 >= sizeof un->sun_path)
			return diag_err(diag, HB_EINVAL, "-H %s: the path is "
			    "too long", t->opts->url);
		un->sun_path[n++] = c;
	}
	if (n == 0)
		return diag_err(diag, HB_EINVAL, "-H %s: a path is needed, "
		    "with %%2F for each slash", t->opts->url);
	t->addrlen = sizeof *un;
	return HB_OK;
}

/* "host", "host:port", "[::1]:port", and a slash or nothing. */
static int
split_host(struct net_target *t, const char *p, char port[8],
    struct diag *diag)
{
	size_t n;

	if (*p == '[') {
		n = strcspn(++p, "]");
		snprintf(t->host, sizeof t->host, "%.*s", (int)n, p);
		p += n + (p[n] == ']');
	} else {
		n = strcspn(p, ":/");
		snprintf(t->host, sizeof t->host, "%.*s", (int)n, p);
		p += n;
	}
	if (*p == ':') {
		n = strspn(++p, "0123456789");
		if (n == 0 || n > 5)
			return diag_err(diag, HB_EINVAL, "-H %s: a port is "
			    "expected after the \":\"", t->opts->url);
		snprintf(port, 8, "%.*s", (int)n, p);
		p += n;
	}
	if (*p != '\0' && strcmp(p, "/") != 0)
		return diag_err(diag, HB_EINVAL, "-H %s: nothing is expected "
		    "after the port; the base is given with --base",
		    t->opts->url);
	if (t->host[0] == '\0')
		snprintf(t->host, sizeof t->host, "localhost");
	return HB_OK;
}

static int
tcp_address(struct net_target *t, const char *rest, const char *port_default,
    struct diag *diag)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list = NULL;
	char port[8];
	int rc;

	snprintf(port, sizeof port, "%s", port_default);
	if ((rc = split_host(t, rest, port, diag)) != HB_OK)
		return rc;
	if ((rc = getaddrinfo(t->host, port, &hints, &list)) != 0)
		return diag_err(diag, HB_EIO, "-H %s: host \"%s\": %s",
		    t->opts->url, t->host, gai_strerror(rc));
	memcpy(&t->addr, list->ai_addr, list->ai_addrlen);
	t->addrlen = list->ai_addrlen;
	freeaddrinfo(list);
	return HB_OK;
}

static int
load_certificates(struct net_target *t, struct diag *diag)
{
	const struct bench_opts *o = t->opts;

	if ((t->ctx = SSL_CTX_new(TLS_client_method())) == NULL)
		return diag_err(diag, HB_EIO, "TLS cannot be set up");
	SSL_CTX_set_min_proto_version(t->ctx, TLS1_2_VERSION);
	SSL_CTX_set_mode(t->ctx, SSL_MODE_ENABLE_PARTIAL_WRITE |
	    SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_verify(t->ctx, o->insecure ? SSL_VERIFY_NONE :
	    SSL_VERIFY_PEER, NULL);
	if (o->cacert == NULL)
		SSL_CTX_set_default_verify_paths(t->ctx);
	else if (SSL_CTX_load_verify_locations(t->ctx, o->cacert,
	    NULL) != 1) {
		ERR_clear_error();
		return diag_err(diag, HB_EIO, "--cacert %s: no certificate "
		    "could be read from it", o->cacert);
	}
	return HB_OK;
}

int
net_target_init(struct net_target *t, const struct bench_opts *o,
    struct diag *diag)
{
	struct slice url = slice_of(o->url);
	int rc;

	memset(t, 0, sizeof *t);
	t->opts = o;
	t->tls = slice_has_prefix(url, SLICE("ldaps://"));
	if (t->tls && o->starttls)
		return diag_err(diag, HB_EINVAL, "-Z: the connection is "
		    "encrypted already with ldaps://");
	if (slice_has_prefix(url, SLICE("ldap://")))
		rc = tcp_address(t, o->url + 7, "389", diag);
	else if (t->tls)
		rc = tcp_address(t, o->url + 8, "636", diag);
	else if (slice_has_prefix(url, SLICE("ldapi://")))
		rc = local_address(t, slice_skip(url, 8), diag);
	else
		rc = diag_err(diag, HB_EINVAL, "-H %s: ldap://HOST:PORT, "
		    "ldaps://HOST:PORT or ldapi://PATH expected", o->url);
	if (rc == HB_OK && (t->tls || o->starttls))
		rc = load_certificates(t, diag);
	return rc;
}

void
net_target_fini(struct net_target *t)
{
	SSL_CTX_free(t->ctx);
	t->ctx = NULL;
}
