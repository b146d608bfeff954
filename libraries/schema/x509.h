/*
 * X.509 values under RFC 4523: what its files share. A stored value is DER, an
 * assertion a GSER text; both are translated to one text, their normal form:
 *
 *   { serialNumber 123, issuer rdnSequence:"cn=ca,dc=example" }
 *
 * put_ functions write a part of it from DER, read_ functions from GSER. What
 * has no GSER form here is written as der:'3003..'H, and read as such, too.
 */
#ifndef SCHEMA_X509_H
#define SCHEMA_X509_H

#include "der.h"
#include "gser.h"
#include "schema_int.h"

struct x509 {
	const struct schema *schema;
	struct gser in;		/* its rc is the first error of all */
	struct buf out;		/* the normal form as far as it is known */
};

/* A kind of value: how DER and how GSER become its normal form. */
struct x509_kind {
	void (*put)(struct x509 *x, struct der *in);
	void (*read)(struct x509 *x);
};

/*
 * VALUE, DER or GSER, in normal form. *norm_r points into ARENA or into VALUE.
 * HB_OK, HB_ESYNTAX, HB_ELIMIT.
 */
int x509_normalise(const struct schema *schema, struct arena *arena,
    const struct x509_kind *kind, struct slice value, struct slice *norm_r);
/* The same without a result: is it a value of KIND? */
int x509_check(const struct schema *schema, const struct x509_kind *kind,
    struct slice value);

/*
 * A component rule, whose MATCH takes the value off D: is ASSERTED, in normal
 * form, true of STORED, the value itself?
 */
bool x509_match(const struct schema *schema,
    bool (*match)(struct x509 *x, struct der *d, struct slice asserted),
    struct slice stored, struct slice asserted);

/* A certificate stored in DER, as far as assertions look at it. */
struct x509_cert {
	struct slice serial;		/* contents of the INTEGER */
	struct slice issuer, subject;	/* whole Names */
	struct slice not_before, not_after;	/* whole Times */
	struct slice key_algorithm;	/* contents of the OID */
	struct slice extensions;	/* contents of the SEQUENCE, or "" */
};

struct x509_crl {
	struct slice issuer;
	struct slice this_update, next_update;	/* the second may be "" */
	struct slice extensions;
};

struct x509_ac {
	bool is_v2;
	struct slice issuer;		/* contents of V2Form or GeneralNames */
	struct slice holder_id;		/* contents of IssuerSerial, or "" */
	struct slice holder_name;	/* contents of GeneralNames, or "" */
	struct slice serial;
	struct slice not_before, not_after;
	struct slice attributes;	/* contents of the SEQUENCE */
};

/* They take one value off D; what is wrong with it is D's error. */
void x509_take_cert(struct der *d, struct x509_cert *cert_r);
void x509_take_crl(struct der *d, struct x509_crl *crl_r);
void x509_take_ac(struct der *d, struct x509_ac *ac_r);

enum x509_extension {
	X509_EXT_SUBJECT_KEY = 14, X509_EXT_KEY_USAGE = 15,
	X509_EXT_KEY_PERIOD = 16, X509_EXT_SUBJECT_ALT_NAME = 17,
	X509_EXT_CRL_NUMBER = 20, X509_EXT_IDP = 28,
	X509_EXT_NAME_CONSTRAINTS = 30, X509_EXT_POLICIES = 32,
	X509_EXT_AUTHORITY_KEY = 35
};
/*
 * Contents of the OCTET STRING of the extension id-ce ARC (2.5.29.ARC).
 * Returns false if EXTENSIONS, which has RC for its errors, has none.
 */
bool x509_has_extension(struct slice extensions, enum x509_extension arc,
    int *rc, struct slice *value_r);

/* ---- parts of values: x509.c, x509_field.c ---- */

/* A component of a SEQUENCE in GSER, in any order, at most once. */
struct x509_component {
	const char *name;
	bool required;
	void (*read)(struct x509 *x);
	/*
	 * Of component rules: is what read() made of the assertion true of
	 * STORED, a struct x509_cert and the like? x->out is room for it, and
	 * what x->in.rc says is wrong with STORED is no match.
	 */
	bool (*match)(struct x509 *x, const void *stored,
	    struct slice asserted);
};
#define X509_MUST(n, r)		{ .name = (n), .read = (r), .required = true }
#define X509_MAY(n, r)		{ .name = (n), .read = (r) }
#define X509_TEST(n, r, m)	{ .name = (n), .read = (r), .match = (m) }
#define X509_COMPONENTS_MAX	16
void x509_read_components(struct x509 *x, const struct x509_component *rows,
    unsigned nrows);
