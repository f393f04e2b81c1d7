# Installing: `cmake --install`, then find_package(muster) gives muster::muster, muster::backend_ID and
# muster::backends, and pkg-config muster, muster-backend-ID and both with -static. Both flavours are installed;
# muster-config.cmake.in selects the one that find_package uses.
#
# Each file is of one component, `cmake --install build --component NAME` (docs/packaging.md):
#   library        libmuster and the helper of isolated probes
#   tool           the muster tool, its manual and completions
#   backend_ID     the backend's shared library or plugin, and its modules
#   webgpu         libmuster_webgpu
#   c_parts        what libmuster opens for models and the conformance suite in C
#   development    headers, static libraries, and what find_package and pkg-config read
#   documentation  pages and examples

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Before anything is installed: what isn't built is told with the command that builds it (muster_package writes the list).
install(CODE "include(\"${CMAKE_BINARY_DIR}/check_built.cmake\")" ALL_COMPONENTS)
function(muster_has_to_be_built component file)
  set_property(GLOBAL APPEND PROPERTY muster_built_files "${component}|${file}")
endfunction()

set(muster_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/muster)
# Makes what is installed find libmuster, wherever the prefix is moved. The build's folders lie to each other as the
# installation's do, and have the same path: CMake would add an empty one to any other, which is the current folder.
function(muster_run_path target path)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH ${path} BUILD_WITH_INSTALL_RPATH ON)
endfunction()

# What programs open at run time, relative to the installation: modules, the helper of isolated probes, and plugins.
set(muster_private_folder ${CMAKE_INSTALL_LIBDIR}/muster)
set(muster_plugin_folder ${muster_private_folder}/backends)

# Installs a target for COMPONENT, the part of it that isn't a development file, and exports it in
# muster-FLAVOUR[-BACKEND]-targets.cmake. FOLDER: the shared library's, instead of the usual one.
function(muster_install_target target flavour)
  cmake_parse_arguments(arg "" "COMPONENT;FOLDER;BACKEND" "" ${ARGN})
  string(TOLOWER muster-${flavour} export)
  if(arg_BACKEND)
    string(APPEND export -${arg_BACKEND})
  endif()
  set(component development)
  if(arg_COMPONENT)
    set(component ${arg_COMPONENT})
  endif()
  set(folder ${CMAKE_INSTALL_LIBDIR})
  if(arg_FOLDER)
    set(folder ${arg_FOLDER})
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    file(RELATIVE_PATH path /${folder} /${CMAKE_INSTALL_LIBDIR})
    string(REGEX REPLACE "/$" "" path "$ORIGIN/${path}")
    muster_run_path(${target} ${path})
  endif()
  install(TARGETS ${target} EXPORT ${export}
          LIBRARY DESTINATION ${folder} COMPONENT ${component} NAMELINK_COMPONENT development
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  if(type MATCHES "^(STATIC|SHARED|MODULE)_LIBRARY$")
    muster_has_to_be_built(${component} $<TARGET_FILE:${target}>)
  endif()
  get_property(exports GLOBAL PROPERTY muster_exports)
  if(NOT export IN_LIST exports)
    set_property(GLOBAL APPEND PROPERTY muster_exports ${export})
  endif()
endfunction()

# Installs the umbrellas, HEADERS of include/muster, and what they include of muster's, and so on; nothing else. Which
# headers these are is found at installation, so that editing one configures nothing again.
function(muster_install_headers)
  install(CODE "set(headers \"${ARGN}\")\nset(root \"${PROJECT_SOURCE_DIR}\")\nset(include_folder \"${CMAKE_INSTALL_INCLUDEDIR}\")"
          COMPONENT development)
  install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake COMPONENT development)
endfunction()

