// Policy::validate: what a session says of its dispatches, which of them it checks, and that it changes nothing else.
#include <cstdlib>
#include <future>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <support/interpreting_double.hpp>
#include <support/null_device.hpp>

#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/driver/validation/validator.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

/// The log's messages about validation, during its lifetime.
class Told {
  public:
    Told() {
        set_log_sink([this](LogLevel level, std::string_view text) {
            const std::lock_guard lock(mutex_);
            if (text.find("alidat") != text.npos)
                messages.push_back(fmt::format("{}: {}", name(level), text));
        });
    }
    ~Told() { set_log_sink({}); }
    bool has(const std::string& part) const {
        return std::ranges::any_of(messages, [&](const auto& each) { return each.find(part) != each.npos; });
    }
    std::vector<std::string> messages;

  private:
    std::mutex mutex_;
};

ValidProgram kernel_of(const std::string& text) {
    auto parsed = wgsl::parse(text, {.file = "planted.wgsl"});
    if (!parsed) FAIL(parsed.error().to_string());
    return *validate(*std::move(parsed));
}

/// data[index + id] = id, one u32 array and a value. `name`: each test has a kernel of its own, because the log tells a finding
/// once in a process.
ValidProgram store_at(const std::string& name) {
    return kernel_of(
        fmt::format("@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
                    "@group(0) @binding(1) var<uniform> index: u32;\n"
                    "@compute @workgroup_size(4) fn {}(@builtin(global_invocation_id) id: vec3u) {{\n"
                    "  data[index + id.x] = id.x;\n"
                    "}}\n",
                    name));
}

template <class Double>
Session validating(const std::shared_ptr<Double>& device, Validation validate) {
    return *Session::open({.policy = {.validate = validate},
                           .fleet = std::make_shared<Fleet>(std::vector{entry(device)}, 1min),
                           .use_environment = false});
}

struct ValidationFixture {
    DeviceScriptPointer device = std::make_shared<DeviceScript>();
    Session warns = validating(device, Validation::warn);
    Told told;

    static Buffer zeros(Session& session, std::uint64_t count = 8) {
        return *session.zeros<std::uint32_t>(count);
    }
    /// Dispatches one workgroup of store_at().
    static Result<Ticket> store(Session& session, const Kernel& kernel, const Buffer& data,
                                std::uint32_t index) {
        return session.dispatch(kernel, {{"data", data}, {"index", index}}, Workgroups{1});
    }
};

}  // namespace

TEST_CASE_FIXTURE(ValidationFixture, "a finding is told once, with its line, and the kernel runs as it did") {
    const Kernel kernel = *warns.prepare(store_at("told_once"));
    const Buffer data = zeros(warns);
    for (int i = 0; i < 4; ++i) REQUIRE(store(warns, kernel, data, 6)->wait());
    REQUIRE(told.messages.size() == 1);
    CHECK(
        told.messages[0] ==
        "warning: Validation of told_once on parts:0 finds, in its one workgroup:\n"
        "planted.wgsl:4:3: out_of_bounds: Invocation (2, 0, 0) of workgroup (0, 0, 0) writes \"data[8]\", "
        "and "
        "\"data\" has 8 elements.\n"
        "  data[index + id.x] = id.x;\n"
        "  ^\n"
        "Seen 2 times, with seed 0.\n"
        "Fix: compare the index with the length first; here such a load gives zero and a store does nothing, "
        "on every backend, but other implementations of WGSL may access another element");
    CHECK(device->submits == 4);
    CHECK(*data.read_all<std::uint32_t>() == std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 0, 1});
}

