// recorder.hpp - records the operations of the embedded kernel language while a kernel's
// lambda runs. Internal to lang.
//
// C++ doesn't specify which operand of `a * b + c * d` is evaluated first; WGSL does, and both must give the
// same program. So operations are recorded when C++ evaluates them, and emitted at the next effect (a
// store, a variable, a barrier, control flow): named values in the order in which they were made, and
// inside each of them temporaries from left to right. No effect lies between recording and emission,
// so this changes no value.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/build/ir_builder.hpp>

namespace muster::lang::detail {
MUSTER_API_BEGIN

using Location = std::source_location;
using Nodes = std::span<const NodeId>;
using Emit = std::function<NodeId(IrBuilder&, Nodes)>;

/// A recorded operation of one kernel. A default one belongs to no kernel.
struct Handle {
    std::uint64_t kernel = 0;
    std::uint32_t index = 0;
};

/// An operand: a temporary is emitted at its use, a named value where it was made.
struct Child {
    Handle handle;
    bool temporary = false;
};

class Recorder {
  public:
    Recorder(std::string entry, Extent3 workgroup_size, Location where);
    /// The kernel being recorded on this thread; null if there is none.
    static Recorder* current();

    IrBuilder& ir() { return ir_; }
    void at(Location where);

    Handle record(Location where, std::initializer_list<Child> children, Emit emit);
    Handle known(NodeId node);
    /// Emits everything recorded, then the children, then the effect; returns its node.
    NodeId effect(Location where, std::initializer_list<Child> children, const Emit& emit);
    /// Emits everything recorded.
    void flush();
    /// Records that the kernel is wrong; kernel() returns the first fault.
    void fault(Location where, std::string message, std::string fix);

    Result<Program> finish() &&;

    /// Makes a recorder current for a scope.
    class Use {
      public:
        explicit Use(Recorder& recorder);
        ~Use();
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

      private:
        Recorder* outer_;
    };

  private:
    struct Recorded {
        std::vector<Child> children;
        Emit emit;
        SourceLocation where;
        NodeId node;
        bool is_temporary = false;  // emitted by the operation that uses it
    };

    std::uint32_t adopt(Child child, Location where);
    NodeId emit(std::uint32_t index);
    SourceLocation located(Location where);

    std::uint64_t serial_;
    IrBuilder ir_;
    std::vector<Recorded> recorded_;
    std::size_t flushed_ = 0;
    std::size_t chain_ = 0;  // number of operations recorded and not emitted
    std::optional<Error> fault_;
};

/// Record with the current recorder; outside kernels they return a handle of no kernel, or no node.
Handle record(Location where, std::initializer_list<Child> children, Emit emit);
NodeId effect(Location where, std::initializer_list<Child> children, const Emit& emit);
Handle known(const std::function<NodeId(IrBuilder&)>& make);
Handle known(NodeId node);

MUSTER_API_END
}  // namespace muster::lang::detail
