# Makes page_viewer.c: what a page has besides its data, out of viewer/.
#
#	cmake -DVIEWER=DIR -DOUT=FILE -P page_viewer.cmake
set(PAGE ${OUT}.html)
set(PROGRAM ${OUT}.js)
include(${VIEWER}/join.cmake)

# put(NAME FILE): the bytes of a file as an array.
function(put name file)
	file(READ ${file} bytes HEX)
	string(REGEX REPLACE "(................................)" "\\1\n" bytes
		"${bytes}")
	string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
	file(APPEND ${OUT} "const unsigned char ${name}[] = {\n${bytes}0\n};\n")
endfunction()

file(WRITE ${OUT} "#include \"report/page/page_viewer.h\"\n")
put(rpt_page_viewer_page ${PAGE})
put(rpt_page_viewer_program ${PROGRAM})
file(REMOVE ${PAGE} ${PROGRAM})
