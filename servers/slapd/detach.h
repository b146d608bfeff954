/*
 * Root directory, user, background. One thread, before any other starts.
 */
#ifndef SLAPD_DETACH_H
#define SLAPD_DETACH_H

#include "util/diag.h"

/* NULL: nothing to do. HB_EIO. */
int detach_root(const char *dir, struct diag *);
/* Names or numbers; NULL: unchanged. HB_EINVAL, HB_EIO. */
int detach_user(const char *user, const char *group, struct diag *);
/*
 * Go on in a child without terminal. The parent waits for detach_report() and
 * ends with status 0 only if that says HB_OK. HB_EIO.
 */
int detach_background(int *tell_r, struct diag *);
/* TELL -1: nobody waits. */
void detach_report(int *tell, int rc, const struct diag *);

#endif
