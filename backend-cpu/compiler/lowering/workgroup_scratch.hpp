// workgroup_scratch.hpp - memory that one workgroup at a time has for itself: its arrays, variables that
// don't fit the stack, and a record for each subgroup of what lives across barriers.
//
// Offsets are in bytes from the kernel's scratch. A set of lanes has 64 bits for each subgroup. Threads: one.
#pragma once

#include <array>
#include <cstdint>

#include <muster/backend-cpu/compiler/lowering/lane_builder.hpp>

namespace muster::cpu {

/// The place in the grid of the code being built.
struct GridPosition {
    std::array<Value*, 3> grid{}, workgroup{};  // num_workgroups, workgroup_id
    Value* packed = nullptr;                    // the number of workgroups that share the subgroup
    Value* subgroup = nullptr;                  // its number in the workgroup
    std::array<Value*, 4> local{};              // lane 0's local id and index
};

class WorkgroupScratch {
  public:
    WorkgroupScratch(LaneBuilder& builder, Value* start, const GridPosition& position,
                     std::uint32_t subgroups)
        : b_(builder), start_(start), position_(position), subgroups_(subgroups) {}

    std::uint64_t take(std::uint64_t bytes);
    std::uint64_t bytes() const { return bytes_; }
    Value* at(std::uint64_t offset) { return b_.offset_pointer(start_, offset); }

    /// Takes an offset in each record. Call lay_out_records() after the last one.
    std::uint64_t take_in_record(std::uint64_t words, std::uint64_t stride);
    void lay_out_records();
    Value* in_record(std::uint64_t offset) { return per_subgroup(records_at_ + offset, record_bytes_); }

    std::uint64_t take_lane_set() { return take(8 * std::uint64_t{subgroups_}); }
    void clear_lane_set(std::uint64_t at);
    void add_to_lane_set(std::uint64_t at);  // the subgroup's active lanes
    Value* lane_set(std::uint64_t at);       // the subgroup's, an i64

  private:
    Value* per_subgroup(std::uint64_t at, std::uint64_t bytes);

    LaneBuilder& b_;
    Value* start_;
    const GridPosition& position_;
    const std::uint32_t subgroups_;
    std::uint64_t bytes_ = 0, record_bytes_ = 0, records_at_ = 0;
};

}  // namespace muster::cpu
