# uninstall.cmake: removes what cmake --install has put anywhere out of the folder
# BUILD, by the lists that it keeps there.  Options of the service that somebody
# has changed stay.
file(GLOB lists ${BUILD}/install_manifest*.txt)
if(NOT lists)
	message(FATAL_ERROR "nothing is installed out of ${BUILD}: it has no "
		"install_manifest.txt")
endif()
file(SHA256 ${CMAKE_CURRENT_LIST_DIR}/record.conf conf)

# remove(PATH): with the folders of ours that are empty then.
function(remove path)
	set(file $ENV{DESTDIR}${path})
	if(NOT EXISTS ${file} AND NOT IS_SYMLINK ${file})
		return()
	endif()
	if(path MATCHES "/perfpair/record.conf$")
		file(SHA256 ${file} found)
		if(NOT found STREQUAL conf)
			message("Kept: ${file}, which was changed")
			return()
		endif()
	endif()
	execute_process(COMMAND rm ${file} COMMAND_ERROR_IS_FATAL ANY)
	message("Removed: ${file}")
	cmake_path(GET path PARENT_PATH path)
	while(path MATCHES "/perfpair(/|$)")
		execute_process(COMMAND rmdir $ENV{DESTDIR}${path}
			RESULT_VARIABLE failed ERROR_QUIET)
		if(failed)
			return()
		endif()
		cmake_path(GET path PARENT_PATH path)
	endwhile()
endfunction()

foreach(list IN LISTS lists)
	file(STRINGS ${list} paths)
	foreach(path IN LISTS paths)
		remove(${path})
	endforeach()
	file(REMOVE ${list})
endforeach()
