#include "record/host/host_parts.h"

#include "record/base/cpu_list.h"
#include "record/base/read_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_NR_MAX = 1 << 24 };

/* Find the value of a line such as "Node 0 MemTotal: 4155604 kB". */
static bool meminfo_value(struct rec_text_scan text, const char *key,
			  uint64_t *ret)
{
	struct rec_text_scan line;
	struct rec_text_scan word;

	while (rec_text_scan_line(&text, &line)) {
		rec_text_scan_word(&line, &word); /* Node */
		rec_text_scan_word(&line, &word);
		rec_text_scan_blanks(&line);
		if (rec_text_scan_text(&line, key) &&
		    rec_text_scan_blanks(&line))
			return rec_text_scan_dec(&line, ret);
	}
	return false;
}

static bool read_meminfo(const char *dir, struct pd_numa_node *node)
{
	char path[600];
	struct pd_buf text = PD_BUF_INIT;
	bool ok;

	snprintf(path, sizeof(path), "%s/meminfo", dir);
	ok = rec_read_file(AT_FDCWD, path, 1 << 20, &text) == 0 &&
	     meminfo_value(rec_text_scan_buf(&text),
			   "MemTotal:", &node->mem_total_kib) &&
	     meminfo_value(rec_text_scan_buf(&text),
			   "MemFree:", &node->mem_free_kib);
	pd_buf_release(&text);
	return ok;
}

static int add_numa_node(struct rec_host_facts *facts, const char *dir,
			 uint32_t idx)
{
	struct pd_numa_topology *numa = &facts->numa;
	struct pd_numa_node node = { .node = idx };
	char cpus[4096];
	void *nodes;

	if (!read_meminfo(dir, &node) ||
	    rec_read_line(dir, "cpulist", cpus, sizeof(cpus)) != 0)
		return 0;
	node.cpus = rec_text_pool_add(&facts->pool, cpus);
	nodes = rec_list_grow(numa->nodes, numa->nr, sizeof(*numa->nodes));
	if (!nodes || !node.cpus.ptr)
		return -ENOMEM;
	numa->nodes = nodes;
	numa->nodes[numa->nr++] = node;
	return 0;
}

/* Parse the number of "memory12". */
static bool block_of_entry(const char *name, uint64_t *ret)
{
	struct rec_text_scan s = { name, name + strlen(name) };

	return rec_text_scan_text(&s, "memory") && rec_text_scan_dec(&s, ret) &&
	       s.at == s.end && *ret < BLOCK_NR_MAX;
}

/* Without bits yet, only count how many are needed; otherwise set them. */
static void each_block(DIR *dir, struct pd_mem_node *node)
{
	const struct dirent *d;
	uint64_t block;

	rewinddir(dir);
	while ((d = readdir(dir))) {
		if (!block_of_entry(d->d_name, &block))
			continue;
		if (!node->blocks && block >= node->bit_nr)
			node->bit_nr = block + 1;
		else if (node->blocks && block < node->bit_nr)
			node->blocks[block / 64] |= PD_BIT(block % 64);
	}
}

static int add_mem_node(struct rec_host_facts *facts, const char *path,
			uint32_t idx)
{
	struct pd_mem_topology *memory = &facts->memory;
	struct pd_mem_node node = { .node = idx };
	DIR *dir = opendir(path);
	void *nodes;

	if (!dir)
		return 0;
	each_block(dir, &node);
	if (node.bit_nr) {
		node.blocks = calloc((size_t)(node.bit_nr + 63) / 64,
				     sizeof(*node.blocks));
		if (node.blocks)
			each_block(dir, &node);
	}
	closedir(dir);
	if (node.bit_nr == 0)
		return 0;
	nodes = rec_list_grow(memory->nodes, memory->nr,
			      sizeof(*memory->nodes));
	if (nodes)
		memory->nodes = nodes;
	if (!nodes || !node.blocks) {
		free(node.blocks);
		return -ENOMEM;
	}
	memory->nodes[memory->nr++] = node;
	return 0;
}

static int read_node(struct rec_host_facts *facts, const char *sysfs,
		     uint32_t idx)
{
	char dir[512];
	int rc;

	snprintf(dir, sizeof(dir), "%s/devices/system/node/node%u", sysfs, idx);
	rc = add_numa_node(facts, dir, idx);
	if (!rc && facts->memory.block_len)
		rc = add_mem_node(facts, dir, idx);
	return rc;
}

/* Read the block length, hex without 0x. */
static void read_block_len(struct rec_host_facts *facts,
			   const struct rec_sysroots *roots)
{
	char text[64];
	struct rec_text_scan s;

	if (rec_read_line(roots->sys, "devices/system/memory/block_size_bytes",
			  text, sizeof(text)) != 0)
		return;
	s.at = text;
	s.end = text + strlen(text);
	if (!rec_text_scan_hex(&s, &facts->memory.block_len) || s.at != s.end)
		facts->memory.block_len = 0;
}

int rec_host_memory_read(struct rec_host_facts *facts,
			 const struct rec_sysroots *roots)
{
	struct rec_cpu_list nodes;
	int rc = 0;

	if (rec_cpu_list_read(roots->sys, "devices/system/node/online", &nodes,
			      NULL))
		return 0;
	read_block_len(facts, roots);
	for (size_t i = 0; i < nodes.nr && !rc; i++)
		rc = read_node(facts, roots->sys, (uint32_t)nodes.cpus[i]);
	rec_cpu_list_release(&nodes);
	return rc;
}
