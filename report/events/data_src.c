#include "report/events/data_src.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A field of the word: its first bit and number of bits. */
struct bits {
	unsigned shift;
	unsigned width;
};

static const struct bits op_bits = { 0, 5 };
static const struct bits level_bits = { 5, 14 };
static const struct bits snoop_bits = { 19, 5 };
static const struct bits lock_bits = { 24, 2 };
static const struct bits tlb_bits = { 26, 7 };
static const struct bits level_nr_bits = { 33, 4 };
static const struct bits remote_bits = { 37, 1 };
static const struct bits snoop_more_bits = { 38, 2 };
static const struct bits block_bits = { 40, 3 };
static const struct bits hops_bits = { 43, 3 };

/* The second and third bit of LVL and TLB; they are shown behind the others. */
#define HIT  (1u << 1)
#define MISS (1u << 2)

static unsigned field(uint64_t v, struct bits bits)
{
	return (unsigned)(v >> bits.shift) & ((1u << bits.width) - 1);
}

/* A text that is cut if it would be too long. */
struct words {
	char *buf;
	size_t cap;
	size_t len;
};

static void add(struct words *w, const char *str)
{
	size_t len = strlen(str), left = w->cap - 1 - w->len;

	if (len > left)
		len = left;
	memcpy(w->buf + w->len, str, len);
	w->len += len;
	w->buf[w->len] = '\0';
}

/* Add the names of the bits that are set, with " or " between them. */
static void add_alternatives(struct words *w, bool *has_one, unsigned set,
			     const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!(set >> i & 1) || !names[i])
			continue;
		if (*has_one)
			add(w, " or ");
		add(w, names[i]);
		*has_one = true;
	}
}

static void add_hit_miss(struct words *w, unsigned set)
{
	if (set & HIT)
		add(w, " hit");
	if (set & MISS)
		add(w, " miss");
}

static const char *op_name(unsigned op)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH",
					     "EXEC" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (op >> i & 1)
			return names[i];
	return "No";
}

#define LEVEL_NR 14u

/* The bits of LVL. */
static const char *const level_names[LEVEL_NR] = {
	"N/A",
	NULL,
	NULL,
	"L1",
	"LFB/MAB",
	"L2",
	"L3",
	"Local RAM",
	"Remote RAM (1 hop)",
	"Remote RAM (2 hops)",
	"Remote Cache (1 hop)",
	"Remote Cache (2 hops)",
	"I/O",
	"Uncached",
};

static const char *const hop_names[8] = {
	"",
	"core, same node ",
	"node, same socket ",
	"socket, same board ",
	"board ",
	"(null) ",
	"(null) ",
	"(null) ",
};

/* The words of perf 6.1: bits and number of the level, one after the other. */
static void add_level_6_1(struct words *w, uint64_t v)
{
	static const char *const by_nr[16] = {
		NULL,	   "L1",  "L2",	  "L3",	 "L4",	"L5",
		"L6",	   "L7",  "L8",	  "CXL", "I/O", "Any cache",
		"LFB/MAB", "RAM", "PMEM", "N/A",
	};
	unsigned level = field(v, level_bits), hops = field(v, hops_bits);
	unsigned nr = field(v, level_nr_bits);
	size_t start = w->len;
	bool has_one = false;

	if (field(v, remote_bits))
		add(w, "Remote ");
	if (hops)
		add(w, hop_names[hops]);
	else
		add_alternatives(w, &has_one, level, level_names, LEVEL_NR);
	if (nr)
		add_alternatives(w, &has_one, 1, &by_nr[nr], 1);
	if (w->len == start)
		add(w, "N/A");
	add_hit_miss(w, level);
}

/* The words of perf 6.12 and 7.2: the number of the level with what belongs to
 * it, or without a number the bits. */
