# The options of a build for Debian, for `cmake -C`: in /usr with the architecture's library folder, each backend a plugin of
# its own, and no run paths, because the system finds what is installed there.
find_program(muster_dpkg_architecture dpkg-architecture REQUIRED)
mark_as_advanced(muster_dpkg_architecture)
execute_process(COMMAND ${muster_dpkg_architecture} -qDEB_HOST_MULTIARCH
  OUTPUT_VARIABLE muster_multiarch OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(CMAKE_BUILD_TYPE Release CACHE STRING "")
set(CMAKE_INSTALL_PREFIX /usr CACHE PATH "")
set(CMAKE_INSTALL_LIBDIR lib/${muster_multiarch} CACHE PATH "")
set(CMAKE_SKIP_INSTALL_RPATH ON CACHE BOOL "")
set(MUSTER_ZSH_FOLDER share/zsh/vendor-completions CACHE STRING "")
set(MUSTER_PLUGINS ON CACHE BOOL "")
set(MUSTER_CLI ON CACHE BOOL "")
foreach(part TESTS BENCHES EXAMPLES)
  set(MUSTER_${part} OFF CACHE BOOL "")
endforeach()
