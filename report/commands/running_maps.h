/* running_maps.h: the running kernel and its modules, for buildid-list -m.
 *
 * A row is as perf's: the build-id, the first address, the address behind the
 * last, and the file.  The kernel goes from _text (or _stext) to _edata (or
 * _etext).  A module's file is the one that modules.dep(5) names, as modprobe
 * takes it; perf takes the last of that name which it finds below
 * /lib/modules/RELEASE.
 */
#ifndef RPT_RUNNING_MAPS_H
#define RPT_RUNNING_MAPS_H

/* Print the rows, by address.  Return an exit code. */
int rpt_running_maps_print(void);

#endif
