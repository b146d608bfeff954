/*
 * Between the files of the configuration reader (conf_*.c); nobody else's.
 */
#ifndef SLAPD_CONF_INT_H
#define SLAPD_CONF_INT_H

#include "conf.h"

/* Words of flag directives (conf_words.c). */
extern const struct cfg_word conf_allow_words[];
extern const struct cfg_word conf_disallow_words[];
int conf_parse_require(const struct cfg_line *, unsigned *requires_r,
    struct diag *);
int conf_parse_restrict(const struct cfg_line *, unsigned *restricts_r,
    struct diag *);
int conf_parse_security(const struct cfg_line *, struct conf_security *,
    struct diag *);
/* Does the word match a schema keyword, whose line is not split? */
bool conf_is_raw(const char *keyword);

/*
 * Schema definitions and the root DSE (conf_schema.c); base struct slapd_conf.
 */
int conf_attribute_type(void *, const struct cfg_line *, void *,
    struct diag *);
int conf_object_class(void *, const struct cfg_line *, void *, struct diag *);
int conf_content_rule(void *, const struct cfg_line *, void *, struct diag *);
int conf_ldap_syntax(void *, const struct cfg_line *, void *, struct diag *);
int conf_object_identifier(void *, const struct cfg_line *, void *,
    struct diag *);
int conf_attribute_options(void *, const struct cfg_line *, void *,
    struct diag *);
/*
 * `include FILE` of an LDIF file, LINE.file (conf_schema_ldif.c): its entries
 * are schema or refused.
 */
int conf_include_ldif(void *, const struct cfg_line *, void *, struct diag *);
int conf_root_dse(void *, const struct cfg_line *, void *, struct diag *);

/* `backend NAME`, `database NAME` (conf_section.c); base struct slapd_conf. */
int conf_backend(void *, const struct cfg_line *, void *, struct diag *);
int conf_database(void *, const struct cfg_line *, void *, struct diag *);
/* `overlay NAME` (overlay_conf.c); base struct slapd_conf. */
int conf_overlay(void *, const struct cfg_line *, void *, struct diag *);
/* Make the frontend's settings and database 0. */
void conf_sections_init(struct slapd_conf *);
void conf_sections_free(struct slapd_conf *);
/*
 * What the frontend itself serves under this name but not yet: config, monitor;
 * NULL.
 */
const struct slapd_backend *conf_placeholder(const char *name);
bool conf_is_placeholder(const struct slapd_backend *);

/* All that can be said only at the end (conf_check.c). */
int conf_check(struct slapd_conf *, struct diag *);

/* The DN in word I (none: empty) into the configuration's arena. */
int conf_dn(struct slapd_conf *, const struct cfg_line *, unsigned i,
    struct dn *dn_r, struct diag *);

/* "<file>: line <n>: note: ..." at LOG_CONFIG, and kept for slaptest. */
void conf_note(struct slapd_conf *, const struct cfg_line *, const char *fmt,
    ...) HB_PRINTF(3, 4);
/* "<file>: line <n>: warning: ..." at LOG_ANY. */
void conf_warn(const struct cfg_line *, const char *fmt, ...) HB_PRINTF(2, 3);

#endif
