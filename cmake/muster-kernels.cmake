# muster_add_kernels(TARGET FILE.wgsl... [TARGETS target...] [OPTIONS option...]) - embeds kernels in a program or library, after
# find_package(muster). A kernel that isn't valid fails the build with its line.
#
#     muster_add_kernels(app blur.wgsl TARGETS cpu:x86-64-v3 vulkan:vulkan1.2)
#
#     #include "blur.wgsl.hpp"
#     auto kernel = session.prepare(muster::read_artifact_file(blur_artifact()).value());
#
#   TARGETS   the targets that code is stored for, as of muster emit --target; without any, the device's backend compiles
#             the kernel where it runs
#   OPTIONS   further options of muster emit for these files: --entry NAME, --fast, --override NAME=VALUE
#
# Each file is emitted anew when it changes. The tool that does it is muster::tool if there is such a target, else MUSTER_TOOL,
# which is found beside the package or on the path.

cmake_policy(VERSION 3.25)  # in this function, whatever the project has set
set(muster_kernels_folder ${CMAKE_CURRENT_LIST_DIR})

function(muster_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "TARGETS;OPTIONS")
  set(error "")
  if(TARGET muster::tool)
    set(tool muster::tool)
  else()
    find_program(MUSTER_TOOL muster HINTS ${muster_kernels_folder}/../../../bin ${muster_kernels_folder}/../../../../bin)
    set(tool ${MUSTER_TOOL})
  endif()
  if(NOT TARGET ${target})
    set(error "there is no target ${target}.")
    set(fix "call it after add_executable(${target} ...) or add_library.")
  elseif(NOT arg_UNPARSED_ARGUMENTS)
    set(error "it is given no file.")
    set(fix "put WGSL files behind the target's name.")
  elseif(NOT tool)
    set(error "the muster tool, which emits kernels, isn't found.")
    set(fix "install it (on Debian the package muster), or set MUSTER_TOOL to its path.")
  endif()
  if(error)
    message(FATAL_ERROR "muster_add_kernels(${target}): ${error}\nFix: ${fix}")
  endif()

  set(targets ${arg_TARGETS})
  if(NOT targets)
    set(targets none)
  endif()
  list(TRANSFORM targets PREPEND --target=)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/muster_kernels/${target})
  file(MAKE_DIRECTORY ${folder})
  foreach(file ${arg_UNPARSED_ARGUMENTS})
    cmake_path(ABSOLUTE_PATH file NORMALIZE)
    cmake_path(GET file FILENAME name)
    string(REGEX REPLACE "[.]wgsl$" "" function ${name})
    if(NOT EXISTS ${file} OR NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*[.]wgsl$")
      message(FATAL_ERROR "muster_add_kernels(${target}): ${file} isn't there, or its name isn't a C++ name and .wgsl.\n\
Fix: name an existing file such as blur_3.wgsl.")
    endif()
    set(header ${folder}/${name}.hpp)
    get_source_file_property(is_made ${header} GENERATED)
    if(is_made)
      message(FATAL_ERROR "muster_add_kernels(${target}): two files are called ${name}.\n\
Fix: give one of them another name; their functions would have one name, too.")
    endif()
    add_custom_command(OUTPUT ${header}
      COMMAND ${tool} emit ${file} ${targets} ${arg_OPTIONS} --embed --function ${function}_artifact -o ${header}
      DEPENDS ${file} ${tool} COMMENT "Emitting ${name}" VERBATIM)
    target_sources(${target} PRIVATE ${header})
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
