# HB_BACKEND(NAME, DEFAULT)
# -------------------------
# --with-backend-NAME=static|module|no. Sets the conditionals BACKEND_NAME (not
# no), BACKEND_NAME_STATIC and BACKEND_NAME_MODULE, and appends a static backend
# to the table that servers/slapd/backends_static.c is made from.
AC_DEFUN([HB_BACKEND], [
m4_pushdef([hb_up], m4_toupper([$1]))dnl
AC_ARG_WITH([backend-$1],
    [AS_HELP_STRING([--with-backend-$1=static|module|no],
	[how to build back-$1 (default: $2)])],
    [], [with_backend_$1=$2])
AS_CASE([$with_backend_$1],
    [yes], [with_backend_$1=$2],
    [static|module|no], [],
    [AC_MSG_ERROR([--with-backend-$1: use static, module or no])])
AM_CONDITIONAL([BACKEND_]hb_up[_STATIC], [test "$with_backend_$1" = static])
AM_CONDITIONAL([BACKEND_]hb_up[_MODULE], [test "$with_backend_$1" = module])
AM_CONDITIONAL([BACKEND_]hb_up, [test "$with_backend_$1" != no])
AS_IF([test "$with_backend_$1" = static], [
	BACKENDS_EXTERN="$BACKENDS_EXTERN extern const struct slapd_backend slapd_backend_$1;"
	BACKENDS_ROWS="$BACKENDS_ROWS &slapd_backend_$1,"
	BACKENDS_STATIC="$BACKENDS_STATIC $1"
])
AS_IF([test "$with_backend_$1" = module],
    [BACKENDS_MODULE="$BACKENDS_MODULE $1"])
m4_popdef([hb_up])dnl
])
