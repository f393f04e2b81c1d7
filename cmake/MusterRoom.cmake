# Rooms, the library made of them, and backends. A new backend is its folder plus one line: muster_backend_room(FOLDER).

include(GNUInstallDirs)
include(muster-backend)
include(muster-kernels)

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})

# Flags of our own code. Contraction is off everywhere: foundation's arithmetic is the definition (docs/design.md, Numeric
# contract).
add_library(muster_flags INTERFACE)
target_compile_options(muster_flags INTERFACE
  -Wall -Wextra -Wno-missing-field-initializers -Wconversion -Wswitch-enum -Werror -ffp-contract=off -fno-math-errno
  # GCC 12 warns of overlaps when "literal" + std::string is inlined at -O3; there are none (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # libstdc++ 12's stable_sort uses what it deprecates itself.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)

# MUSTER_SANITIZE=address,undefined or =thread: builds everything with these sanitizers, and at -O1, which compiles
# faster and keeps more of the calls in a stack trace.
set(MUSTER_SANITIZE "" CACHE STRING "Sanitizers to build everything with, separated by commas")
# The compiler of C may be another one than that of C++.
set(by_clang $<OR:$<COMPILE_LANG_AND_ID:CXX,Clang>,$<COMPILE_LANG_AND_ID:C,Clang>>)
set(by_gcc $<OR:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<COMPILE_LANG_AND_ID:C,GNU>>)
if(MUSTER_SANITIZE)
  add_compile_options(-fsanitize=${MUSTER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1 -O1)
  add_link_options(-fsanitize=${MUSTER_SANITIZE})
  # At -O1 GCC 12 warns of optional values that are read behind a check (GCC bug 80635).
  add_compile_options($<${by_gcc}:-Wno-maybe-uninitialized>)
  # Clang's check of functions' types reads what lies before a function, which compiled kernels don't have.
  add_compile_options($<${by_clang}:-fno-sanitize=function>)
  # Clang 19 doesn't define what GCC does.
  if(MUSTER_SANITIZE MATCHES address)
    add_compile_options($<${by_clang}:-D__SANITIZE_ADDRESS__=1>)
  endif()
endif()

# MUSTER_FUZZ: instruments everything for libFuzzer, which comes with Clang, and builds the programs of tests/fuzz that it
# drives. Their replay over the corpus is built and run without it, too.
option(MUSTER_FUZZ "Instrument everything for libFuzzer, and build the fuzzers" OFF)
if(MUSTER_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "MUSTER_FUZZ needs Clang; the compiler is ${CMAKE_CXX_COMPILER_ID}. Give -DCMAKE_CXX_COMPILER=clang++-19.")
  endif()
  add_compile_options($<${by_clang}:-fsanitize=fuzzer-no-link>)
endif()

# Makes <muster/ROOM/name.hpp> work in the tree as it does when installed: build/include/muster/ROOM links to the room's
# folder.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/muster)
function(muster_include_room room)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${room} ${CMAKE_BINARY_DIR}/include/muster/${room} SYMBOLIC)
endfunction()

# Compiles a target's sources a few at a time, so that the headers they share are read once. Sources of one folder only: the
# names in their anonymous namespaces differ. OFF: each source by itself, as clang-tidy reads them. FOR_SIZE: the target is
# compiled for size.
option(MUSTER_UNITY "Compile several sources of a folder at a time" ON)
function(muster_unity target)
  set(most 6)  # at a time: what rebuilds when one of them changes
  if(NOT MUSTER_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  if(NOT "FOR_SIZE" IN_LIST ARGN)  # GCC inlines less in large units, which would make a dispatch 13 % slower
    list(FILTER sources EXCLUDE REGEX "/driver/(device|session)/")
  endif()
  foreach(source ${sources})
    get_filename_component(folder ${source} ABSOLUTE)
    get_filename_component(folder ${folder} DIRECTORY)
    list(APPEND folders ${folder})
    string(MD5 key ${folder})
    list(APPEND sources_${key} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    string(MD5 key ${folder})
    list(LENGTH sources_${key} count)
    math(EXPR groups "(${count} + ${most} - 1) / ${most}")
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${folder})
    string(REPLACE "/" "_" name "${name}")
    set(number 0)
    foreach(source ${sources_${key}})
      math(EXPR group "${number} * ${groups} / ${count} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${name}_${group}")
      math(EXPR number "${number} + 1")
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# Takes other systems' sources out of a list: name_linux.cpp is Linux's alone, name_posix.cpp every Unix's, and name_elf.cpp, _macho and
# _pe go with a format of programs.
function(muster_for_this_system list)
  set(others apple macho windows pe)
  if(WIN32)
    set(others linux posix elf apple macho)
  elseif(APPLE)
    set(others linux elf windows pe)
  elseif(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    list(APPEND others linux)
  endif()
  list(JOIN others "|" others)
  list(FILTER ${list} EXCLUDE REGEX "_(${others})\\.cpp$")
  set(${list} ${${list}} PARENT_SCOPE)
endfunction()

# muster_room(ROOM [APART FOLDER]): the objects of a room; those of FOLDER in it are the target muster_ROOM_FOLDER instead. A main.cpp
# is left out: it is a program's, which has a CMakeLists.txt of its own.
function(muster_room room)
  cmake_parse_arguments(room "" "APART" "" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${room}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  muster_for_this_system(sources)
  string(REPLACE "-" "_" target muster_${room})
  if(room_APART)
    set(apart ${sources})
    list(FILTER apart INCLUDE REGEX "/${room}/${room_APART}/")
    list(FILTER sources EXCLUDE REGEX "/${room}/${room_APART}/")
    muster_objects(${target}_${room_APART} ${apart})
  endif()
  muster_objects(${target} ${sources})
  muster_include_room(${room})
endfunction()

# An object library of these sources.
function(muster_objects target)
  add_library(${target} OBJECT ${ARGN})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>)
  target_link_libraries(${target} PRIVATE muster_flags PUBLIC Threads::Threads fmt::fmt md)
  muster_unity(${target})
  muster_hide(${target})
  set_property(GLOBAL APPEND PROPERTY muster_object_libraries ${target})
endfunction()

# Each library comes in two flavours, made of the same objects: the one that BUILD_SHARED_LIBS selects, with its plain
# name, and the other as NAME_static or NAME_shared, for the package (find_package(muster COMPONENTS static)).
if(BUILD_SHARED_LIBS)
  set(muster_flavours SHARED STATIC)
else()
  set(muster_flavours STATIC SHARED)
endif()
function(muster_flavoured out name flavour)
  list(GET muster_flavours 0 first)
  if(flavour STREQUAL first)
    set(${out} ${name} PARENT_SCOPE)
  else()
    string(TOLOWER ${name}_${flavour} other)
    set(${out} ${other} PARENT_SCOPE)
  endif()
endfunction()

# libmuster: foundation and driver together, one per process.
function(muster_library name)
  cmake_parse_arguments(arg "" "" "ROOMS" ${ARGN})
  foreach(flavour ${muster_flavours})
    muster_flavoured(target ${name} ${flavour})
    add_library(${target} ${flavour})
    foreach(room ${arg_ROOMS})
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:muster_${room}>)
    endforeach()
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_compile_features(${target} PUBLIC cxx_std_23)
    target_link_libraries(${target} PRIVATE fmt::fmt md Threads::Threads ${CMAKE_DL_LIBS})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME ${name} EXPORT_NAME ${name}
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    if(flavour STREQUAL "SHARED")
      muster_export(${target} "extern \"C++\" { muster::*; vtable?for?muster::*; typeinfo?for?muster::*; typeinfo?name?for?muster::*; }; muster_get_api;")
    endif()
    add_library(muster::${target} ALIAS ${target})
    muster_install_target(${target} ${flavour} COMPONENT library)
  endforeach()
endfunction()

# Sets static_muster, static_backends, static_backend_ID and static_built_backends (a list), for tests and benchmarks of
# internals: of the shared flavour they could link the public interface alone. Call it after all backends.
macro(muster_static_names)
  muster_flavoured(static_muster muster STATIC)
  muster_flavoured(static_backends backends STATIC)
  set(static_backends muster::${static_backends})
  get_property(static_built_backends GLOBAL PROPERTY muster_built_backends)
  foreach(backend ${static_built_backends})
    string(REPLACE "muster::" "" backend ${backend})
    muster_flavoured(static_${backend} ${backend} STATIC)
    set(static_${backend} muster::${static_${backend}})
  endforeach()
  if(BUILD_SHARED_LIBS)
    list(TRANSFORM static_built_backends APPEND _static)
  endif()
endmacro()
