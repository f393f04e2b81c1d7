# Rooms, the library made of them, and backends. A new backend is its folder plus one line: muster_backend(FOLDER).

include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# Our own code's flags. Contraction is off everywhere: foundation's arithmetic is the definition (DESIGN 5a).
add_library(muster_flags INTERFACE)
target_compile_options(muster_flags INTERFACE
  -Wall -Wextra -Wno-missing-field-initializers -Wconversion -Wswitch-enum -Werror -ffp-contract=off -fno-math-errno)

# MUSTER_SANITIZE=address,undefined or =thread: everything is built with these sanitizers.
set(MUSTER_SANITIZE "" CACHE STRING "Sanitizers to build everything with, separated by commas")
if(MUSTER_SANITIZE)
  add_compile_options(-fsanitize=${MUSTER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1)
  add_link_options(-fsanitize=${MUSTER_SANITIZE})
endif()

# <muster/ROOM/name.hpp> in the tree as installed: build/include/muster/ROOM leads to the room's folder.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/muster)
function(muster_include_room room)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${room} ${CMAKE_BINARY_DIR}/include/muster/${room} SYMBOLIC)
endfunction()

# An object library of all sources of a folder.
function(muster_room room)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${room}/*.cpp)
  string(REPLACE "-" "_" target muster_${room})
  add_library(${target} OBJECT ${sources})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>)
  target_link_libraries(${target} PRIVATE muster_flags PUBLIC Threads::Threads fmt::fmt)
  muster_include_room(${room})
endfunction()

# libmuster: foundation and driver together, one per process.
function(muster_library name)
  cmake_parse_arguments(arg "" "" "ROOMS" ${ARGN})
  add_library(${name})
  foreach(room ${arg_ROOMS})
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:muster_${room}>)
  endforeach()
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${name} PUBLIC cxx_std_23)
  target_link_libraries(${name} PRIVATE fmt::fmt Threads::Threads ${CMAKE_DL_LIBS})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  add_library(muster::${name} ALIAS ${name})
endfunction()

function(muster_backend folder)
  string(REPLACE "-" "_" target ${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  muster_include_room(${folder})
  if(NOT sources)
    return()
  endif()
  add_library(${target} OBJECT ${sources})
  target_link_libraries(${target} PRIVATE muster_flags PUBLIC muster)
  add_library(muster::${target} ALIAS ${target})
endfunction()
