// cluster_session.hpp - one dispatch over several devices: those of a process, of several processes, or both.
//
//     auto cluster = muster::ClusterSession::open({.transport = *muster::cluster::mpi_world()});
//     auto kernel  = cluster->prepare(program);
//     auto x = cluster->buffer<float>(host, Sharded{}), y = cluster->zeros<float>(n, Sharded{});
//     auto ticket  = cluster->dispatch(*kernel, {{"a", 2.0f}, {"x", *x}, {"y", *y}}, muster::Invocations{n});
//     ticket->wait();                                                                   // y->read_all<float>()
//
// The devices that take part are its members, numbered over all processes by rank. A dispatch's grid is cut
// into consecutive workgroups for each. Which words a workgroup reads and writes is known from the program,
// so each member gets what it lacks before it runs, and the results have the same bits as on one device, for
// any number of members. What can't be proven runs on one member, or is an error
// (ClusterOptions::refuse_uncut); explain() says which access prevents the cut.
//
// All functions are collective, waits too: every process calls them in the same order, with equal programs,
// arguments and grids. The processes compare these, and agree before data move: an error of one is every
// process's error, with the same text. Only what size(), rank() and members() say is local. ClusterSession,
// ClusterKernel and ClusterTicket are handles. Threads: one at a time.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <muster/cluster/execution/cluster_buffer.hpp>
#include <muster/cluster/transport/transport.hpp>
#include <muster/driver/session/session.hpp>

namespace muster {

/// The source of the members' shares of a grid.
enum class Balance : std::uint8_t {
    given,  // ClusterOptions::weights alone
    measured,  // for each kernel, what its last dispatches took for a workgroup, once the shares are off by a fifth
};

struct ClusterOptions {
    /// The processes that take part; null: this one alone. Each has a member at least.
    std::shared_ptr<cluster::Transport> transport = {};
    /// This process's members: devices as DeviceSelector reads them ("cuda:1", "cpu"). Empty: one,
    /// where the policy routes to.
    std::vector<std::string> devices = {};
    /// How this process's sessions are opened, one for each member.
    SessionOptions session = {};
    /// The weights of this process's members; empty: 1 each.
    std::vector<double> weights = {};
    /// Unset: measured if the members' devices differ.
    std::optional<Balance> balance = {};
    /// True if a dispatch that can't be cut is the error unsupported, instead of running on one member.
    bool refuse_uncut = false;
};

/// A program prepared on every member.
class ClusterKernel {
  public:
    const ValidProgram& program() const;
    struct State;
    explicit ClusterKernel(std::shared_ptr<State> state) : state_(std::move(state)) {}
    const std::shared_ptr<State>& state() const { return state_; }  // for the cluster

  private:
    std::shared_ptr<State> state_;
};

/// The caller's word that a kernel may read all of a buffer: `{"table", reads_whole(table)}`. For reads whose
/// place the program doesn't bound.
struct WholeBuffer {
    ClusterBuffer buffer;
};
inline WholeBuffer reads_whole(ClusterBuffer buffer) { return {std::move(buffer)}; }

struct ClusterArgument {
    std::variant<std::string, GroupBinding> where;
    std::variant<WholeBuffer, ClusterBuffer, ArgumentValue> what;

    template <class Where>
    ClusterArgument(Where&& at, const ClusterBuffer& buffer) : where(Argument(at, 0).where), what(buffer) {}
    template <class Where>
    ClusterArgument(Where&& at, const WholeBuffer& buffer) : where(Argument(at, 0).where), what(buffer) {}
    template <class Where, class What>
    ClusterArgument(Where&& at, const What& value)
        : ClusterArgument(Argument(std::forward<Where>(at), value)) {}

  private:
    explicit ClusterArgument(Argument value)
        : where(std::move(value.where)), what(std::move(std::get<ArgumentValue>(value.what))) {}
};

/// The bytes that a dispatch sends, and whether several members run it.
struct ClusterWork {
    std::uint64_t bytes_sent = 0;     // between members, over all of them
    std::uint64_t bytes_reduced = 0;  // by reductions, at least
    bool is_cut = true;               // false: one member runs it all
};

class ClusterTicket {
  public:
    /// Waits until every member has run its part. Returns the longest time of a member.
    Result<Timing> wait() const;
    const ClusterWork& work() const;
    /// How the dispatch was cut, or why it wasn't, as ClusterSession::explain says it of one to come. A phase
    /// that ran several times has one paragraph, which says so. Not collective.
    std::string explain() const;

    struct State;
    explicit ClusterTicket(std::shared_ptr<State> state) : state_(std::move(state)) {}

  private:
    std::shared_ptr<State> state_;
};

/// A device that takes part.
struct ClusterMember {
    std::uint32_t process = 0;  // its rank
    std::string device;         // "cpu:0", or what the policy routes to, if that isn't known yet: "best"
};

class ClusterSession {
  public:
    /// Errors: invalid_argument, those of Session::open, conflict (processes with another build of muster).
    static Result<ClusterSession> open(ClusterOptions options = {});

    std::uint32_t rank() const;  // of this process
    std::uint32_t size() const;  // processes
    std::span<const ClusterMember> members() const;

    /// Prepares the program on each member. Errors: those of Session::prepare, conflict (other programs or
    /// options elsewhere, other sizes of subgroups).
    Result<ClusterKernel> prepare(const ValidProgram& program, const CompileOptions& options = {});

    /// Makes a buffer of `bytes` zeros, a multiple of 4. Errors: invalid_argument, those of Session::buffer.
    Result<ClusterBuffer> buffer(std::uint64_t bytes, Sharding sharding = {},
                                 std::optional<ElementType> element = {});
    template <class T>
    requires std::is_trivially_copyable_v<T> Result<ClusterBuffer> zeros(std::uint64_t count,
                                                                         Sharding sharding = {}) {
        return buffer(count * sizeof(T), std::move(sharding), element_type_of<T>());
    }
    /// Likewise, with contents that every process gives.
    template <class T>
    requires std::is_trivially_copyable_v<T> Result<ClusterBuffer> buffer(const std::vector<T>& whole,
                                                                          Sharding sharding = {}) {
        auto made = zeros<T>(whole.size(), std::move(sharding));
        if (!made) return made;
        if (auto written = made->write(whole); !written) return std::unexpected(std::move(written).error());
        return made;
    }

    /// Sends what members lack, meanwhile runs the workgroups that need none of it, then the others. Errors:
    /// those of Session::dispatch, unsupported (refuse_uncut), conflict (other arguments elsewhere). A fault
    /// after all have agreed is an error of wait(), and of every later call.
    Result<ClusterTicket> dispatch(const ClusterKernel& kernel, std::span<const ClusterArgument> arguments,
                                   const Grid& grid);
    Result<ClusterTicket> dispatch(const ClusterKernel& kernel,
                                   std::initializer_list<ClusterArgument> arguments, const Grid& grid) {
        return dispatch(kernel, std::span<const ClusterArgument>(arguments.begin(), arguments.size()), grid);
    }

    /// How the dispatch would be cut, what would be sent, and why it isn't cut, for people. A program with
    /// grid barriers has a paragraph for each phase; in a loop, these are the phases of its second turn.
    /// refuse_uncut makes no error of it.
    Result<std::string> explain(const ClusterKernel& kernel, std::span<const ClusterArgument> arguments,
                                const Grid& grid);

    struct State;

  private:
    explicit ClusterSession(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
};

}  // namespace muster
