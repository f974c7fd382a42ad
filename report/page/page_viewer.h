/* page_viewer.h: the page without its data: what stands before and behind it.
 *
 * page_viewer.cmake makes page_viewer.c out of viewer/ when the reader is
 * built.
 */
#ifndef RPT_PAGE_VIEWER_H
#define RPT_PAGE_VIEWER_H

extern const char rpt_page_viewer_start[];
extern const char rpt_page_viewer_end[];

#endif
