// Models and the conformance suite through the table.
#include <array>
#include <vector>

#include "api.hpp"

namespace muster::test {
namespace {

muster_tensor tensor_of(std::span<const float> values) {
    auto options = sized<muster_tensor_options>();
    options.element = MUSTER_F32;
    const std::array<std::int64_t, 1> sizes{static_cast<std::int64_t>(values.size())};
    options.sizes = sizes.data();
    options.rank = 1;
    options.data = values.data();
    options.bytes = values.size_bytes();
    muster_tensor tensor{};
    MUSTER_REQUIRE_OK(api().tensor_create(&options, &tensor));
    return tensor;
}

TEST_CASE("A model in muster's text runs, and tells its inputs, outputs and steps") {
    const World world;
    constexpr std::string_view text = "graph \"g\" { input x: f32[N] \n y = Add(x, x) \n output y }";
    auto options = sized<muster_model_options>();
    options.data = text.data();
    options.size = text.size();
    muster_model model{};
    MUSTER_REQUIRE_OK(api().model_open(world.session, &options, &model));
    CHECK(text_of(model.id, MUSTER_NAME) == "g");
    CHECK(number_of(model.id, MUSTER_INPUTS) == 1);
    auto end = sized<muster_model_end>();
    MUSTER_REQUIRE_OK(api().model_end(model, 0, 0, &end));
    CHECK(text_of(end.name) == "x");
    CHECK(text_of(end.type) == "f32[N]");
    REQUIRE(end.rank == 1);
    CHECK(end.sizes[0] == -1);
    CHECK(text_of(end.texts[0]) == "N");
    CHECK(api().model_end(model, 1, 1, &end) == MUSTER_NONE);

    const std::array<float, 3> values{1, 2, 3};
    const muster_tensor x = tensor_of(values);
    muster_blob json{};
    MUSTER_REQUIRE_OK(api().model_route(model, &x, 1, &json));
    CHECK(text_of(json.id, MUSTER_CONTENT).find(R"("device":"reference:0")") != std::string::npos);
    muster_tensor y{};
    std::size_t count = 0;
    MUSTER_REQUIRE_OK(api().model_run(model, &x, 1, &y, 1, &count));
    CHECK(count == 1);
    CHECK(number_of(y.id, MUSTER_EXTENT) == 3);
    CHECK(number_of(y.id, MUSTER_ELEMENT) == MUSTER_F32);
    const std::string content = text_of(y.id, MUSTER_CONTENT);
    std::array<float, 3> doubled{};
    REQUIRE(content.size() == sizeof(doubled));
    std::memcpy(doubled.data(), content.data(), sizeof(doubled));
    CHECK(doubled == std::array<float, 3>{2, 4, 6});
    CHECK(api().model_run(model, nullptr, 0, &y, 1, &count) == MUSTER_ERROR_INVALID_ARGUMENT);
    CHECK(api().model_run(model, nullptr, 1, &y, 1, &count) == MUSTER_ERROR_INVALID_ARGUMENT);
    for (const std::uint64_t id : {json.id, x.id, y.id, model.id}) api().release(id);
}

TEST_CASE("What is no model, or has wrong bytes, is an error") {
    const World world;
    auto options = sized<muster_model_options>();
    muster_model model{};
    CHECK(api().model_open(world.session, &options, &model) == MUSTER_ERROR_INVALID_ARGUMENT);
    options.data = "graph";
    options.size = 5;
    CHECK(api().model_open(world.session, &options, &model) == MUSTER_ERROR_INVALID_PROGRAM);
    options.path = muster_text("x");
    CHECK(api().model_open(world.session, &options, &model) == MUSTER_ERROR_INVALID_ARGUMENT);
    options.data = nullptr;
    options.size = 0;
    options.path = muster_text("/no/such/file.onnx");
    CHECK(api().model_open(world.session, &options, &model) == MUSTER_ERROR_NOT_FOUND);
    auto tensor = sized<muster_tensor_options>();
    muster_tensor made{};
    tensor.element = MUSTER_F32;
    tensor.bytes = 8;
    tensor.data = "12345678";
    CHECK(api().tensor_create(&tensor, &made) == MUSTER_ERROR_INVALID_ARGUMENT);
    tensor.element = 99;
    CHECK(api().tensor_create(&tensor, &made) == MUSTER_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("The conformance suite runs cases, tells of each, and stops when it is told to") {
    auto options = sized<muster_check_options>();
    const muster_option backend{muster_text("backend"), muster_text("reference")};
    const muster_string cases = muster_text("integers/*");
    options.options = &backend;
    options.option_count = 1;
    options.cases = &cases;
    options.case_count = 1;
    options.flags = MUSTER_CHECK_WITHOUT_DEVIATIONS;
    struct Told {
        int begun = 0, ended = 0, most = 1'000'000;
    } told;
    options.user = &told;
    options.progress = [](void* user, const muster_progress* progress) -> std::int32_t {
        auto& counts = *static_cast<Told*>(user);
        ++(progress->outcome.size == 0 ? counts.begun : counts.ended);
        return counts.ended >= counts.most ? 1 : 0;
    };
    muster_report report{};
    MUSTER_REQUIRE_OK(api().check(&options, &report));
    CHECK(number_of(report.id, MUSTER_PASSES) == 1);
    CHECK(number_of(report.id, MUSTER_LEFT_OUT) == 0);
    CHECK(told.ended > 1);
    muster_blob json{};
    MUSTER_REQUIRE_OK(api().get_json(report.id, &json));
    CHECK(text_of(json.id, MUSTER_CONTENT)
              .starts_with(R"({"passes":true,"left_out":0,"devices":[{"id":"reference:0")"));
    for (const std::uint64_t id : {report.id, json.id}) api().release(id);

    told = {.most = 1};
    MUSTER_REQUIRE_OK(api().check(&options, &report));
    CHECK(number_of(report.id, MUSTER_PASSES) == 0);
    CHECK(number_of(report.id, MUSTER_LEFT_OUT) > 0);
    api().release(report.id);
    const muster_string none = muster_text("no_such/*");
    options.cases = &none;
    CHECK(api().check(&options, &report) == MUSTER_ERROR_NOT_FOUND);
}

}  // namespace
}  // namespace muster::test
