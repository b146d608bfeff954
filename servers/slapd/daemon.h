/*
 * The life of the process: listeners, rights, configuration, background,
 * databases, signals, end. One thread.
 */
#ifndef SLAPD_DAEMON_H
#define SLAPD_DAEMON_H

#include "options.h"

/* Runs until a signal ends it. Returns the exit status. */
int slapd_daemon(const struct slapd_options *);

#endif
