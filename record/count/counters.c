#include "record/count/counters.h"

#include "format/base/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD_NR = 3, WORDS_OF_MEMBER = 2 };

static ssize_t read_fd(void *ctx, const struct rec_open_fd *fd, void *ret,
		       size_t len)
{
	ssize_t n;

	(void)ctx;
	do {
		n = read(fd->fd, ret, len);
	} while (n < 0 && errno == EINTR);
	return n;
}

/* Terms of single events go before the options, as in perf. */
static void configure(struct rec_event *event, bool leads,
		      const struct rec_counters_conf *conf)
{
	struct perf_event_attr *attr = &event->attr.sys;

	attr->sample_period = 0;
	attr->freq = 0;
	attr->sample_type = PERF_SAMPLE_IDENTIFIER;
	attr->read_format =
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (!leads || event->member_nr > 1)
		attr->read_format |= PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	attr->inherit = !conf->no_inherit;
	if (event->terms.set & REC_TERM_INHERIT)
		attr->inherit = event->terms.inherit;
	attr->disabled = leads;
	attr->enable_on_exec = leads && conf->enable_on_exec;
	if (conf->all_user || conf->all_kernel) {
		attr->exclude_kernel = conf->all_user;
		attr->exclude_user = conf->all_kernel;
	}
}

int rec_counters_init(struct rec_counters *ret, struct rec_event_list *events,
		      const struct rec_counters_conf *conf, struct pd_err *err)
{
	struct rec_open_conf open_conf = { .target = conf->target,
					   .note = conf->note };
	int rc;

	*ret = (struct rec_counters){ .conf = *conf, .events = events };
	if (!ret->conf.read)
		ret->conf.read = read_fd;
	for (size_t i = 0; i < events->nr; i++)
		configure(&events->events[i], events->events[i].leader_idx == i,
			  conf);
	ret->words_len = sizeof(*ret->words) *
			 (HEAD_NR + WORDS_OF_MEMBER * (events->nr + 1));
	ret->words = malloc(ret->words_len);
	ret->refused = calloc(events->nr + 1, sizeof(*ret->refused));
	open_conf.refused = ret->refused;
	if (ret->words && ret->refused)
		rc = rec_open_set_open(&ret->open, events, &open_conf, err);
	else
		rc = pd_err_set(err, -ENOMEM, "out of memory");
	if (rc)
		rec_counters_release(ret);
	return rc;
}

void rec_counters_release(struct rec_counters *counters)
{
	rec_open_set_close(&counters->open);
	free(counters->refused);
	free(counters->words);
	memset(counters, 0, sizeof(*counters));
}

int rec_counters_switch(const struct rec_counters *counters, bool on,
			struct pd_err *err)
{
	return rec_open_set_enable(&counters->open, on, err);
}

/* Take the value of the event with that id from what a read returned: value,
 * enabled, running; of a group number, enabled, running, then value and id of
 * each. */
static int take(const uint64_t *words, size_t word_nr, uint64_t id,
		bool is_group, struct rec_count *ret)
{
	/* A pinned event that never got a counter has nothing to read. */
	*ret = (struct rec_count){ .is_open = true };
	if (!word_nr)
		return 0;
	if (word_nr < HEAD_NR)
		return -EBADMSG;
	*ret = (struct rec_count){ words[0], words[1], words[2], true };
	if (!is_group)
		return 0;
	for (size_t i = HEAD_NR; i + 1 < word_nr; i += WORDS_OF_MEMBER) {
		ret->value = words[i];
		if (words[i + 1] == id)
			return 0;
	}
	ret->is_open = false;
	return -EBADMSG;
}

static size_t place_of(const struct rec_target *target, int cpu)
{
	size_t i = 0;

	while (i + 1 < target->cpu_nr && target->cpus[i] != cpu)
		i++;
	return i;
}

static size_t thread_of(const struct rec_target *target, pid_t tid)
{
	size_t at;

	PD_FIND_FIRST(at, target->thread_nr, target->threads[at].tid > tid);
	return at ? at - 1 : 0;
}

size_t rec_counters_thread(const struct rec_counters *counters,
			   const struct rec_open_fd *fd)
{
	return thread_of(counters->conf.target, fd->tid);
}

struct rec_count *rec_counters_at(const struct rec_counters *counters,
				  const struct rec_counts *counts,
				  const struct rec_open_fd *fd)
{
	return rec_counts_at(counts, fd->event_idx,
			     place_of(counters->conf.target, fd->cpu),
			     rec_counters_thread(counters, fd));
}

/* The descriptor of that event on the leader's CPU and thread; NULL: none. */
static const struct rec_open_fd *member_fd(const struct rec_open_set *open,
					   size_t event,
					   const struct rec_open_fd *leader)
{
	for (size_t i = open->first[event]; i < open->first[event + 1]; i++)
		if (open->fds[i].cpu == leader->cpu &&
		    open->fds[i].tid == leader->tid)
			return &open->fds[i];
	return NULL;
}

/* Read one leader with those of its members that are open. */
static int read_leader(struct rec_counters *c, const struct rec_open_fd *fd,
		       struct rec_counts *ret)
{
	const struct rec_event_list *list = c->events;
	const struct rec_target *target = c->conf.target;
	size_t leader = fd->event_idx;
	bool is_group = list->events[leader].member_nr > 1;
	size_t place = place_of(target, fd->cpu);
	size_t thread = thread_of(target, fd->tid);
	ssize_t n = c->conf.read(c->conf.read_ctx, fd, c->words, c->words_len);
	size_t word_nr;

	if (n < 0)
		return -errno;
	word_nr = (size_t)n / sizeof(*c->words);
	for (size_t i = leader; i < list->nr; i++) {
		const struct rec_open_fd *member = fd;
		int rc;

		if (list->events[i].leader_idx != leader)
			continue;
		if (i != leader)
			member = member_fd(&c->open, i, fd);
		if (!member)
			continue;
		rc = take(c->words, word_nr, member->id, is_group,
			  rec_counts_at(ret, i, place, thread));
		if (rc)
			return rc;
	}
	return 0;
}

int rec_counters_read(struct rec_counters *counters, struct rec_counts *ret,
		      struct pd_err *err)
{
	const struct rec_open_set *open = &counters->open;

	for (size_t i = 0; i < open->nr; i++) {
		const struct rec_open_fd *fd = &open->fds[i];
		const struct rec_event *event =
			&counters->events->events[fd->event_idx];
		int rc;

		if (event->leader_idx != fd->event_idx)
			continue;
		rc = read_leader(counters, fd, ret);
		if (rc)
			return pd_err_set(err, rc, "reading %s: %s",
					  event->name, strerror(-rc));
	}
	return 0;
}
