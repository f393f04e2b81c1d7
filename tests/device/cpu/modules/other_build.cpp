// other_build - a compiler's module that claims to be of another build.
#include <muster/backend-cpu/compile/compiler.hpp>

namespace muster::cpu {

extern "C" const Compiler* muster_cpu_compiler() {
    static constexpr Compiler other{"muster 0.0.0 another", nullptr};
    return &other;
}

}  // namespace muster::cpu
