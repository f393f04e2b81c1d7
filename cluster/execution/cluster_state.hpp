// cluster_state.hpp - the state that the handles of a cluster share. Internal to cluster/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/cluster/decomposition/phases.hpp>
#include <muster/cluster/decomposition/planner.hpp>
#include <muster/cluster/execution/agreement.hpp>
#include <muster/cluster/execution/cluster_session.hpp>
#include <muster/foundation/analysis/footprint/footprint.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster {

struct ClusterSession::State {
    std::shared_ptr<cluster::Transport> transport;
    std::vector<Session> sessions;  // of this process's members
    std::uint32_t first = 0;        // the number of its first member
    std::vector<ClusterMember> members;
    std::vector<double> weights;  // as given
    std::optional<cluster::Planner> planner;
    std::optional<Balance> balance;
    bool devices_differ = false;
    bool refuse_uncut = false;
    std::uint64_t buffers_made = 0;      // by the user: the same in every process
    std::vector<std::uint64_t> hashes;   // by distribution; 0: not made
    std::uint32_t most_here = 1;         // the most members that a process has
    std::vector<std::uint32_t> staging;  // words of messages
    std::uint64_t room = 0;              // words of `staging` that every process has
    /// The first fault after all processes had agreed. What the members hold is unknown from then on.
    std::optional<Error> broken;

    std::size_t member_count() const { return members.size(); }
    /// True if a dispatch that isn't cut is an error.
    bool refuses_uncut() const { return refuse_uncut && member_count() > 1; }
    bool is_here(std::uint32_t member) const { return member - first < sessions.size(); }
    std::uint32_t process_of(std::uint32_t member) const { return members[member].process; }
    bool measures() const {
        return balance.value_or(devices_differ ? Balance::measured : Balance::given) == Balance::measured;
    }

    Validation validation() const { return sessions.front().policy().validate.value_or(Validation::off); }

    /// A hash of the distribution, the same in every process; ids differ once a process has made
    /// others, before an error.
    std::uint64_t hash_of(cluster::DistributionId id) {
        if (hashes.size() <= id.index) hashes.resize(id.index + 1);
        std::uint64_t& hash = hashes[id.index];
        if (hash != 0) return hash;
        cluster::Mixed mixed;
        for (const cluster::WordSet& set : planner->distribution(id).current) {
            mixed.add(set.ranges().size());
            for (const cluster::WordRange& range : set.ranges()) mixed.add(range.begin).add(range.end);
        }
        return hash = mixed.hash();
    }
    Result<void> agree(const cluster::Intent& intent, Result<void> own) {
        if (broken) own = std::unexpected(*broken);
        return cluster::agree(*transport, intent, own);
    }
    /// Likewise, and that every process has room for messages of so many words. Collective:
    /// as many in every process.
    Result<void> agree_with_room(const cluster::Intent& intent, std::uint64_t words, Result<void> own);
    /// Returns true if the result is good; else remembers its error.
    template <class T>
    bool keeps(const Result<T>& result, std::uint32_t member) {
        if (!result && !broken)
            broken = Error(result.error()).during("running the part of member " + std::to_string(member));
        return !broken;
    }
};

/// A word range as bytes of a buffer.
inline std::uint64_t first_byte(const cluster::WordRange& words) { return 4 * words.begin; }
inline std::uint64_t byte_count(const cluster::WordRange& words) { return 4 * words.size(); }

struct ClusterBuffer::State {
    std::shared_ptr<ClusterSession::State> session;
    std::uint64_t number = 0;  // the same in every process; 0: the data between grid barriers
    std::uint64_t bytes = 0;
    std::optional<ElementType> element_type;
    std::vector<Buffer> here;                // by member of this process
    std::vector<cluster::WordRange> blocks;  // by member; empty: replicated
    cluster::DistributionId written;         // once the host has written all
    cluster::DistributionId now;

    std::uint64_t words() const { return bytes / 4; }
    Buffer& of(std::uint32_t member) { return here[member - session->first]; }
    const Buffer& of(std::uint32_t member) const { return here[member - session->first]; }
};

/// Makes a buffer on the members; not collective.
Result<std::shared_ptr<ClusterBuffer::State>> make_cluster_buffer(
    const std::shared_ptr<ClusterSession::State>& session, std::uint64_t bytes, const Sharding& sharding,
    std::optional<ElementType> element);

/// Words, and the member that gives them to those that lack them.
struct WordSource {
    std::uint32_t member = 0;
    cluster::WordRange words;
};
/// Each of the words once, from the first member that has it.
std::vector<WordSource> sources_of(const cluster::Distribution& distribution, cluster::WordRange words);

/// A program without grid barriers, on each member of this process.
struct ClusterPart {
    Footprint footprint;
    std::vector<Kernel> kernels;
    const Program& program() const { return footprint.program; }
};

/// The tickets and workgroups of a member's last dispatch of a kernel.
struct MemberRun {
    std::vector<Ticket> tickets;
    std::uint64_t workgroups = 0;
};

struct ClusterKernel::State {
    std::shared_ptr<ClusterSession::State> session;
    ValidProgram program;
    std::optional<SplitProgram> split;              // if it has grid barriers
    std::vector<ClusterPart> parts;                 // the split's; else one
    std::uint64_t intent = 0;                       // a hash of program and options
    std::vector<double> weights;                    // by member: as given, or measured
    cluster::WeightsId plan_weights;                // the same
    std::vector<MemberRun> last;                    // by member of this process
    std::shared_ptr<ClusterBuffer::State> scratch;  // of the split, for the last grid
};

struct ClusterTicket::State {
    std::shared_ptr<ClusterSession::State> session;
    std::shared_ptr<ClusterKernel::State> kernel;
    cluster::WeightsId weights;
    std::vector<cluster::PlannedPhase> ran;    // in order
    std::vector<std::vector<Ticket>> tickets;  // by member of this process
    ClusterWork work;
};

}  // namespace muster
