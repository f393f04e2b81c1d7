#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <muster/cluster/execution/agreement.hpp>
#include <muster/cluster/mpi/mpi.hpp>
#include <muster/driver/platform/environment_variable.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/trace/recorder.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cluster {
namespace {

/// MPI counts in int; longer messages are sent in pieces.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

/// The door to MPI: calls it, and names the call in the error.
template <class Call>
Result<void> check(const char* name, Call&& call) {
    const int code = call();
    if (code == MPI_SUCCESS) return {};
    std::string text(MPI_MAX_ERROR_STRING, '\0');
    int length = 0;
    if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
    text.resize(static_cast<std::size_t>(length));
    return fail(ErrorCode::unavailable, fmt::format("{} fails with code {}: {}.", name, code, text),
                "end the job: the other processes wait for this one");
}

MPI_Op operation(ReductionOp op) {
    switch (op) {
        case ReductionOp::add: return MPI_SUM;
        case ReductionOp::min: return MPI_MIN;
        case ReductionOp::max: return MPI_MAX;
        case ReductionOp::bit_and: return MPI_BAND;
        case ReductionOp::bit_or: return MPI_BOR;
        case ReductionOp::bit_xor: return MPI_BXOR;
    }
    return MPI_OP_NULL;
}

/// The time after which a wait is told of, and that which others then have to say that they wait, too.
constexpr std::chrono::seconds patience{10}, patience_for_answers{2};

/// One wait for other processes.
class LongWait {
  public:
    std::chrono::nanoseconds took() const { return std::chrono::steady_clock::now() - begin_; }
    /// The time of day at which it began: "09:31:07".
    std::string since() const {
        const std::time_t begin = std::chrono::system_clock::to_time_t(
            std::chrono::system_clock::now() -
            std::chrono::duration_cast<std::chrono::system_clock::duration>(took()));
        std::tm local{};
        std::array<char, 16> text{};
        if (localtime_r(&begin, &local) == nullptr) return "an unknown time";
        return {text.data(), std::strftime(text.data(), text.size(), "%H:%M:%S", &local)};
    }

    bool has_asked = false, is_told = false;

  private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class MpiTransport final : public Transport {
  public:
    explicit MpiTransport(MPI_Comm communicator) : communicator_(communicator) {}
    ~MpiTransport() override {
        int finalized = 0;
        if (MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0) MPI_Comm_free(&communicator_);
    }
    MpiTransport(const MpiTransport&) = delete;
    MpiTransport& operator=(const MpiTransport&) = delete;

    Result<void> find_place() {
        int rank = 0, size = 0;
        TRY(check("MPI_Comm_rank", [&] { return MPI_Comm_rank(communicator_, &rank); }));
        TRY(check("MPI_Comm_size", [&] { return MPI_Comm_size(communicator_, &size); }));
        rank_ = static_cast<std::uint32_t>(rank);
        size_ = static_cast<std::uint32_t>(size);
        return {};
    }
    std::uint32_t rank() const override { return rank_; }
    std::uint32_t size() const override { return size_; }

    Result<void> send(std::uint32_t to, std::span<const std::byte> bytes) override {
        trace::Span span(trace::Stage::message, "send");
        span.bytes(bytes.size());
        return in_pieces(bytes, to, [&](std::span<const std::byte> piece, MPI_Request* request) {
            return check("MPI_Isend", [&] {
                return MPI_Isend(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, static_cast<int>(to),
                                 tag, communicator_, request);
            });
        });
    }
    Result<void> receive(std::uint32_t from, std::span<std::byte> bytes) override {
        trace::Span span(trace::Stage::message, "receive");
        span.bytes(bytes.size());
        return in_pieces(bytes, from, [&](std::span<std::byte> piece, MPI_Request* request) {
            return check("MPI_Irecv", [&] {
                return MPI_Irecv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE,
                                 static_cast<int>(from), tag, communicator_, request);
            });
        });
    }
    Result<void> wait() override {
        const trace::Span span(trace::Stage::message, "waits");
        auto waited = until_ended([&] { return test(); }, [&](LongWait& wait) { tell_of_messages(wait); });
        requests_.clear();
        others_.clear();
        return waited;
    }
    Result<bool> test() override {
        int all = 0;
        TRY(check("MPI_Testall", [&] {
            return MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all,
                               MPI_STATUSES_IGNORE);
        }));
        return all != 0;
    }

