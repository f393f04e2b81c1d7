// Policy::on_failure: each fault, with each policy, in prepare, at once in a dispatch, by the time its ticket is waited for,
// and in a sequence; the buffers that outlive a lost device, and those that don't.
#include <numeric>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/interpreting_double.hpp>
#include <support/programs.hpp>

#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

using Floats = std::vector<float>;

void add_scaled(const Launch&, std::span<const std::span<std::byte>> bindings) {
    if (bindings.size() < 3) return;  // the kernel that tries whether a device answers
    float a = 0;
    std::memcpy(&a, bindings[0].data(), 4);
    const auto* x = reinterpret_cast<const float*>(bindings[1].data());
    auto* y = reinterpret_cast<float*>(bindings[2].data());
    for (std::size_t i = 0; i < bindings[2].size() / 4; ++i) y[i] += a * x[i];
}

/// A backend that fails and one that works, after it in rank. The first one works once its device is opened anew.
struct FailureFixture {
    ScriptPointer one = script("one", 1), two = script("two", 2);
    ValidProgram program = saxpy();
    Floats ones = Floats(64, 1.0f);
    std::vector<std::string> warnings;

    FailureFixture() {
        one->kernel = two->kernel = add_scaled;
        one->healthy_from = 2;
        set_log_sink([this](LogLevel, std::string_view text) { warnings.emplace_back(text); });
    }
    ~FailureFixture() {
        set_log_sink({});
        one->gate.open();
    }
    Session open(OnFailure what, std::chrono::nanoseconds budget = 0s) const {
        return *Session::open({.policy = {.compile_budget = budget, .on_failure = what},
                               .fleet = std::make_shared<Fleet>(entries({one, two}), 1min),
                               .use_environment = false,
                               .close_timeout = 50ms});
    }
    static Result<Ticket> add(Session& session, const Kernel& kernel, const Buffer& x, const Buffer& y) {
        return session.dispatch(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1});
    }
    /// Where the kernel runs after a fault.
    static const char* expected_backend(OnFailure what) { return what == OnFailure::retry ? "one" : "two"; }
};

template <class T>
T must(Result<T> result) {
    if (!result) FAIL(result.error().to_string());
    if constexpr (!std::is_void_v<T>) return *std::move(result);
}

struct Fault {
    Act act;
    ErrorCode code;
    Reason reason;
};
constexpr Fault lost{Act::lose, ErrorCode::device_lost, Reason::device_lost};
constexpr Fault full{Act::exhaust, ErrorCode::out_of_memory, Reason::out_of_memory};
constexpr Fault rejected{Act::reject, ErrorCode::compile_failed, Reason::compile_failed};

const CandidateRecord& first_record(const Kernel& kernel) {
    return kernel.route().decision().candidates.at(0);
}

}  // namespace

TEST_CASE_FIXTURE(FailureFixture, "prepare: each fault of compiling and loading, with each policy") {
    for (const Fault& fault : {lost, full, rejected})
        for (std::atomic<Act> Script::*where : {&Script::compile, &Script::load}) {
            CAPTURE(name(fault.code));
            (*one).*where = fault.act;
            one->calls.open = 0;
            Session failing = open(OnFailure::fail);
            CHECK(failing.prepare(program).error().code == fault.code);
            CHECK(one->calls.open == 1);

            one->calls.open = 0;
            Session retrying = open(OnFailure::retry);
            const Kernel retried = must(retrying.prepare(program));
            CHECK(retried.backend() == "one");
            CHECK(one->calls.open == 2);
            REQUIRE(retried.route().decision().notes.size() == 1);
            const std::string& note = retried.route().decision().notes[0];
            CHECK_MESSAGE(note.starts_with("one:0 failed (" + std::string(name(fault.code)) +
                                           "), and saxpy goes on there, opened anew: The double "),
                          note);
            CHECK(retried.route().explain().find(note) != std::string::npos);

            one->calls.open = 0;
            Session going_on = open(OnFailure::next);
            const Kernel moved = must(going_on.prepare(program));
            CHECK(moved.backend() == "two");
            CHECK(one->calls.open == 1);
            CHECK(first_record(moved).reason == fault.reason);
            CHECK(first_record(moved).stage == Stage::open);
            CHECK(first_record(moved).failed_first);
            CHECK(first_record(moved).message.starts_with("The double "));
            // A program that doesn't compile costs itself only, the other faults the device.
            (*one).*where = Act::work;
            CHECK(must(going_on.prepare(iota())).backend() == (fault.act == Act::reject ? "one" : "two"));
            CHECK(must(going_on.prepare(program)).backend() == "two");
        }
}

