# Requirements of backend-cuda (cmake/MusterBackend.cmake): headers of the CUDA Toolkit, 12 or later. No CUDA
# library is linked: libcuda and NVRTC are opened at run time; NVRTC is also looked for in the toolkit's folder.
find_path(MUSTER_CUDA_INCLUDE cuda.h
          HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES include)
mark_as_advanced(MUSTER_CUDA_INCLUDE)
set(muster_cuda_version 0)
if(EXISTS "${MUSTER_CUDA_INCLUDE}/cuda.h")
  file(STRINGS ${MUSTER_CUDA_INCLUDE}/cuda.h muster_cuda_version REGEX "^#define CUDA_VERSION [0-9]+")
  string(REGEX REPLACE "[^0-9]" "" muster_cuda_version "${muster_cuda_version}")
endif()
if(muster_cuda_version LESS 12000 OR NOT EXISTS "${MUSTER_CUDA_INCLUDE}/nvrtc.h")
  list(APPEND needs_missing "the CUDA Toolkit, 12 or later (cuda.h, nvrtc.h)")
else()
  get_filename_component(muster_cuda_folder ${MUSTER_CUDA_INCLUDE} DIRECTORY)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/cuda_toolkit/muster_cuda_toolkit.hpp CONTENT [[
// Made by backend-cuda/needs.cmake.
#define MUSTER_CUDA_TOOLKIT "@muster_cuda_folder@"
]] @ONLY)
  list(APPEND needs_includes ${MUSTER_CUDA_INCLUDE} ${CMAKE_BINARY_DIR}/cuda_toolkit)
  set(needs_libraries ${CMAKE_DL_LIBS})
  math(EXPR muster_cuda_major "${muster_cuda_version} / 1000")
  math(EXPR muster_cuda_minor "${muster_cuda_version} % 1000 / 10")
  list(APPEND needs_versions "NVRTC=${muster_cuda_major}.${muster_cuda_minor}")
endif()
# NVIDIA's driver, and NVRTC 12 or later, which Debian 12 doesn't have.
set(needs_debian_suggests libcuda1)
