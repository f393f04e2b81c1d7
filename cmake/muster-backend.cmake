# muster_backend(NAME SOURCES file... [LIBRARIES library...] [PLUGIN]) - makes a backend outside of muster's tree, after
# find_package(muster). NAME is the id of its registration. The project's own backends are made of the functions below.
#
#   NAME                  what programs link, also as muster::backend_NAME; of the flavour of muster::muster
#   NAME_library          its library, libmuster_backend_NAME
#   NAME_static           what programs link instead to contain the backend; not if NAME itself is static
#   NAME_static_library   its library
#   NAME_expectation      the object that NAME links beside the library
#   NAME_objects          the compiled sources, for target_compile_options() and the like
#
# The sources see NAME as MUSTER_BACKEND_ID, "NAME", which their records and Backend::id() can use. A record with another id
# doesn't compile.
#
# With PLUGIN, there are only NAME, which is the plugin libmuster_backend_NAME.so, and NAME_objects. LIBRARIES are linked
# privately. Nothing is installed: docs/linking.md shows how.
#
# The linker doesn't drop a backend although nothing refers to it: a static library is linked with WHOLE_ARCHIVE, a
# shared one with --no-as-needed around it. An object that is linked beside it, also through other libraries, records
# that the backend is expected: the freeze reports it if it is missing nevertheless.

cmake_policy(VERSION 3.25)  # in these functions, whatever the project has set

function(muster_backend name)
  cmake_parse_arguments(PARSE_ARGV 1 arg PLUGIN "" "SOURCES;LIBRARIES")
  get_target_property(flavour muster::muster TYPE)
  string(REPLACE _LIBRARY "" flavour ${flavour})
  string(LENGTH "${name}" length)
  set(error "")
  if(NOT name MATCHES "^[a-z][a-z0-9_-]*$" OR length GREATER 31)
    set(error "\"${name}\" isn't a backend's id: up to 31 lower-case letters, digits, '-' and '_', a letter first.")
    set(fix "give the id of the backend's registration.")
  elseif(TARGET muster::backend_${name} OR TARGET ${name})
    set(error "there is a target ${name} or muster::backend_${name} already.")
    set(fix "give the backend an id of its own, and other targets another name.")
  elseif(arg_UNPARSED_ARGUMENTS)
    list(JOIN arg_UNPARSED_ARGUMENTS " " unknown)
    set(error "it has no argument ${unknown}, only SOURCES, LIBRARIES and PLUGIN.")
    set(fix "put files behind SOURCES, and libraries behind LIBRARIES.")
  elseif(NOT arg_SOURCES)
    set(error "it has no sources; a backend has one at least.")
    set(fix "put files behind SOURCES.")
  elseif(arg_PLUGIN AND flavour STREQUAL "STATIC")
    set(error "a plugin links the shared muster, because a process has one driver, but muster is found as static.")
    set(fix "find_package(muster COMPONENTS shared), or leave out PLUGIN.")
  endif()
  if(error)
    message(FATAL_ERROR "muster_backend(${name}): ${error}\nFix: ${fix}")
  endif()

  add_library(${name}_objects OBJECT ${arg_SOURCES})
  target_link_libraries(${name}_objects PRIVATE muster::muster ${arg_LIBRARIES})
  target_compile_definitions(${name}_objects PRIVATE MUSTER_BACKEND_ID="${name}")
  muster_hide(${name}_objects)
  set(made_of muster_backend_${name} muster::muster $<TARGET_OBJECTS:${name}_objects> ${arg_LIBRARIES})
  if(arg_PLUGIN)
    muster_backend_library(${name} MODULE ${made_of})
    return()
  endif()
  muster_expectation(${name} ${name} muster::muster)
  set(expectation $<TARGET_OBJECTS:$<TARGET_NAME:${name}_expectation>>)
  muster_backend_library(${name}_library ${flavour} ${made_of})
  muster_backend_interface(${name} ${name}_library ${flavour} ${expectation} muster::muster)
  add_library(muster::backend_${name} ALIAS ${name})
  if(flavour STREQUAL "SHARED")
    muster_backend_library(${name}_static_library STATIC ${made_of})
    muster_backend_interface(${name}_static ${name}_static_library STATIC ${expectation} muster::muster)
  endif()
endfunction()

# Objects that go into a library: what a public header marks (foundation/base/api.hpp) is exported, and nothing else.
function(muster_hide target)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
endfunction()

# Links a shared library so that nothing is exported, instances of the C++ library's templates included, but NAMES: entries of a
# version script, each with its semicolon.
function(muster_export target names)
  if(NOT UNIX OR APPLE)
    return()
  endif()
  if(names)
    set(names "global: ${names} ")
  endif()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/exports/${target}.map)
  file(CONFIGURE OUTPUT ${script} CONTENT "{ ${names}local: *; };\n" @ONLY)
  target_link_options(${target} PRIVATE -Wl,--version-script,${script})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()

# Makes TARGET_expectation, the object that records that the build expects the backend ID to be linked. ARGN: libraries to
# compile it with.
function(muster_expectation target id)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/expectations/${target}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT [[
// Linked beside the backend: says that it was expected, so that the freeze can tell that the linker dropped it.
#include <muster/driver/contract/inventory.hpp>

namespace {
constexpr muster::BackendExpectation expectation{.id = "@id@"};
MUSTER_SUBMIT(expectation);
}  // namespace
]] @ONLY)
  add_library(${target}_expectation OBJECT ${source})
  target_link_libraries(${target}_expectation PRIVATE ${ARGN})
  set_target_properties(${target}_expectation PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
endfunction()

# Makes the library LIBRARY, a file called FILE, of OBJECTS. TYPE: STATIC, SHARED or MODULE. ARGN: libraries to link privately.
function(muster_backend_library library type file driver objects)
  add_library(${library} ${type} ${objects})
  target_link_libraries(${library} PUBLIC ${driver} PRIVATE ${ARGN})
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME ${file})
  if(NOT type STREQUAL "STATIC")
    muster_export(${library} "")  # nothing: its records are found in the file
  endif()
endfunction()

# Makes INTERFACE, which programs link, so that the linker keeps LIBRARY. TYPE: STATIC or SHARED. ARGN: what to link beside it.
function(muster_backend_interface interface library type)
  add_library(${interface} INTERFACE)
  if(type STREQUAL "STATIC")
    target_link_libraries(${interface} INTERFACE $<LINK_LIBRARY:WHOLE_ARCHIVE,$<TARGET_NAME:${library}>>)
  else()
    if(UNIX AND NOT APPLE)
      # One item, so that CMake puts nothing between the switches. It comes before the library itself: mold drops a library
      # that is first without the switch.
      target_link_libraries(${interface} INTERFACE
        -Wl,--push-state,--no-as-needed,$<TARGET_FILE:$<TARGET_NAME:${library}>>,--pop-state)
    endif()
    target_link_libraries(${interface} INTERFACE ${library})
  endif()
  target_link_libraries(${interface} INTERFACE ${ARGN})
endfunction()