    Result<void> all_reduce(std::span<std::uint32_t> words, ReductionOp op, Scalar type) override {
        trace::Span span(trace::Stage::message, "all_reduce");
        span.bytes(words.size_bytes());
        for (std::size_t done = 0; done < words.size(); done += most_bytes) {
            const auto piece = words.subspan(done, std::min(most_bytes, words.size() - done));
            TRY(collective("MPI_Iallreduce", [&](MPI_Request* request) {
                return MPI_Iallreduce(MPI_IN_PLACE, piece.data(), static_cast<int>(piece.size()),
                                      type == Scalar::i32 ? MPI_INT32_T : MPI_UINT32_T, operation(op),
                                      communicator_, request);
            }));
        }
        return {};
    }
    Result<void> all_gather(std::span<const std::byte> own, std::span<std::byte> all) override {
        const int count = static_cast<int>(own.size());
        trace::Span span(trace::Stage::message, "all_gather");
        span.bytes(all.size());
        return collective("MPI_Iallgather", [&](MPI_Request* request) {
            return MPI_Iallgather(own.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, communicator_,
                                  request);
        });
    }

  private:
    static constexpr int tag = 0, tag_of_waiting = 1;

    /// Polls, and soon lets others have the core: MPI's own waiting calls keep it, and workgroups may run on
    /// it. A wait that takes long is told of, until tell() has set is_told.
    template <class HasEnded, class Tell>
    static Result<void> until_ended(HasEnded&& has_ended, Tell&& tell) {
        constexpr int most_polls = 64;
        LongWait wait;
        for (int polls = 0; !TRY(has_ended()); ++polls) {
            if (polls < most_polls) continue;
            std::this_thread::yield();
            if (!wait.is_told && wait.took() >= patience) tell(wait);
        }
        return {};
    }
    template <class Begin>
    Result<void> collective(const char* name, Begin&& begin) {
        MPI_Request request = MPI_REQUEST_NULL;
        ++collectives_;
        TRY(check(name, [&] { return begin(&request); }));
        const auto has_ended = [&]() -> Result<bool> {
            int ended = 0;
            TRY(check("MPI_Test", [&] { return MPI_Test(&request, &ended, MPI_STATUS_IGNORE); }));
            return ended != 0;
        };
        return until_ended(has_ended, [&](LongWait& wait) { tell_of_collective(wait, name); });
    }

    /// Says which processes haven't come to a collective call. None of them can say so; the others do: each
    /// that has waited for long sends all others the call's number. The first of them speaks for all.
    void tell_of_collective(LongWait& wait, const char* name) {
        if (!wait.has_asked) {
            wait.has_asked = true;
            here_.resize(size_);
            here_[rank_] = collectives_;
            const std::uint64_t& number = told_.emplace_back(collectives_);
            for (std::uint32_t other = 0; other < size_; ++other) {
                if (other == rank_) continue;
                MPI_Request request = MPI_REQUEST_NULL;
                if (MPI_Isend(&number, 1, MPI_UINT64_T, static_cast<int>(other), tag_of_waiting,
                              communicator_, &request) == MPI_SUCCESS)
                    MPI_Request_free(&request);
            }
        }
        int is_there = 0;
        MPI_Status status;
        while (MPI_Iprobe(MPI_ANY_SOURCE, tag_of_waiting, communicator_, &is_there, &status) == MPI_SUCCESS &&
               is_there != 0) {
            std::uint64_t& number = here_[static_cast<std::size_t>(status.MPI_SOURCE)];
            if (MPI_Recv(&number, 1, MPI_UINT64_T, status.MPI_SOURCE, tag_of_waiting, communicator_,
                         MPI_STATUS_IGNORE) != MPI_SUCCESS)
                break;
        }
        if (wait.took() < patience + patience_for_answers) return;
        wait.is_told = true;
        std::vector<std::uint32_t> missing;
        for (std::uint32_t other = 0; other < size_; ++other) {
            if (here_[other] < collectives_)
                missing.push_back(other);
            else if (other < rank_)
                return;
        }
        tell(wait, missing, name);
    }
    /// Says whose messages haven't come, or aren't taken.
    void tell_of_messages(LongWait& wait) const {
        wait.is_told = true;
        std::vector<std::uint32_t> missing;
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            int has_ended = 0;
            const bool is_open =
                MPI_Request_get_status(requests_[i], &has_ended, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
                has_ended == 0;
            if (is_open && std::ranges::find(missing, others_[i]) == missing.end())
                missing.push_back(others_[i]);
        }
        tell(wait, missing, "MPI_Testall");
    }
    void tell(const LongWait& wait, std::span<const std::uint32_t> missing, const char* name) const {
        const std::string others =
            missing.empty()
                ? "the network"
                : fmt::format("process{} {}", missing.size() == 1 ? "" : "es", fmt::join(missing, ", "));
        log(LogLevel::warning,
            fmt::format(
                "Process {} of {} has waited for {} since {}, {} s, in {} ({}). Fix: see whether {} stopped "
                "or still computing; this process goes on when the call is made there, and ends with the "
                "job.",
                rank_, size_, others, wait.since(),
                std::chrono::duration_cast<std::chrono::seconds>(wait.took()).count(), call_, name,
                missing.empty()       ? "it is"
                : missing.size() == 1 ? "that process is"
                                      : "those are"));
    }

