# Debian packages, made by cpack from the components of cmake/MusterPackage.cmake; cmake/package makes them as they are
# meant to be installed, and docs/packaging.md says what is in which. Each backend room becomes the package muster-backend-ID;
# its needs.cmake names what it opens at run time. dpkg-shlibdeps finds what is linked.

set(MUSTER_PACKAGE_CONTACT "muster packagers <packagers@muster.invalid>" CACHE STRING "The packages' maintainer")
set(MUSTER_PACKAGE_RELEASE 1 CACHE STRING "The packages' revision: the number behind muster's version")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "${MUSTER_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# Adds what every package of Debian has: copyright, changelog, compressed manuals.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_documents.cmake)
set(CPACK_MUSTER_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)  # of exactly this version
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${MUSTER_PACKAGE_RELEASE})
set(CPACK_DEBIAN_PACKAGE_SOURCE muster)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_COMPONENTS_ALL "")

# muster_debian_package(COMPONENT NAME SECTION SUMMARY DESCRIPTION [LINKS] [DEPENDS component...] [NEEDS package...]
#                       [RECOMMENDS package...] [SUGGESTS package...] [CONTAINS package...])
# LINKS: it has programs or shared libraries, whose dependencies are found. CONTAINS: packages of which parts are compiled in.
macro(muster_debian_package component name section summary description)
  cmake_parse_arguments(deb LINKS "" "DEPENDS;NEEDS;RECOMMENDS;SUGGESTS;CONTAINS" ${ARGN})
  string(TOUPPER ${component} deb_component)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_COMPONENT_${deb_component}_DESCRIPTION "${summary}
muster runs a compute kernel, written in WGSL or C++, on the best backend that
the machine has.

${description}")
  set(CPACK_COMPONENT_${deb_component}_DEPENDS ${deb_DEPENDS})
  set(CPACK_DEBIAN_${deb_component}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${deb_component}_PACKAGE_SECTION ${section})
  if(NOT deb_LINKS)
    set(CPACK_DEBIAN_${deb_component}_PACKAGE_SHLIBDEPS OFF)
  endif()
  set(CPACK_MUSTER_${deb_component}_CONTAINS ${deb_CONTAINS})
  list(JOIN deb_NEEDS ", " CPACK_DEBIAN_${deb_component}_PACKAGE_DEPENDS)
  list(JOIN deb_RECOMMENDS ", " CPACK_DEBIAN_${deb_component}_PACKAGE_RECOMMENDS)
  list(JOIN deb_SUGGESTS ", " CPACK_DEBIAN_${deb_component}_PACKAGE_SUGGESTS)
endmacro()

set(muster_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(muster_tie "(= ${PROJECT_VERSION}-${MUSTER_PACKAGE_RELEASE})")
get_property(muster_built GLOBAL PROPERTY muster_built_backends)
list(TRANSFORM muster_built REPLACE "muster::" "")

# muster_linked: what the tool links, because it isn't a plugin. Who uses muster is recommended the backends that run on every
# machine; the others are suggested.
set(muster_linked "")
set(muster_recommended "")
set(muster_others "")
set(muster_static_needs "")
set(muster_contained "")
set(muster_onnx_needs "")
if(TARGET muster_onnx)
  set(muster_onnx_needs libonnx-dev libprotobuf-dev)
endif()
foreach(backend ${muster_built})
  string(REPLACE "_" "-" package muster-${backend})
  string(REPLACE "backend_" "" id ${backend})
  string(TOUPPER MUSTER_${backend}_PLUGIN plugin)
  if(NOT ${plugin})
    list(APPEND muster_linked ${backend})
  endif()
  foreach(fact recommends suggests static contains everywhere)
    get_property(${fact} GLOBAL PROPERTY muster_${backend}_debian_${fact})
  endforeach()
  list(APPEND muster_static_needs ${static})
  list(APPEND muster_contained ${contains})
  muster_debian_package(${backend} ${package} libs "muster's backend ${id}" "This is its backend ${id}."
    LINKS DEPENDS library RECOMMENDS ${recommends} SUGGESTS ${suggests} CONTAINS ${contains})
  if(everywhere)
    list(APPEND muster_recommended "${package} ${muster_tie}")
  else()
    list(APPEND muster_others "${package} ${muster_tie}")
  endif()
endforeach()

muster_debian_package(library libmuster${muster_soversion} libs "compute kernels on the best backend (library)"
  "Programs that use it link this library, which finds the backends that are\ninstalled."
  LINKS RECOMMENDS ${muster_recommended} SUGGESTS ${muster_others} "muster-c-parts ${muster_tie}")
# Packages of programs that link it depend on this version alone: records of another one are refused.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/debian/shlibs
     CONTENT "libmuster @muster_soversion@ libmuster@muster_soversion@ @muster_tie@\n" @ONLY)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/debian/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/debian/shlibs ${CMAKE_BINARY_DIR}/debian/triggers)

muster_debian_package(c_parts muster-c-parts libs "models and conformance for muster's interface in C"
  "Programs in C and other languages that run models, or the conformance suite,\nneed this package beside the library."
  LINKS DEPENDS library)
if(TARGET muster_webgpu)
  muster_debian_package(webgpu libmuster-webgpu${muster_soversion} libs "compute kernels on the best backend (webgpu.h)"
    "Programs that use WebGPU's C interface link this library, and compute on\nmuster's backends."
    LINKS DEPENDS library ${muster_linked} RECOMMENDS ${muster_recommended} SUGGESTS ${muster_others})
endif()
muster_debian_package(development libmuster-dev libdevel "compute kernels on the best backend (development files)"
  "This package has its headers, its static libraries, and what CMake and\npkg-config need."
  DEPENDS library NEEDS libfmt-dev libmd-dev RECOMMENDS ${muster_recommended}
  SUGGESTS muster-doc ${muster_others} ${muster_static_needs} ${muster_onnx_needs}
  CONTAINS ${muster_contained})
muster_debian_package(documentation muster-doc doc "compute kernels on the best backend (documentation)"
  "This package has its manual and the examples.")
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
if(MUSTER_CLI)
  muster_debian_package(tool muster science "compute kernels on the best backend (tool)"
    "The tool runs kernels, says where they would run, writes their code for other\nmachines, and checks devices."
    LINKS DEPENDS library ${muster_linked} RECOMMENDS ${muster_recommended} SUGGESTS muster-doc ${muster_others}
    CONTAINS libcli11-dev nlohmann-json3-dev)
endif()
include(CPack)
