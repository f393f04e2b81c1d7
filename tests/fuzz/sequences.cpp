// Sequences of a session in any order: recorded, submitted again and again, over buffers that are written, read, wrapped, copied, bound
// twice and let go of meanwhile. The native CPU with sequences and the interpreter with one call at a time refuse the same steps, by the
// same code, and end with the same bytes.
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "script.hpp"
#include "target.hpp"

namespace muster::fuzz {
namespace {

constexpr std::size_t most_objects = 12;  // of a kind
constexpr int most_steps = 200;
constexpr std::size_t most_recorded = 64;

struct Source {
    std::string_view text;
    bool has_second = false, has_value = false;  // bindings "y" and "add" beside "x"
};
constexpr std::array sources{
    Source{R"(@group(0) @binding(0) var<storage, read_write> x: array<u32>;
              @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                  if (id.y == 0u && id.z == 0u) { x[id.x] = x[id.x] * 5u + id.x + 1u; } })"},
    Source{R"(@group(0) @binding(0) var<storage, read> x: array<u32>;
              @group(0) @binding(1) var<storage, read_write> y: array<u32>;
              @compute @workgroup_size(4, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>,
                                                     @builtin(num_workgroups) groups: vec3<u32>) {
                  let i = id.x + 4u * groups.x * (id.y + 2u * groups.y * id.z);
                  if (i < arrayLength(&y)) { y[i] = x[i] ^ (y[i] << 1u); } })",
           true},
    Source{R"(@group(0) @binding(0) var<storage, read_write> x: array<u32>;
              @group(0) @binding(2) var<uniform> add: vec4<u32>;
              var<workgroup> own: array<u32, 8>;
              @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) at: u32,
                                                  @builtin(workgroup_id) id: vec3<u32>) {
                  let i = id.x * 8u + at;
                  own[at] = x[i] + add.y;
                  workgroupBarrier();
                  if (id.y + id.z == 0u) { x[i] = own[7u - at]; } })",
           false, true},
    Source{R"(@group(0) @binding(0) var<storage, read_write> x: array<atomic<u32>>;
              @group(0) @binding(1) var<storage, read> y: array<u32, 16>;
              @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                  atomicAdd(&x[id.x & 3u], y[id.x & 15u] + id.y); })",
           true},
    Source{R"(enable muster_grid_barrier;
              @group(0) @binding(0) var<storage, read_write> x: array<u32>;
              @group(0) @binding(1) var<storage, read_write> y: array<u32>;
              @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                  if (id.y + id.z == 0u) { y[id.x] = x[id.x] + 1u; }
                  gridBarrier();
                  if (id.y + id.z == 0u) { x[id.x] = y[id.x ^ 1u] * 3u; } })",
           true},
};

/// A session on one device, with the kernels.
struct Place {
    explicit Place(const char* backend)
        : session(*Session::open({.policy = {.backends = {{backend}}}, .use_environment = false})) {
        for (const Source& each : sources) {
            auto kernel = session.prepare(*validate(*wgsl::parse(each.text)));
            expect(kernel.has_value(), "a kernel is prepared", kernel ? "" : kernel.error().to_string());
            kernels.push_back(*std::move(kernel));
        }
    }
    Session session;
    std::vector<Kernel> kernels;
};

Place& native() {
    static Place place(MUSTER_FUZZ_BACKEND);
    return place;
}
Place& interpreter() {
    static Place place("reference");
    return place;
}

template <class A, class B>
void expect_same(std::string_view what, const Result<A>& native, const Result<B>& model) {
    const auto shown = [](const auto& result) {
        return result ? std::string("success") : result.error().to_string();
    };
    const bool same = native.has_value() == model.has_value() &&
                      (native.has_value() || native.error().code == model.error().code);
    expect(same, "both devices take a step, or refuse it by the same code",
           same ? "" : fmt::format("{}: {}\n{}", what, shown(native), shown(model)));
}

/// A buffer in both places. What it is over, if it is wrapped, lives as long as the script.
struct Pair {
    Buffer native, model;
};

/// A sequence, and what it does one call at a time.
struct Recorded {
    Sequence native;
    std::vector<std::function<Result<Ticket>()>> model;
};

class World {
  public:
    World() = default;
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() {
        for (const Pair& each : buffers_) compare(each);
        for (const Ticket& each : tickets_) (void)each.wait();
    }

    struct Call {
        std::string_view name;
        void (World::*run)(Script&);
    };
    static std::span<const Call> calls();

  private:
    using Words = std::vector<std::uint32_t>;

