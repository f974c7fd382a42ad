/* btf_name.h: find the name of a type in a BTF blob.
 *
 * The kernel names the functions of a BPF program by their BTF types.  Types
 * have no index, so they are walked up to the wanted one.  Source: Linux
 * Documentation/bpf/btf.rst, sections 2 and 3.
 */
#ifndef REC_BTF_NAME_H
#define REC_BTF_NAME_H

#include "format/base/cursor.h"

/* Return the name of a type (ids count from 1).  It points into btf; empty if
 * there is no such type, the type has no name, or the blob is damaged. */
struct pd_str rec_btf_name(const void *btf, size_t len, uint32_t type_id);

#endif
