// Backends over a table in C: their records, what reaches their functions, and tables, descriptions and errors that are wrong.
#include <chrono>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/driver/c_table/backend.hpp>
#include <muster/driver/c_table/properties.hpp>
#include <muster/driver/c_table/table.hpp>
#include <muster/driver/registry/freeze.hpp>
#include <muster/driver/registry/record_file.hpp>

#include "c_table/double.h"
#include "support/parse.hpp"

using namespace muster;
using namespace std::chrono_literals;

namespace {

ValidProgram program(const std::string& text) { return *validate(muster::test::parse(text)); }
ValidProgram add_program() {
    return program(
        "@group(0) @binding(0) var<storage, read_write> words: array<u32>;\n"
        "@group(0) @binding(1) var<uniform> by: u32;\n"
        "@compute @workgroup_size(4) fn add(@builtin(global_invocation_id) id: vec3u) {\n"
        "  words[id.x] += by; }\n");
}

/// Runs add_program() on the double's device, with `by` as a value. Returns the four words, which were 1, 2, 3, 4.
Result<std::vector<std::uint32_t>> run(Device& device, std::uint32_t by) {
    const ValidProgram add = add_program();
    const auto artifact = device.compile(add, {.specs = {{"level", "9"}}});
    if (!artifact) return std::unexpected(artifact.error());
    const auto executable = device.load(*artifact);
    if (!executable) return std::unexpected(executable.error());
    const auto memory = device.allocate(16);
    if (!memory) return std::unexpected(memory.error());
    const std::vector<std::uint32_t> words{1, 2, 3, 4};
    if (const auto written = device.write(**memory, 0, std::as_bytes(std::span(words))); !written)
        return std::unexpected(written.error());
    const std::array bound{BoundMemory{memory->get(), 0, 16, nullptr},
                           BoundMemory{nullptr, 0, 4, reinterpret_cast<const std::byte*>(&by)}};
    auto submitted = device.submit({executable->get(), bound, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}});
    if (!submitted) return std::unexpected(submitted.error());
    if (auto* const work = std::get_if<std::shared_ptr<Submission>>(&*submitted))
        if (const auto waited = (*work)->wait(10s); !waited) return std::unexpected(waited.error());
    std::vector<std::uint32_t> back(4);
    if (const auto read = device.read(**memory, 0, std::as_writable_bytes(std::span(back))); !read)
        return std::unexpected(read.error());
    return back;
}

/// What a changed table is refused with; "" if it isn't.
std::string refusal(const std::function<void(muster_backend_table&)>& change) {
    muster_backend_table table = double_table;
    change(table);
    const auto made = make_table_backend(&table, "double");
    return made ? std::string() : made.error().to_string();
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// The error of probing a table whose device is described so.
std::string description(muster_backend_status (*describe)(uint32_t, muster_backend_device*,
                                                          muster_backend_error*)) {
    muster_backend_table table = double_table;
    table.describe_device = describe;
    const auto made = make_table_backend(&table, "double");
    REQUIRE(made);
    const auto devices = (*made)->probe();
    return devices ? std::string() : devices.error().to_string();
}

}  // namespace

TEST_CASE("a library's records in C enter the registry") {
    const RegisteredBackend* const found = find_backend("double");
    REQUIRE(found != nullptr);
    CHECK(found->rank == 400);
    CHECK(found->dispatches);
    CHECK(found->tags == "debug experimental");
    CHECK(found->origin == "double.c");
    CHECK(found->supported_ops().contains(Op::fma));
    CHECK(registry().faults().empty());
    const auto records =
        read_record_file(registry().modules()[0] == "" ? "" : std::string(registry().modules()[0]));
    REQUIRE(records);
    CHECK(std::ranges::count_if(*records, [](const FileRecord& one) {
              return one.abi == "muster-c/1" && one.usable_here();
          }) == 3);
}

TEST_CASE("a program runs through the table") {
    const auto backend = registry().acquire("double");
    REQUIRE(backend);
    const auto devices = (*backend)->probe();
    REQUIRE(devices);
    REQUIRE(devices->size() == 1);
    const DeviceInfo& info = devices->front();
    CHECK(info.name == "a double");
    CHECK(info.arch == "gnu99");
    CHECK(info.kind == DeviceKind::cpu);
    CHECK_FALSE(info.ops.contains(Op::fma));
    CHECK_FALSE(info.ops.contains(Op::atomic_add));
    CHECK(info.exactness.exact());
    {
        const auto device = (*backend)->open(0);
        REQUIRE(device);
        const auto words = run(**device, 5);
        REQUIRE_MESSAGE(words, (words ? "" : words.error().to_string()));
        CHECK(*words == std::vector<std::uint32_t>{2, 3, 4, 5});
        CHECK(double_has_seen.form == MUSTER_BACKEND_GNU99);
        CHECK(double_has_seen.flags == 0);
        CHECK(double_has_seen.stride == 4);
        CHECK(double_has_seen.length == 4);
        CHECK(double_has_seen.extent == 1);
        CHECK(double_has_seen.value == 5);
        CHECK(double_has_seen.value_is_aligned);
        CHECK_FALSE(double_has_seen.has_address);
        CHECK(double_has_seen.option_count == 1);
        CHECK(double_has_seen.text_ends);
        CHECK(std::string(double_has_seen.entry) == "add");

        const auto lost = run(**device, 666);
        REQUIRE_FALSE(lost);
        CHECK(lost.error().code == ErrorCode::device_lost);
        CHECK(lost.error().message == "It burns.\\n");
        CHECK(lost.error().fix == "put it out");
    }
    CHECK(double_has_seen.open_devices == 0);
    CHECK(double_has_seen.executables == 0);
    CHECK(double_has_seen.memories == 0);
    CHECK((*backend)->open(1).error().code == ErrorCode::not_found);
}