TEST_CASE_FIXTURE(ValidationFixture,
                  "races and early reads of workgroup memory are told, each with its lines") {
    const auto run = [&](const std::string& text) {
        const Kernel kernel = *warns.prepare(kernel_of(text));
        REQUIRE(warns.dispatch(kernel, {{"out", zeros(warns, 64)}}, Workgroups{1})->wait());
    };
    const std::string tile =
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
        "var<workgroup> tile: array<u32, 66>;\n"
        "@compute @workgroup_size(64) fn ";
    run(tile + "races(@builtin(local_invocation_index) i: u32) { tile[i] = i;\n  out[i] = tile[i ^ 1]; }");
    REQUIRE(told.messages.size() == 1);
    CHECK(told.has("planted.wgsl:4:16: data_race: Invocation ("));
    CHECK(told.has("\nplanted.wgsl:3:82: the earlier write:\n"));
    run(tile + "early(@builtin(local_invocation_index) i: u32) {\n  out[i] = tile[i + 2]; }");
    REQUIRE(told.messages.size() == 2);
    CHECK(told.has("planted.wgsl:4:16: read_before_write: Invocation ("));
    run(tile +
        "right(@builtin(local_invocation_index) i: u32) { tile[i] = i; workgroupBarrier();\n"
        "  out[i] = tile[i ^ 1]; }");
    CHECK(told.messages.size() == 2);
}

TEST_CASE_FIXTURE(ValidationFixture, "Validation::error refuses each dispatch with a fault, before it runs") {
    Session strict = validating(device, Validation::error);
    const Kernel kernel = *strict.prepare(store_at("refused"));
    const Buffer data = zeros(strict);
    for (int i = 0; i < 5; ++i) {
        const auto refused = store(strict, kernel, data, 6);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::invalid_program);
        const std::string text = refused.error().to_string();
        CHECK_MESSAGE(text.starts_with("Validation of refused on parts:0 finds, in its one workgroup:\n"
                                       "planted.wgsl:4:3: out_of_bounds: "),
                      text);
        CHECK(text.ends_with(
            "\n  while validating a dispatch of refused\n"
            "  while dispatching refused on parts:0\n"
            "Fix: mend the kernel; with MUSTER_VALIDATE=1, or Validation::warn, it runs with a warning"));
    }
    CHECK(device->submits == 0);
    CHECK(*data.read_all<std::uint32_t>() == std::vector<std::uint32_t>(8));
    REQUIRE(store(strict, kernel, data, 4)->wait());
    CHECK(device->submits == 1);
    CHECK(told.messages.empty());
}

TEST_CASE_FIXTURE(ValidationFixture, "what a session always refuses is refused before validation") {
    Session other = validating(device, Validation::warn);
    const Kernel kernel = *other.prepare(store_at("of_another_session"));
    const auto foreign = store(warns, kernel, zeros(warns), 6);
    REQUIRE_FALSE(foreign);
    CHECK(foreign.error().message == "The kernel of_another_session was prepared by another session.");
    const Kernel twice =
        *warns.prepare(kernel_of("@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
                                 "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
                                 "@compute @workgroup_size(1) fn overlaps() { a[9] = b[9]; }"));
    const Buffer data = zeros(warns);
    const auto overlap = warns.dispatch(twice, {{"a", data}, {"b", data}}, Workgroups{1});
    REQUIRE_FALSE(overlap);
    CHECK(overlap.error().code == ErrorCode::conflict);
    CHECK(overlap.error().context.at(0) == "binding \"a\", declared at planted.wgsl:1:48");
    CHECK(told.messages.empty());
    CHECK(device->reads == 0);
}

TEST_CASE_FIXTURE(ValidationFixture, "dispatches 1, 2, 4, 8, ... of a kernel, grid and sizes are checked") {
    const Kernel kernel = *warns.prepare(store_at("counted"));
    const auto checks = [&](const Buffer& data, std::uint32_t groups, int times) {
        const int before = device->reads;
        for (int i = 0; i < times; ++i)
            REQUIRE(warns.dispatch(kernel, {{"data", data}, {"index", 0u}}, Workgroups{groups})->wait());
        return device->reads - before;  // one for each check, since the kernel has one buffer
    };
    const Buffer data = zeros(warns, 64);
    CHECK(checks(data, 1, 1) == 1);
    CHECK(checks(data, 1, 1) == 1);
    CHECK(checks(data, 1, 1) == 0);
    CHECK(checks(data, 1, 97) == 5);  // 4, 8, 16, 32, 64
    CHECK(checks(data, 2, 3) == 2);
    CHECK(checks(zeros(warns, 32), 1, 3) == 2);
    const Kernel same = *warns.prepare(store_at("counted"));
    CHECK(warns.dispatch(same, {{"data", data}, {"index", 0u}}, Workgroups{1}));  // the 101st
    Session off = validating(device, Validation::off);
    const Kernel unchecked = *off.prepare(store_at("counted"));
    const int before = device->reads;
    REQUIRE(store(off, unchecked, zeros(off), 6)->wait());
    CHECK(device->reads == before);
    CHECK(told.messages.empty());
}

