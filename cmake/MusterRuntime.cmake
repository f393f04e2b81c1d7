# muster::runtime, the driver and the CPU backend in one small archive: runs artifacts, and compiles nothing. A program links it
# instead of muster::muster (docs/linking.md).
#
# It is made of the sources of both, compiled for size, function by function, so that the linker drops what a program doesn't
# reach. What would compile, or open a plugin, is reached through few files; those of runtime/ stand in for them.
# Call muster_runtime() after all backends.

set(muster_runtime_rooms
  foundation/base foundation/ir foundation/semantics foundation/build foundation/analysis foundation/wgsl/tokens
  foundation/validate foundation/math foundation/expand foundation/split foundation/archive
  driver/support driver/contract driver/policy driver/artifact driver/cache driver/elf driver/registry driver/helper
  driver/probing driver/plugins driver/routing driver/process driver/split driver/validation driver/device driver/session
  backend-cpu/native backend-cpu/device)
# The files that runtime/ has others for.
set(muster_runtime_seams driver/routing/compile_for.cpp driver/plugins/plugins.cpp driver/plugins/plugins_load.cpp
  driver/plugins/plugin_open.cpp driver/probing/isolation.cpp driver/device/copy_kernels.cpp driver/session/placement.cpp
  driver/device/validate_launch.cpp driver/validation/validator.cpp)

function(muster_runtime)
  if(NOT TARGET muster::backend_cpu OR MUSTER_SANITIZE OR NOT UNIX OR APPLE)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/backend-cpu/*.cpp ${PROJECT_SOURCE_DIR}/runtime/*.cpp)
  foreach(room ${muster_runtime_rooms})
    file(GLOB_RECURSE more CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${room}/*.cpp)
    list(APPEND sources ${more})
  endforeach()
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")  # the helper's
  list(TRANSFORM muster_runtime_seams PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE seams)
  list(REMOVE_ITEM sources ${seams})

  add_library(muster_runtime_objects OBJECT ${sources})
  target_include_directories(muster_runtime_objects PRIVATE ${CMAKE_BINARY_DIR}/include)
  target_link_libraries(muster_runtime_objects PRIVATE muster_flags Threads::Threads fmt::fmt TBB::tbb)
  target_compile_options(muster_runtime_objects PRIVATE -Os -ffunction-sections -fdata-sections
    # GCC 12 with -Os wrongly warns that an empty std::optional's value is uninitialised.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  muster_hide(muster_runtime_objects)
  # In the groups of the libraries that have the same sources.
  set_target_properties(muster_runtime_objects PROPERTIES UNITY_BUILD ${MUSTER_UNITY} UNITY_BUILD_MODE GROUP)
  set_property(GLOBAL APPEND PROPERTY muster_object_libraries muster_runtime_objects)

  add_library(muster_runtime_library STATIC $<TARGET_OBJECTS:muster_runtime_objects>)
  target_link_libraries(muster_runtime_library PRIVATE Threads::Threads fmt::fmt TBB::tbb md ${CMAKE_DL_LIBS})
  set_target_properties(muster_runtime_library PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME muster_runtime
    EXPORT_NAME runtime_library)
  # All of it is linked, for the sake of the backend's records, and the linker then drops what nothing reaches.
  add_library(muster_runtime INTERFACE)
  target_include_directories(muster_runtime INTERFACE
    $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(muster_runtime INTERFACE cxx_std_23)
  target_link_libraries(muster_runtime INTERFACE $<LINK_LIBRARY:WHOLE_ARCHIVE,$<TARGET_NAME:muster_runtime_library>>)
  target_link_options(muster_runtime INTERFACE -Wl,--gc-sections)
  set_target_properties(muster_runtime PROPERTIES EXPORT_NAME runtime)
  add_library(muster::runtime ALIAS muster_runtime)
  muster_install_target(muster_runtime_library STATIC BACKEND runtime)
  muster_install_target(muster_runtime STATIC BACKEND runtime)
  muster_pkg_config(muster-runtime DESCRIPTION "Runs artifacts on the CPU, and compiles nothing"
    CFLAGS "-std=c++23 -I\${includedir}" REQUIRES "fmt, libmd, tbb"
    LIBS "-Wl,--push-state,--whole-archive,\${libdir}/libmuster_runtime.a,--pop-state,--gc-sections -pthread -ldl")
endfunction()
