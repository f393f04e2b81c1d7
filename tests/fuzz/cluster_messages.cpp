// Messages of a cluster's other processes: whatever they send, a session is opened, a kernel prepared and run, or there is an error.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include <muster/cluster/execution/agreement.hpp>
#include <muster/cluster/execution/cluster_session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "target.hpp"

namespace muster::fuzz {
namespace {

/// Bytes one after the other, and zeros behind them.
class Bytes {
  public:
    explicit Bytes(std::string_view bytes) : left_(bytes) {}
    std::uint8_t next() {
        if (left_.empty()) return 0;
        const auto byte = static_cast<std::uint8_t>(left_.front());
        left_.remove_prefix(1);
        return byte;
    }
    std::size_t below(std::size_t bound) { return ((std::size_t{next()} << 8) | next()) % bound; }

  private:
    std::string_view left_;
};

/// The messages of the others are this process's own, with some bytes changed.
class Liars final : public cluster::Transport {
  public:
    Liars(Bytes& bytes, std::uint32_t rank, std::uint32_t size) : bytes_(bytes), rank_(rank), size_(size) {}
    std::uint32_t rank() const override { return rank_; }
    std::uint32_t size() const override { return size_; }
    Result<void> send(std::uint32_t to, std::span<const std::byte>) override {
        expect(to < size_ && to != rank_, "a message is sent to another process");
        return {};
    }
    Result<void> receive(std::uint32_t from, std::span<std::byte> into) override {
        expect(from < size_ && from != rank_, "a message comes from another process");
        change(into);
        return {};
    }
    Result<void> wait() override { return {}; }
    Result<bool> test() override { return true; }
    Result<void> all_reduce(std::span<std::uint32_t> words, cluster::ReductionOp, Scalar) override {
        change(std::as_writable_bytes(words));
        return {};
    }
    Result<void> all_gather(std::span<const std::byte> own, std::span<std::byte> all) override {
        expect(all.size() == own.size() * size_, "there is room for the bytes of all");
        for (std::uint32_t rank = 0; rank < size_; ++rank) {
            const auto place = all.subspan(rank * own.size(), own.size());
            std::ranges::copy(own, place.begin());
            if (rank != rank_) change(place);
        }
        return {};
    }

  private:
    void change(std::span<std::byte> bytes) {
        if (bytes.empty()) return;
        for (int changes = bytes_.next() % 8; changes > 0; --changes) {
            const std::size_t at = bytes_.below(bytes.size());
            bytes[at] = static_cast<std::byte>(bytes_.next());
        }
    }
    Bytes& bytes_;
    const std::uint32_t rank_, size_;
};

constexpr const char* neighbours = R"(
    @group(0) @binding(0) var<storage, read> given: array<u32>;
    @group(0) @binding(1) var<storage, read_write> sums: array<u32>;
    @compute @workgroup_size(8) fn neighbours(@builtin(global_invocation_id) id: vec3u) {
        let i = id.x;
        if i == 0 || i + 1 >= arrayLength(&sums) { return; }
        sums[i] = given[i - 1] + given[i + 1];
    })";
constexpr const char* counts = R"(
    @group(0) @binding(0) var<storage, read> given: array<u32>;
    @group(0) @binding(1) var<storage, read_write> sums: array<atomic<u32>>;
    @compute @workgroup_size(8) fn count(@builtin(global_invocation_id) id: vec3u) {
        if id.x < arrayLength(&given) { atomicAdd(&sums[given[id.x] & 3], 1); }
    })";
constexpr const char* sweeps = R"(
    enable muster_grid_barrier;
    @group(0) @binding(0) var<storage, read_write> given: array<u32>;
    @group(0) @binding(1) var<storage, read_write> sums: array<u32>;
    @compute @workgroup_size(8) fn sweep(@builtin(global_invocation_id) id: vec3u) {
        let i = id.x;
        if i == 0 || i + 1 >= arrayLength(&sums) { return; }
        for (var s = 0; s < 3; s++) {
            if s % 2 == 0 { sums[i] = given[i - 1] + given[i + 1]; } else { given[i] = sums[i - 1] + sums[i + 1]; }
            gridBarrier();
        }
    })";

void run(std::shared_ptr<cluster::Transport> transport, Bytes& bytes) {
    static const std::vector<ValidProgram> programs = [] {
        std::vector<ValidProgram> made;
        for (const char* text : {neighbours, counts, sweeps}) made.push_back(*validate(*wgsl::parse(text)));
        return made;
    }();
    ClusterOptions options{.transport = std::move(transport)};
    options.session.policy.backends = {{"reference"}};
    options.session.use_environment = false;
    if (bytes.next() % 2 == 1) options.devices = {"reference:0", "reference:0"};
    if (bytes.next() % 2 == 1) options.balance = Balance::measured;
    const auto check = [](const auto& result) {
        expect(result || !result.error().message.empty(), "an error says what is wrong");
        return result.has_value();
    };
    auto session = ClusterSession::open(options);
    if (!check(session)) return;
    const ValidProgram& program = programs[bytes.next() % programs.size()];
    const auto kernel = session->prepare(program);
    if (!check(kernel)) return;
    std::vector<std::uint32_t> words(96);
    std::iota(words.begin(), words.end(), 0u);
    auto given = session->buffer(words), sums = session->zeros<std::uint32_t>(96, Sharded{});
    if (!check(given) || !check(sums)) return;
    const std::vector<ClusterArgument> arguments{{"given", *given}, {"sums", *sums}};
    for (int i = 0; i < 2; ++i) {
        const auto ticket = session->dispatch(*kernel, arguments, Invocations{96});
        if (!check(ticket)) break;
        (void)check(ticket->wait());
        (void)ticket->explain();
    }
    (void)check(session->explain(*kernel, arguments, Invocations{96}));
    (void)check(sums->read_all<std::uint32_t>());
}

}  // namespace

void check(std::string_view text) {
    Bytes bytes(text);
    const std::uint32_t size = 2 + bytes.next() % 3, rank = bytes.next() % size;
    const auto transport = std::make_shared<Liars>(bytes, rank, size);
    if (bytes.next() % 4 == 0) {
        const Result<void> own = bytes.next() % 2 == 0
                                     ? Result<void>()
                                     : fail(ErrorCode::unavailable, std::string(text.substr(0, 500)), "none");
        const auto agreed = agree(*transport, {.call = cluster::Call::dispatch}, own);
        expect(agreed || !agreed.error().message.empty(), "an error says what is wrong");
        expect(own || !agreed, "an error of a process is one of all");
        return;
    }
    run(transport, bytes);
}

}  // namespace muster::fuzz
