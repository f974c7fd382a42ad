# join.cmake: makes the viewer two texts, without node.
#
#	cmake -DPAGE=page.html -DPROGRAM=program.js -P join.cmake
#
# The first is page.html, whose @TITLE@, @DATA@ and @PROGRAM@ are for who writes
# a page.  The second is the style and the modules as one script; a page
# holds it as it holds the data, deflated.  The modules keep to what
# makes this simple: an import is one line and names siblings, export stands in
# front of a declaration, names at the top of files differ, no text goes over a
# line, and a line that begins with a star or // is a comment.
# tests/page/test_viewer_text.py holds them to it.

cmake_policy(VERSION 3.20)

# In the order of use: what a module imports stands before it.
set(MODULES data select tree dom chance colour flame rows frame table calltree changes
	listing sandwich facts timeline timerows hash keys save model app main)

set(HERE ${CMAKE_CURRENT_LIST_DIR})
set(script "")
foreach(module IN LISTS MODULES)
	file(READ ${HERE}/${module}.js text)
	string(APPEND script "\n${text}")
endforeach()
string(REGEX REPLACE "\n[\t ]*(/?\\*|//)[^\n]*" "" script "${script}")
string(REGEX REPLACE "/\\*\\* @type [^*]*\\*/ ?" "" script "${script}")
string(REGEX REPLACE "\nimport [^\n]*" "" script "${script}")
string(REGEX REPLACE "\nexport " "\n" script "${script}")
string(REGEX REPLACE "\n[\t\n]*" "\n" script "${script}")
string(STRIP "${script}" script)
# The style goes with the program: there it is deflated, too.
file(READ ${HERE}/page.css style)
string(REGEX REPLACE "\n[\t\n]*" "\n" style "${style}")
if(style MATCHES "[`\\]")
	message(FATAL_ERROR "page.css: no backtick and no backslash")
endif()
file(READ ${HERE}/page.html page)
file(WRITE ${PAGE} "${page}")
file(WRITE ${PROGRAM} "'use strict';\n"
	"document.head.append(Object.assign(document.createElement('style'), "
	"{textContent: `${style}`}));\n${script}\n")
