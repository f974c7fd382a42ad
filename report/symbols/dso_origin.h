/* dso_origin.h: where the names of a DSO came from, in perf's letters:
 *
 *	k kallsyms, v a vmlinux	  l what .gnu_debuglink names
 *	B the build-id cache, D its debug file
 *	f /usr/lib/debug/PATH.debug, u /usr/lib/debug/PATH
 *	b /usr/lib/debug/.build-id, o .debug/NAME beside the file
 *	d the mapped file itself, K a module's, j a perf-PID.map
 *	! nowhere
 */
#ifndef RPT_DSO_ORIGIN_H
#define RPT_DSO_ORIGIN_H

#include "report/symbols/symbols.h"

/* Of a DSO that was asked for a symbol; '!' for NULL. */
char rpt_dso_origin(struct rpt_dso *dso);

#endif
