// A target as libFuzzer calls it, with a mutator that knows tokens and statements.
#include <algorithm>
#include <cstring>

#include "mutate.hpp"
#include "target.hpp"

using namespace muster;

// NOLINTBEGIN(readability-identifier-naming): libFuzzer's names
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > fuzz::most_bytes) return -1;  // keeps it out of the corpus
    fuzz::check({reinterpret_cast<const char*>(data), size});
    return 0;
}

namespace {

std::size_t put(const std::string& text, std::uint8_t* data, std::size_t most) {
    const std::size_t size = std::min(text.size(), most);
    std::memcpy(data, text.data(), size);
    return size;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
    interpreter::Random random(seed);
    if (random.below(16) == 0) return LLVMFuzzerMutate(data, size, most);
    return put(fuzz::mutated({reinterpret_cast<const char*>(data), size}, random), data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size,
                                                 const std::uint8_t* b, std::size_t b_size, std::uint8_t* out,
                                                 std::size_t most, unsigned seed) {
    interpreter::Random random(seed);
    const std::string_view to(reinterpret_cast<const char*>(a), a_size);
    const std::string_view from(reinterpret_cast<const char*>(b), b_size);
    return put(fuzz::spliced(to, from, random), out, most);
}
// NOLINTEND(readability-identifier-naming)
