// The packs that backends contribute, and what a pack can say of a group's lowering. Copies of these packs that apply to every device
// show that their kernels are right on those that are here.
#include <array>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/driver/process/packs.hpp>
#include <muster/graph/kernel_text/kernel_text.hpp>
#include <muster/graph/kernels/lower.hpp>
#include <muster/graph/portable/portable_pack.hpp>

#include "graph/run/run_graph.hpp"

namespace muster::graph {
namespace {

Pack cpu_everywhere, cuda_everywhere;
const Pack& get_cpu_everywhere() { return cpu_everywhere; }
const Pack& get_cuda_everywhere() { return cuda_everywhere; }
constexpr BackendPatterns of_cpu{.id = "cpu-everywhere", .pack = get_cpu_everywhere};
constexpr BackendPatterns of_cuda{.id = "cuda-everywhere", .pack = get_cuda_everywhere};
MUSTER_SUBMIT(of_cpu);
MUSTER_SUBMIT(of_cuda);

Pack everywhere(std::string_view id, std::string_view name) {
    Pack pack = *acquire_pack(id).value();
    pack.name = name;
    pack.backends = {};
    return pack;
}

/// Doubles, whatever the operator says.
Result<GroupKernels> doubled(const Graph& graph, const Group& group, const StorageOf& storage_of) {
    KernelText text;
    const OperandId x = text.operand(storage_of(graph.inputs(group.nodes[0])[0])),
                    y = text.operand(storage_of(group.outputs[0]));
    const auto at = text.each_element(std::array{x, y}, y);
    text.store(y, at[1], fmt::format("{} * 2.0f", text.load(x, at[0])));
    GroupKernels kernels;
    kernels.steps.push_back(std::move(text).finish());
    return kernels;
}
const Pack& doubling() {
    static const Pack pack{.name = "doubling",
                           .purpose = "For tests: Abs doubles.",
                           .fusion = {{.name = "Abs doubles", .match = {"Abs(x)"}, .lower = doubled}}};
    return pack;
}
constexpr BackendPatterns own_lowering{.id = "doubling", .pack = doubling};
MUSTER_SUBMIT(own_lowering);

Session session_with(std::string_view backend, std::string_view pack) {
    cpu_everywhere = everywhere("cpu", "cpu-everywhere");
    cuda_everywhere = everywhere("cuda", "cuda-everywhere");
    Policy policy;
    policy.backends = {{std::string(backend)}};
    policy.allow_tags = {{"debug", "software"}};
    policy.pack = std::string(pack);
    return *Session::open({.policy = policy, .use_environment = false});
}

/// How often each step's pattern is this one.
std::size_t count_of(const ModelSummary& summary, std::string_view pattern) {
    return static_cast<std::size_t>(std::ranges::count(summary.steps, pattern, &ModelStep::pattern));
}

/// The outputs are within the bound of the evaluator's largest element, and the same on all backends here; the pattern took `count`
/// groups.
void check_pack(std::string_view pack, std::string_view pattern, std::size_t count,
                std::string_view statements, double bound) {
    CAPTURE(statements);
    const Graph graph = graph_of(statements);
    const std::vector<Tensor> inputs = seeded_inputs(graph);
    const auto wanted = evaluate(graph, inputs);
    if (!wanted) FAIL(wanted.error().to_string());
    std::vector<Tensor> first;
    for (const std::string_view backend : std::array{"cpu", "vulkan", "reference"}) {
        CAPTURE(backend);
        Model model = *Model::open(session_with(backend, pack), graph);
        const auto got = model.run(inputs);
        if (!got) {
            CHECK_MESSAGE((got.error().code == ErrorCode::refused && backend != "cpu"),
                          got.error().to_string());
            continue;
        }
        CHECK(count_of(*model.route(inputs), pattern) == count);
        for (std::size_t i = 0; i < got->size(); ++i) {
            if (bound == 0)
                CHECK((*got)[i] == (*wanted)[i]);
            else
                CHECK(difference((*got)[i], (*wanted)[i]) <= bound);
            if (!first.empty()) CHECK((*got)[i] == first[i]);
        }
        if (first.empty()) first = *got;
    }
}

constexpr std::string_view winograd = "convolution of 3x3 by Winograd's algorithm",
                           tiled_conv = "convolution in shared tiles",
                           tiled_product = "product in shared tiles";

}  // namespace

TEST_CASE("Winograd's convolutions are near the evaluator's, with every kind of tile and padding") {
    // 9 x 7 has tiles of 4 beyond both edges, 6 x 6 tiles of 2; what a convolution reads is a graph's input, and what another
    // convolution made.
    check_pack("cpu-everywhere", winograd, 2,
               "input x: f32[2, 32, 9, 7]\n" + weights("w", {36, 32, 3, 3}) + weights("b", {36}) +
                   weights("v", {17, 36, 3, 3}) +
                   "c = Conv(x, w, b) {pads = [1, 1, 1, 1]}\nr = Relu(c)\n"
                   "d = Conv(r, v) {pads = [0, 1, 2, 1]}\ny = Neg(d)\noutput y",
               2e-5);
    check_pack("cpu-everywhere", winograd, 1,
               "input x: f32[1, 33, 8, 8]\n" + weights("w", {16, 33, 3, 3}) + "y = Conv(x, w)\noutput y",
               2e-5);
    check_pack("cpu-everywhere", winograd, 1,
               "input x: f32[1, 32, 4, 5]\ninput s: f32[1, 16, 4, 5]\n" + weights("w", {16, 32, 3, 3}) +
                   "c = Conv(x, w) {pads = [1, 1, 1, 1]}\na = Add(c, s)\ny = Relu(a)\noutput y",
               2e-5);
}

TEST_CASE("Convolutions that Winograd's algorithm doesn't compute stay direct") {
    for (const std::string_view conv :
         {"input x: f32[1, 32, 6, 6]\nWEIGHTS y = Conv(x, w) {strides = [2, 2]}\noutput y",
          "input x: f32[1, 32, 6, 6]\nWEIGHTS y = Conv(x, w) {dilations = [2, 2]}\noutput y",
          "input x: f32[1, 64, 6, 6]\nWEIGHTS y = Conv(x, w) {group = 2}\noutput y",
          "input x: f32[1, 32, 6, 6]\ninput w: f32[16, 32, 3, 3]\ny = Conv(x, w)\noutput y"}) {
        std::string text(conv);
        if (const std::size_t at = text.find("WEIGHTS"); at != std::string::npos)
            text.replace(at, 7, weights("w", {16, 32, 3, 3}));
        check_pack("cpu-everywhere", winograd, 0, text, 0);
    }
    check_pack("cpu-everywhere", winograd, 0,
               "input x: f32[1, 16, 6, 6]\n" + weights("w", {16, 16, 3, 3}) + "y = Conv(x, w)\noutput y", 0);
    check_pack("cpu-everywhere", winograd, 0,
               "input x: f32[1, 32, 6, 6]\n" + weights("w", {16, 32, 5, 5}) +
                   "y = Conv(x, w) {pads = [2, 2, 2, 2]}\noutput y",
               0);
}

TEST_CASE("Products and convolutions in shared tiles have the evaluator's bits") {
    check_pack("cuda-everywhere", tiled_product, 1,
               "input a: f32[70, 37]\ninput b: f32[37, 66]\nm = MatMul(a, b)\ny = Relu(m)\noutput y", 0);
    check_pack("cuda-everywhere", tiled_product, 1,
               "input a: f32[3, 40, 20]\n" + weights("b", {20, 33}) + "y = MatMul(a, b)\noutput y", 0);
    check_pack("cuda-everywhere", tiled_product, 1,
               "input a: f32[2, 1, 33, 17]\ninput b: f32[3, 17, 32]\ny = MatMul(a, b)\noutput y", 0);
    check_pack("cuda-everywhere", tiled_product, 1,
               "input a: f32[19, 33]\ninput c: f32[40]\n" + weights("b", {40, 19}) +
                   "y = Gemm(a, b, c) {transA = 1, transB = 1, alpha = 0.5, beta = 2}\noutput y",
               0);
    check_pack("cuda-everywhere", tiled_product, 1,
               "input a: f16[32, 65]\ninput b: f16[65, 32]\ny = MatMul(a, b)\noutput y", 0);
    check_pack("cuda-everywhere", tiled_conv, 2,
               "input x: f32[2, 5, 11, 9]\n" + weights("w", {34, 5, 3, 3}) + weights("b", {34}) +
                   weights("v", {32, 34, 2, 3}) +
                   "c = Conv(x, w, b) {pads = [1, 0, 2, 1], strides = [2, 1]}\nr = Relu(c)\n"
                   "y = Conv(r, v) {dilations = [2, 1], pads = [1, 1, 1, 1]}\noutput y",
               0);
    check_pack("cuda-everywhere", tiled_conv, 1,
               "input x: f32[1, 3, 50]\ninput w: f32[32, 3, 5]\ny = Conv(x, w) {pads = [2, 2]}\noutput y", 0);
    // Sums of several blocks: of a tap each, of parts of a tap, and of terms.
    check_pack("cuda-everywhere", tiled_conv, 2,
               "input x: f32[1, 120, 7, 6]\ninput w: f32[32, 120, 3, 3]\ninput v: f32[32, 1100, 1, 2]\n"
               "input u: f32[1, 1100, 6, 6]\nc = Conv(x, w) {pads = [1, 1, 1, 1]}\nd = Conv(u, v)\noutput "
               "c\noutput d",
               0);
    check_pack("cuda-everywhere", tiled_product, 1,
               "input a: f32[33, 1300]\ninput b: f32[1300, 32]\ny = MatMul(a, b)\noutput y", 0);
}

TEST_CASE("Small products, those in groups and those of integers aren't computed in shared tiles") {
    check_pack("cuda-everywhere", tiled_product, 0,
               "input a: f32[8, 37]\ninput b: f32[37, 66]\ny = MatMul(a, b)\noutput y", 0);
    check_pack(
        "cuda-everywhere", tiled_conv, 0,
        "input x: f32[1, 8, 6, 6]\n" + weights("w", {32, 4, 3, 3}) + "y = Conv(x, w) {group = 2}\noutput y",
        0);
    check_pack(
        "cuda-everywhere", tiled_product, 0,
        "input x: u8[33, 8]\nconstant s: f32[] = [0.5]\nconstant z: u8[] = [3]\nconstant w: i8[8, 32] = [" +
            fmt::format("{}", fmt::join(std::vector<int>(256, 2), ", ")) +
            "]\na = DequantizeLinear(x, s, z)\nb = DequantizeLinear(w, s)\ny = MatMul(a, b)\noutput y",
        1e-6);
}

TEST_CASE("A pattern may bring its own lowering") {
    Model model =
        *Model::open(session_with("cpu", "doubling"), graph_of("input x: f32[3]\ny = Abs(x)\noutput y"));
    const auto got = model.run(std::array{Tensor::of<float>({3}, {1, -2, 3})});
    REQUIRE(got);
    CHECK((*got)[0] == Tensor::of<float>({3}, {2, -4, 6}));
}

TEST_CASE("Tiles that no workgroup can have are an error with the limits") {
    const auto error = [](Algorithm tiles) {
        tiles.kind = Algorithm::Kind::shared_tiles;
        if (tiles.columns == 0) tiles.columns = 64;
        const FusionPattern pattern{.name = "mine", .algorithm = tiles};
        const Graph graph = graph_of("input a: f32[4, 4]\nb = MatMul(a, a)\noutput b");
        const Group group{.nodes = {NodeId{0}},
                          .inputs = {graph.inputs()[0]},
                          .outputs = {graph.outputs()[0]},
                          .pattern = &pattern};
        const auto kernels = lower_group(graph, group, [](ValueId) {
            return Storage::row_major(ElementType::f32, {4, 4});
        });
        return kernels ? std::string() : kernels.error().to_string();
    };
    CHECK(error({.rows = 64}).empty());
    CHECK(has(error({.rows = 60}),
              "\"mine\" asks for tiles of 60 x 64 results, 4 x 4 for each invocation, 16 terms"));
    CHECK(has(error({.rows = 64, .rows_each = 3}), "must divide the tile"));
    CHECK(has(error({.rows = 64, .rows_each = 1}), "up to 256 invocations"));
    CHECK(has(error({.rows = 256, .columns = 256, .rows_each = 16, .columns_each = 16}), "up to 64 sums"));
    CHECK(has(error({.rows = 64, .depth = 64}), "16384 bytes"));
    CHECK(!error({.rows = 64, .depth = 0}).empty());
    CHECK(!error({.rows = 0}).empty());
}

TEST_CASE("In fast mode the CPU's pack is taken, and the route says that bits may differ") {
    // The packs of this test apply to the CPU too, so that the name is needed.
    const Graph graph = graph_of("input x: f32[4]\ny = Exp(x)\noutput y");
    const std::vector<Tensor> inputs = seeded_inputs(graph);
    Model model =
        *Model::open(session_with("cpu", "cpu"), graph, {.compile = {.precision = Precision::fast}});
    const auto summary = model.route(inputs);
    REQUIRE(summary);
    CHECK(summary->pack == "cpu");
    CHECK(!summary->pack_keeps_bits);
    CHECK(summary->notes.empty());
    const auto portable =
        Model::open(session_with("cpu", "portable"), graph, {.compile = {.precision = Precision::fast}})
            ->route(inputs);
    CHECK(portable->pack == "portable");
    CHECK(portable->pack_keeps_bits);
}

TEST_CASE("What is emitted for several backends has the pack that applies to all") {
    const Graph graph = graph_of("input x: f32[4]\ny = Exp(x)\noutput y");
    const std::vector<Tensor> inputs = seeded_inputs(graph);
    const auto plan = [&](std::string_view pack, std::vector<std::string> backends) {
        const Model model = *Model::open(session_with("cpu", pack), graph);
        return model.plan(inputs, backends);
    };
    CHECK(plan("cpu", {"cpu"})->pack == "cpu");
    const auto refused = plan("cpu", {"cpu", "vulkan"});
    REQUIRE(!refused);
    CHECK(has(refused.error().to_string(), "applies to devices of cpu"));
    CHECK(plan("portable", {"cpu", "vulkan"})->pack == "portable");
}

}  // namespace muster::graph