TEST_CASE_FIXTURE(FailureFixture, "prepare: a compilation over its budget is a fault, too") {
    one->compile = Act::hang;
    Session failing = open(OnFailure::fail, 20ms);
    CHECK(failing.prepare(program).error().code == ErrorCode::compile_timed_out);
    one->calls.open = 0;
    Session going_on = open(OnFailure::next, 20ms);
    const Kernel moved = must(going_on.prepare(program));
    CHECK(moved.backend() == "two");
    CHECK(first_record(moved).reason == Reason::compile_failed);
    one->calls.open = 0;
    Session retrying = open(OnFailure::retry, 20ms);
    CHECK(must(retrying.prepare(program)).backend() == "one");
    CHECK(one->calls.open == 2);
}

TEST_CASE_FIXTURE(FailureFixture, "prepare: a second failure is the error, and the device goes on") {
    one->healthy_from = INT_MAX;
    one->compile = Act::reject;
    Session session = open(OnFailure::retry);
    CHECK(session.prepare(program).error().code == ErrorCode::compile_failed);
    CHECK(one->calls.open == 2);
    one->compile = Act::work;
    CHECK(must(session.prepare(program)).backend() == "one");
    CHECK(one->calls.open == 2);  // the first device is still in use
    one->compile = two->compile = Act::reject;
    one->formats.clear();
    two->formats.clear();
    const auto refused = open(OnFailure::next).prepare(program);
    CHECK(refused.error().code == ErrorCode::refused);
    CHECK(refused.error().to_string().find("The double rejects the code on purpose.") != std::string::npos);
}

TEST_CASE_FIXTURE(FailureFixture, "a dispatch that fails at once, with each policy") {
    for (const Fault& fault : {lost, full})
        for (std::atomic<Act> Script::*where : {&Script::allocate, &Script::submit})
            for (const OnFailure what : {OnFailure::fail, OnFailure::retry, OnFailure::next}) {
                CAPTURE(name(fault.code));
                CAPTURE(name(what));
                one->calls.open = 0;
                Session session = open(what);
                const Kernel kernel = must(session.prepare(program)),
                             other = must(session.prepare(saxpy(64, "other")));
                const Buffer x = must(session.buffer(ones)), y = must(session.buffer(ones));
                (*one).*where = fault.act;
                const auto ticket = add(session, kernel, x, y);
                if (what == OnFailure::fail) {
                    CHECK(ticket.error().code == fault.code);
                    CHECK(kernel.backend() == "one");
                } else {
                    must(must(ticket).wait());
                    CHECK(kernel.backend() == expected_backend(what));
                    CHECK(kernel.device().name == "double 0");
                    const auto& notes = kernel.route().decision().notes;
                    REQUIRE(notes.size() == 1);
                    CHECK(notes[0].find(what == OnFailure::retry ? "goes on there, opened anew"
                                                                 : "goes on on two:0") != std::string::npos);
                    CHECK(must(y.read_all<float>()) == Floats(64, 2.0f));
                    must(must(add(session, other, x, y)).wait());  // prepared before the fault
                    CHECK(must(y.read_all<float>()) == Floats(64, 3.0f));
                    CHECK(one->calls.open == (what == OnFailure::retry ? 2 : 1));
                }
                (*one).*where = Act::work;
            }
}

TEST_CASE_FIXTURE(FailureFixture,
                  "memory that runs out loses nothing: kernels' results move with the kernel") {
    for (const OnFailure what : {OnFailure::retry, OnFailure::next}) {
        one->calls.open = 0;
        Session session = open(what);
        const Kernel kernel = must(session.prepare(program));
        const Buffer x = must(session.buffer(ones)), y = must(session.buffer(ones)),
                     z = must(session.buffer(ones));
        must(add(session, kernel, x, y));
        one->allocate = Act::exhaust;
        must(add(session, kernel, y, z));
        one->allocate = Act::work;
        CHECK(kernel.backend() == expected_backend(what));
        CHECK(must(z.read_all<float>()) == Floats(64, 3.0f));
        CHECK(must(y.read_all<float>()) == Floats(64, 2.0f));
    }
}

