// expect: a Value holds no atomics, and nothing that is sized at run time
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

struct Counter {
    Field<Atomic<u32>> count;
};

auto program() {
    return kernel("k(x)", {64}, [](Storage<Counter> x) { Value<Counter> copy = x; });
}
