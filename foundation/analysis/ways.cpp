#include <variant>

#include <muster/foundation/analysis/flow_walk.hpp>
#include <muster/foundation/analysis/ways.hpp>

namespace muster {
namespace {

class WaysWalk final : FlowWalk<std::monostate> {
  public:
    explicit WaysWalk(const Program& program) : FlowWalk(program) {}

    Ways of(auto node_or_block) {
        std::monostate outside;
        Ways ways;
        within({}, {&outside, &outside}, [&] { ways = follow(node_or_block); });
        return ways;
    }

  private:
    void operation(NodeId) override {}
    std::monostate meeting(NodeId) override { return {}; }
    void rewind(const std::monostate&) override {}
    void arrive(std::monostate&) override {}
    void resume(std::monostate&) override {}
};

}  // namespace

Ways ways_of(const Program& program, NodeId node) { return WaysWalk(program).of(node); }
Ways ways_of(const Program& program, BlockId block) { return WaysWalk(program).of(block); }

}  // namespace muster
