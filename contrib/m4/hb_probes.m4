# HB_NEED(WHAT, HEADER, LIBRARY, FUNCTION, VARIABLE, DEBIAN-PACKAGE)
# ------------------------------------------------------------------
# A library that has no pkg-config file: header and function must be there.
# VARIABLE_LIBS is set.
AC_DEFUN([HB_NEED], [
hb_save_LIBS=$LIBS
AC_CHECK_HEADER([$2], [], [AC_MSG_ERROR([$1: header $2 not found (Debian package $6)])])
AC_CHECK_LIB([$3], [$4], [$5_LIBS=-l$3],
    [AC_MSG_ERROR([$1: library $3 not found (Debian package $6)])])
LIBS=$hb_save_LIBS
AC_SUBST([$5_LIBS])
])

# HB_BERKELEY_DB(MAJOR, MINOR)
# ----------------------------
# Header and library of the same version, at least MAJOR.MINOR. Sets BDB_LIBS.
AC_DEFUN([HB_BERKELEY_DB], [
AC_CHECK_HEADER([db.h], [], [AC_MSG_ERROR([Berkeley DB: db.h not found (Debian package libdb-dev)])])
AC_CACHE_CHECK([for Berkeley DB $1.$2 or later], [hb_cv_bdb_lib], [
hb_cv_bdb_lib=no
hb_save_LIBS=$LIBS
for hb_lib in db-5.3 db; do
	LIBS="-l$hb_lib $hb_save_LIBS"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <db.h>
#if DB_VERSION_MAJOR < $1 || (DB_VERSION_MAJOR == $1 && DB_VERSION_MINOR < $2)
#error too old
#endif
]], [[
	DB_ENV *env;
	return db_env_create(&env, 0);
]])], [hb_cv_bdb_lib=-l$hb_lib; break])
done
LIBS=$hb_save_LIBS
])
AS_IF([test "$hb_cv_bdb_lib" = no],
    [AC_MSG_ERROR([Berkeley DB $1.$2 or later is needed (Debian package libdb-dev)])])
BDB_LIBS=$hb_cv_bdb_lib
AC_SUBST([BDB_LIBS])
])

# HB_ALLOCATOR
# ------------
# --with-allocator=tcmalloc|libc. Sets ALLOCATOR_LIBS. The library is named
# inside one linker argument, so that neither libtool nor a distribution's
# --as-needed drops it: nothing refers to it by name.
AC_DEFUN([HB_ALLOCATOR], [
AC_ARG_WITH([allocator],
    [AS_HELP_STRING([--with-allocator=tcmalloc|libc],
	[heap that slapd is linked with (default: tcmalloc)])],
    [], [with_allocator=default])
AS_IF([test "$with_allocator" = default],
    [AS_IF([test "$hb_sanitize" = no],
	[with_allocator=tcmalloc], [with_allocator=libc])])
ALLOCATOR_LIBS=
AS_CASE([$with_allocator],
    [libc], [],
    [tcmalloc], [
	AC_CHECK_LIB([tcmalloc_minimal], [malloc], [],
	    [AC_MSG_ERROR([tcmalloc_minimal not found (Debian package libgoogle-perftools-dev); or use --with-allocator=libc])])
	ALLOCATOR_LIBS="-Wl,--push-state,--no-as-needed,-ltcmalloc_minimal,--pop-state"
	LIBS=$hb_libs
    ],
    [AC_MSG_ERROR([--with-allocator: use tcmalloc or libc])])
AC_SUBST([ALLOCATOR_LIBS])
])

# HB_SANITIZE
# -----------
# --enable-sanitize=LIST. Sets SANITIZE_CFLAGS, used for compiling and linking.
AC_DEFUN([HB_SANITIZE], [
AC_ARG_ENABLE([sanitize],
    [AS_HELP_STRING([--enable-sanitize=LIST],
	[build with -fsanitize=LIST: address,undefined or thread])],
    [hb_sanitize=$enableval], [hb_sanitize=no])
AS_IF([test "$hb_sanitize" = yes], [hb_sanitize=address,undefined])
SANITIZE_CFLAGS=
AS_IF([test "$hb_sanitize" != no], [
	SANITIZE_CFLAGS="-fsanitize=$hb_sanitize -fno-omit-frame-pointer"
	AS_CASE([$hb_sanitize], [*undefined*],
	    [SANITIZE_CFLAGS="$SANITIZE_CFLAGS -fno-sanitize-recover=undefined"])
])
AC_SUBST([SANITIZE_CFLAGS])
])
