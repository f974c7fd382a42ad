#include "record/ring/sample_layouts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/file/layout.h"
#include "format/records/leaf_words.h"
#include "record/event/event_attr.h"
#include "record/ring/own_stack.h"

/* The fields of a sample from REGS_USER on: FORMAT.md "Samples". */
#define BEHIND_BRANCHES                                                      \
	(PD_SAMPLE_REGS_USER | PD_SAMPLE_STACK_USER | PD_SAMPLE_WEIGHT |     \
	 PD_SAMPLE_WEIGHT_STRUCT | PD_SAMPLE_DATA_SRC |                      \
	 PD_SAMPLE_TRANSACTION | PD_SAMPLE_REGS_INTR | PD_SAMPLE_PHYS_ADDR | \
	 PD_SAMPLE_CGROUP | PD_SAMPLE_DATA_PAGE_SIZE |                       \
	 PD_SAMPLE_CODE_PAGE_SIZE | PD_SAMPLE_AUX)

struct rec_sample_id {
	uint64_t id;
	uint32_t event_idx;
};

/* Return the distance of TIME from the end of a trailer, 0 if it has none. */
static unsigned time_back_of(const struct pd_attr *attr)
{
	uint64_t behind = attr->sample_type &
			  (PD_SAMPLE_TIME | PD_SAMPLE_ID | PD_SAMPLE_STREAM_ID |
			   PD_SAMPLE_CPU | PD_SAMPLE_IDENTIFIER);

	if (!(attr->flags & PD_ATTR_SAMPLE_ID_ALL) ||
	    !(attr->sample_type & PD_SAMPLE_TIME))
		return 0;
	return 8 * (unsigned)__builtin_popcountll(behind);
}

void rec_shape_init(struct rec_shape *ret, const struct rec_event_list *events)
{
	*ret = (struct rec_shape){ .sample_time_off = -1,
				   .samples_have_tasks = events->nr > 0 };
	for (size_t i = 0; i < events->nr; i++) {
		struct pd_sample_layout layout;
		struct pd_attr attr;

		rec_attr_to_pd(&events->events[i].attr, &attr);
		pd_sample_layout_init(&layout, &attr);
		ret->has_build_ids |= (attr.flags & PD_ATTR_BUILD_ID) != 0;
		if (!i)
			ret->sample_time_off = layout.time_off;
		ret->sample_times_vary |=
			ret->sample_time_off != layout.time_off;
		ret->samples_have_tasks &= layout.time_off >= 0 &&
					   !ret->sample_times_vary &&
					   attr.sample_type & PD_SAMPLE_TID;
		/* Most other records come from one event. */
		if (i && !events->events[i].attr.sys.ksymbol)
			continue;
		ret->id_len = layout.id_len;
		ret->other_time_back = time_back_of(&attr);
	}
}

static int compare_ids(const void *va, const void *vb)
{
	const struct rec_sample_id *a = va;
	const struct rec_sample_id *b = vb;

	return (a->id > b->id) - (a->id < b->id);
}

int rec_sample_layouts_init(struct rec_sample_layouts *ret,
			    const struct rec_event_list *events,
			    const struct rec_open_set *open)
{
	bool has_leaf = false;

	memset(ret, 0, sizeof(*ret));
	ret->layouts = calloc(events->nr + 1, sizeof(*ret->layouts));
	ret->has_leaf = calloc(events->nr + 1, sizeof(*ret->has_leaf));
	ret->ids = calloc(open->nr + 1, sizeof(*ret->ids));
	if (!ret->layouts || !ret->has_leaf || !ret->ids) {
		rec_sample_layouts_release(ret);
		return -ENOMEM;
	}
	ret->event_nr = events->nr;
	ret->stack_max_len = UINT64_MAX;
	for (size_t i = 0; i < events->nr; i++) {
		struct pd_attr attr;

		rec_attr_to_pd(&events->events[i].attr, &attr);
		ret->has_leaf[i] = events->events[i].has_leaf;
		if (ret->has_leaf[i])
			attr.sample_type &= ~BEHIND_BRANCHES;
		pd_sample_layout_init(&ret->layouts[i], &attr);
		if (attr.sample_type & PD_SAMPLE_STACK_USER)
			ret->has_long_stacks = true;
		has_leaf |= ret->has_leaf[i];
	}
	ret->has_stacks = ret->has_long_stacks || has_leaf;
	if (has_leaf)
		ret->code = rec_code_ranges_new();
	if (has_leaf && !ret->code) {
		rec_sample_layouts_release(ret);
		return -ENOMEM;
	}
	for (size_t i = 0; i < open->nr; i++)
		ret->ids[ret->id_nr++] =
			(struct rec_sample_id){ open->fds[i].id,
						open->fds[i].event_idx };
	qsort(ret->ids, ret->id_nr, sizeof(*ret->ids), compare_ids);
	return 0;
}

