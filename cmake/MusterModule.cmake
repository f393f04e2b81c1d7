# Modules of a backend: a subfolder becomes a library that is opened at run time, when it is first needed, so that a
# program that links the backend doesn't load the module's dependencies. muster_backend_room() (MusterBackend.cmake) calls
# this for each NAME in needs_modules; FOLDER/NAME/*.cpp becomes lib/muster/libmuster_backend_ID_NAME.so. FOLDER/needs.cmake sets
#   needs_NAME_libraries   to link with
#   needs_NAME_includes    folders of foreign headers, compiled without our warnings
#   needs_NAME_headers     to precompile
#   needs_NAME_symbols     the C functions to export, declared with default visibility; nothing else is exported
#
# Option MUSTER_BACKEND_ID_LINK_NAME=ON links it into the backend's library instead; the backend's own sources see
# that as a definition of that name. While the folder has no sources, there is no option and nothing is built.
#
# The module has its own copy of the parts of libmuster that it uses, so that one module serves the static and the
# shared flavour. It must be of the same build as the backend that opens it; the two check that themselves.

# Sets OUT_libraries and OUT_objects, which the backend's library has to include, and OUT_opened: true if the module is
# opened at run time.
function(muster_module out target folder name)
  set(${out}_libraries "" PARENT_SCOPE)
  set(${out}_objects "" PARENT_SCOPE)
  set(${out}_opened OFF PARENT_SCOPE)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  string(TOUPPER MUSTER_${target}_LINK_${name} option)
  option(${option} "Link ${folder}/${name} into ${folder} instead of opening it when it is needed" OFF)

  set(objects ${target}_${name}_objects)
  add_library(${objects} OBJECT ${sources})
  muster_unity(${objects})
  target_include_directories(${objects} PRIVATE ${CMAKE_BINARY_DIR}/include)
  target_include_directories(${objects} SYSTEM PRIVATE ${needs_${name}_includes})
  target_link_libraries(${objects} PRIVATE muster_flags Threads::Threads fmt::fmt)
  muster_hide(${objects})
  if(needs_${name}_headers)
    target_precompile_headers(${objects} PRIVATE ${needs_${name}_headers})
    # Without this, ccache can't cache anything compiled with the precompiled header.
    target_compile_options(${objects} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endif()
  set_property(GLOBAL APPEND PROPERTY muster_object_libraries ${objects})

  if(${option})
    target_compile_definitions(${target}_objects PRIVATE ${option})
    set(${out}_libraries ${needs_${name}_libraries} PARENT_SCOPE)
    set(${out}_objects $<TARGET_OBJECTS:${objects}> PARENT_SCOPE)
    return()
  endif()
  muster_flavoured(static muster STATIC)
  set(module ${target}_${name})
  add_library(${module} MODULE $<TARGET_OBJECTS:${objects}>)
  target_link_libraries(${module} PRIVATE ${static} Threads::Threads fmt::fmt ${needs_${name}_libraries})
  set_target_properties(${module} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME muster_${module}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${muster_private_folder} INSTALL_RPATH_USE_LINK_PATH ON)
  muster_run_path(${module} $ORIGIN)
  if(UNIX AND NOT APPLE)
    list(JOIN needs_${name}_symbols "; " symbols)
    muster_export(${module} "${symbols};")
    target_link_options(${module} PRIVATE -Wl,--gc-sections)
    if(NOT MUSTER_SANITIZE)  # only the program defines the symbols of Clang's sanitizers
      target_link_options(${module} PRIVATE -Wl,-z,defs)
    endif()
  endif()
  # Nothing links it, but the tests and tools need it at run time.
  add_dependencies(muster_backends ${module})
  install(TARGETS ${module} LIBRARY DESTINATION ${muster_private_folder} COMPONENT ${target})
  set(${out}_opened ON PARENT_SCOPE)
endfunction()

# Makes a program that links the static flavour find the module: it contains the backend, but isn't beside the module, so it
# gets a run path to the installation.
function(muster_module_found target flavour)
  if(flavour STREQUAL "STATIC" AND UNIX)
    muster_flavoured(interface ${target} STATIC)
    target_link_options(${interface} INTERFACE
      $<INSTALL_INTERFACE:-Wl,-rpath,$<INSTALL_PREFIX>/${muster_private_folder}>)
  endif()
endfunction()
