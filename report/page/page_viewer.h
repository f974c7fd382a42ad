/* page_viewer.h: the page without its data, and the program in it.
 *
 * page_viewer.cmake makes page_viewer.c out of viewer/ when the reader is
 * built.
 */
#ifndef RPT_PAGE_VIEWER_H
#define RPT_PAGE_VIEWER_H

/* Both end with a NUL.  In the page the words @TITLE@, @PROGRAM@ and @DATA@
 * stand where these go. */
extern const unsigned char rpt_page_viewer_page[];
extern const unsigned char rpt_page_viewer_program[];

#endif
