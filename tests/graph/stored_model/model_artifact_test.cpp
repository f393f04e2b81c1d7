// Artifacts of models: what is written is read, and any damage is refused.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "small_models.hpp"

using namespace muster;
using graph::ModelArtifact;
using graph::RunPlan;
using test::HeldBytes;

namespace {

graph::ModelPackage package() {
    return test::small_package(test::interpreting_session({std::make_shared<test::DeviceScript>()}), {2, 3});
}

/// Writes the package, changed, and returns the sentence that reading refuses it with.
std::string refusal(const std::function<void(graph::ModelPackage&)>& change) {
    graph::ModelPackage changed = package();
    change(changed);
    const auto read = HeldBytes(graph::model_artifact_bytes(changed)).read();
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::invalid_argument);
    CHECK(read.error().fix == "emit the artifact again, or copy it again");
    return read.error().message;
}

}  // namespace

TEST_CASE("a model's artifact that is written and read has the same plans, kernels and weights") {
    const graph::ModelPackage written = package();
    const std::vector<std::byte> bytes = graph::model_artifact_bytes(written);
    CHECK(graph::is_model_artifact(bytes));
    CHECK_FALSE(is_artifact_file(bytes));
    const auto read = HeldBytes(bytes).read();
    REQUIRE_MESSAGE(read, (read ? "" : read.error().to_string()));
    CHECK(read->name == "small");
    CHECK(read->pack == "portable");
    CHECK(read->options == CompileOptions{});
    CHECK(read->bytes == bytes.size());
    REQUIRE(read->choices.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const RunPlan &a = written.choices[i], &b = read->choices[i];
        REQUIRE(b.buffers.size() == a.buffers.size());
        for (std::size_t k = 0; k < a.buffers.size(); ++k) {
            CHECK(b.buffers[k].bytes == a.buffers[k].bytes);
            CHECK(std::ranges::equal(a.buffers[k].weights.bytes, b.buffers[k].weights.bytes));
            CHECK(reinterpret_cast<std::uintptr_t>(b.buffers[k].weights.bytes.data()) % 16 == 0);
        }
        REQUIRE(b.inputs.size() == 1);
        CHECK(b.inputs[0].name == "x");
        CHECK(b.inputs[0].sizes == std::vector<std::int64_t>{static_cast<std::int64_t>(i) + 2, 4});
        CHECK(b.outputs[0].buffer == a.outputs[0].buffer);
        REQUIRE(b.steps.size() == a.steps.size());
        CHECK(b.steps[0].nodes == a.steps[0].nodes);
        REQUIRE(b.dispatches.size() == a.dispatches.size());
        CHECK(b.dispatches[0].workgroups == a.dispatches[0].workgroups);
        CHECK(b.dispatches[0].bindings.size() == a.dispatches[0].bindings.size());
        REQUIRE(b.programs.size() == written.kernels.size());
        for (std::size_t k = 0; k < written.kernels.size(); ++k)
            CHECK(same_structure(b.programs[k]().value().program, written.kernels[k].program));
    }
}

TEST_CASE("weights that several plans have are stored once") {
    const Session session = test::interpreting_session({std::make_shared<test::DeviceScript>()});
    const std::size_t one = graph::model_artifact_bytes(test::small_package(session, {2})).size();
    const std::size_t both = graph::model_artifact_bytes(test::small_package(session, {2, 2})).size();
    CHECK(both < one + 2048);
}

TEST_CASE("a changed bit anywhere is an error, when the artifact is read or when it is loaded") {
    const std::vector<std::byte> bytes = graph::model_artifact_bytes(
        test::small_package(test::interpreting_session({std::make_shared<test::DeviceScript>()})));
    for (std::size_t bit = 3; bit < 8 * bytes.size(); bit += 5) {
        HeldBytes damaged(bytes);
        (*damaged.bytes)[bit / 8] ^= std::byte(1u << bit % 8);
        auto read = damaged.read();
        if (!read) {
            REQUIRE(read.error().code == ErrorCode::invalid_argument);
            REQUIRE_FALSE(read.error().fix.empty());
            continue;
        }
        auto model = graph::StoredModel::open(
                         test::interpreting_session({std::make_shared<test::DeviceScript>()}), *read)
                         .value();
        CAPTURE(bit);
        const auto ran = model.run(std::vector{test::rows(2)});
        REQUIRE_FALSE(ran);
        REQUIRE(ran.error().code == ErrorCode::invalid_argument);
    }
}

