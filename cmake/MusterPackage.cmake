# Installing: `cmake --install`, then find_package(muster) gives muster::muster, muster::backend_ID and
# muster::backends. Both flavours are installed; muster-config.cmake.in selects the one that find_package uses.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(muster_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/muster)
# Makes what is installed find libmuster, wherever the prefix is moved. The build's folders lie to each other as the
# installation's do, and have the same path: CMake would add an empty one to any other, which is the current folder.
function(muster_run_path target path)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH ${path} BUILD_WITH_INSTALL_RPATH ON)
endfunction()

# libmuster's plugin folder, relative to the installation.
set(muster_plugin_folder ${CMAKE_INSTALL_LIBDIR}/muster/backends)

# Installs a target. A third argument is the shared library's folder, instead of the usual one.
function(muster_install_target target flavour)
  string(TOLOWER ${flavour} flavour)
  set(folder ${CMAKE_INSTALL_LIBDIR})
  if(ARGC GREATER 2)
    set(folder ${ARGV2})
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    file(RELATIVE_PATH path /${folder} /${CMAKE_INSTALL_LIBDIR})
    string(REGEX REPLACE "/$" "" path "$ORIGIN/${path}")
    muster_run_path(${target} ${path})
  endif()
  install(TARGETS ${target} EXPORT muster-${flavour}
          LIBRARY DESTINATION ${folder} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# Installs the umbrellas, HEADERS of the project's root, and what they include of muster's, and so on; nothing else. Which
# headers these are is found at installation, so that editing one configures nothing again.
function(muster_install_headers)
  install(CODE "set(headers \"${ARGN}\")\nset(root \"${PROJECT_SOURCE_DIR}\")\nset(include_folder \"${CMAKE_INSTALL_INCLUDEDIR}\")")
  install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake)
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
          ${PROJECT_SOURCE_DIR}/cmake/muster-backend.cmake DESTINATION ${muster_package_folder})
  # The pages and what they link to, in the places that they have here.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/muster)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/muster)
endfunction()
