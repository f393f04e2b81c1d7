# Installing: `cmake --install`, then find_package(muster) gives muster::muster, muster::backend_ID and
# muster::backends. Both flavours are installed; muster-config.cmake.in selects the one that find_package uses.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(muster_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/muster)
# Programs and libraries find libmuster beside them, wherever the prefix is moved.
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

# libmuster's plugin folder, relative to the installation.
set(muster_plugin_folder ${CMAKE_INSTALL_LIBDIR}/muster/backends)

# Installs a target. A third argument is the shared library's folder, instead of the usual one.
function(muster_install_target target flavour)
  string(TOLOWER ${flavour} flavour)
  set(folder ${CMAKE_INSTALL_LIBDIR})
  if(ARGC GREATER 2)
    set(folder ${ARGV2})
  endif()
  install(TARGETS ${target} EXPORT muster-${flavour}
          LIBRARY DESTINATION ${folder} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# Installs the umbrellas, HEADERS of the project's root, and what they include of muster's, and so on; nothing else.
function(muster_install_headers)
  set(found ${ARGN})
  set(next ${ARGN})
  while(next)
    list(POP_FRONT next header)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include <muster/")
    foreach(line ${lines})
      string(REGEX REPLACE "^#include <muster/([^>]+)>.*" "\\1" included "${line}")
      if(NOT included IN_LIST found)
        list(APPEND found ${included})
        list(APPEND next ${included})
      endif()
    endforeach()
  endwhile()
  foreach(header ${found})
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/muster/${folder})
  endforeach()
  set_property(GLOBAL PROPERTY muster_public_headers ${found})
endfunction()

# Writes the package. Call it once, after all libraries and backends.
function(muster_package)
  foreach(flavour shared static)
    install(EXPORT muster-${flavour} NAMESPACE muster:: FILE muster-${flavour}-targets.cmake
            DESTINATION ${muster_package_folder})
  endforeach()
  get_property(muster_static_dependencies GLOBAL PROPERTY muster_static_dependencies)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/muster-config.cmake.in
    ${CMAKE_BINARY_DIR}/muster-config.cmake INSTALL_DESTINATION ${muster_package_folder}
    PATH_VARS muster_plugin_folder)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/muster-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/muster-config.cmake ${CMAKE_BINARY_DIR}/muster-config-version.cmake
          DESTINATION ${muster_package_folder})
endfunction()
