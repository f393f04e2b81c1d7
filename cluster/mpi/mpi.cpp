#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include <muster/cluster/mpi/mpi.hpp>
#include <muster/cluster/session/agreement.hpp>
#include <muster/driver/support/environment_variable.hpp>
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
        return in_pieces(bytes, [&](std::span<const std::byte> piece, MPI_Request* request) {
            return check("MPI_Isend", [&] {
                return MPI_Isend(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, static_cast<int>(to),
                                 tag, communicator_, request);
            });
        });
    }
    Result<void> receive(std::uint32_t from, std::span<std::byte> bytes) override {
        return in_pieces(bytes, [&](std::span<std::byte> piece, MPI_Request* request) {
            return check("MPI_Irecv", [&] {
                return MPI_Irecv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE,
                                 static_cast<int>(from), tag, communicator_, request);
            });
        });
    }
    Result<void> wait() override {
        auto waited = until_ended([&] { return test(); });
        requests_.clear();
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
        return collective("MPI_Iallgather", [&](MPI_Request* request) {
            return MPI_Iallgather(own.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, communicator_,
                                  request);
        });
    }

  private:
    static constexpr int tag = 0;

    /// Polls, and soon lets others have the core: MPI's own waiting calls keep it, and workgroups may run on it.
    template <class HasEnded>
    static Result<void> until_ended(HasEnded&& has_ended) {
        constexpr int most_polls = 64;
        for (int polls = 0; !TRY(has_ended()); ++polls)
            if (polls >= most_polls) std::this_thread::yield();
        return {};
    }
    template <class Begin>
    Result<void> collective(const char* name, Begin&& begin) {
        MPI_Request request = MPI_REQUEST_NULL;
        TRY(check(name, [&] { return begin(&request); }));
        return until_ended([&]() -> Result<bool> {
            int ended = 0;
            TRY(check("MPI_Test", [&] { return MPI_Test(&request, &ended, MPI_STATUS_IGNORE); }));
            return ended != 0;
        });
    }

    template <class Bytes, class Begin>
    Result<void> in_pieces(Bytes bytes, Begin&& begin) {
        for (std::size_t done = 0; done < bytes.size(); done += most_bytes) {
            MPI_Request request = MPI_REQUEST_NULL;
            TRY(begin(bytes.subspan(done, std::min(most_bytes, bytes.size() - done)), &request));
            requests_.push_back(request);
        }
        return {};
    }

    MPI_Comm communicator_;
    std::uint32_t rank_ = 0, size_ = 1;
    std::vector<MPI_Request> requests_;
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

/// A process that ends with an error doesn't finalise, which would wait for the others: its launcher then ends the job. One that ends with 0
/// tells the others, which may wait for its next call.
void finalize_at_exit() {
    const auto finalize = [](int status, void*) {
        int ended = 0;
        if (status != 0 || MPI_Finalized(&ended) != MPI_SUCCESS || ended != 0) return;
        // The others' calls fail until they end, too. To end before them might end them before they can say why.
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

/// An error if a launcher has started several processes, and each is alone in its job: all would do the whole work, and write the same
/// files.
Result<void> check_launcher(const Transport& processes) {
    if (processes.size() > 1) return {};
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
        const auto started = environment_variable(name);
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
