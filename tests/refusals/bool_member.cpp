// expect: a bool has no layout outside the program: use a u32, 0 or 1
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

struct Flags {
    Field<bool> on;
};

auto program() {
    return kernel("k(x, y)", {64}, [](Uniform<Flags> x, Storage<u32> y) { if_(x.on, [&] { y = 1u; }); });
}
