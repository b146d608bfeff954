/*
 * LDAP messages (RFC 4511) between octets and structs. Knows no schema: names,
 * values and filters stay as sent. Decoded slices point into the PDU; arrays
 * are in the arena. Not thread-safe per call argument; no state.
 */
#ifndef PROTO_H
#define PROTO_H

#include <stdbool.h>
#include <stdint.h>

#include "ber.h"
#include "util/arena.h"
#include "util/slice.h"

enum ldap_result {
#define LDAP_RESULT(sym, code)	sym = code,
#include "tbl/ldap_results.tbl"
#undef LDAP_RESULT
};

/* Tags of protocolOp (RFC 4511 4.2 - 4.13). */
enum ldap_tag {
	LDAP_TAG_BIND_REQUEST = 0x60,
	LDAP_TAG_BIND_RESPONSE = 0x61,
	LDAP_TAG_UNBIND_REQUEST = 0x42,
	LDAP_TAG_SEARCH_REQUEST = 0x63,
	LDAP_TAG_SEARCH_ENTRY = 0x64,
	LDAP_TAG_SEARCH_DONE = 0x65,
	LDAP_TAG_SEARCH_REFERENCE = 0x73,
	LDAP_TAG_MODIFY_REQUEST = 0x66,
	LDAP_TAG_MODIFY_RESPONSE = 0x67,
	LDAP_TAG_ADD_REQUEST = 0x68,
	LDAP_TAG_ADD_RESPONSE = 0x69,
	LDAP_TAG_DEL_REQUEST = 0x4a,
	LDAP_TAG_DEL_RESPONSE = 0x6b,
	LDAP_TAG_MODRDN_REQUEST = 0x6c,
	LDAP_TAG_MODRDN_RESPONSE = 0x6d,
	LDAP_TAG_COMPARE_REQUEST = 0x6e,
	LDAP_TAG_COMPARE_RESPONSE = 0x6f,
	LDAP_TAG_ABANDON_REQUEST = 0x50,
	LDAP_TAG_EXTENDED_REQUEST = 0x77,
	LDAP_TAG_EXTENDED_RESPONSE = 0x78,
	LDAP_TAG_INTERMEDIATE = 0x79,
	LDAP_TAG_CONTROLS = 0xa0
};

enum ldap_scope {
	LDAP_SCOPE_BASE, LDAP_SCOPE_ONE, LDAP_SCOPE_SUB,
	LDAP_SCOPE_CHILDREN		/* draft-sermersheim-ldap-subordinate-scope */
};

enum ldap_deref {
	LDAP_DEREF_NEVER, LDAP_DEREF_SEARCHING, LDAP_DEREF_FINDING,
	LDAP_DEREF_ALWAYS
};

enum ldap_mod_type {
	LDAP_MOD_ADD, LDAP_MOD_DELETE, LDAP_MOD_REPLACE,
	LDAP_MOD_INCREMENT		/* RFC 4525 */
};

struct ldap_control {			/* RFC 4511 4.1.11 */
	struct slice oid;
	bool critical;
	struct slice value;		/* SLICE_NONE: absent */
};

struct ldap_attr {			/* PartialAttribute */
	struct slice name;
	struct slice *values;
	unsigned nvalues;
};

struct ldap_mod {
	enum ldap_mod_type type;
	struct ldap_attr attr;
};

/* RFC 4511 4.5.1.7. AND, OR and NOT have children; the rest do not. */
enum ldap_filter_type {
	LDAP_FILTER_UNKNOWN = 0,	/* a choice added later: Undefined */
	LDAP_FILTER_AND = 0xa0, LDAP_FILTER_OR = 0xa1, LDAP_FILTER_NOT = 0xa2,
	LDAP_FILTER_EQUALITY = 0xa3, LDAP_FILTER_SUBSTRINGS = 0xa4,
	LDAP_FILTER_GE = 0xa5, LDAP_FILTER_LE = 0xa6,
	LDAP_FILTER_PRESENT = 0x87, LDAP_FILTER_APPROX = 0xa8,
	LDAP_FILTER_EXTENSIBLE = 0xa9
};

struct ldap_filter {
	enum ldap_filter_type type;
	struct ldap_filter *first;	/* children: first, and its siblings */
	struct ldap_filter *next;
	struct slice attr;		/* description; extensible: may be NONE */
	struct slice value;		/* assertion value */
	/* substrings: INITIAL and FINAL may be NONE */
	struct slice initial, final;
	struct slice *any;
	unsigned nany;
	/* extensible */
	struct slice rule;		/* matchingRule, may be NONE */
	bool dn_attrs;
};

