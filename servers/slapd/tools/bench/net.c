/* Connections: see net.h. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <stdio.h>
#include <unistd.h>

#include "answer.h"
#include "ber.h"
#include "net.h"
#include "proto.h"
#include "request.h"
#include "util/err.h"

static int
tls_error(struct diag *diag, const char *what)
{
	unsigned long e = ERR_peek_last_error();
	char text[256] = "the other side closed the connection";

	if (e != 0)
		ERR_error_string_n(e, text, sizeof text);
	ERR_clear_error();
	return diag_err(diag, HB_EIO, "%s: %s", what, text);
}

ssize_t
net_read(struct net *n, void *p, size_t len, struct diag *diag)
{
	ssize_t got;
	int rc;

	if (n->ssl != NULL) {
		if ((rc = SSL_read(n->ssl, p, (int)len)) > 0)
			return rc;
		switch (SSL_get_error(n->ssl, rc)) {
		case SSL_ERROR_WANT_READ:
		case SSL_ERROR_WANT_WRITE:
			return NET_AGAIN;
		case SSL_ERROR_ZERO_RETURN:
			diag_set(diag, "connection closed by the server");
			return NET_CLOSED;
		}
		tls_error(diag, "TLS");
		return NET_CLOSED;
	}
	do
		got = recv(n->fd, p, len, 0);
	while (got < 0 && errno == EINTR);
	if (got > 0)
		return got;
	if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return NET_AGAIN;
	diag_set(diag, "connection closed by the server%s%s",
	    got < 0 ? ": " : "", got < 0 ? strerror(errno) : "");
	return NET_CLOSED;
}

ssize_t
net_write(struct net *n, const void *p, size_t len, struct diag *diag)
{
	ssize_t put;
	int rc;

	if (n->ssl != NULL) {
		if ((rc = SSL_write(n->ssl, p, (int)len)) > 0)
			return rc;
		switch (SSL_get_error(n->ssl, rc)) {
		case SSL_ERROR_WANT_READ:
		case SSL_ERROR_WANT_WRITE:
			return NET_AGAIN;
		}
		tls_error(diag, "TLS");
		return NET_CLOSED;
	}
	do
		put = send(n->fd, p, len, MSG_NOSIGNAL);
	while (put < 0 && errno == EINTR);
	if (put >= 0)
		return put;
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return NET_AGAIN;
	diag_set(diag, "connection lost: %s", strerror(errno));
	return NET_CLOSED;
}

/* Send one request and wait for its answer, before net_go(). */
static int
ask(struct net *n, const struct buf *request, int tag, const char *what,
    struct diag *diag)
{
	char in[4096];
	size_t have = 0, total = 0;
	struct answer_result res;
	char name[ANSWER_NAME_MAX];
	struct answer a;
	ssize_t got;
	int rc = HB_ETRUNCATED;

	if (net_write(n, request->data, request->len, diag) !=
	    (ssize_t)request->len)
		return diag_err(diag, HB_EIO, "%s: could not be sent", what);
	while (rc == HB_ETRUNCATED || (rc == HB_OK && total > have)) {
		if (have == sizeof in || total > sizeof in)
			return diag_err(diag, HB_EIO, "%s: the answer is too "
			    "long", what);
		got = net_read(n, in + have, sizeof in - have, diag);
		if (got == NET_AGAIN)
			return diag_err(diag, HB_EIO, "%s: no answer in time",
			    what);
		if (got < 0)
			return HB_EIO;
		have += (size_t)got;
		rc = ber_frame(slice(in, have), BER_SEQUENCE, &total);
	}
	if (rc != HB_OK || have != total ||
	    answer_read(slice(in, total), &a) != HB_OK || a.id != 1 ||
	    a.tag != tag || answer_result(a.body, &res) != HB_OK)
		return diag_err(diag, HB_EIO, "%s: what came back is no "
		    "answer to it; is this an LDAP server?", what);
	if (res.code != 0)
		return diag_err(diag, HB_EIO, "%s: result %d (%s)%s%.*s", what,
		    (int)res.code, answer_code_name(res.code, name),
		    res.text.len > 0 ? ": " : "", SLICE_ARG(res.text));
	return HB_OK;
}

