/*
 * HB_API marks what a loadable module may call. Everything else is hidden
 * (-fvisibility=hidden), so that no name of ours meets one of libldap,
 * liblber or libsasl in the same process. A header whose whole surface is
 * for modules brackets it with HB_API_BEGIN and HB_API_END.
 */
#ifndef UTIL_API_H
#define UTIL_API_H

#define HB_API		__attribute__((visibility("default")))
#define HB_API_BEGIN	_Pragma("GCC visibility push(default)")
#define HB_API_END	_Pragma("GCC visibility pop")

#define HB_PRINTF(fmt, args)	__attribute__((format(printf, fmt, args)))
#define HB_MUST_CHECK		__attribute__((warn_unused_result))

#endif
