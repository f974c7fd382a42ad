# service.cmake: part of cmake --install, whose --prefix is known by now: the unit
# names the program and its options there.
cmake_path(ABSOLUTE_PATH bin BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
	cmake_path(ABSOLUTE_PATH etc BASE_DIRECTORY /)
else()
	cmake_path(ABSOLUTE_PATH etc BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
endif()
configure_file(${from}/perfpair-record.service.in
	${made}/perfpair-record.service @ONLY)
file(INSTALL ${made}/perfpair-record.service
	DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/systemd/system)

# Options that somebody has changed stay.
set(conf $ENV{DESTDIR}${etc}/perfpair/record.conf)
if(EXISTS ${conf})
	message(STATUS "Kept: ${conf}")
	list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${etc}/perfpair/record.conf)
else()
	file(INSTALL ${from}/record.conf DESTINATION ${etc}/perfpair)
endif()