    static Words words(std::size_t count, std::uint32_t seed) {
        Words made(count);
        for (std::uint32_t& each : made) each = seed = seed * 1664525 + 1013904223;
        return made;
    }
    void add(Pair pair) {
        if (buffers_.size() == most_objects) buffers_.erase(buffers_.begin());
        buffers_.push_back(std::move(pair));
    }
    /// One that is there always.
    Pair& pick(Script& script) {
        if (buffers_.empty())
            add({*native().session.zeros<std::uint32_t>(8), *interpreter().session.zeros<std::uint32_t>(8)});
        return buffers_[script.below(buffers_.size())];
    }
    Recorded& pick_sequence(Script& script) {
        if (sequences_.empty()) sequence(script);
        return sequences_[script.below(sequences_.size())];
    }
    static std::pair<BufferRange, BufferRange> part(const Pair& pair, Script& script) {
        const std::uint64_t offset = script.number(), bytes = script.number();
        return {{pair.native, offset, bytes}, {pair.model, offset, bytes}};
    }
    static void compare(const Pair& pair) {
        std::vector<std::byte> a(pair.native.bytes()), b(a.size());
        const auto read = pair.native.read_bytes(a);
        expect_same("reading", read, pair.model.read_bytes(b));
        for (std::size_t i = 0; i < a.size(); ++i)
            if (a[i] != b[i])
                expect(false, "both devices end with the same bytes",
                       fmt::format("byte {} of {}: {:02x}, the interpreter {:02x}", i, a.size(),
                                   static_cast<int>(a[i]), static_cast<int>(b[i])));
    }

    void buffer(Script& script) {
        const Words host = words(script.below(600), static_cast<std::uint32_t>(script.number()));
        add({*native().session.buffer(host), *interpreter().session.buffer(host)});
    }
    void zeros(Script& script) {
        const std::uint64_t bytes = script.below(2400);
        add({*native().session.buffer(bytes), *interpreter().session.buffer(bytes)});
    }
    void wrapped(Script& script) {
        if (wrapped_.size() >= 2 * most_objects) return;
        const Words host = words(1 + script.below(600), static_cast<std::uint32_t>(script.number()));
        wrapped_.push_back(std::make_unique<Words>(host));
        const auto a = native().session.buffer_over(std::span(*wrapped_.back()));
        wrapped_.push_back(std::make_unique<Words>(host));
        const auto b = interpreter().session.buffer_over(std::span(*wrapped_.back()));
        expect_same("wrapping", a, b);
        if (a) add({*a, *b});
    }
    void release(Script& script) {
        if (!buffers_.empty())
            buffers_.erase(buffers_.begin() + static_cast<std::ptrdiff_t>(script.below(buffers_.size())));
    }
    void sequence(Script&) {
        if (sequences_.size() == most_objects) sequences_.erase(sequences_.begin());
        sequences_.push_back({native().session.sequence(), {}});
    }
    void release_sequence(Script& script) {
        if (!sequences_.empty())
            sequences_.erase(sequences_.begin() +
                             static_cast<std::ptrdiff_t>(script.below(sequences_.size())));
    }

    struct Dispatch {
        std::size_t kernel;
        std::vector<Argument> native, model;
        Grid grid;
    };
    Dispatch made_dispatch(Script& script) {
        Dispatch made{script.below(sources.size()), {}, {}, Workgroups{}};
        const auto bind = [&](const char* name) {
            auto [own, other] = part(pick(script), script);
            made.native.emplace_back(name, own);
            made.model.emplace_back(name, other);
        };
        bind("x");
        if (sources[made.kernel].has_second) bind("y");
        if (sources[made.kernel].has_value) {
            const std::array<std::uint32_t, 4> value{1, static_cast<std::uint32_t>(script.number()), 3, 4};
            made.native.emplace_back("add", value);
            made.model.emplace_back("add", value);
        }
        const std::uint64_t x = script.below(9), y = script.below(4), z = script.below(3);
        switch (script.below(4)) {
            case 0: made.grid = Workgroups{x, y, z}; break;
            case 1: made.grid = Invocations{x * 7, y, z}; break;
            case 2: made.grid = Workgroups{x, 1, 1}; break;
            default:
                made.grid = PartOfGrid{{.origin = {static_cast<std::uint32_t>(y), 0, 0},
                                        .extent = {static_cast<std::uint32_t>(x), 1, 1}},
                                       {9, 1, 1}};
        }
        return made;
    }