TEST_CASE("a file that was cut off, and one with more after its end, are refused") {
    const std::vector<std::byte> bytes = graph::model_artifact_bytes(package());
    for (std::size_t length = 0; length < bytes.size(); length += length < 300 ? 1 : 97)
        REQUIRE_FALSE(HeldBytes({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)}).read());
    const auto cut = HeldBytes({bytes.begin(), bytes.end() - 1}).read();
    CHECK(cut.error().message == "The model's artifact has " + std::to_string(bytes.size() - 1) +
                                     " bytes instead of " + std::to_string(bytes.size()) + ".");
    CHECK(HeldBytes({bytes.begin(), bytes.begin() + 20}).read().error().message ==
          "The model's artifact is cut off: it has 20 bytes.");
    CHECK(HeldBytes({}).read().error().message ==
          "This isn't an artifact of a model: it doesn't begin as one does.");
    std::vector<std::byte> other = bytes;
    other[8] = std::byte{9};
    CHECK(HeldBytes(other).read().error().message ==
          "The model's artifact is of format version 9, and this muster reads version 3.");
}

TEST_CASE("bytes that aren't aligned are refused") {
    std::vector<std::byte> bytes = graph::model_artifact_bytes(package());
    const std::size_t size = bytes.size();
    bytes.insert(bytes.begin(), 4, std::byte{0});
    const auto held = std::make_shared<std::vector<std::byte>>(std::move(bytes));
    const auto read = graph::read_model_artifact(std::span(*held).subspan(4, size), held);
    REQUIRE_FALSE(read);
    CHECK(read.error().message == "The artifact's bytes begin at no multiple of 16 in memory.");
}

TEST_CASE("a description whose parts don't fit one another is refused, with what is wrong") {
    CHECK(refusal([](auto& package) { package.choices.clear(); }) ==
          "The model's artifact is damaged: it is for no sizes of inputs.");
    CHECK(refusal([](auto& package) { package.choices[0].dispatches[0].program = 99; }) ==
          "The model's artifact is damaged: a dispatch names a kernel, a step or a buffer that isn't there.");
    CHECK(refusal([](auto& package) { package.choices[0].dispatches[0].step = 99; }) ==
          "The model's artifact is damaged: a dispatch names a kernel, a step or a buffer that isn't there.");
    CHECK(refusal([](auto& package) { package.choices[1].dispatches[0].bindings[0].buffer = 99; }) ==
          "The model's artifact is damaged: a dispatch names a kernel, a step or a buffer that isn't there.");
    const auto input = [](auto change) {
        return refusal([&](auto& package) { change(package.choices[0], package.choices[0].inputs[0]); });
    };
    constexpr auto misplaced =
        "The model's artifact is damaged: input \"x\" doesn't lie in a buffer for values.";
    CHECK(input([](auto&, auto& x) { x.buffer = 99; }) == misplaced);
    CHECK(input([](auto&, auto& x) { x.offset_bytes = 1 << 20; }) == misplaced);
    CHECK(input([](auto&, auto& x) { x.offset_bytes = 2; }) == misplaced);
    CHECK(input([](auto&, auto& x) { x.sizes = {1 << 20, 1 << 20}; }) == misplaced);
    CHECK(input([](auto&, auto& x) { x.sizes = {-1, 4}; }) == misplaced);
    CHECK(input([](auto&, auto& x) { x.contents.emplace(3); }) == misplaced);
    CHECK(input([](auto& plan, auto& x) {
              for (std::uint32_t i = 0; i < plan.buffers.size(); ++i)
                  if (!plan.buffers[i].weights.bytes.empty()) x.buffer = i;
          }) == misplaced);
    CHECK(refusal([](auto& package) { package.choices[0].outputs[0].buffer = 99; }) ==
          "The model's artifact is damaged: output \"y\" doesn't lie in a buffer.");
    CHECK(refusal([](auto& package) { package.choices[1].inputs[0].name = "z"; }) ==
          "The model's artifact is damaged: its plans are of models with other inputs or outputs.");
    CHECK(refusal([](auto& package) { package.choices[0].buffers[0].bytes = 6; }) ==
          "The model's artifact is damaged: a buffer has another size than its weights, or none.");
    CHECK(refusal([](auto& package) {
              for (auto& buffer : package.choices[0].buffers)
                  if (!buffer.weights.bytes.empty()) buffer.bytes += 4;
          }) == "The model's artifact is damaged: a buffer has another size than its weights, or none.");
}
