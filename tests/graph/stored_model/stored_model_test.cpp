// Models that run from their artifacts.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "small_models.hpp"

using namespace muster;
using graph::StoredModel;
using test::HeldBytes;
using test::rows;

namespace {

Session session_of(const std::shared_ptr<test::DeviceScript>& script) {
    return test::interpreting_session({script});
}
Session new_session() { return session_of(std::make_shared<test::DeviceScript>()); }

StoredModel stored(Session session, const std::vector<std::int64_t>& counts) {
    return StoredModel::open(
               session,
               HeldBytes(graph::model_artifact_bytes(test::small_package(session, counts))).read().value())
        .value();
}

}  // namespace

TEST_CASE("a model gives the same bits from its artifact as from its graph, for each choice of sizes") {
    graph::Model model =
        graph::Model::open(new_session(), graph::parse_graph(test::small_text).value()).value();
    StoredModel from_file = stored(new_session(), {2, 70});
    for (const std::int64_t count : {2, 70, 2}) {
        const std::vector inputs{rows(count)};
        const auto ours = from_file.run(inputs);
        REQUIRE_MESSAGE(ours, (ours ? "" : ours.error().to_string()));
        CHECK(*ours == model.run(inputs).value());
    }
}

TEST_CASE("the weights of an artifact are used in place by devices that can") {
    const auto script = std::make_shared<test::DeviceScript>();
    script->wraps = true;
    StoredModel model = stored(session_of(script), {2});
    CHECK(model.run(std::vector{rows(2)}));
    const graph::RunPlan& plan = model.artifact().choices[0];
    const auto is_weights = [](const graph::RunBuffer& buffer) { return !buffer.weights.bytes.empty(); };
    CHECK(script->allocations.load() == std::ranges::count_if(plan.buffers, std::not_fn(is_weights)));
}

TEST_CASE("the summary of an artifact's model has the nodes of each step and where they run") {
    StoredModel model = stored(new_session(), {2});
    const auto prepared = model.prepare(std::vector{rows(2)}), routed = model.route(std::vector{rows(2)});
    REQUIRE(prepared);
    REQUIRE(routed);
    CHECK(prepared->pack == "portable");
    CHECK(prepared->weight_bytes > 0);
    REQUIRE(prepared->steps.size() == routed->steps.size());
    std::string nodes;
    for (const graph::ModelStep& step : prepared->steps) {
        REQUIRE(step.route);
        CHECK(step.route->execute()->id() == "parts:0");
        CHECK(step.kernels == 1);
        for (const std::string& node : step.nodes) nodes += node + ";";
    }
    CHECK(nodes == "\"first\" (MatMul);\"second\" (MatMul);\"last\" (Softmax);");
    CHECK(model.profile(std::vector{rows(2)})->size() == 3);
}

TEST_CASE("inputs that an artifact isn't for are refused with those that it is for") {
    StoredModel model = stored(new_session(), {2, 3});
    const auto ran = model.run(std::vector{rows(5)});
    REQUIRE_FALSE(ran);
    CHECK(
        ran.error().message ==
        "The artifact of model \"small\" isn't for these inputs (x [5, 4]), but for x [2, 4]; or x [3, 4].");
    CHECK(ran.error().fix ==
          "give inputs of one of these sizes, or emit the model for others, too (muster emit --size)");
    CHECK(model.run({}).error().message == "Model \"small\" has 1 inputs, and 0 tensors are given.");
    CHECK(model.run(std::vector{graph::Tensor::of<std::int32_t>({1}, {1})}).error().message ==
          "Input \"x\" is of f32, and i32[1] is given.");
}

TEST_CASE("an input whose contents kernels were made for must have these") {
    const std::string text = R"(graph "reshape" {
        input x: f32[4]
        input sizes: i64[2]
        y = Reshape(x, sizes): f32[?, ?]
        z = Add(y, y): f32[?, ?]
        output z
    })";
    const Session session = new_session();
    const graph::Model model = graph::Model::open(session, graph::parse_graph(text).value()).value();
    const graph::Tensor x = graph::Tensor::of<float>({4}, {1, 2, 3, 4}),
                        sizes = graph::Tensor::of<std::int64_t>({2}, {2, 2}),
                        others = graph::Tensor::of<std::int64_t>({2}, {1, 4});
    const std::vector<std::vector<graph::Tensor>> inputs{{x, sizes}};
    const auto package = graph::package_model(session, model, inputs, {});
    REQUIRE_MESSAGE(package, (package ? "" : package.error().to_string()));
    StoredModel from_file =
        StoredModel::open(session, HeldBytes(graph::model_artifact_bytes(*package)).read().value()).value();
    CHECK(from_file.run(inputs[0]).value()[0] == graph::Tensor::of<float>({2, 2}, {2, 4, 6, 8}));
    const auto refused = from_file.run(std::vector{x, others});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message ==
          "The artifact of model \"reshape\" isn't for these inputs (x [4], sizes [2]), but for x [4], sizes "
          "[2] "
          "with its contents.");
}

TEST_CASE("weights that were damaged are found before a run uses them") {
    HeldBytes held(graph::model_artifact_bytes(test::small_package(new_session())));
    (*held.bytes)[held.bytes->size() - 80] ^= std::byte{1};
    StoredModel model = StoredModel::open(new_session(), held.read().value()).value();
    const auto ran = model.run(std::vector{rows(2)});
    REQUIRE_FALSE(ran);
    CHECK(ran.error().message == "The model's weights are damaged: the hash of 128 bytes is wrong.");
    CHECK(model.route(std::vector{rows(2)}));
}

TEST_CASE("a target that can't is an error that names the node") {
    const Session session = new_session();
    const graph::Model model =
        graph::Model::open(session, graph::parse_graph(test::small_text).value()).value();
    const std::vector<std::vector<graph::Tensor>> inputs{{rows(2)}};
    const std::vector<EmitOptions> targets{{.arch = "nobody:1"}};
    const auto package = graph::package_model(session, model, inputs, targets);
    REQUIRE_FALSE(package);
    CHECK(package.error().code == ErrorCode::not_found);
    CHECK(package.error().context.back() == "emitting node \"first\" (MatMul)");
}

TEST_CASE("a file is mapped, and one that isn't there or is empty is refused") {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("muster_stored_model_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const auto write = [&](const std::string& name, std::span<const std::byte> bytes) {
        std::ofstream(folder / name, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        return folder / name;
    };
    const auto path = write("small.muster", graph::model_artifact_bytes(test::small_package(new_session())));
    auto artifact = graph::load_model_artifact(path);
    REQUIRE_MESSAGE(artifact, (artifact ? "" : artifact.error().to_string()));
    StoredModel model = StoredModel::open(new_session(), *std::move(artifact)).value();
    CHECK(model.run(std::vector{rows(2)}));
    const auto missing = graph::load_model_artifact(folder / "missing.muster");
    CHECK(missing.error().code == ErrorCode::not_found);
    CHECK(missing.error().to_string() ==
          "There is no such file.\n  while reading " + (folder / "missing.muster").string());
    CHECK(graph::load_model_artifact(write("empty.muster", {})).error().message == "The file is empty.");
    CHECK(graph::load_model_artifact(folder).error().message == "It isn't a regular file.");
    std::filesystem::remove_all(folder);
}