void rec_sample_layouts_release(struct rec_sample_layouts *layouts)
{
	free(layouts->ids);
	free(layouts->layouts);
	free(layouts->has_leaf);
	rec_code_ranges_free(layouts->code);
	memset(layouts, 0, sizeof(*layouts));
}

/* The beginning of a record, in the ring or, over the wrap, in room. */
static struct pd_record beginning(const struct rec_ring *ring, uint64_t pos,
				  const struct rec_record_header *header,
				  uint64_t room[REC_CODE_RECORD_LEN / 8])
{
	uint16_t len = header->len < REC_CODE_RECORD_LEN ? header->len
							 : REC_CODE_RECORD_LEN;
	size_t off = (size_t)(pos & (ring->data_len - 1));
	const uint8_t *data = ring->data + off;

	if (off + len > ring->data_len) {
		rec_ring_copy(ring, pos, len, room);
		data = (const uint8_t *)room;
	}
	return (struct pd_record){ .type = header->type,
				   .misc = header->misc,
				   .len = len,
				   .data = data };
}

void rec_sample_layouts_see(const struct rec_sample_layouts *layouts,
			    const struct rec_ring *ring, uint64_t pos,
			    bool is_new)
{
	uint64_t room[REC_CODE_RECORD_LEN / 8];
	struct rec_record_header header;
	struct pd_record rec;

	if (!layouts->code || !rec_ring_header(ring, pos, &header))
		return;
	rec = beginning(ring, pos, &header, room);
	rec_code_ranges_see(layouts->code, &rec, is_new);
}

uint64_t rec_sample_layouts_look(const struct rec_sample_layouts *layouts,
				 const struct rec_ring *ring, uint64_t pos)
{
	uint64_t room[REC_CODE_RECORD_LEN / 8];
	struct rec_record_header header;

	rec_code_ranges_lock(layouts->code);
	for (; rec_ring_header(ring, pos, &header); pos += header.len) {
		struct pd_record rec;

		if (!rec_code_ranges_want(header.type))
			continue;
		rec = beginning(ring, pos, &header, room);
		rec_code_ranges_see_locked(layouts->code, &rec, true);
	}
	rec_code_ranges_unlock(layouts->code);
	return pos;
}

static uint64_t word_at(const uint8_t *record, size_t len, int off)
{
	uint64_t word = 0;

	if (off >= 0 && (size_t)off + sizeof(word) <= len)
		memcpy(&word, record + off, sizeof(word));
	return word;
}

uint32_t rec_sample_layouts_find(const struct rec_sample_layouts *layouts,
				 const uint8_t *record, size_t len,
				 uint64_t *ret_time_ns)
{
	/* All events of a recording have the id at the same offset. */
	struct rec_sample_id key = {
		.id = word_at(record, len, layouts->layouts[0].id_off)
	};
	const struct rec_sample_id *hit = NULL;
	uint32_t idx;

	if (layouts->event_nr > 1)
		hit = bsearch(&key, layouts->ids, layouts->id_nr, sizeof(key),
			      compare_ids);
	idx = hit ? hit->event_idx : 0;
	*ret_time_ns = word_at(record, len, layouts->layouts[idx].time_off);
	return idx;
}

bool rec_sample_layouts_has_leaf(const struct rec_sample_layouts *layouts,
				 const uint8_t *record, size_t len)
{
	uint64_t time_ns;

	return layouts->has_leaf[rec_sample_layouts_find(layouts, record, len,
							 &time_ns)];
}

/* Return the length of a cut stack copy: a multiple of 8 and not 0, which would
 * leave no room for the word with the length in use. */
static uint64_t kept_len_of(uint64_t own_len, uint64_t max_len)
{
	uint64_t len = (own_len + 7) & ~(uint64_t)7;

	if (!len)
		return 8;
	return len < max_len ? len : max_len;
}

/* Make the copy at stack kept_len bytes long, of which own_len are stack. */
static size_t shorten(uint8_t *record, size_t len,
		      const struct pd_sample *sample, uint64_t own_len,
		      uint64_t kept_len)
{
	uint8_t *stack = record + (sample->stack - record);
	const uint8_t *behind = stack + sample->stack_len;
	uint16_t new_len = (uint16_t)(len - (sample->stack_len - kept_len));

	memmove(stack + kept_len, behind, (size_t)(record + len - behind));
	memcpy(stack - sizeof(kept_len), &kept_len, sizeof(kept_len));
	if (own_len < kept_len)
		memset(stack + own_len, 0, (size_t)(kept_len - own_len));
	else
		own_len = kept_len;
	memcpy(stack + kept_len, &own_len, sizeof(own_len));
	memcpy(record + 6, &new_len, sizeof(new_len));
	return new_len;
}

/* The fields that rec_attr_add_leaf() adds to a sample. */
struct leaf {
	uint64_t abi;
	uint64_t bp;
	uint64_t sp;
	const uint8_t *stack;
	uint64_t stack_len; /* that is stack */
};