    template <class Bytes, class Begin>
    Result<void> in_pieces(Bytes bytes, std::uint32_t other, Begin&& begin) {
        for (std::size_t done = 0; done < bytes.size(); done += most_bytes) {
            MPI_Request request = MPI_REQUEST_NULL;
            TRY(begin(bytes.subspan(done, std::min(most_bytes, bytes.size() - done)), &request));
            requests_.push_back(request);
            others_.push_back(other);
        }
        return {};
    }

    MPI_Comm communicator_;
    std::uint32_t rank_ = 0, size_ = 1;
    std::vector<MPI_Request> requests_;
    std::vector<std::uint32_t> others_;  // the process at the other end of each
    std::uint64_t collectives_ = 0;      // calls so far: the same number means the same call in every process
    std::vector<std::uint64_t>
        here_;  // by rank: the last call in which the process is known to have waited for long
    std::deque<std::uint64_t> told_;  // what was sent of this; messages may still be made of it
};

/// The transports that mpi_world() has made, until the process ends.
struct Worlds {
    bool are_ours = false;  // muster initialised MPI, and finalises it
    std::vector<std::shared_ptr<Transport>> all;
};
Worlds& worlds() {
    static auto& made = *new Worlds;  // outlives what the program destroys as it ends
    return made;
}

/// A process that ends with an error doesn't finalise, which would wait for the others: its launcher then
/// ends the job. One that ends with 0 tells the others, which may wait for its next call.
void finalize_at_exit() {
    const auto finalize = [](int status, void*) {
        int ended = 0;
        if (status != 0 || MPI_Finalized(&ended) != MPI_SUCCESS || ended != 0) return;
        // The others' calls fail until they end, too. To end before them might end them
        // before they can say why.
        constexpr int most_calls = 1000;
        for (const auto& each : worlds().all) {
            int calls = 0;
            while (!agree(*each, {.call = Call::exit}, {}))
                if (++calls == most_calls) return;
        }
        worlds().all.clear();
        MPI_Finalize();
    };
    worlds().are_ours = true;
    on_exit(finalize, nullptr);
}

Result<std::shared_ptr<Transport>> over(MPI_Comm communicator) {
    MPI_Comm own = MPI_COMM_NULL;
    TRY(check("MPI_Comm_dup", [&] { return MPI_Comm_dup(communicator, &own); }));
    auto made = std::make_shared<MpiTransport>(own);
    TRY(check("MPI_Comm_set_errhandler", [&] { return MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN); }));
    TRY(made->find_place());
    return made;
}

/// An error if a launcher has started several processes, and each is alone in its job: all would do the whole
/// work, and write the same files.
Result<void> check_launcher(const Transport& processes) {
    if (processes.size() > 1) return {};
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
        const auto started = platform::environment_variable(name);
        if (!started || std::atol(started->c_str()) <= 1) continue;
        std::string library(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
        int length = 0;
        TRY(check("MPI_Get_library_version",
                  [&] { return MPI_Get_library_version(library.data(), &length); }));
        library.resize(std::min(static_cast<std::size_t>(length), library.find_first_of("\n,")));
        std::ranges::replace(library, '\t', ' ');
        return fail(ErrorCode::unavailable,
                    fmt::format("The launcher has started {} processes ({}), but each is alone in its job.",
                                printable(*started), name),
                    fmt::format("start the program with the launcher of the MPI library that it links: {}; "
                                "srun may need --mpi for it",
                                library));
    }
    return {};
}

}  // namespace

Result<std::shared_ptr<Transport>> mpi_processes(int communicator) {
    return over(MPI_Comm_f2c(communicator));
}

Result<std::shared_ptr<Transport>> mpi_world() {
    int finalized = 0, initialized = 0, provided = 0;
    TRY(check("MPI_Finalized", [&] { return MPI_Finalized(&finalized); }));
    if (finalized != 0)
        return fail(ErrorCode::unavailable,
                    "MPI has been finalised in this process, and can't be used again.",
                    "keep one transport until the program ends");
    TRY(check("MPI_Initialized", [&] { return MPI_Initialized(&initialized); }));
    if (initialized == 0) {
        TRY(check("MPI_Init_thread",
                  [&] { return MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided); }));
        finalize_at_exit();
    }
    auto world = TRY(over(MPI_COMM_WORLD));
    TRY(check_launcher(*world));
    if (worlds().are_ours) worlds().all.push_back(world);
    return world;
}

}  // namespace muster::cluster