static void add_level_6_12(struct words *w, uint64_t v)
{
	static const char *const by_nr[16] = {
		NULL,
		"L1",
		"L2",
		"L3",
		"L4",
		"L2 MHB",
		"Memory-side Cache",
		"Unknown level 7",
		"Uncached",
		"CXL",
		"I/O",
		"Any cache",
		"LFB/MAB",
		"RAM",
		"PMEM",
		NULL,
	};
	unsigned level = field(v, level_bits), nr = field(v, level_nr_bits);
	size_t start = w->len;
	bool has_one = false;

	if (by_nr[nr]) {
		if (field(v, remote_bits))
			add(w, "Remote ");
		add(w, hop_names[field(v, hops_bits)]);
		add(w, by_nr[nr]);
	} else {
		add_alternatives(w, &has_one, level & ~1u, level_names,
				 LEVEL_NR);
	}
	if (w->len == start) {
		add(w, "N/A");
		return;
	}
	add(w, level & HIT ? " hit" : level & MISS ? " miss" : " ");
}

static void add_level(struct words *w, uint64_t v, enum pd_perf perf)
{
	if (perf == PD_PERF_6_1)
		add_level_6_1(w, v);
	else
		add_level_6_12(w, v);
}

static void add_snoop(struct words *w, uint64_t v)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss",
					     "HitM" };
	static const char *const more[] = { "Fwd", "Peer" };
	bool has_one = false;

	add_alternatives(w, &has_one, field(v, snoop_bits), names,
			 sizeof(names) / sizeof(names[0]));
	add_alternatives(w, &has_one, field(v, snoop_more_bits), more,
			 sizeof(more) / sizeof(more[0]));
	if (!has_one)
		add(w, "N/A");
}

static void add_tlb(struct words *w, uint64_t v)
{
	static const char *const names[] = { "N/A", NULL,     NULL,   "L1",
					     "L2",  "Walker", "Fault" };
	unsigned set = field(v, tlb_bits);
	bool has_one = false;

	add_alternatives(w, &has_one, set, names,
			 sizeof(names) / sizeof(names[0]));
	if (!has_one)
		add(w, "N/A");
	add_hit_miss(w, set);
}

const char *rpt_data_src_lock(uint64_t data_src)
{
	unsigned lock = field(data_src, lock_bits);

	return lock & 1 ? "N/A" : lock & 2 ? "Yes" : "No";
}

const char *rpt_data_src_block(uint64_t data_src)
{
	static const char *const names[] = { " N/A", " Data", " Addr",
					     " Data Addr" };
	unsigned block = field(data_src, block_bits);

	return block & 1 ? names[0] : names[block >> 1];
}

void rpt_data_src_level(uint64_t data_src, enum pd_perf perf,
			char buf[RPT_DATA_SRC_LEN])
{
	struct words w = { buf, RPT_DATA_SRC_LEN, 0 };

	add_level(&w, data_src, perf);
}

void rpt_data_src_snoop(uint64_t data_src, char buf[RPT_DATA_SRC_LEN])
{
	struct words w = { buf, RPT_DATA_SRC_LEN, 0 };

	add_snoop(&w, data_src);
}

void rpt_data_src_tlb(uint64_t data_src, char buf[RPT_DATA_SRC_LEN])
{
	struct words w = { buf, RPT_DATA_SRC_LEN, 0 };

	add_tlb(&w, data_src);
}

size_t rpt_data_src_text(uint64_t data_src, enum pd_perf perf,
			 char buf[RPT_DATA_SRC_LEN])
{
	struct words w = { buf, RPT_DATA_SRC_LEN, 0 };

	add(&w, "|OP ");
	add(&w, op_name(field(data_src, op_bits)));
	add(&w, "|LVL ");
	add_level(&w, data_src, perf);
	add(&w, "|SNP ");
	add_snoop(&w, data_src);
	add(&w, "|TLB ");
	add_tlb(&w, data_src);
	add(&w, "|LCK ");
	add(&w, rpt_data_src_lock(data_src));
	add(&w, "|BLK ");
	add(&w, rpt_data_src_block(data_src));
	return w.len;
}