TEST_CASE_FIXTURE(ValidationFixture, "each check has a seed of its own, and the data of its dispatch") {
    const Kernel kernel = *warns.prepare(store_at("seeds"));
    const Buffer data = zeros(warns);
    for (int i = 0; i < 7; ++i) REQUIRE(store(warns, kernel, data, 0)->wait());
    CHECK(told.messages.empty());
    REQUIRE(store(warns, kernel, data, 5)->wait());
    REQUIRE(told.messages.size() == 1);
    CHECK(told.has("Seen once, with seed 3."));
}

TEST_CASE_FIXTURE(ValidationFixture, "a step of a sequence is checked with what the steps before it wrote") {
    const Kernel kernel =
        *warns.prepare(kernel_of("@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
                                 "@group(0) @binding(1) var<storage, read> index: array<u32>;\n"
                                 "@compute @workgroup_size(1) fn in_sequence() { data[index[0]] = 1; }"));
    const Buffer data = zeros(warns), index = zeros(warns, 1), copy = zeros(warns, 1);
    Sequence pass = warns.sequence();
    REQUIRE(pass.fill({index}, 7));
    REQUIRE(pass.dispatch(kernel, {{"data", data}, {"index", index}}, Workgroups{1}));
    REQUIRE(pass.submit()->wait());
    CHECK(told.messages.empty());
    CHECK(data.read_all<std::uint32_t>()->at(7) == 1);
    Sequence wrong = warns.sequence();
    REQUIRE(wrong.fill({index}, 8));
    REQUIRE(wrong.copy({index}, {copy}));
    REQUIRE(wrong.dispatch(kernel, {{"data", data}, {"index", copy}}, Workgroups{1}));
    REQUIRE(wrong.submit()->wait());
    CHECK(told.messages.size() == 1);
    CHECK(told.has("writes \"data[8]\""));

    Session strict = validating(device, Validation::error);
    const Kernel refused = *strict.prepare(kernel.program());
    Sequence stops = strict.sequence();
    REQUIRE(stops.fill({index}, 9));
    REQUIRE(stops.dispatch(refused, {{"data", data}, {"index", index}}, Workgroups{1}));
    const auto stopped = stops.submit();
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().to_string().find("\n  while submitting step 1\n") != std::string::npos);
    CHECK(*index.read_all<std::uint32_t>() == std::vector<std::uint32_t>{9});
}

TEST_CASE_FIXTURE(ValidationFixture, "a check waits for the dispatch that writes its buffer") {
    device->hangs_at = 1;
    const Kernel kernel = *warns.prepare(store_at("waits"));
    const Buffer data = zeros(warns);
    const auto first = store(warns, kernel, data, 0);
    REQUIRE(first);
    const int before = device->reads;
    auto second = std::async(std::launch::async, [&] { return store(warns, kernel, data, 0); });
    CHECK(device->gate.is_waited_at());
    CHECK(device->reads == before);
    device->gate.open();
    REQUIRE(second.get()->wait());
    CHECK(device->reads == before + 1);
}

TEST_CASE_FIXTURE(ValidationFixture, "a check waits for the steps of its sequence that come before") {
    device->hangs_at = 1;
    const Kernel kernel = *warns.prepare(store_at("waits_for_steps"));
    const Buffer data = zeros(warns);
    Sequence pass = warns.sequence();
    REQUIRE(pass.fill({data}, 1));
    REQUIRE(pass.dispatch(kernel, {{"data", data}, {"index", 0u}}, Workgroups{1}));
    auto submitted = std::async(std::launch::async, [&] { return pass.submit(); });
    CHECK(device->gate.is_waited_at());
    CHECK(device->reads == 0);
    device->gate.open();
    REQUIRE(submitted.get()->wait());
    CHECK(device->reads == 1);
}

