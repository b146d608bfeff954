/*
 * Requests from templates. What is sent often is compiled once (tmpl.h).
 */
#ifndef BENCH_REQUEST_H
#define BENCH_REQUEST_H

#include "bench.h"
#include "tmpl.h"
#include "util/slice.h"

enum req_kind {
	REQ_SEARCH, REQ_BASE, REQ_BIND, REQ_COMPARE, REQ_COMPARE_FALSE,
	REQ_MODIFY, REQ_ADD, REQ_DELETE,
	REQ_NSTAMPS,
	REQ_BIND_FOUND = REQ_NSTAMPS	/* as the entry found: not compiled */
};

struct requests {
	const struct bench_opts *opts;
	char *entry;			/* text of --entry, or the default */
	struct stamp req[REQ_NSTAMPS];
	struct stamp dn;		/* what a search must find */
	struct stamp password;
};

/* "search", "bind": for messages. */
const char *request_name(enum req_kind kind);
/* The tag that answers it last. */
int request_answer_tag(enum req_kind kind);

/*
 * HB_OK; HB_EINVAL, HB_EIO with DIAG naming the template. Memory:
 * requests_fini() also after an error.
 */
int requests_init(struct requests *r, const struct bench_opts *,
    struct diag *);
void requests_fini(struct requests *r);

/* Append a bind request; ID may be any. */
void request_put_bind(struct buf *out, unsigned id, struct slice dn,
    struct slice password);
void request_put_starttls(struct buf *out, unsigned id);
void request_put_unbind(struct buf *out, unsigned id);

/* RFC 4515 text to BER. HB_OK; HB_EINVAL with a text. Filters nest 100 deep. */
int request_put_filter(struct buf *out, struct slice text, struct diag *);

#endif
