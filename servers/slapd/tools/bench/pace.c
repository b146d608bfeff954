/* Fixed rate: see pace.h. */
#include "pace.h"

void
pace_init(struct pace *p, uint64_t start, double rate, unsigned index,
    unsigned threads)
{
	p->start = start;
	p->step = (uint64_t)(1e12 / rate + 0.5);
	if (p->step == 0)
		p->step = 1;
	p->k = index;
	p->stride = threads;
}

uint64_t
pace_due(const struct pace *p)
{
	return p->start + p->k * p->step / 1000;
}

void
pace_next(struct pace *p)
{
	p->k += p->stride;
}

uint64_t
pace_unsent(const struct pace *p, uint64_t end)
{
	struct pace q = *p;
	uint64_t k, n;

	if (pace_due(p) >= end)
		return 0;
	/* the first that is not due: k * step / 1000 >= end - start */
	k = ((end - p->start) * 1000 + p->step - 1) / p->step;
	n = (k - p->k + p->stride - 1) / p->stride;
	/* division rounds down: the last of them may be due at END */
	q.k = p->k + (n - 1) * p->stride;
	return pace_due(&q) < end ? n : n - 1;
}
