# Makes page_viewer.c: the page of viewer/ in two strings, around the data.
#
#	cmake -DVIEWER=DIR -DOUT=FILE -P page_viewer.cmake
#
# viewer/page.html has the places @STYLE@, @DATA@ and @SCRIPT@; viewer/modules.txt
# lists the modules in the order in which they are joined into one script, where
# none may import or export.
file(READ ${VIEWER}/page.html page)
file(READ ${VIEWER}/page.css style)
file(STRINGS ${VIEWER}/modules.txt modules)
set(script "")
foreach(module IN LISTS modules)
	file(READ ${VIEWER}/${module} text)
	string(REGEX REPLACE "(^|\n)import [^;]*;" "\\1" text "${text}")
	string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
	string(APPEND script "${text}")
endforeach()
if(script MATCHES "</script" OR style MATCHES "</style")
	message(FATAL_ERROR "${VIEWER}: a script or style would end too early")
endif()

# Strings are cut and joined, not replaced: the texts have backslashes.
macro(cut text marker before after)
	string(FIND "${${text}}" "${marker}" at)
	if(at EQUAL -1)
		message(FATAL_ERROR "${VIEWER}/page.html: ${marker} is missing")
	endif()
	string(SUBSTRING "${${text}}" 0 ${at} ${before})
	string(LENGTH "${marker}" length)
	math(EXPR at "${at} + ${length}")
	string(SUBSTRING "${${text}}" ${at} -1 ${after})
endmacro()

cut(page "@STYLE@" head rest)
cut(rest "@DATA@" middle tail)
cut(tail "@SCRIPT@" before_script end)

# put(NAME TEXT): TEXT as a C array of bytes.
function(put name text)
	file(WRITE ${OUT}.part "${text}")
	file(READ ${OUT}.part bytes HEX)
	file(REMOVE ${OUT}.part)
	string(REGEX REPLACE "(................................)" "\\1\n" bytes
		"${bytes}")
	string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
	file(APPEND ${OUT} "const char ${name}[] = {\n${bytes}0\n};\n")
endfunction()

file(WRITE ${OUT} "#include \"report/page/page_viewer.h\"\n")
put(rpt_page_viewer_start "${head}${style}${middle}")
put(rpt_page_viewer_end "${before_script}${script}${end}")