TEST_CASE_FIXTURE(ValidationFixture, "dispatches from four threads are checked, told once, and right") {
    const Kernel kernel = *warns.prepare(store_at("threads"));
    std::vector<std::future<std::vector<std::uint32_t>>> threads;
    for (std::uint32_t thread = 0; thread < 4; ++thread)
        threads.push_back(std::async(std::launch::async, [&, thread] {
            const Buffer own = zeros(warns, 8 + thread / 2);  // two threads share each count
            for (int i = 0; i < 50; ++i) (void)*store(warns, kernel, own, 5)->wait();
            return *own.read_all<std::uint32_t>();
        }));
    for (std::uint32_t thread = 0; thread < 4; ++thread) {
        std::vector<std::uint32_t> expected(8 + thread / 2);
        std::iota(expected.begin() + 5, expected.end(), 0u);
        CHECK(threads[thread].get() == expected);
    }
    CHECK(told.messages.size() == 1);
    CHECK(device->submits == 200);
}

TEST_CASE_FIXTURE(ValidationFixture, "a program with grid barriers is checked as a whole, not in its parts") {
    const auto neighbours = [&](const char* name, const char* barrier) {
        const Kernel kernel = *warns.prepare(kernel_of(
            fmt::format("enable muster_grid_barrier;\n"
                        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
                        "@compute @workgroup_size(4) fn {}(@builtin(global_invocation_id) id: vec3u) {{\n"
                        "  data[id.x] = id.x;\n  {}\n  let next = data[(id.x + 4) % 16];\n"
                        "  gridBarrier();\n  data[id.x] = next;\n}}\n",
                        name, barrier)));
        REQUIRE(warns.dispatch(kernel, {{"data", zeros(warns, 16)}}, Workgroups{4})->wait());
    };
    neighbours("with_both", "gridBarrier();");
    CHECK(told.messages.empty());
    neighbours("with_one", "");
    CHECK(told.messages.size() == 1);
    CHECK(told.has("planted.wgsl:6:18: data_race: "));
}

TEST_CASE_FIXTURE(ValidationFixture, "a check has subgroups of the size that the kernel is compiled for") {
    device->info.ops.insert(OpGroup::subgroup);
    device->info.subgroup_size = 8;
    device->info.subgroup_sizes = {4, 16};
    Session session = validating(device, Validation::warn);
    const auto run = [&](const char* name, const char* barrier, std::uint32_t size) {
        const auto kernel = session.prepare(
            kernel_of(fmt::format("enable subgroups;\nenable muster_grid_barrier;\n"
                                  "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
                                  "@compute @workgroup_size(16) fn {}(@builtin(subgroup_size) size: u32) {{\n"
                                  "  {} out[size] = subgroupAdd(1u);\n}}\n",
                                  name, barrier)),
            {.subgroup_size = size});
        if (!kernel) FAIL(kernel.error().to_string());
        const Buffer out = zeros(session, size == 0 ? 8 : size);
        CHECK(session.dispatch(*kernel, {{"out", out}}, Workgroups{1}));
    };
    run("of_the_device", "", 0);
    CHECK(told.has("writes \"out[8]\", and \"out\" has 8 elements."));
    run("asked_for", "", 4);
    CHECK(told.has("writes \"out[4]\", and \"out\" has 4 elements."));
    run("in_parts", "gridBarrier();", 0);
    CHECK(told.has("on parts:0 finds, in its one workgroup:\nplanted.wgsl:5:18: out_of_bounds: "));
}

TEST_CASE_FIXTURE(ValidationFixture, "the program of an artifact file is checked, with its lines") {
    const auto file = read_artifact_file(artifact_file_bytes({store_at("from_a_file"), {}}));
    REQUIRE(file);
    const Kernel kernel = *warns.prepare(*file);
    REQUIRE(store(warns, kernel, zeros(warns), 6)->wait());
    CHECK(told.has("planted.wgsl:4:3: out_of_bounds: "));
    CHECK(told.has("\n  data[index + id.x] = id.x;\n"));
}

