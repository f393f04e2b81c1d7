# Requirements of backend-vulkan (cmake/MusterBackend.cmake): Vulkan's headers, and volk, which opens the loader at run
# time; SPIR-V's headers, and its tools for printing and optimising. No Vulkan library is linked.
find_path(MUSTER_VULKAN_INCLUDE vulkan/vulkan.h)
find_path(MUSTER_VOLK_INCLUDE volk.c)
find_path(MUSTER_SPIRV_INCLUDE spirv/unified1/spirv.hpp11)
mark_as_advanced(MUSTER_VULKAN_INCLUDE MUSTER_VOLK_INCLUDE MUSTER_SPIRV_INCLUDE)
if(NOT MUSTER_VULKAN_INCLUDE)
  list(APPEND needs_missing "Vulkan's headers (libvulkan-dev)")
endif()
if(NOT MUSTER_SPIRV_INCLUDE)
  list(APPEND needs_missing "SPIR-V's headers (spirv-headers)")
endif()

# volk defines a variable for each Vulkan function, under the function's own name. In a program that also links
# libvulkan, the linker would take one for the other, and the program would call a variable. So macros, which api.hpp
# includes before volk, rename everything that volk defines.
if(MUSTER_VOLK_INCLUDE)
  file(STRINGS ${MUSTER_VOLK_INCLUDE}/volk.h muster_volk_lines REGEX "^extern PFN_vk|^[A-Za-z].* volk[A-Za-z]+\\(")
  set(muster_volk_names "// Made by backend-vulkan/needs.cmake from volk.h.\n")
  foreach(line ${muster_volk_lines})
    string(REGEX REPLACE "^.* (v(k|olk)[A-Za-z0-9]+)[^A-Za-z0-9].*$" "\\1" name "${line}")
    string(APPEND muster_volk_names "#define ${name} muster_${name}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/volk_names/muster_volk_names.h CONTENT "${muster_volk_names}" @ONLY)
  list(APPEND needs_includes ${MUSTER_VULKAN_INCLUDE} ${MUSTER_VOLK_INCLUDE} ${CMAKE_BINARY_DIR}/volk_names)
else()
  list(APPEND needs_missing "volk (libvulkan-volk-dev)")
endif()

find_package(SPIRV-Tools CONFIG QUIET)
find_package(SPIRV-Tools-opt CONFIG QUIET)
if(SPIRV-Tools_FOUND AND SPIRV-Tools-opt_FOUND)
  set(needs_libraries SPIRV-Tools-opt SPIRV-Tools-static ${CMAKE_DL_LIBS})
  set(needs_dependencies SPIRV-Tools SPIRV-Tools-opt)
  set(needs_pkg_config SPIRV-Tools)
  set(needs_debian_static spirv-tools)
else()
  list(APPEND needs_missing "SPIRV-Tools (spirv-tools)")
endif()

# What `muster --version --json` tells; SPIRV-Tools' package has no version, but its pkg-config file does.
if(MUSTER_VULKAN_INCLUDE)
  file(STRINGS ${MUSTER_VULKAN_INCLUDE}/vulkan/vulkan_core.h muster_vulkan_version REGEX "^#define VK_HEADER_VERSION(_COMPLETE)? ")
  string(REGEX REPLACE ".*VK_HEADER_VERSION ([0-9]+).*\\(0, ([0-9]+), ([0-9]+),.*" "\\2.\\3.\\1"
         muster_vulkan_version "${muster_vulkan_version}")
  list(APPEND needs_versions "Vulkan headers=${muster_vulkan_version}")
endif()
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(MUSTER_SPIRV_TOOLS QUIET SPIRV-Tools)
endif()
if(MUSTER_SPIRV_TOOLS_FOUND)
  list(APPEND needs_versions "SPIRV-Tools=${MUSTER_SPIRV_TOOLS_VERSION}")
endif()

set(needs_debian_contains libvulkan-volk-dev spirv-tools)
set(needs_debian_recommends libvulkan1)
set(needs_debian_suggests mesa-vulkan-drivers)
