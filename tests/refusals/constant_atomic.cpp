// expect: an atomic is never only read: declare Storage<T>
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

struct Counter {
    Field<Atomic<u32>> count;
};

auto program() {
    return kernel("k(x, y)", {64}, [](Storage<const Counter> x, Storage<u32> y) { y = x.count.load(); });
}
