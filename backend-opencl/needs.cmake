# Requirements of backend-opencl (cmake/MusterBackend.cmake): Khronos's headers. No library is linked: libOpenCL is opened
# at run time.
find_path(MUSTER_OPENCL_INCLUDE CL/cl.h)
mark_as_advanced(MUSTER_OPENCL_INCLUDE)
if(NOT EXISTS "${MUSTER_OPENCL_INCLUDE}/CL/cl.h")
  list(APPEND needs_missing "OpenCL (opencl-c-headers)")
else()
  list(APPEND needs_includes ${MUSTER_OPENCL_INCLUDE})
  set(needs_libraries ${CMAKE_DL_LIBS})
endif()
set(needs_debian_recommends ocl-icd-libopencl1)
set(needs_debian_suggests pocl-opencl-icd)
