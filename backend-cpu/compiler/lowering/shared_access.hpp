// shared_access.hpp - loads and stores of memory that invocations share: an access is one scalar access for
// all lanes, a vector access, or a gather or scatter. Where consecutive lanes access consecutive vectors or
// structures, the whole run is loaded at once and shuffled apart, instead of gathering word by word.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <muster/backend-cpu/compiler/lowering/assumptions.hpp>
#include <muster/backend-cpu/compiler/lowering/prefetches.hpp>

namespace muster::cpu {

/// An access's address, per lane or for all: `pointer`, plus known lane offsets or plus `units`.
struct Address {
    Value* pointer = nullptr;
    std::vector<std::int64_t> lane_bytes;  // empty: all lanes go to pointer
    Value* units = nullptr;                // a vector: words (i32) or bytes (i64) from pointer, per lane
    std::uint32_t unit = 4;                // bytes: 4, or 1 where elements of an array have no multiple of 4
    Value* valid = nullptr;                // a scalar or a vector of bool; null: always valid
    VariableId variable;
    bool is_uniform() const { return lane_bytes.empty() && units == nullptr; }
    bool is_valid_for_all_or_none() const { return !valid || !valid->getType()->isVectorTy(); }
};

class SharedAccess : KernelPart {
  public:
    SharedAccess(const KernelPart& kernel, SharedVariables& shared, const Assumptions& assumptions,
                 NodeValues& values, Prefetches& prefetches)
        : KernelPart(kernel),
          shared_(shared),
          assumptions_(assumptions),
          values_(values),
          prefetches_(prefetches) {}

    Lanes load(NodeId node, const Place& place);
    void store(NodeId node, const Place& place, const Lanes& lanes);
    Address address(NodeId access, const Place& place);
    /// The address of each lane, a vector.
    Value* lane_pointers(const Address& address, std::uint64_t byte);

  private:
    Lane load_word(const Address& from, TypeWord at, Shape shape);
    void store_word(const Address& to, TypeWord at, const Lane& lane);
    void store_some(Value* value, const Address& to, TypeWord at, Value* lanes);
    /// True if each lane accesses the element behind the one before.
    bool is_consecutive(const Address& address, TypeWord word) const;
    std::uint32_t interleaved(const Address& address, std::span<const TypeWord> words) const;
    Value* span_is_inside(const Address& address, std::uint64_t bytes);
    Lanes load_interleaved(const Address& from, std::span<const TypeWord> words, std::uint32_t stride);
    bool store_interleaved(const Address& to, std::span<const TypeWord> words, const Lanes& lanes,
                           std::uint32_t stride);

    SharedVariables& shared_;
    const Assumptions& assumptions_;
    NodeValues& values_;
    Prefetches& prefetches_;
};

}  // namespace muster::cpu
