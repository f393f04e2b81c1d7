// Artifacts of models: what is written is read, and damaged bytes, with a right checksum or a wrong one, give an error or an artifact
// whose parts lie where they should.
#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include <muster/foundation/base/byte_archive.hpp>
#include <muster/foundation/interpreter/random.hpp>
#include <muster/graph/stored_model/model_artifact.hpp>

#include "target.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace muster::fuzz {
namespace {

using graph::ElementType;
using graph::ModelArtifact;
using graph::RunBuffer;
using graph::RunPlan;

std::vector<std::byte> some_bytes(std::size_t count, interpreter::Random& random) {
    std::vector<std::byte> bytes(count);
    for (std::byte& each : bytes) each = static_cast<std::byte>(random.below(256));
    return bytes;
}

/// A plan of a few of everything, over one program.
RunPlan some_plan(interpreter::Random& random) {
    RunPlan plan;
    for (std::uint32_t i = 0; i <= random.below(5); ++i) {
        const auto weights =
            std::make_shared<std::vector<std::byte>>(some_bytes(4 + 4 * random.below(40), random));
        plan.buffers.push_back({.bytes = 64});
        plan.buffers.push_back(
            {.bytes = weights->size(), .weights = {.bytes = *weights, .owner = weights, .is_kept = true}});
    }
    plan.inputs.push_back({.name = "x", .element = ElementType::f32, .sizes = {2, 4}, .buffer = 0});
    plan.inputs.push_back({.name = "shape",
                           .element = ElementType::i64,
                           .sizes = {2},
                           .buffer = 0,
                           .offset_bytes = 32,
                           .contents = some_bytes(16, random)});
    plan.outputs.push_back({.name = "y", .element = ElementType::f16, .sizes = {3}, .buffer = 0});
    plan.steps.push_back({{"one", "two"}, "a pattern"});
    plan.dispatches.push_back({.workgroups = {random.below(9), 1, 1}, .bindings = {{"x", 0}, {"y", 1}}});
    return plan;
}

/// Changes or cuts some of the bytes.
void damage(std::vector<std::byte>& bytes, interpreter::Random& random) {
    const auto at = [&](std::size_t most) {
        return static_cast<std::size_t>(
            random.below(static_cast<std::uint32_t>(std::min(bytes.size(), most))));
    };
    for (std::uint32_t changes = 1 + random.below(3); changes > 0 && !bytes.empty(); --changes) {
        switch (random.below(4)) {
            case 0: bytes[at(SIZE_MAX)] = static_cast<std::byte>(random.below(256)); break;
            case 1: bytes[at(512)] ^= std::byte(1u << random.below(8)); break;
            case 2: bytes[at(512)] = random.below(2) == 0 ? std::byte{0} : std::byte{255}; break;
            default: bytes.resize(at(SIZE_MAX)); break;
        }
    }
}

/// Makes the checksum right and the size that of the bytes, so that reading goes on behind them.
void repair(std::vector<std::byte>& bytes) {
    if (bytes.size() < 48) return;
    const auto put = [&](std::size_t at, std::uint64_t number) {
        for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<std::byte>(number >> (8 * i));
    };
    put(24, bytes.size());
    std::uint64_t description = 0;
    ByteReader(std::span<const std::byte>(bytes).subspan(16)).number("description", description);
    if (description > bytes.size() - 48) return;
    const auto end = static_cast<std::size_t>(32 + description);
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), end);
    put(end, hash.high64);
    put(end + 8, hash.low64);
}

void read(std::vector<std::byte> from) {
    const auto bytes = std::make_shared<std::vector<std::byte>>(std::move(from));
    const auto artifact = graph::read_model_artifact(*bytes, bytes);
    if (!artifact) return;
    const std::byte *const begin = bytes->data(), *const end = begin + bytes->size();
    for (const RunPlan& plan : artifact->choices) {
        for (const RunBuffer& buffer : plan.buffers) {
            const auto weights = buffer.weights.bytes;
            expect(weights.empty() || (weights.data() >= begin && weights.data() + weights.size() <= end),
                   "weights lie in the file");
        }
        for (const graph::ProgramSource& program : plan.programs) (void)program();
    }
}

}  // namespace

void check(std::string_view text) {
    const auto raw = std::as_bytes(std::span(text));
    read({raw.begin(), raw.end()});
    const auto program = small_program(text);
    if (!program) return;
    interpreter::Random random((*program)->fingerprint().words[0]);
    graph::ModelPackage package{.name = "a model", .pack = "portable", .kernels = {{*program, {}}}};
    package.choices.push_back(some_plan(random));
    const std::vector<std::byte> bytes = graph::model_artifact_bytes(package);
    const auto held = std::make_shared<std::vector<std::byte>>(bytes);
    const auto again = graph::read_model_artifact(*held, held);
    expect(again.has_value(), "a written artifact can be read", again ? "" : again.error().to_string());
    const auto kernel = again->choices[0].programs[0]();
    expect(kernel && same_structure(*kernel->program, **program), "a kernel is read as it was written");
    for (int i = 0; i < 60; ++i) {
        std::vector<std::byte> damaged = bytes;
        damage(damaged, random);
        if (i % 3 != 0) repair(damaged);
        read(std::move(damaged));
    }
}

}  // namespace muster::fuzz
