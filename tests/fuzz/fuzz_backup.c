/* backup.txt, the description of a backup. */
#include <stddef.h>
#include <stdint.h>

#include "backends/store/backup.h"
#include "util/err.h"
#include "util/lock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = DIAG_INIT;
	struct backup_text t;

	if (backup_text_parse(slice(data, size), "fuzz", &t, &diag) == HB_OK)
		/* nothing leads out of the folder */
		for (unsigned i = 0; i < t.nfiles; i++)
			hb_assert(strstr(t.files[i].name, "..") == NULL &&
			    t.files[i].name[0] != '/');
	backup_text_fini(&t);
	return 0;
}
