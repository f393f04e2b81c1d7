#include "kernel_kit.hpp"

#include <fstream>
#include <iterator>
#include <random>

namespace muster::bench {

std::string read_text(const std::string& path) {
    std::ifstream file(MUSTER_SOURCE_DIR "/" + path);
    if (!file) {
        fmt::print(stderr, "{} can't be read.\n", path);
        std::exit(1);
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

Kernel prepare(Session& session, const std::string& text, Precision precision,
               std::vector<wgsl::OverrideValue> overrides) {
    const ValidProgram program = must(validate(must(wgsl::parse(text, {.overrides = std::move(overrides)}))));
    return must(session.prepare(program, {.precision = precision}));
}

Floats random_floats(std::size_t count, float low, float high) {
    std::minstd_rand random(7);
    Floats all(count);
    for (float& x : all) x = low + (high - low) * static_cast<float>(random() % 65536) / 65536.0f;
    return all;
}

Words random_words(std::size_t count) {
    std::mt19937 random(1);
    Words all(count);
    for (std::uint32_t& word : all) word = static_cast<std::uint32_t>(random());
    return all;
}

}  // namespace muster::bench
