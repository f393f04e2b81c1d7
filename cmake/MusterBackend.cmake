# muster_backend_room(FOLDER) - adds a backend room. FOLDER is backend-ID, with the id of its registration.
#
# Makes muster::backend_ID; linking it is enough, and the linker keeps it. Option MUSTER_BACKEND_ID:
#   AUTO  build it if its dependencies are there, else leave it out with a message (the default)
#   ON    missing dependencies are an error             OFF  leave it out
# Option MUSTER_BACKEND_ID_PLUGIN (default: MUSTER_PLUGINS): its shared library is a plugin, lib/muster/backends/
# libmuster_backend_ID.so, and muster::backends doesn't link it. Linking muster::backend_ID itself links the plugin.
# FOLDER/needs.cmake, if there is one, is included here and sets the dependencies:
#   needs_missing       names of missing dependencies, for the message; empty: all are there
#   needs_libraries     to link with, privately
#   needs_includes      folders of foreign headers, compiled without our warnings
#   needs_dependencies  packages that a project that links the static flavour has to find too
#   needs_pkg_config    the same packages, as pkg-config names them
#   needs_modules       subfolders that are modules of their own, opened when they are needed: MusterModule.cmake
#   needs_versions      NAME=VERSION of what it is built with, for `muster --version --json`
#   needs_debian_recommends, needs_debian_suggests   Debian's packages of what it opens at run time (MusterDebian.cmake)
#   needs_debian_static                              those of needs_dependencies
#   needs_debian_contains                            those of which parts are compiled in
#   needs_debian_everywhere                          ON: it runs on every machine, so the tool's package recommends it

include(MusterModule)

# All backends that are built: muster::backends.
function(muster_backends_target)
  foreach(flavour ${muster_flavours})
    muster_flavoured(all backends ${flavour})
    muster_flavoured(library muster ${flavour})
    add_library(muster_${all} INTERFACE)
    add_library(muster::${all} ALIAS muster_${all})
    target_link_libraries(muster_${all} INTERFACE ${library})
  endforeach()
endfunction()

# The list of the project's backends, which driver/registry/project_backends.cpp includes: each id, with the reason if
# this build leaves it out. muster_project_backend adds a row; muster_list_project_backends writes the list, after all.
function(muster_project_backend id left_out)
  set_property(GLOBAL APPEND_STRING PROPERTY muster_project_backends "    {\"${id}\", \"${left_out}\"},\n")
  set_property(GLOBAL APPEND PROPERTY muster_project_ids ${id})
  set_property(GLOBAL PROPERTY muster_left_out_${id} "${left_out}")
  if(left_out)
    string(REPLACE "-" "_" target backend_${id})
    muster_package_backend("muster_left_out(${target} \"${left_out}\")")
  endif()
endfunction()
# The same for the package: the line of muster-config.cmake that finds the backend, or says why it isn't there.
function(muster_package_backend line)
  set_property(GLOBAL APPEND_STRING PROPERTY muster_package_backends "${line}\n")
endfunction()
function(muster_list_project_backends)
  get_property(rows GLOBAL PROPERTY muster_project_backends)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/project_backends.inc CONTENT "@rows@" @ONLY)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/driver/registry/project_backends.cpp
    DIRECTORY ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/runtime PROPERTIES
    INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/generated
    OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/generated/project_backends.inc)
endfunction()

