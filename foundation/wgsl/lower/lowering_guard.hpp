// lowering_guard.hpp - limits the recursion depth of lowering. Internal to foundation/wgsl/lower/.
#pragma once

#include <muster/foundation/wgsl/lower/lowering.hpp>
#include <muster/foundation/wgsl/parse/limits.hpp>
#include <muster/foundation/wgsl/resolve/resolver.hpp>

namespace muster::wgsl {

class Lowering::Guard {
  public:
    Guard(Lowering& lowering, SourceLocation where) : lowering_(lowering) {
        if (lowering_.depth_ >= limits::inlining_depth)
            refuse(where,
                   "Calls, statements and expressions nest more than " +
                       std::to_string(limits::inlining_depth) +
                       " levels deep here, with the functions that are called inlined.",
                   "nest fewer calls, or split large expressions.");
        ++lowering_.depth_;
    }
    ~Guard() { --lowering_.depth_; }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

  private:
    Lowering& lowering_;
};

}  // namespace muster::wgsl