struct ldap_req_bind {
	int64_t version;
	struct slice dn;
	bool is_sasl;
	struct slice password;		/* simple */
	struct slice mechanism;		/* SASL */
	struct slice credentials;	/* SASL; NONE: absent */
};

struct ldap_req_search {
	struct slice base;
	enum ldap_scope scope;
	enum ldap_deref deref;
	int32_t size_limit, time_limit;	/* 0: none asked for */
	bool types_only;
	struct ldap_filter *filter;
	struct slice *attrs;
	unsigned nattrs;
};

struct ldap_req_modify {
	struct slice dn;
	struct ldap_mod *mods;
	unsigned nmods;
};

struct ldap_req_add {
	struct slice dn;
	struct ldap_attr *attrs;
	unsigned nattrs;
};

struct ldap_req_modrdn {
	struct slice dn, new_rdn;
	bool delete_old;
	struct slice new_superior;	/* NONE: same parent */
};

struct ldap_req_compare {
	struct slice dn, attr, value;
};

struct ldap_req_extended {
	struct slice oid, value;	/* value NONE: absent */
};

struct ldap_msg {
	int32_t id;
	enum ldap_tag tag;
	union {
		struct ldap_req_bind bind;
		struct ldap_req_search search;
		struct ldap_req_modify modify;
		struct ldap_req_add add;
		struct slice del;	/* the DN */
		struct ldap_req_modrdn modrdn;
		struct ldap_req_compare compare;
		int32_t abandon;	/* message ID */
		struct ldap_req_extended extended;
	} req;
	struct ldap_control *controls;
	unsigned ncontrols;
};

/* Nesting of a filter beyond which decoding stops with HB_ELIMIT. */
#define LDAP_FILTER_DEPTH_MAX	1000

/*
 * Decode one whole PDU. msg_r->id and tag are set as soon as they were read,
 * so that an error can be answered (id 0: nothing to answer).
 * HB_OK; HB_EENCODING: not an LDAPMessage, not a request, or wrong structures
 * or lengths anywhere in it: disconnect (RFC 4511 4.1.1); HB_EPROTO: encoded
 * soundly, but a value is not allowed there, answer protocolError;
 * HB_EAUTHMETHOD: a bind by neither a password nor SASL; HB_ELIMIT: the arena
 * is full or a filter too deep. Trailing components of a later protocol are
 * ignored (RFC 4511 4). Iterative, so nesting never overflows the stack.
 */
int ldap_decode(struct arena *arena, struct slice pdu, struct ldap_msg *msg_r);

/* The tag of the response to a request TAG; 0 if there is none. */
enum ldap_tag ldap_response_tag(enum ldap_tag request);

/* What LDAPResult carries beside the code (RFC 4511 4.1.9). */
struct ldap_result_text {
	enum ldap_result code;
	struct slice matched;
	struct slice text;
	const struct slice *referrals;
	unsigned nreferrals;
};

/* Whole response messages, appended to OUT. CONTROLS may be NULL with N 0. */
void ldap_encode_result(struct buf *out, int32_t id, enum ldap_tag tag,
    const struct ldap_result_text *res, const struct ldap_control *controls,
    unsigned ncontrols);
/* BindResponse with serverSaslCreds (NONE: absent). */
void ldap_encode_bind(struct buf *out, int32_t id,
    const struct ldap_result_text *res, struct slice sasl_creds,
    const struct ldap_control *controls, unsigned ncontrols);
/* ExtendedResponse; id 0 makes an unsolicited notification. OID, VALUE may be NONE. */
void ldap_encode_extended(struct buf *out, int32_t id,
    const struct ldap_result_text *res, struct slice oid, struct slice value,
    const struct ldap_control *controls, unsigned ncontrols);
void ldap_encode_reference(struct buf *out, int32_t id,
    const struct slice *urls, unsigned nurls,
    const struct ldap_control *controls, unsigned ncontrols);
/*
 * SearchResultEntry from an attribute list that is BER already: ATTRS is the
 * contents of the PartialAttributeList. One header, two copies.
 */
void ldap_encode_entry(struct buf *out, int32_t id, struct slice dn,
    struct slice attrs, const struct ldap_control *controls,
    unsigned ncontrols);

#define LDAP_OID_NOTICE_OF_DISCONNECTION	"1.3.6.1.4.1.1466.20036"

#endif
