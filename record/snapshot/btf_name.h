/* btf_name.h: the name of one type in a BTF blob.
 *
 * The kernel names the functions of a BPF program by their BTF types.  Types
 * have no index: they are walked to the one that is asked for.
 * Source: Linux Documentation/bpf/btf.rst, sections 2 and 3.
 */
#ifndef REC_BTF_NAME_H
#define REC_BTF_NAME_H

#include "format/cursor.h"

/* Type ids count from 1.  Points into btf; empty where the blob has no such
 * type, the type no name, or the blob is damaged. */
struct pd_str rec_btf_name(const void *btf, size_t len, uint32_t type_id);

#endif