TEST_CASE("transfers copy and fill in order with launches") {
    const auto backend = make_table_backend(&double_table, "double");
    REQUIRE(backend);
    const auto device = (*backend)->open(0);
    REQUIRE(device);
    REQUIRE((*device)->has_transfers());
    const auto from = (*device)->allocate(16), to = (*device)->allocate(16);
    const auto done = [&](const MemoryTransfer& transfer) {
        const auto submitted = (*device)->transfer(transfer);
        REQUIRE(submitted);
        REQUIRE(std::get<std::shared_ptr<Submission>>(*submitted)->wait(10s));
    };
    done({nullptr, 0, from->get(), 4, 8, 7});
    done({from->get(), 4, to->get(), 0, 8, 0});
    std::vector<std::uint32_t> words(4);
    REQUIRE((*device)->read(**to, 0, std::as_writable_bytes(std::span(words))));
    CHECK(words == std::vector<std::uint32_t>{7, 7, 0, 0});
}

TEST_CASE("a table without memory, devices and thread gets the defaults") {
    muster_backend_table table{};
    table.struct_size = sizeof table;
    table.version = MUSTER_BACKEND_VERSION;
    table.forms = MUSTER_BACKEND_CXX;
    table.build = [](void*, const muster_backend_code* code, void** executable, muster_backend_error*) {
        static int any;
        *executable = &any;
        return muster_backend_status{
            code->form == MUSTER_BACKEND_CXX && strstr(code->text.data, "extern \"C\" void add(") ? 0 : -1};
    };
    table.launch = [](void* device, const muster_backend_launch* what, void** submission,
                      muster_backend_error*) {
        auto* const words = static_cast<std::uint32_t*>(what->addresses[0]);
        for (std::uint32_t i = 0; i < what->lengths[0]; ++i)
            words[i] += *static_cast<const std::uint32_t*>(what->addresses[1]);
        *submission = words;
        return muster_backend_status{device == nullptr ? 0 : -1};
    };
    const auto sum = [&] {
        const auto made = make_table_backend(&table, "small");
        REQUIRE(made);
        CHECK((*made)->default_arch() == "cxx");
        const auto devices = (*made)->probe();
        REQUIRE(devices);
        CHECK(devices->at(0).name == "small");
        const auto device = (*made)->open(0);
        REQUIRE(device);
        return run(**device, 5);
    };
    const auto words = sum();
    REQUIRE(words);
    CHECK(*words == std::vector<std::uint32_t>{6, 7, 8, 9});
    // With wait(), launch() only submits.
    static int asked = 0;
    table.wait = [](void*, void* submission, std::uint64_t, std::uint64_t* ns, muster_backend_error* error) {
        if (submission == nullptr)
            return muster_backend_fail(error, MUSTER_BACKEND_INTERNAL, "It has no submission.", "");
        *ns = 42;
        return muster_backend_status{++asked % 3 == 0 ? MUSTER_BACKEND_OK : MUSTER_BACKEND_NONE};
    };
    const auto later = sum();
    REQUIRE(later);
    CHECK(*later == std::vector<std::uint32_t>{6, 7, 8, 9});
    CHECK(asked == 3);
}