static int
start_tls(struct net *n, const struct net_target *t, struct diag *diag)
{
	long verify;

	if ((n->ssl = SSL_new(t->ctx)) == NULL ||
	    SSL_set_fd(n->ssl, n->fd) != 1)
		return tls_error(diag, "TLS");
	/* an address is looked for among the addresses, and is no SNI */
	if (t->host[0] != '\0' && X509_VERIFY_PARAM_set1_ip_asc(
	    SSL_get0_param(n->ssl), t->host) != 1) {
		ERR_clear_error();
		SSL_set_tlsext_host_name(n->ssl, t->host);
		SSL_set1_host(n->ssl, t->host);
	}
	if (SSL_connect(n->ssl) == 1)
		return HB_OK;
	if ((verify = SSL_get_verify_result(n->ssl)) != X509_V_OK) {
		ERR_clear_error();
		return diag_err(diag, HB_EIO, "the server's certificate is "
		    "not good: %s; give the file of its CA with --cacert, or "
		    "--insecure", X509_verify_cert_error_string(verify));
	}
	return tls_error(diag, "TLS handshake");
}

static int
connect_socket(struct net *n, const struct net_target *t, struct diag *diag)
{
	const struct timeval tv = { (time_t)t->opts->timeout,
	    (suseconds_t)((t->opts->timeout - (double)(time_t)
	    t->opts->timeout) * 1e6) };
	int one = 1;

	n->fd = socket(t->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (n->fd < 0)
		return diag_err(diag, HB_EIO, "socket: %s", strerror(errno));
	setsockopt(n->fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
	setsockopt(n->fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof tv);
	if (connect(n->fd, (const struct sockaddr *)&t->addr,
	    t->addrlen) != 0)
		return diag_err(diag, HB_EIO, "cannot connect to %s: %s%s",
		    t->opts->url, strerror(errno), errno == ECONNREFUSED ||
		    errno == ENOENT ? "; is the server running there?" : "");
	if (t->addr.ss_family != AF_UNIX)
		setsockopt(n->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	return HB_OK;
}

int
net_open(struct net *n, const struct net_target *t, struct diag *diag)
{
	const struct bench_opts *o = t->opts;
	struct buf req;
	int rc;

	n->ssl = NULL;
	buf_init(&req);
	if ((rc = connect_socket(n, t, diag)) != HB_OK)
		goto out;
	if (o->starttls) {
		request_put_starttls(&req, 1);
		if ((rc = ask(n, &req, LDAP_TAG_EXTENDED_RESPONSE, "StartTLS",
		    diag)) != HB_OK)
			goto out;
	}
	if (t->ctx != NULL && (rc = start_tls(n, t, diag)) != HB_OK)
		goto out;
	if (o->bind_dn != NULL) {
		buf_reset(&req);
		request_put_bind(&req, 1, slice_of(o->bind_dn),
		    slice_of(o->bind_pw));
		if ((rc = ask(n, &req, LDAP_TAG_BIND_RESPONSE, "bind",
		    diag)) != HB_OK)
			diag_prefix(diag, "-D \"%s\"", o->bind_dn);
	}
out:
	buf_fini(&req);
	if (rc != HB_OK)
		net_close(n);
	return rc;
}

void
net_go(struct net *n)
{
	fcntl(n->fd, F_SETFL, fcntl(n->fd, F_GETFL) | O_NONBLOCK);
}

bool
net_has_pending(const struct net *n)
{
	return n->ssl != NULL && SSL_pending(n->ssl) > 0;
}

void
net_close(struct net *n)
{
	if (n->ssl != NULL) {
		if (SSL_is_init_finished(n->ssl))
			SSL_shutdown(n->ssl);
		SSL_free(n->ssl);
		ERR_clear_error();
	}
	n->ssl = NULL;
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
}
