// plan.hpp - a body cut at its barriers: what runs once per workgroup, and the regions that run once per subgroup.
//
// A region is a run of nodes without a barrier; all subgroups of the workgroup go through it, one after the other,
// before the next step. Control that has barriers in it, or leads past some, is decided once per workgroup: it is
// uniform, which validation has proven. Without barriers the whole body is one region.
//
// What lives across: a value that another region uses is computed again where that is cheap and pure, else kept per
// subgroup; so are variables that several regions use. Function variables that only workgroup-uniform statements at the
// workgroup's level write (the counter of a loop around barriers) exist once per workgroup.
// Threads: a value; nothing shared.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include <muster/foundation/analysis/uniformity.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cpu {

struct PlanStep {
    enum class Kind : std::uint8_t {
        once,       // a node, evaluated once per workgroup
        region,     // nodes, evaluated once per subgroup
        construct,  // if_, loop, switch_ or scope, decided once per workgroup
        jump,       // break_, continue_, return_, break_if, taken by the whole workgroup
    };
    Kind kind = Kind::region;
    NodeId node = {};                                // once, construct, jump
    std::uint32_t region = 0;                        // region: its number
    std::vector<NodeId> nodes = {};                  // region
    std::vector<std::vector<PlanStep>> blocks = {};  // construct: as the node's blocks
};

struct PlanRegion {
    std::vector<NodeId> computed_again;  // values of other regions, in an order in which they can be computed
    std::vector<NodeId> restored;        // values of other regions that were kept
    /// Constructs of the workgroup's level, innermost first, that some lanes may leave from within this region;
    /// none: the invocation ends.
    std::set<NodeId> left;
    bool returns = false;
};

enum class Home : std::uint8_t { region, workgroup, kept };  // where a function or private variable lives

class Plan {
  public:
    /// Errors: unsupported, for control flow around a barrier that isn't uniform (validation lets none through).
    static Result<Plan> make(const Program& program);

    const std::vector<PlanStep>& body() const { return body_; }
    bool has_barriers() const { return has_barriers_; }
    const PlanRegion& region(std::uint32_t number) const { return regions_[number]; }
    Home home(VariableId variable) const { return homes_[variable.index]; }
    /// Values that regions keep for others: one place per subgroup.
    const std::vector<NodeId>& kept() const { return kept_; }
    bool is_kept(NodeId value) const { return is_kept_[value.index]; }
    /// Values that a region hands to a decision of the whole workgroup.
    bool is_decisive(NodeId value) const { return decisive_[value.index]; }
    bool is_once(NodeId node) const { return once_[node.index]; }

  private:
    explicit Plan(const Program& program);
    Result<void> build();
    bool contains_sync(NodeId node) const;
    void find_once();
    bool may_be_once(NodeId node) const;
    void cut(BlockId block, std::vector<PlanStep>& steps);
    bool is_decided_by_workgroup(NodeId node) const;
    void close_region(std::vector<NodeId>& pending, std::vector<PlanStep>& steps);
    void number(NodeId node, std::uint32_t region);
    void find_exits(NodeId node, std::uint32_t region, std::vector<NodeId>& inside);
    void use(NodeId value, std::uint32_t region, bool decides);
    bool is_cheap(NodeId value, int& budget) const;
    void bring(NodeId value, std::uint32_t region);
    void find_uses(const std::vector<PlanStep>& steps);
    void find_uses_of(NodeId node, std::uint32_t region);
    void find_homes();

    const Program* program_;
    std::optional<Uniformity> uniformity_;
    bool has_barriers_ = false;
    std::vector<PlanStep> body_;
    std::vector<PlanRegion> regions_;
    std::vector<std::uint32_t> region_of_;  // by placed node; UINT32_MAX: none
    std::vector<bool> once_, is_kept_, decisive_;
    std::vector<NodeId> kept_;
    std::vector<Home> homes_;
    std::vector<bool> written_once_;          // variables that exist once per workgroup
    std::vector<NodeId> at_workgroup_level_;  // placed nodes directly in blocks of that level
    std::vector<NodeId> around_;              // constructs of the workgroup's level, outermost first
    std::vector<std::set<NodeId>> brought_;   // by region
};

}  // namespace muster::cpu