    void dispatch(Script& script) {
        Recorded& into = pick_sequence(script);
        const Dispatch made = made_dispatch(script);
        if (into.model.size() >= most_recorded) return;
        const Kernel &own = native().kernels[made.kernel], &other = interpreter().kernels[made.kernel];
        const bool is_bound = script.below(2) == 1;
        Sequence trial = interpreter().session.sequence();
        const auto record = [&](Session& session, Sequence& sequence, const Kernel& kernel,
                                const std::vector<Argument>& arguments) -> Result<void> {
            if (!is_bound) return sequence.dispatch(kernel, arguments, made.grid);
            const auto bound = session.bind(kernel, arguments);
            if (!bound) return std::unexpected(bound.error());
            return sequence.dispatch(*bound, made.grid);
        };
        const auto recorded = record(native().session, into.native, own, made.native);
        expect_same("recording a dispatch", recorded,
                    record(interpreter().session, trial, other, made.model));
        if (recorded)
            into.model.emplace_back(
                [other, made] { return interpreter().session.dispatch(other, made.model, made.grid); });
    }
    void copy(Script& script) {
        Recorded& into = pick_sequence(script);
        const auto [from, other_from] = part(pick(script), script);
        const auto [to, other_to] = part(pick(script), script);
        if (into.model.size() >= most_recorded) return;
        Sequence trial = interpreter().session.sequence();
        const auto recorded = into.native.copy(from, to);
        expect_same("recording a copy", recorded, trial.copy(other_from, other_to));
        if (recorded)
            into.model.emplace_back([other_from = other_from, other_to = other_to] {
                return interpreter().session.copy(other_from, other_to);
            });
    }
    void fill(Script& script) {
        Recorded& into = pick_sequence(script);
        const auto [what, other] = part(pick(script), script);
        const auto word = static_cast<std::uint32_t>(script.number());
        if (into.model.size() >= most_recorded) return;
        Sequence trial = interpreter().session.sequence();
        const auto recorded = into.native.fill(what, word);
        expect_same("recording a fill", recorded, trial.fill(other, word));
        if (recorded)
            into.model.emplace_back(
                [other = other, word] { return interpreter().session.fill(other, word); });
    }
    void submit(Script& script) {
        Recorded& one = pick_sequence(script);
        const auto ticket = one.native.submit();
        expect(ticket.has_value(), "a recorded sequence is submitted",
               ticket ? "" : ticket.error().to_string());
        tickets_.push_back(*ticket);
        for (const auto& step : one.model) {
            const auto ended = step();
            expect(ended.has_value(), "a recorded step runs", ended ? "" : ended.error().to_string());
            (void)ended->wait();
        }
    }

    // Without a sequence, between them:
    void run(Script& script) {
        const Dispatch made = made_dispatch(script);
        const auto ticket = native().session.dispatch(native().kernels[made.kernel], made.native, made.grid);
        keep("a dispatch", ticket,
             interpreter().session.dispatch(interpreter().kernels[made.kernel], made.model, made.grid));
    }
    void run_copy(Script& script) {
        const auto [from, other_from] = part(pick(script), script);
        const auto [to, other_to] = part(pick(script), script);
        const auto ticket = native().session.copy(from, to);
        keep("a copy", ticket, interpreter().session.copy(other_from, other_to));
    }
    void run_fill(Script& script) {
        const auto [what, other] = part(pick(script), script);
        const auto word = static_cast<std::uint32_t>(script.number());
        const auto ticket = native().session.fill(what, word);
        keep("a fill", ticket, interpreter().session.fill(other, word));
    }
    void snapshot(Script& script) {
        const auto [what, other] = part(pick(script), script);
        const auto taken = native().session.snapshot(what);
        const auto model = interpreter().session.snapshot(other);
        expect_same("a snapshot", taken, model);
        if (!taken) return;
        tickets_.push_back(taken->ready);
        tickets_.push_back(model->ready);
        add({taken->buffer, model->buffer});
    }
    void write(Script& script) {
        Pair& pair = pick(script);
        const std::uint64_t offset = script.number();
        const Words host = words(script.below(600), static_cast<std::uint32_t>(script.number()));
        auto bytes = std::as_bytes(std::span(host));
        bytes = bytes.first(bytes.size() - std::min(bytes.size(), script.below(4)));
        const auto written = pair.native.write_bytes(bytes, offset);
        expect_same("a write", written, pair.model.write_bytes(bytes, offset));
    }
    void read(Script& script) { compare(pick(script)); }
    void sync(Script& script) {
        Pair& pair = pick(script);
        const auto synced = pair.native.sync();
        expect_same("sync", synced, pair.model.sync());
    }
    void wait(Script&) {
        if (!tickets_.empty()) (void)tickets_.back().wait();
    }
    void keep(std::string_view what, const Result<Ticket>& ticket, const Result<Ticket>& model) {
        expect_same(what, ticket, model);
        if (ticket) tickets_.push_back(*ticket);
        if (model) tickets_.push_back(*model);
    }

    std::vector<std::unique_ptr<Words>> wrapped_;  // before the buffers over it
    std::vector<Pair> buffers_;
    std::vector<Recorded> sequences_;
    std::vector<Ticket> tickets_;  // all, because wrapped memory stays until they have ended
};

std::span<const World::Call> World::calls() {
    static constexpr std::array all{
        Call{"buffer", &World::buffer},     Call{"zeros", &World::zeros},
        Call{"wrapped", &World::wrapped},   Call{"release", &World::release},
        Call{"sequence", &World::sequence}, Call{"release_sequence", &World::release_sequence},
        Call{"dispatch", &World::dispatch}, Call{"copy", &World::copy},
        Call{"fill", &World::fill},         Call{"submit", &World::submit},
        Call{"run", &World::run},           Call{"run_copy", &World::run_copy},
        Call{"run_fill", &World::run_fill}, Call{"snapshot", &World::snapshot},
        Call{"write", &World::write},       Call{"read", &World::read},
        Call{"sync", &World::sync},         Call{"wait", &World::wait},
    };
    return all;
}

}  // namespace

void check(std::string_view text) {
    World world;
    Script script(text);
    for (int steps = 0; steps < most_steps; ++steps) {
        const auto call = script.next(World::calls());
        if (!call) break;
        (world.*World::calls()[*call].run)(script);
    }
}

}  // namespace muster::fuzz
