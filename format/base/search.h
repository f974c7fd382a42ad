/* search.h: the binary search of both programs.
 *
 *	uint32_t at;
 *
 *	PD_FIND_FIRST(at, list->nr, list->items[at].end >= start);
 *
 * sets at to the first index below nr for which the condition holds; to nr if
 * there is none.  The condition holds for all indexes behind that one, too: the
 * list is sorted by what it compares.  at is a variable of an unsigned type, in
 * which the condition finds the index that it is asked for; nr is evaluated
 * once.
 */
#ifndef PD_SEARCH_H
#define PD_SEARCH_H

#define PD_FIND_FIRST(at, nr, condition)                        \
	do {                                                    \
		__typeof__(at) pd_low = 0, pd_high = (nr);      \
                                                                \
		while (pd_low < pd_high) {                      \
			(at) = pd_low + (pd_high - pd_low) / 2; \
			if (condition)                          \
				pd_high = (at);                 \
			else                                    \
				pd_low = (at) + 1;              \
		}                                               \
		(at) = pd_low;                                  \
	} while (0)

#endif