function(muster_backend_room folder)
  if(NOT TARGET muster_backends)
    muster_backends_target()
  endif()
  string(REPLACE "-" "_" target ${folder})
  string(REGEX REPLACE "^backend-" "" id ${folder})
  string(TOUPPER MUSTER_${target} option)
  set(${option} AUTO CACHE STRING "Build ${folder}: AUTO where what it needs is there, ON or OFF")
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  if(NOT ${option} STREQUAL "AUTO" AND NOT ${option})
    muster_project_backend(${id} "${option} is ${${option}}")
    message(STATUS "muster: ${folder} is left out: ${option} is ${${option}}.")
    return()
  endif()

  option(MUSTER_PLUGINS "Build the shared backends as plugins" OFF)
  option(${option}_PLUGIN "Build the shared ${folder} as a plugin" ${MUSTER_PLUGINS})

  set(needs_missing "")
  set(needs_libraries "")
  set(needs_includes "")
  foreach(need dependencies pkg_config modules versions debian_recommends debian_suggests debian_static debian_contains
               debian_everywhere)
    set(needs_${need} "")
  endforeach()
  include(${PROJECT_SOURCE_DIR}/${folder}/needs.cmake OPTIONAL)
  if(needs_missing)
    list(JOIN needs_missing ", " missing)
    if(NOT ${option} STREQUAL "AUTO")
      message(FATAL_ERROR "${folder} can't be built, ${missing} is missing, and ${option} is ON.")
    endif()
    muster_project_backend(${id} "${missing} is missing")
    message(STATUS "muster: ${folder} is left out: ${missing} is missing.")
    return()
  endif()

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  foreach(name ${needs_modules})
    list(FILTER sources EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/${folder}/${name}/")
  endforeach()
  if(NOT sources)
    muster_project_backend(${id} "it has no sources")
    message(STATUS "muster: ${folder} is left out: it has no sources.")
    return()
  endif()
  muster_project_backend(${id} "")
  muster_include_room(${folder})
  add_library(${target}_objects OBJECT ${sources})
  muster_unity(${target}_objects)
  muster_hide(${target}_objects)
  target_include_directories(${target}_objects PRIVATE ${CMAKE_BINARY_DIR}/include)
  target_include_directories(${target}_objects SYSTEM PRIVATE ${needs_includes})
  target_link_libraries(${target}_objects PRIVATE muster_flags Threads::Threads fmt::fmt ${needs_libraries})
  set_property(GLOBAL APPEND PROPERTY muster_object_libraries ${target}_objects ${target}_expectation)
  muster_expectation(${target} ${id} muster_flags)
  target_include_directories(${target}_expectation PRIVATE ${CMAKE_BINARY_DIR}/include)
  install(FILES $<TARGET_OBJECTS:${target}_expectation> DESTINATION ${muster_private_folder}
          RENAME ${target}_expectation${CMAKE_CXX_OUTPUT_EXTENSION} COMPONENT development)
  if(needs_modules)  # modules are searched for there, from an installed program's folder
    target_compile_definitions(${target}_objects PRIVATE MUSTER_LIBRARY_FOLDER="${CMAKE_INSTALL_LIBDIR}")
  endif()
  set(objects $<TARGET_OBJECTS:${target}_objects>)
  set(opens_modules OFF)
  foreach(name ${needs_modules})
    muster_module(module ${target} ${folder} ${name})
    list(APPEND objects ${module_objects})
    list(APPEND needs_libraries ${module_libraries})
    if(module_opened)
      set(opens_modules ON)
    endif()
  endforeach()
  foreach(flavour ${muster_flavours})
    muster_backend_flavour(${target} ${flavour} "${objects}" "${needs_libraries}")
    if(opens_modules)
      muster_module_found(${target} ${flavour})
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY muster_built_backends muster::${target})  # plugins too
  set(shared ${CMAKE_INSTALL_LIBDIR}/libmuster_${target}.so.${PROJECT_VERSION})
  if(${option}_PLUGIN)
    set(shared ${muster_plugin_folder}/libmuster_${target}.so)
  endif()
  muster_package_backend("muster_find_backend(${target} ${shared} ${${option}_PLUGIN} \"${needs_dependencies}\")")
  muster_pkg_config_of_backend(${id} ${target} ${shared} "${needs_pkg_config}" ${opens_modules})
  foreach(fact versions debian_recommends debian_suggests debian_static debian_contains debian_everywhere)
    set_property(GLOBAL PROPERTY muster_${target}_${fact} ${needs_${fact}})
  endforeach()
endfunction()

# Makes TARGET_library, the library itself, and TARGET, the interface that projects link.
function(muster_backend_flavour target flavour objects libraries)
  muster_flavoured(interface ${target} ${flavour})
  muster_flavoured(library ${target}_library ${flavour})
  muster_flavoured(driver muster ${flavour})
  muster_flavoured(all muster_backends ${flavour})

  muster_backend_library(${library} ${flavour} muster_${target} ${driver} "${objects}"
    Threads::Threads fmt::fmt ${libraries})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${target}_library)
  string(TOUPPER MUSTER_${target}_PLUGIN option)
  set(folder ${CMAKE_INSTALL_LIBDIR})
  set(is_plugin OFF)
  if(flavour STREQUAL "SHARED" AND ${option})
    set(is_plugin ON)
    set(folder ${muster_plugin_folder})
    set_target_properties(${library} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
  else()
    set_target_properties(${library} PROPERTIES
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  endif()

  muster_backend_interface(${interface} ${library} ${flavour}
    $<BUILD_INTERFACE:$<TARGET_OBJECTS:${target}_expectation>>
    $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${muster_private_folder}/${target}_expectation${CMAKE_CXX_OUTPUT_EXTENSION}>
    ${driver})
  add_library(muster::${interface} ALIAS ${interface})
  set_target_properties(${interface} PROPERTIES EXPORT_NAME ${target})
  if(is_plugin)
    add_dependencies(${all} ${library})  # the tests and tools run with it, though nothing links it
    if(UNIX)  # an installed program that links it finds it there
      target_link_options(${interface} INTERFACE
        $<INSTALL_INTERFACE:-Wl,-rpath,$<INSTALL_PREFIX>/${muster_plugin_folder}>)
    endif()
  else()
    target_link_libraries(${all} INTERFACE ${interface})
  endif()
  muster_install_target(${library} ${flavour} COMPONENT ${target} FOLDER ${folder} BACKEND ${target})
  muster_install_target(${interface} ${flavour} BACKEND ${target})
endfunction()
