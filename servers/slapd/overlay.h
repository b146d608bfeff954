/*
 * The frontend's side of overlays (slapd/overlay.h): instances of the
 * configuration, hooks around operations, ticks. Instances are made by
 * configuration and opened before the first operation; nothing changes then.
 */
#ifndef SLAPD_FRONT_OVERLAY_H
#define SLAPD_FRONT_OVERLAY_H

#include "conf.h"
#include "slapd/overlay.h"

struct server;
struct ticker;

/* ---- overlay_conf.c ---- */

/* Definitions of overlays registered since the last call. HB_EDUPLICATE, ... */
int overlays_define(struct slapd_conf *, struct diag *);
/* The row of KEYWORD of an overlay of the current section, or a global one; NULL. */
const struct cfg_item *overlays_find_item(struct slapd_conf *,
    const char *keyword, void **base_r, void **ctx_r);
/* Everything was read. */
int overlays_check(struct slapd_conf *, struct diag *);
void overlays_free(struct slapd_conf *);

/*
 * Open all, so that operations pass them. What was opened is to be closed also
 * after an error.
 */
int overlays_open(const struct slapd_conf *, struct diag *);
void overlays_close(const struct slapd_conf *);

/* ---- overlay.c ---- */

/*
 * Run INNER between before() and after() of OP's database, which has overlays.
 * HB_EDEFER: OP is to begin anew.
 */
int overlays_run(struct op *op, int (*inner)(struct op *));
/* on_entry() of all; *E is a reference. OVERLAY_SKIP. */
int overlays_on_entry(struct op *op, struct entry **e);

/* The row of control OID of any instance of CONF (DB NULL) or one that DB passes; NULL. */
const struct overlay_control *overlays_find_control(const struct slapd_conf *,
    const struct be_db *db, struct slice oid);
/* The row of extended operation OID, and whose it is; NULL. */
const struct overlay_exop *overlays_find_exop(const struct slapd_conf *,
    struct slice oid, struct overlay **ov_r);

/* ---- overlay_tick.c ---- */

/* The thread of ticks; NULL if no overlay wants one. HB_EIO. */
int ticker_start(struct server *, struct ticker **ticker_r, struct diag *);
/* What is running is told to stop, and waited for. Accepts NULL. */
void ticker_stop(struct ticker **);

#endif
