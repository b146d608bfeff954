/* The backends that are built in, chosen by configure. */
#include "slapd/backend.h"

 extern const struct slapd_backend slapd_backend_bdb; extern const struct slapd_backend slapd_backend_hdb; extern const struct slapd_backend slapd_backend_null;

const struct slapd_backend *const backends_static[] = {
	 &slapd_backend_bdb, &slapd_backend_hdb, &slapd_backend_null, NULL
};
