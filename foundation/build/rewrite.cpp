#include <vector>

#include <muster/foundation/build/rewrite.hpp>

namespace muster {
namespace {

class Rewriter {
  public:
    Rewriter(const Program& from, const RewriteHook& hook)
        : from_(from),
          hook_(hook),
          to_(std::string(from.entry()), from.workgroup_size(), from.needs().subgroup_size),
          nodes_(from, to_) {}

    Result<Program> run(const VariableHook& variable_hook) && {
        for (const SourceFile& file : from_.files()) to_.file(file);
        nodes_.variables(variable_hook);
        block(from_.body());
        return std::move(to_).finish();
    }

  private:
    void block(BlockId id) {
        for (NodeId node : from_.block(id)) {
            to_.at(from_.location(node));
            if (info(from_.node(node).op).group == OpGroup::control) {
                control(node);
            } else {
                placed(node);
            }
        }
    }

    void placed(NodeId id) {
        const std::vector<NodeId> made = nodes_.operands(id);
        if (const std::optional<NodeId> replaced = hook_(to_, RewrittenNode{from_, id, made}))
            nodes_.set(id, *replaced);
        else
            nodes_.copy(id, made);
    }

    void control(NodeId id) {
        if (from_.blocks(id).empty())
            nodes_.jump(id);
        else
            nodes_.construct(id, [&](BlockId inner) { block(inner); });
    }

    const Program& from_;
    const RewriteHook& hook_;
    IrBuilder to_;
    NodeCopier nodes_;
};

}  // namespace

Result<Program> rewrite(const Program& program, const RewriteHook& hook, const VariableHook& variable_hook) {
    return Rewriter(program, hook).run(variable_hook);
}

}  // namespace muster