TEST_CASE("wrong tables are refused with a fix") {
    using Table = muster_backend_table;
    CHECK(refusal([](Table&) {}) == "");
    CHECK(has(make_table_backend(nullptr, "double").error().message, "isn't there"));
    const auto refused = [](const std::function<void(Table&)>& change, std::string_view part) {
        const std::string text = refusal(change);
        CHECK_MESSAGE(has(text, part), text);
        CHECK_MESSAGE(has(text, "\nFix: "), text);
    };
    refused([](Table& t) { t.struct_size = 3; }, "states a size of 3 bytes");
    refused([](Table& t) { t.struct_size -= 8; }, "states a size of ");
    refused([](Table& t) { t.struct_size = 1 << 20; }, "states a size of 1048576 bytes");
    refused([](Table& t) { t.version = 2; }, "is of version 2; this driver takes tables up to version 1");
    refused([](Table& t) { t.version = 0; }, "is of version 0");
    refused([](Table& t) { t.forms = 0; }, "takes no form of code");
    refused([](Table& t) { t.forms = 1u << 30; }, "takes no form of code");
    refused([](Table& t) { t.launch = nullptr; }, "has build() and no launch()");
    refused([](Table& t) { t.build = nullptr; }, "has launch() and no build()");
    refused([](Table& t) { t.build = nullptr, t.launch = nullptr; }, "has devices and no build()");
    refused([](Table& t) { t.read = nullptr; }, "has 3 of the functions allocate()");
    refused([](Table& t) { t.allocate = nullptr, t.free = nullptr, t.read = nullptr, t.write = nullptr; },
            "has copy() and no allocate()");
    refused([](Table& t) { t.open = nullptr; }, "has close() and no open()");
    refused([](Table& t) { t.specs = nullptr; }, "has 1 specs at a null pointer");
    refused([](Table& t) { t.spec_count = 1u << 20; }, "has 1048576 specs");
    CHECK(table_operations(nullptr) == OpSet{});
    // A later version that works with this one has more members and the same version.
    struct {
        muster_backend_table table;
        void* more[4];
    } larger{double_table, {}};
    larger.table.struct_size = sizeof larger;
    CHECK(make_table_backend(&larger.table, "double"));
}

TEST_CASE("wrong descriptions are errors") {
    CHECK(description([](uint32_t, muster_backend_device*, muster_backend_error*) {
              return muster_backend_status{0};
          }) == "");
    CHECK(has(description([](uint32_t, muster_backend_device* to, muster_backend_error*) {
                  std::memset(to->arch, 'x', sizeof to->arch);  // without a zero
                  std::memset(to->name, '\n', sizeof to->name);
                  return muster_backend_status{0};
              }),
              ""));
    const auto wrong = [](auto describe, std::string_view part) {
        const std::string text = description(describe);
        CHECK_MESSAGE(has(text, part), text);
    };
    wrong(
        [](uint32_t, muster_backend_device* to, muster_backend_error*) {
            to->arch[0] = ':';
            return muster_backend_status{0};
        },
        "which isn't letters");
    wrong(
        [](uint32_t, muster_backend_device* to, muster_backend_error*) {
            to->name[0] = '\0';
            return muster_backend_status{0};
        },
        "without a name");
    wrong(
        [](uint32_t, muster_backend_device* to, muster_backend_error*) {
            to->form = MUSTER_BACKEND_CXX;
            return muster_backend_status{0};
        },
        "of the form 0x2");
    wrong(
        [](uint32_t, muster_backend_device* to, muster_backend_error*) {
            to->max_workgroups[1] = 0;
            return muster_backend_status{0};
        },
        "is 0 on axis 1");
    wrong(
        [](uint32_t, muster_backend_device* to, muster_backend_error*) {
            std::strcpy(to->lacks, "frobnicate");
            return muster_backend_status{0};
        },
        "lacks an operation \"frobnicate\"");
    // Statuses and texts.
    wrong(
        [](uint32_t, muster_backend_device*, muster_backend_error*) { return muster_backend_status{-4711}; },
        "describe_device() returns the status -4711 without a text");
    wrong([](uint32_t, muster_backend_device*, muster_backend_error*) { return muster_backend_status{17}; },
          "the status 17");
    const std::string filled = description([](uint32_t, muster_backend_device*, muster_backend_error* error) {
        std::memset(error->message, 'm', sizeof error->message);
        std::memset(error->fix, '\x1b', sizeof error->fix);
        return muster_backend_status{MUSTER_BACKEND_UNAVAILABLE};
    });
    CHECK(has(filled, std::string(2048, 'm')));
    CHECK_FALSE(has(filled, "\x1b"));
}

TEST_CASE("a damaged artifact is refused") {
    const auto backend = make_table_backend(&double_table, "double");
    const auto device = (*backend)->open(0);
    REQUIRE(device);
    const auto made = (*device)->compile(add_program(), {});
    REQUIRE(made);
    Artifact damaged = *made;
    damaged.load_data.pop_back();
    CHECK(has((*device)->load(damaged).error().message,
              "bytes of load data, which don't describe its 2 bindings"));
    damaged = *made;
    damaged.load_data[0] = std::byte{9};
    CHECK(has((*device)->load(damaged).error().message, "of schema 9"));
    damaged = *made;
    damaged.format = "spirv";
    CHECK(has((*device)->load(damaged).error().message, "loads gnu99"));
}

TEST_CASE("targets are emitted in their forms") {
    const auto backend = make_table_backend(&double_table, "double");
    REQUIRE(backend);
    const auto target = (*backend)->describe("wgsl");
    REQUIRE(target);
    const auto text = (*backend)->emit(add_program(), *target, {});
    REQUIRE(text);
    CHECK(text->format == "wgsl");
    CHECK(has(std::string(text->text()), "@compute"));
    CHECK_FALSE((*backend)->emit(add_program(), *target, {.format = "gnu99"}));
    CHECK((*backend)->describe("gnu99"));
    CHECK((*backend)->describe("sm_90").error().code == ErrorCode::not_found);
}
