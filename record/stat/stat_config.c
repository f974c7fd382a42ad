#include "record/stat/stat_config.h"

static const uint64_t numbers[] = {
	[REC_STAT_CPU] = 0,  [REC_STAT_GLOBAL] = 1, [REC_STAT_SOCKET] = 2,
	[REC_STAT_DIE] = 3,  [REC_STAT_CORE] = 4,   [REC_STAT_THREAD] = 5,
	[REC_STAT_NODE] = 7,
};

uint64_t rec_stat_mode_to_file(enum rec_stat_mode mode)
{
	return numbers[mode];
}

bool rec_stat_mode_of_file(uint64_t number, enum rec_stat_mode *ret)
{
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i] != number)
			continue;
		*ret = (enum rec_stat_mode)i;
		return true;
	}
	return false;
}
