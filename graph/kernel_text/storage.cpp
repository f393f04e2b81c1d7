#include <muster/graph/kernel_text/storage.hpp>

namespace muster::graph {

Storage Storage::row_major(ElementType element, Sizes sizes, PlanBuffer place) {
    Sizes strides = row_major_strides(sizes);
    return {.place = place, .element = element, .sizes = std::move(sizes), .strides = std::move(strides)};
}

Storage Storage::channels_last(ElementType element, Sizes sizes, PlanBuffer place) {
    Storage result = row_major(element, std::move(sizes), place);
    std::int64_t stride = result.sizes[1];
    for (std::size_t i = result.sizes.size(); i-- > 2; stride *= result.sizes[i]) result.strides[i] = stride;
    result.strides[1] = 1;
    return result;
}

std::int64_t Storage::count() const { return product(sizes); }

bool Storage::is_row_major() const {
    const Sizes plain = row_major_strides(sizes);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] != 1 && strides[i] != plain[i]) return false;
    }
    return true;
}

}  // namespace muster::graph
