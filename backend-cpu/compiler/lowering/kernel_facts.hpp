// kernel_facts.hpp - what is known of a program before code is built for it, and the base of
// the classes that build it.
//
// Each of these builds one kind of code, and is handed those before it that it needs: GridPosition,
// WorkgroupScratch, SharedVariables, Assumptions, NodeValues, OwnVariables, KeptValues, JumpTargets,
// Prefetches, SharedAccess, LaneScalars, Atomics, ControlFlow, WorkgroupBody. lower.cpp makes them and
// builds the function around.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <muster/backend-cpu/compiler/lowering/lane_builder.hpp>
#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#include <muster/backend-cpu/compiler/lowering/place.hpp>
#include <muster/backend-cpu/compiler/lowering/plan.hpp>
#include <muster/backend-cpu/compiler/lowering/shapes.hpp>
#include <muster/backend-cpu/compiler/lowering/strides.hpp>

namespace muster::cpu {

struct KernelFacts {
    KernelFacts(const Program& program, Plan plan, const LowerOptions& options, std::uint32_t width);
    std::span<const TypeWord> words_of(TypeId type) const;

    const Program& program;
    const LowerOptions& options;
    Plan plan;
    LaneShapes lanes;
    std::vector<Stride> strides;  // by variable
    std::vector<bool> used;       // by node: its value is an operand somewhere

  private:
    mutable std::map<std::uint32_t, std::vector<TypeWord>> words_;  // by type
};

class KernelPart {
  public:
    KernelPart(const KernelFacts& facts, LaneBuilder& builder)
        : facts_(facts),
          program_(facts.program),
          types_(program_.types()),
          options_(facts.options),
          plan_(facts.plan),
          offsets_(facts.lanes.offsets),
          geometry_(facts.lanes.geometry),
          shapes_(facts.lanes.shapes),
          width_(offsets_.width()),
          b_(builder) {}

  protected:
    std::span<const TypeWord> words_of(TypeId type) const { return facts_.words_of(type); }

    const KernelFacts& facts_;
    const Program& program_;
    const TypeTable& types_;
    const LowerOptions& options_;
    const Plan& plan_;
    const LaneOffsets& offsets_;
    const LaneGeometry& geometry_;
    const Shapes& shapes_;
    const std::uint32_t width_;
    LaneBuilder& b_;
};

}  // namespace muster::cpu
