/* What the tests of slapbench share. */
#ifndef BENCH_TEST_H
#define BENCH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/err.h"

#define N(a)		(sizeof(a) / sizeof((a)[0]))

#endif
