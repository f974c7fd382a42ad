/* own_vdso.h: the vdso, which is no file, as one. */
#ifndef REC_OWN_VDSO_H
#define REC_OWN_VDSO_H

/* Return a descriptor of a copy of this process's vdso, which is that of all
 * processes of its word size; or -ENOENT. */
int rec_own_vdso_open(void);

#endif
