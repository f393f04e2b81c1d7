# Requirements of backend-cpu (cmake/MusterBackend.cmake): oneTBB for the threads, and LLVM 19 for the compiler, which is a
# separate module so that a program that compiles nothing doesn't load LLVM.
find_package(TBB CONFIG QUIET)
if(TARGET TBB::tbb)
  set(needs_libraries TBB::tbb)
  set(needs_dependencies TBB)
  set(needs_pkg_config tbb)
  set(needs_debian_static libtbb-dev)
  list(APPEND needs_versions "oneTBB=${TBB_VERSION}")
else()
  list(APPEND needs_missing "oneTBB (libtbb-dev)")
endif()

set(needs_debian_everywhere ON)

# Debian installs each LLVM version in its own folder, where CMake doesn't look.
find_package(LLVM 19.1 CONFIG QUIET HINTS /usr/lib/llvm-19)
if(LLVM_FOUND)
  # The library file instead of LLVM's CMake target, which users of the static flavour would have to find too.
  find_library(MUSTER_LLVM_LIBRARY NAMES LLVM-19 LLVM-19.1 LLVM HINTS ${LLVM_LIBRARY_DIRS} NO_DEFAULT_PATH)
  mark_as_advanced(MUSTER_LLVM_LIBRARY)
endif()
if(LLVM_FOUND AND MUSTER_LLVM_LIBRARY)
  set(needs_modules compiler)
  list(APPEND needs_versions "LLVM=${LLVM_PACKAGE_VERSION}")
  set(needs_compiler_libraries ${MUSTER_LLVM_LIBRARY})
  set(needs_compiler_includes ${LLVM_INCLUDE_DIRS})
  # Headers that most of the compiler's sources include, without those that construct something before main.
  set(needs_compiler_headers
    <llvm/IR/IRBuilder.h> <llvm/IR/Intrinsics.h> <llvm/IR/Module.h> <llvm/IR/Verifier.h> <llvm/Target/TargetMachine.h>)
  set(needs_compiler_symbols muster_cpu_compiler muster_cpu_compile_for_another)
else()
  list(APPEND needs_missing "LLVM 19 (llvm-19-dev)")
endif()
