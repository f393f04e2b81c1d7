// expect: an array sized at run time is the last member of the outermost structure
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

struct List {
    Field<Array<f32>> items;
    Field<u32> count;
};

auto program() {
    return kernel("k(x)", {64}, [](Storage<List> x) { x.count = 1u; });
}
