/* stat_label.c: the names of groups. */
#include "record/stat/stat_print.h"

#include <string.h>

/* Widths of perf's columns. */
enum { CPU_WIDTH = 7, CORE_WIDTH = 8, SOCKET_WIDTH = 5, TID_WIDTH = 8 };

/* Control characters of a thread's name would reach the terminal. */
static void print_comm(char *ret, size_t cap, const struct rec_thread *thread)
{
	size_t len = strnlen(thread->comm, sizeof(thread->comm));

	snprintf(ret, cap, "%.*s", (int)len, thread->comm);
	for (char *at = ret; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
}

void rec_stat_label_name(char *ret, size_t cap,
			 const struct rec_stat_groups *groups, size_t group)
{
	const struct rec_stat_group *g = &groups->groups[group];
	char comm[sizeof(g->thread.comm) + 1];

	*ret = '\0';
	if (groups->mode == REC_STAT_CPU) {
		snprintf(ret, cap, "CPU%d", g->cpu);
	} else if (groups->mode == REC_STAT_CORE) {
		snprintf(ret, cap, "S%d-D%d-C%d", g->socket, g->die, g->core);
	} else if (groups->mode == REC_STAT_DIE) {
		snprintf(ret, cap, "S%d-D%d", g->socket, g->die);
	} else if (groups->mode == REC_STAT_SOCKET) {
		snprintf(ret, cap, "S%d", g->socket);
	} else if (groups->mode == REC_STAT_NODE) {
		snprintf(ret, cap, "N%d", g->node);
	} else if (groups->mode == REC_STAT_THREAD) {
		print_comm(comm, sizeof(comm), &g->thread);
		snprintf(ret, cap, "%s-%d", comm, g->thread.tid);
	}
}

void rec_stat_label_text(FILE *out, const struct rec_stat_groups *groups,
			 size_t group, size_t counter_nr)
{
	const struct rec_stat_group *g = &groups->groups[group];
	char comm[sizeof(g->thread.comm) + 1];

	switch (groups->mode) {
	case REC_STAT_GLOBAL:
		return;
	case REC_STAT_CPU:
		fprintf(out, "CPU%-*d ", CPU_WIDTH, g->cpu);
		return;
	case REC_STAT_THREAD:
		print_comm(comm, sizeof(comm), &g->thread);
		fprintf(out, "%16s-%-*d ", comm, TID_WIDTH, g->thread.tid);
		return;
	case REC_STAT_CORE:
		fprintf(out, "S%d-D%d-C%-*d", g->socket, g->die, CORE_WIDTH,
			g->core);
		break;
	case REC_STAT_DIE:
		fprintf(out, "S%d-D%-*d", g->socket, CORE_WIDTH, g->die);
		break;
	case REC_STAT_SOCKET:
		fprintf(out, "S%-*d", SOCKET_WIDTH, g->socket);
		break;
	case REC_STAT_NODE:
		fprintf(out, "N%-*d", SOCKET_WIDTH, g->node);
		break;
	}
	fprintf(out, " %4zu ", counter_nr);
}