/* Read it at the cursor; all is 0 if the sample has no registers. */
static void read_leaf(struct pd_cursor *c, struct leaf *ret)
{
	uint64_t len;

	*ret = (struct leaf){ .abi = pd_cursor_u64(c) };
	if (ret->abi != PD_REGS_ABI_NONE) {
		ret->bp = pd_cursor_u64(c);
		ret->sp = pd_cursor_u64(c);
	}
	len = pd_cursor_u64(c);
	ret->stack = pd_cursor_bytes(c, len);
	if (len)
		ret->stack_len = pd_cursor_u64(c);
	if (ret->stack_len > len)
		ret->stack_len = len;
}

/* Return the caller that the chain has; 0: none. */
static uint64_t caller_in(const struct pd_u64s *chain)
{
	size_t at = 0;

	while (at < chain->nr && pd_u64s_at(chain, at) != PD_CONTEXT_USER)
		at++;
	return at + 2 < chain->nr ? pd_u64s_at(chain, at + 2) : 0;
}

/* Fill ret with the words that may be a caller which the chain lacks: those of
 * functions without a frame lie below the frame pointer, if it is one, and
 * below the caller that the chain has, and point into code.  In code without
 * frame pointers what the chain has is mostly no caller.  Return how many. */
static size_t find_words(const struct rec_sample_layouts *layouts,
			 const struct pd_sample *sample,
			 const struct leaf *leaf, uint64_t *ret)
{
	enum { WORD_NR = PD_LEAF_STACK_LEN / 8 };
	uint64_t addrs[WORD_NR + 1], len = leaf->stack_len, found;
	uint64_t known = caller_in(&sample->callchain);
	size_t nr = 0, ret_nr = 0;

	if (leaf->abi != PD_REGS_ABI_64 || (!known && !layouts->all_have_leaf))
		return 0;
	if (leaf->bp >= leaf->sp && leaf->bp - leaf->sp < len)
		len = leaf->bp - leaf->sp;
	for (; nr < WORD_NR && (nr + 1) * 8 <= len; nr++) {
		memcpy(&addrs[nr], leaf->stack + nr * 8, 8);
		if (known && addrs[nr] == known)
			break;
		if (addrs[nr] >> PD_LEAF_ADDR_BITS)
			addrs[nr] = 0;
	}
	addrs[nr] = known;
	found = rec_code_ranges_find(layouts->code, sample->pid, addrs, nr + 1);
	if (!(found >> nr & 1) && !layouts->all_have_leaf)
		return 0;
	for (size_t i = 0; i < nr && ret_nr < PD_LEAF_WORDS_NR; i++)
		if (found >> i & 1)
			ret[ret_nr++] = pd_leaf_word((unsigned)i * 8, addrs[i]);
	return ret_nr;
}

/* Take registers and stack out of a sample whose other fields end at at, and
 * append words instead. */
static size_t keep_words(const struct rec_sample_layouts *layouts,
			 uint8_t *record, const struct pd_record *rec,
			 const struct pd_sample *sample, bool with_words)
{
	uint64_t words[PD_LEAF_WORDS_NR];
	struct pd_cursor c;
	struct leaf leaf;
	size_t nr = 0, at = sample->fields_len, behind_len;
	uint16_t new_len;

	pd_cursor_init(&c, rec->data + at, rec->len - at, 0, "sample");
	read_leaf(&c, &leaf);
	if (pd_cursor_status(&c)) { /* of what cannot be, nothing is kept */
		leaf.abi = PD_REGS_ABI_NONE;
		c.pos = c.len;
	}
	if (with_words)
		nr = find_words(layouts, sample, &leaf, words);
	behind_len = rec->len - at - c.pos;
	memmove(record + at, record + at + c.pos, behind_len);
	memcpy(record + at + behind_len, words, nr * sizeof(*words));
	new_len = (uint16_t)(at + behind_len + nr * sizeof(*words));
	memcpy(record + 6, &new_len, sizeof(new_len));
	return new_len;
}

size_t rec_sample_cut_stack(const struct rec_sample_layouts *layouts,
			    uint8_t *record, size_t len, uint64_t max_len)
{
	struct pd_record rec = { .type = PD_RECORD_SAMPLE,
				 .len = (uint16_t)len,
				 .data = record };
	struct pd_sample sample;
	uint64_t time_ns, own_len, kept_len;
	uint32_t idx = rec_sample_layouts_find(layouts, record, len, &time_ns);

	if (pd_sample_read(&layouts->layouts[idx], &rec, &sample, NULL))
		return len;
	if (layouts->has_leaf[idx])
		return keep_words(layouts, record, &rec, &sample, max_len > 0);
	if (!sample.stack)
		return len;
	own_len = rec_own_stack_len(&sample);
	kept_len = kept_len_of(own_len, max_len);
	if (kept_len > sample.stack_len)
		return len;
	return shorten(record, len, &sample, own_len, kept_len);
}
