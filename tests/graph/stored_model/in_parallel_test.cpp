// Models whose kernels are prepared in parallel.
#include <memory>
#include <vector>

#include "small_models.hpp"

using namespace muster;

TEST_CASE("the first node whose kernel can't be prepared is named") {
    const auto script = std::make_shared<test::DeviceScript>();
    Session session = test::interpreting_session({script});
    session.close();
    graph::Model model = graph::Model::open(session, graph::parse_graph(test::small_text).value()).value();
    const auto prepared = model.prepare(std::vector{test::rows(2)});
    REQUIRE_FALSE(prepared);
    CHECK(prepared.error().message == "The session is closed.");
    CHECK(prepared.error().context.back() == "preparing node \"first\" (MatMul)");
}