#define X509_READ(x, rows) \
	x509_read_components(x, rows, sizeof(rows) / sizeof((rows)[0]))

bool x509_match_components(struct x509 *x, const struct x509_component *rows,
    unsigned nrows, const void *stored, struct slice asserted);
#define X509_MATCH(x, rows, stored, asserted) \
	x509_match_components(x, rows, sizeof(rows) / sizeof((rows)[0]), \
	    stored, asserted)

/* First component: no comma is needed before it. */
void x509_put_name_of(struct x509 *x, const char *name, bool first);
void x509_put_der(struct x509 *x, struct slice whole);
/* der:'..'H comes next: it is read and handed out. */
bool x509_has_der(struct x509 *x, struct slice *whole_r);

void x509_put_integer(struct x509 *x, struct slice body);
void x509_read_integer(struct x509 *x);		/* 5 or '05'H */
void x509_put_oid(struct x509 *x, struct slice body);
void x509_read_oid(struct x509 *x);
void x509_read_octets(struct x509 *x);
/* A Time, or a GeneralizedTime: generalizedTime:"20261231235959Z". */
void x509_put_time(struct x509 *x, struct slice whole);
void x509_read_time(struct x509 *x);
void x509_put_bits(struct x509 *x, struct slice body);
void x509_read_bits(struct x509 *x);
/* '0101'B, '50'H or { name, name }, bit I being NAMES[I]; as '0101'B */
void x509_read_named_bits(struct x509 *x, const char *const *names,
    unsigned n);
/* <0, 0, >0: a stored time and an asserted one as x509_read_time() left it. */
int x509_time_cmp(struct x509 *x, struct slice whole, struct slice asserted);
/* The same of a GeneralizedTime with a tag of its own. */
int x509_gentime_cmp(struct x509 *x, struct slice body,
    struct slice asserted);
/* LIST is { a, b } in normal form. */
bool x509_list_has(struct slice list, struct slice item);
/* { algorithm 1.2.3, parameters NULL } */
void x509_put_algorithm(struct x509 *x, struct der *d);
void x509_read_algorithm(struct x509 *x);

/* ---- x509_name.c ---- */

/* The DN TEXT in normal form. HB_OK, HB_ESYNTAX, HB_ELIMIT. */
int x509_norm_dn(struct x509 *x, struct slice text, struct slice *norm_r);
/* rdnSequence:"dn", the DN in normal form; der: if no DN says it. */
void x509_put_name(struct x509 *x, struct slice whole);
void x509_read_name(struct x509 *x);
void x509_put_general_name(struct x509 *x, struct slice whole);
/* { directoryName:rdnSequence:"..", dNSName:".." } from what D has left */
void x509_put_general_names(struct x509 *x, struct der d);
void x509_read_general_names(struct x509 *x);
/* DistributionPointName: fullName:{ .. } or nameRelativeToCRLIssuer:".." */
void x509_put_point_name(struct x509 *x, struct slice whole);
void x509_read_point_name(struct x509 *x);
/* Two fullNames in normal form have a name in common. */
bool x509_points_meet(struct slice a, struct slice b);

/* ---- x509_ac.c ---- */

/* { issuer { .. }, serial 5, issuerUID '0101'B } from what D has left */
void x509_put_issuer_serial(struct x509 *x, struct der d);
void x509_read_issuer_serial(struct x509 *x);

/* ---- x509_assert_crl.c ---- */

/* { keyIdentifier '5A'H, .. }, and does EXTENSIONS have what it says? */
void x509_read_authority_key(struct x509 *x);
bool x509_has_authority_key(struct x509 *x, struct slice extensions,
    struct slice asserted);

/* ---- x509_exact.c, x509_ac.c, x509_assert.c, x509_assert_crl.c ---- */

extern const struct x509_kind x509_cert_exact, x509_crl_exact,
    x509_pair_exact, x509_algorithm, x509_ac_exact, x509_cert_assertion,
    x509_crl_assertion, x509_pair_assertion, x509_ac_assertion;

#endif