TEST_CASE_FIXTURE(FailureFixture,
                  "a device lost while a dispatch runs: its ticket is the error, its kernel moves") {
    for (const OnFailure what : {OnFailure::retry, OnFailure::next}) {
        CAPTURE(name(what));
        one->calls.open = 0;
        Session session = open(what);
        const Kernel kernel = must(session.prepare(program));
        const Buffer x = must(session.buffer(ones));
        Buffer y = must(session.buffer(ones));
        must(must(add(session, kernel, x, y)).wait());
        one->run = Act::lose;
        const Ticket ticket = must(add(session, kernel, x, y));
        CHECK(ticket.wait().error().code == ErrorCode::device_lost);
        const auto again = add(session, kernel, x, y);
        one->run = Act::work;
        REQUIRE_FALSE(again);
        CHECK(again.error().code == ErrorCode::device_lost);
        CHECK(again.error().to_string() ==
              std::string("The 256 bytes of a buffer are lost with one:0: a kernel there wrote them, and the "
                          "host has no "
                          "copy. The double is lost on purpose.\n  while moving the buffer of \"y\" to ") +
                  expected_backend(what) + ":0\n  while dispatching saxpy on " + expected_backend(what) +
                  ":0\nFix: write the whole buffer (Buffer::write_bytes), then run again what computed it");
        CHECK(y.read_all<float>().error().code == ErrorCode::device_lost);
        CHECK(y.write_bytes(std::as_bytes(std::span(ones)).first(4)).error().code == ErrorCode::device_lost);
        CHECK(must(x.read_all<float>()) == ones);
        must(y.write(std::span<const float>(ones)));
        must(must(add(session, kernel, x, y)).wait());
        CHECK(must(y.read_all<float>()) == Floats(64, 2.0f));
        CHECK(kernel.backend() == expected_backend(what));
    }
}

TEST_CASE_FIXTURE(FailureFixture, "an abandoned dispatch, which doesn't end, is a lost device") {
    for (const OnFailure what : {OnFailure::retry, OnFailure::next}) {
        one->calls.open = 0;
        one->run = Act::hang;
        Session session = open(what);
        const Kernel kernel = must(session.prepare(program));
        const Buffer x = must(session.buffer(ones)), y = must(session.buffer(ones)),
                     z = must(session.buffer(ones));
        const Ticket ticket = must(add(session, kernel, x, y));
        CHECK(ticket.wait(10ms).error().code == ErrorCode::timed_out);  // a wait that ends is no fault
        CHECK(kernel.backend() == "one");
        ticket.abandon();
        must(must(add(session, kernel, x, z)).wait());
        CHECK(must(z.read_all<float>()) == Floats(64, 2.0f));
        CHECK(y.read_all<float>().error().code == ErrorCode::device_lost);
        CHECK(kernel.backend() == expected_backend(what));
        session.close();
    }
}

TEST_CASE_FIXTURE(FailureFixture, "with the default, nothing is kept and nothing moves") {
    Session session = open(OnFailure::fail);
    const Kernel kernel = must(session.prepare(program));
    const Buffer x = must(session.buffer(ones)), y = must(session.buffer(ones));
    must(must(add(session, kernel, x, y)).wait());
    one->submit = Act::lose;
    CHECK(add(session, kernel, x, y).error().code == ErrorCode::device_lost);
    CHECK(add(session, kernel, x, y).error().code == ErrorCode::device_lost);
    CHECK(x.read_all<float>().error().fix ==
          "make the buffer anew in a new session, and run again what computed it");
    CHECK(kernel.backend() == "one");
}

