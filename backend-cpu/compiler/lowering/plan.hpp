// plan.hpp - cuts a body at its barriers: steps that run once per workgroup, regions
// that run once per subgroup.
//
// A region is a sequence of nodes without a barrier. All subgroups of the workgroup run it, one after the
// other, before the next step. Control flow that contains barriers or jumps past them is decided once per
// workgroup: validation has proven it uniform. Without barriers the whole body is one region.
//
// Values that another region uses are recomputed there if that is cheap and pure, otherwise kept per
// subgroup; so are variables that several regions use. Function variables that are written only by
// workgroup-uniform statements at the workgroup's level (the counter of a loop around barriers)
// exist once per workgroup.
// Threads: a plain value; nothing shared.
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
    std::uint32_t region = 0;                        // region: index for Plan::region()
    std::vector<NodeId> nodes = {};                  // region
    std::vector<std::vector<PlanStep>> blocks = {};  // construct: one entry per block of the node
};

struct PlanRegion {
    std::vector<NodeId> computed_again;  // values of other regions, operands before their users
    std::vector<NodeId> restored;        // values of other regions, read from where they were kept
    /// Constructs of the workgroup's level that some lanes may leave from within this region.
    std::set<NodeId> left;
    bool returns = false;
};

enum class Home : std::uint8_t { region, workgroup, kept };  // lifetime of a function or private variable

class Plan {
  public:
    /// Precondition: the program is valid, so control flow around its barriers is uniform.
    static Result<Plan> make(const Program& program);

    const std::vector<PlanStep>& body() const { return body_; }
    bool has_barriers() const { return has_barriers_; }
    const PlanRegion& region(std::uint32_t number) const { return regions_[number]; }
    Home home(VariableId variable) const { return homes_[variable.index]; }
    /// Values that regions keep for others, per subgroup.
    const std::vector<NodeId>& kept() const { return kept_; }
    bool is_kept(NodeId value) const { return is_kept_[value.index]; }
    /// True if a region computes the value and the whole workgroup branches on it.
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
    std::vector<std::uint32_t> region_of_;  // by placed node; UINT32_MAX: no region
    std::vector<bool> once_, is_kept_, decisive_;
    std::vector<NodeId> kept_;
    std::vector<Home> homes_;
    std::vector<bool> written_once_;          // variables that exist once per workgroup
    std::vector<NodeId> at_workgroup_level_;  // placed nodes directly in the blocks of that level
    std::vector<NodeId> around_;              // constructs of the workgroup's level, outermost first
    std::vector<std::set<NodeId>> brought_;   // by region
};

}  // namespace muster::cpu