TEST_CASE("a check of an endless loop ends, and that isn't called a fault") {
    const Told told;
    Session session = null_session(nullptr, {.validate = Validation::error});
    const Kernel kernel = *session.prepare(
        kernel_of("@group(0) @binding(0) var<storage, read_write> go: atomic<u32>;\n"
                  "@compute @workgroup_size(1) fn endless() {\n  while atomicLoad(&go) == 0 { }\n}"));
    const Buffer go = *session.zeros<std::uint32_t>(1);
    for (int i = 0; i < 2; ++i) CHECK(session.dispatch(kernel, {{"go", go}}, Workgroups{1}));
    REQUIRE(told.messages.size() == 1);
    CHECK(told.messages[0] ==
          "warning: Validation of endless on null:0 ends early: planted.wgsl:3:3: Invocation (0, 0, 0) of "
          "workgroup (0, 0, 0) is still in this loop after 67108864 steps. What comes later isn't checked. "
          "Fix: if "
          "no loop is endless, run muster sanitize, which can take more steps");
}

TEST_CASE("what the interpreter can't run is told once, and is no error") {
    const Told told;
    const auto validator = make_validator(Validation::error, "parts:0");
    const ValidProgram program = store_at("without_memory");
    const DispatchShape shape{.program = program->fingerprint(), .grid = {1, 1, 1}};
    for (int i = 0; i < 2; ++i) CHECK(validator->check(program, shape, 0, {}));
    REQUIRE(told.messages.size() == 1);
    CHECK_MESSAGE(told.messages[0].starts_with("warning: without_memory on parts:0 can't be validated. "),
                  told.messages[0]);
    CHECK(make_validator(Validation::off, "parts:0") == nullptr);
}

TEST_CASE_FIXTURE(ValidationFixture, "of a part of a grid, the workgroups that run are validated") {
    const Kernel kernel = *warns.prepare(store_at("in_part"));
    const Buffer data = zeros(warns);  // workgroup 2 would store beyond its end
    const auto run = [&](GridPart part) {
        return warns.dispatch(kernel, {{"data", data}, {"index", 0u}}, PartOfGrid{part, {3}});
    };
    REQUIRE(run({{0, 0, 0}, {2, 1, 1}}));
    CHECK(told.messages.empty());
    REQUIRE(run({{1, 0, 0}, {2, 1, 1}}));
    CHECK(told.has("in_part on parts:0 finds, in all 2 workgroups"));
}

namespace {

/// Allows the first words of each binding alone.
struct FirstWords final : WordGuard {
    explicit FirstWords(std::uint64_t count) : words(count) {}
    bool allows(std::uint32_t, std::uint64_t word, AccessKind) override {
        ++asked;
        return word < words;
    }
    std::string owner() const override { return "part 1"; }
    std::uint64_t words, asked = 0;
};

}  // namespace

TEST_CASE_FIXTURE(ValidationFixture,
                  "a part's accesses are checked against the words that its guard allows") {
    const Kernel kernel = *warns.prepare(store_at("guarded_part"));
    const Buffer data = zeros(warns);
    FirstWords some(6), all(8);
    const GridPart part{{0, 0, 0}, {2, 1, 1}};
    const auto run = [&](Session& session, const Kernel& of, const Buffer& on, WordGuard& guard) {
        REQUIRE(session.dispatch(of, {{"data", on}, {"index", 0u}}, PartOfGrid{part, {3}, &guard}));
    };
    run(warns, kernel, data, all);
    CHECK(all.asked == 8 + 8);  // a word and a uniform for each invocation
    CHECK(told.messages.empty());
    run(warns, kernel, data, some);
    REQUIRE(told.messages.size() == 1);
    CHECK(told.has("planted.wgsl:4:3: foreign_word: Invocation ("));
    CHECK(told.has("which isn't for part 1 to change.\n"));
    CHECK(told.has("Seen 2 times"));

    Session silent = validating(device, Validation::off);
    FirstWords unused(0);
    run(silent, *silent.prepare(store_at("unguarded_part")), zeros(silent), unused);
    CHECK(unused.asked == 0);
}