TEST_CASE_FIXTURE(FailureFixture, "what the host writes after a dispatch outlives the device") {
    Session session = open(OnFailure::next);
    const Kernel kernel = must(session.prepare(program));
    Buffer x = must(session.buffer(ones)), y = must(session.buffer(ones)),
           zeros = must(session.zeros<float>(64));
    must(must(add(session, kernel, x, y)).wait());
    must(must(add(session, kernel, zeros, y)).wait());
    const Floats twos(64, 2.0f);
    must(x.write_bytes(std::as_bytes(std::span(twos)).first(128)));  // a part of what the host has
    must(y.write(std::span<const float>(twos)));                     // all of what a kernel wrote
    one->submit = Act::lose;
    must(must(add(session, kernel, x, y)).wait());
    Floats expected(64, 3.0f);
    std::fill_n(expected.begin(), 32, 4.0f);
    CHECK(must(y.read_all<float>()) == expected);
    CHECK(must(zeros.read_all<float>()) == Floats(64, 0.0f));
}

TEST_CASE_FIXTURE(FailureFixture, "a warning tells of the fault, once") {
    one->id = "once";
    for (int i = 0; i < 2; ++i) {
        one->calls.open = 0;
        Session session = open(OnFailure::retry);
        const Kernel kernel = must(session.prepare(program));
        one->submit = Act::lose;
        const Buffer x = must(session.buffer(ones)), y = must(session.buffer(ones));
        must(must(add(session, kernel, x, y)).wait());
        one->submit = Act::work;
    }
    REQUIRE(warnings.size() == 1);
    CHECK(
        warnings[0] ==
        "once:0 failed (device_lost), and saxpy goes on there, opened anew: The double is lost on purpose.");
}

TEST_CASE_FIXTURE(FailureFixture, "where no other device is left, the error is the fault's, and says why") {
    Session session = *Session::open({.policy = {.compile_budget = 0s, .on_failure = OnFailure::next},
                                      .fleet = std::make_shared<Fleet>(entries({one}), 1min),
                                      .use_environment = false});
    const Kernel kernel = must(session.prepare(program));
    const Buffer x = must(session.buffer(ones)), y = must(session.buffer(ones));
    one->submit = Act::lose;
    const auto failed = add(session, kernel, x, y);
    CHECK(failed.error().code == ErrorCode::device_lost);
    CHECK(failed.error().to_string().find(
              "while moving saxpy to another device, which fails too (refused): ") != std::string::npos);
    one->open = Act::fail;
    Session retrying = *Session::open({.policy = {.compile_budget = 0s, .on_failure = OnFailure::retry},
                                       .fleet = std::make_shared<Fleet>(entries({script("a", 1)}), 1min),
                                       .use_environment = false});
    CHECK(retrying.prepare(program));
}

namespace {

constexpr const char* doubling = R"(
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3u) { x[id.x] *= 2; }
)";

using Words = std::vector<std::uint32_t>;

struct SequenceOfTwo {
    DeviceScriptPointer one = std::make_shared<DeviceScript>(), two = std::make_shared<DeviceScript>();
    std::optional<Session> session;
    Words count = Words(64);

    explicit SequenceOfTwo(OnFailure what) {
        one->id = "one";
        two->id = "two";
        two->rank = 2;
        one->wraps = true;
        std::iota(count.begin(), count.end(), 0u);
        session = *Session::open({.policy = {.compile_budget = 0s, .on_failure = what},
                                  .fleet = std::make_shared<Fleet>(std::vector{entry(one), entry(two)}, 1min),
                                  .use_environment = false});
    }
    Kernel kernel() { return must(session->prepare(must(validate(must(wgsl::parse(doubling)))))); }
};

}  // namespace

TEST_CASE("a sequence goes on elsewhere, with copies and fills, if its device is lost when it begins") {
    for (const OnFailure what : {OnFailure::fail, OnFailure::retry, OnFailure::next}) {
        CAPTURE(name(what));
        SequenceOfTwo both(what);
        const Kernel kernel = both.kernel();
        Buffer from = must(both.session->buffer(both.count));
        Buffer x = must(both.session->zeros<std::uint32_t>(64)),
               y = must(both.session->zeros<std::uint32_t>(64));
        Sequence sequence = both.session->sequence();
        must(sequence.fill({y}, 7));
        must(sequence.copy({from}, {x}));
        must(sequence.dispatch(kernel, {{"x", x}}, Workgroups{1}));
        both.one->lost_when_submitted = 1;
        const auto ticket = sequence.submit();
        if (what == OnFailure::fail) {
            CHECK(ticket.error().code == ErrorCode::device_lost);
            CHECK(sequence.submit().error().code == ErrorCode::device_lost);
            continue;
        }
        must(must(ticket).wait());
        Words twice = both.count;
        for (std::uint32_t& word : twice) word *= 2;
        CHECK(must(x.read_all<std::uint32_t>()) == twice);
        CHECK(must(y.read_all<std::uint32_t>()) == Words(64, 7));
        CHECK(kernel.backend() == (what == OnFailure::retry ? "one" : "two"));
        must(must(sequence.submit()).wait());  // the copy and the fill make the same again
        CHECK(must(x.read_all<std::uint32_t>()) == twice);
        must(must(both.session->fill({y}, 8)).wait());
        CHECK(must(y.read_all<std::uint32_t>()) == Words(64, 8));
    }
}

