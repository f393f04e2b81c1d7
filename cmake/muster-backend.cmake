# What the project's own backends are made of, for backends outside of its tree too.
#
# The linker doesn't drop a backend although nothing refers to it: a static library is linked with WHOLE_ARCHIVE, a
# shared one with --no-as-needed around it. An object that is linked beside it, also through other libraries, records
# that the backend is expected: the freeze reports it if it is missing nevertheless.

cmake_policy(VERSION 3.25)  # in these functions, whatever the project has set

# Objects that go into a library: what a public header marks MUSTER_API is exported, and nothing else.
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
