#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <muster/backend-reference/compile.hpp>
#include <muster/backend-reference/launch.hpp>
#include <muster/backend-reference/memory.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/interpreter/interpret.hpp>

namespace muster::reference {
namespace {

class Interpretation {
  public:
    explicit Interpretation(const Launch& launch)
        : code_(static_cast<const CodeExecutable*>(launch.executable)->code),
          grid_{launch.origin, launch.extent, launch.grid} {
        for (const BoundMemory& bound : launch.bindings) {
            if (bound.memory)
                bindings_.push_back({host_bytes(*bound.memory).subspan(bound.offset, bound.bytes)});
            else
                bindings_.push_back({values_.emplace_back(bound.value, bound.value + bound.bytes)});
        }
    }

    Result<Timing> run(std::stop_token stop) const {
        const auto start = std::chrono::steady_clock::now();
        (void)TRY(interpreted(std::move(stop)));
        return Timing::since(start);
    }

  private:
    Result<InterpretReport> interpreted(std::stop_token stop) const {
        try {
            return interpret(code_, bindings_, grid_, {.stop = std::move(stop)});
        } catch (const std::exception& thrown) {
            return fail(ErrorCode::out_of_memory, std::string("The interpreter ends: ") + thrown.what() + ".",
                        "use a smaller workgroup, or fewer bindings");
        }
    }

    InterpreterCode code_;
    std::deque<std::vector<std::byte>> values_;  // what bindings_ point to; a deque never moves its elements
    std::vector<BoundBytes> bindings_;
    LaunchGrid grid_;
};

}  // namespace

WorkQueue::Work work_of(const Launch& launch) {
    return [made = std::make_shared<const Interpretation>(launch)](std::stop_token stop) {
        return made->run(std::move(stop));
    };
}

}  // namespace muster::reference