TEST_CASE("a sequence that had begun isn't run again: what it wrote is lost, what it read isn't") {
    for (const OnFailure what : {OnFailure::retry, OnFailure::next}) {
        SequenceOfTwo both(what);
        const Kernel kernel = both.kernel();
        const Buffer from = must(both.session->buffer(both.count));
        Buffer x = must(both.session->zeros<std::uint32_t>(64));
        Sequence sequence = both.session->sequence();
        must(sequence.copy({from}, {x}));
        must(sequence.dispatch(kernel, {{"x", x}}, Workgroups{1}));
        both.one->lost_when_submitted = 2;
        CHECK(sequence.submit().error().code == ErrorCode::device_lost);
        CHECK(x.read_all<std::uint32_t>().error().code == ErrorCode::device_lost);
        CHECK(must(from.read_all<std::uint32_t>()) == both.count);
        const auto again = sequence.submit();
        CHECK(again.error().to_string().find("while moving the buffer of \"copy\" to ") != std::string::npos);
        must(x.write(std::span<const std::uint32_t>(both.count)));
        must(must(sequence.submit()).wait());
        CHECK(must(x.read_all<std::uint32_t>())[63] == 126);
    }
}

TEST_CASE("the caller's memory in place outlives its device, unless a dispatch was writing it") {
    SequenceOfTwo both(OnFailure::next);
    const Kernel kernel = both.kernel();
    Words mine = both.count, other = both.count;
    Buffer x = must(both.session->buffer_over(std::span(mine))),
           y = must(both.session->buffer_over(std::span(other)));
    must(must(both.session->dispatch(kernel, {{"x", x}}, Workgroups{1})).wait());
    must(x.sync());
    CHECK(x.is_in_place());
    both.one->lost_at = 2;
    const Ticket ticket = must(both.session->dispatch(kernel, {{"x", y}}, Workgroups{1}));
    CHECK(ticket.wait().error().code == ErrorCode::device_lost);
    must(must(both.session->dispatch(kernel, {{"x", x}}, Workgroups{1})).wait());
    must(x.sync());
    CHECK(mine[63] == 4 * 63);
    CHECK_FALSE(x.is_in_place());  // `two` has a copy
    CHECK(y.sync().error().code == ErrorCode::device_lost);
}

TEST_CASE("what is done after a failure is a layer's setting, a variable and a word") {
    CHECK(*layer({.on_failure = OnFailure::next}, {.on_failure = OnFailure::retry}).on_failure ==
          OnFailure::next);
    CHECK(*layer({}, {.on_failure = OnFailure::retry}).on_failure == OnFailure::retry);
    const auto read = [](const char* value) {
        return environment_policy([&](std::string_view name) {
            return name == "MUSTER_ON_FAILURE" ? std::optional<std::string>(value) : std::nullopt;
        });
    };
    CHECK(read(" retry ")->on_failure == OnFailure::retry);
    CHECK_FALSE(read("")->on_failure);
    CHECK(read("again").error().to_string() ==
          "\"again\" isn't what can be done after a failure.\n"
          "  while reading MUSTER_ON_FAILURE=\"again\" from the environment\n"
          "Fix: say fail, retry (once more, on the same device opened anew) or next (on the next device)");
    const std::vector<NamedPolicy> layers{{"the session's policy", {.on_failure = OnFailure::fail}}};
    CHECK(in_force(layers).settings.at(0).to_string() == "on_failure: fail (from the session's policy)");
}
