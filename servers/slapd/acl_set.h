/*
 * Set expressions of access rules, between their parser (acl_set.c) and the
 * evaluator (acl_set_eval.c). Immutable; memory of the rule list.
 */
#ifndef SLAPD_ACL_SET_H
#define SLAPD_ACL_SET_H

#include "acl_parse.h"

enum acl_set_kind {
	ACL_SET_THIS, ACL_SET_USER, ACL_SET_TEXT,
	ACL_SET_STEP,			/* values of an attribute of LEFT */
	ACL_SET_PARENT,			/* ancestors of LEFT */
	ACL_SET_AND, ACL_SET_OR, ACL_SET_CAT
};

struct acl_set {
	enum acl_set_kind kind;
	struct acl_set *left, *right;
	struct slice text;		/* terminated */
	bool has_submatch;		/* TEXT has $n to be expanded */
	const struct attr_desc *attr;	/* STEP */
	bool is_name;			/* STEP: the entry's own DN */
	/* STEP: follow what is found as well; PARENT: all levels */
	bool closure;
	unsigned level;			/* PARENT */
	/* the same for all entries while the operation runs */
	bool is_fixed;
};

/*
 * TEXT, borrowed while it is parsed. HB_EINVAL, HB_EUNDEFTYPE, ... with a text
 * that names the character.
 */
int acl_set_parse(struct acl_parser *, const char *text,
    struct acl_set **set_r);

#endif