# Installs NAME.pc. Its paths follow the file, so that an installation can be moved.
function(muster_pkg_config name)
  cmake_parse_arguments(arg "" "DESCRIPTION;REQUIRES;REQUIRES_PRIVATE;LIBS;LIBS_PRIVATE;CFLAGS" "" ${ARGN})
  file(RELATIVE_PATH prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" prefix "${prefix}")
  set(text "prefix=\${pcfiledir}/${prefix}\nincludedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}\n")
  string(APPEND text "libdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}\nplugindir=\${prefix}/${muster_plugin_folder}\n\n")
  string(APPEND text "Name: ${name}\nDescription: ${arg_DESCRIPTION}\nVersion: ${PROJECT_VERSION}\n")
  foreach(field Requires Requires.private Libs Libs.private Cflags)
    string(TOUPPER ${field} argument)
    string(REPLACE . _ argument ${argument})
    if(arg_${argument})
      string(APPEND text "${field}: ${arg_${argument}}\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/pkgconfig/${name}.pc CONTENT "@text@" @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/pkgconfig/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endfunction()

# muster.pc and muster-static.pc.
function(muster_pkg_config_of_driver)
  set(compile "-std=c++23 -I\${includedir}")
  muster_pkg_config(muster DESCRIPTION "${PROJECT_DESCRIPTION}" CFLAGS "${compile}"
    LIBS "-L\${libdir} -lmuster" REQUIRES_PRIVATE "fmt, libmd" LIBS_PRIVATE "-pthread -ldl")
  muster_pkg_config(muster-static DESCRIPTION "${PROJECT_DESCRIPTION} (static)" CFLAGS "${compile}"
    LIBS "-L\${libdir} -l:libmuster.a -pthread -ldl" REQUIRES "fmt, libmd")
endfunction()

# muster-backend-ID.pc and muster-backend-ID-static.pc, which link as cmake/muster-backend.cmake does: one word each, because
# pkg-config leaves out words that it has had. SHARED: the library's file below the installation. REQUIRES: what the static
# one needs. MODULES: true if the backend opens some, which a program that contains it then finds.
function(muster_pkg_config_of_backend id target shared requires modules)
  set(expectation "\${libdir}/muster/${target}_expectation${CMAKE_CXX_OUTPUT_EXTENSION}")
  set(run_path "")
  if(shared MATCHES "^${muster_plugin_folder}/")
    set(run_path " -Wl,-rpath,\${plugindir}")
  endif()
  muster_pkg_config(muster-backend-${id} DESCRIPTION "muster's backend ${id}" REQUIRES "muster = ${PROJECT_VERSION}"
    LIBS "${expectation} -Wl,--push-state,--no-as-needed,\${prefix}/${shared},--pop-state${run_path}")
  set(run_path "")
  if(modules)
    set(run_path " -Wl,-rpath,\${libdir}/muster")
  endif()
  set(archive "\${libdir}/${CMAKE_STATIC_LIBRARY_PREFIX}muster_${target}${CMAKE_STATIC_LIBRARY_SUFFIX}")
  list(JOIN requires ", " requires)
  string(REGEX REPLACE "(.+)" ", \\1" requires "${requires}")
  muster_pkg_config(muster-backend-${id}-static DESCRIPTION "muster's backend ${id} (static)"
    REQUIRES "muster-static = ${PROJECT_VERSION}${requires}"
    LIBS "${expectation} -Wl,--push-state,--whole-archive,${archive},--pop-state${run_path}")
endfunction()

# muster-NAME.pc and muster-NAME-static.pc, of an archive that serves both flavours. REQUIRES: the package of ours that it needs, of
# the same flavour. AND: another project's.
function(muster_pkg_config_of_archive name)
  cmake_parse_arguments(arg "" "REQUIRES;AND;LIBS" "" ${ARGN})
  string(REGEX REPLACE "(.+)" ", \\1" other "${arg_AND}")
  foreach(kind "" -static)
    muster_pkg_config(muster-${name}${kind} DESCRIPTION "muster's ${name}" LIBS "${arg_LIBS}"
      REQUIRES "${arg_REQUIRES}${kind} = ${PROJECT_VERSION}, fmt${other}")
  endforeach()
endfunction()

# Writes what says, at installation, that something isn't built. Call it after everything that is installed.
function(muster_check_built)
  get_property(files GLOBAL PROPERTY muster_built_files)
  list(REMOVE_DUPLICATES files)
  list(JOIN files "\n  " files)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/check_built.cmake CONTENT "foreach(each
  ${files})
  string(REPLACE \"|\" \";\" each \"\${each}\")
  list(POP_FRONT each component)
  if((NOT CMAKE_INSTALL_COMPONENT OR component STREQUAL CMAKE_INSTALL_COMPONENT) AND NOT EXISTS \"\${each}\")
    message(FATAL_ERROR \"\${each} is to be installed, and isn't built.\\nFix: cmake --build ${CMAKE_BINARY_DIR}\")
  endif()
endforeach()
")
endfunction()

# Writes the package. Call it once, after all libraries and backends.
function(muster_package)
  get_property(exports GLOBAL PROPERTY muster_exports)
  foreach(export ${exports})
    install(EXPORT ${export} NAMESPACE muster:: FILE ${export}-targets.cmake
            DESTINATION ${muster_package_folder} COMPONENT development)
  endforeach()
  get_property(muster_package_backends GLOBAL PROPERTY muster_package_backends)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/muster-config.cmake.in
    ${CMAKE_BINARY_DIR}/muster-config.cmake INSTALL_DESTINATION ${muster_package_folder}
    PATH_VARS muster_plugin_folder muster_private_folder)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/muster-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/muster-config.cmake ${CMAKE_BINARY_DIR}/muster-config-version.cmake
          ${PROJECT_SOURCE_DIR}/cmake/muster-backend.cmake ${PROJECT_SOURCE_DIR}/cmake/muster-kernels.cmake
          DESTINATION ${muster_package_folder} COMPONENT development)
  muster_pkg_config_of_driver()
  # The pages and what they link to, in the places that they have here.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/muster COMPONENT documentation REGEX "/docs/site$" EXCLUDE)
  install(FILES ${PROJECT_SOURCE_DIR}/measuring/whole_kernels/radix_sort.wgsl  # of the example radix-sort
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/muster/measuring/whole_kernels COMPONENT documentation)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/muster COMPONENT documentation)
endfunction()
