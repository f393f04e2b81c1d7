// Conformance cases, forms of the language and random programs lowered to C, built by the system's compiler, and compared
// with the interpreter. Invocations run one after the other, or, if they share workgroup memory or meet, on threads.
#include <algorithm>
#include <array>
#include <barrier>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <thread>

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/routing/prepare.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/place.hpp>

#include "c_text/c_dialect.hpp"
#include "conformance/devices.hpp"
#include "conformance/forms.hpp"
#include "random/random_case.hpp"
#include "support/guarded_memory.hpp"

using namespace muster;
using namespace muster::conformance;
using muster::test::CDialect;
using muster::test::GuardedMemory;

namespace {

namespace files = std::filesystem;

// Behaviour that C leaves undefined ends the process.
constexpr const char* traps = "-fsanitize=undefined,float-cast-overflow -fsanitize-undefined-trap-on-error";

using Kernel = void (*)(void* const* memory, const std::uint32_t* lengths, const std::uint32_t (*ids)[3],
                        void (*meet)());

std::string contents(const files::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// Kernels that one run of the compiler builds.
class CKernels {
  public:
    ~CKernels() {
        if (library_ != nullptr) dlclose(library_);
        std::error_code ignored;
        files::remove_all(folder_, ignored);
    }
    CKernels() { files::create_directories(folder_); }

    /// Returns the kernel's name.
    std::string add(const ValidProgram& program, const CompileOptions& options) {
        OpSet ops = OpSet::all_exact();
        ops.insert(OpGroup::math);
        Exactness exactness = all_promised;
        exactness.mathematics = Promise::promised;
        const auto expanded = routing::expand_for(program, ops, exactness, options);
        REQUIRE(expanded);
        CDialect dialect;
        const std::string name = "kernel_" + std::to_string(count_++);
        const c_text::Text made = c_text::lower(
            *expanded, dialect, {.options = options, .debug = count_ % 2 == 0, .entry_name = name});
        std::ofstream(folder_ / (name + ".c")) << made.text;
        return made.entry;
    }
    void build() {
        const files::path library = folder_ / "kernels.so", log = folder_ / "log";
        const std::string command = fmt::format(
            "{} -x c -std=c99 -O1 -w -ffp-contract=off {} -fPIC -shared -o '{}' '{}'/kernel_*.c -lm >'{}' "
            "2>&1",
            MUSTER_C_COMPILER, traps, library.string(), folder_.string(), log.string());
        REQUIRE_MESSAGE(std::system(command.c_str()) == 0, contents(log));
        library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        REQUIRE_MESSAGE(library_ != nullptr, dlerror());
    }
    Kernel find(const std::string& name) const {
        return reinterpret_cast<Kernel>(dlsym(library_, name.c_str()));
    }

  private:
    const files::path folder_ = files::temp_directory_path() / fmt::format("muster_c_text_{}", getpid());
    int count_ = 0;
    void* library_ = nullptr;
};

ValidProgram valid(const Case& test) {
    CAPTURE(test.text);
    const auto program = test.program();
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    return *program;
}

/// Where the workgroup that runs meets.
std::optional<std::barrier<>> meeting_place;
void meet() { meeting_place->arrive_and_wait(); }

/// Calls `run` for each invocation of a workgroup: on threads of their own if they may meet.
void for_workgroup(std::uint64_t count, bool may_meet, const std::function<void(std::uint64_t)>& run) {
    if (!may_meet) {
        for (std::uint64_t local = 0; local < count; ++local) run(local);
        return;
    }
    meeting_place.emplace(static_cast<std::ptrdiff_t>(count));
    std::vector<std::jthread> threads;
    for (std::uint64_t local = 0; local < count; ++local) threads.emplace_back(run, local);
}

/// True if the program's invocations can run one after the other.
bool is_sequential(const ValidProgram& program) {
    for (std::uint32_t i = 0; i < program->node_count(); ++i)
        if (info(program->node({i}).op).group == OpGroup::sync) return false;
    return program->needs().workgroup_bytes == 0;
}

/// The bytes to guard for a binding, so that its memory is aligned to wrapped_alignment; of a type that is aligned to more, to
/// no more than that.
std::uint64_t least_aligned(std::uint64_t bytes, const Type& type) {
    const std::uint64_t rounded = round_up(bytes, wrapped_alignment);
    const bool has_more = rounded % (2 * wrapped_alignment) == 0 && type.align > wrapped_alignment;
    return has_more ? rounded + wrapped_alignment : rounded;
}

Result<Outputs> run(Kernel kernel, const Case& test, const ValidProgram& program) {
    Outputs values = TRY(inputs_of(test, *program));
    std::vector<std::unique_ptr<GuardedMemory>> guarded;
    std::vector<void*> memory;
    std::vector<std::uint32_t> lengths;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t bytes = values[i].words.size() * 4;
        const TypeId type = program->variable(program->bindings()[i]).type;
        const RuntimeArray array = runtime_array(program->types(), type);
        lengths.push_back(array.stride == 0 ? 0 : static_cast<std::uint32_t>(array.length(bytes)));
        guarded.push_back(std::make_unique<GuardedMemory>(least_aligned(bytes, program->types()[type])));
        memory.push_back(guarded.back()->data());
        std::ranges::copy(std::as_bytes(std::span(values[i].words)), guarded.back()->data());
    }
    const Extent3 grid = TRY(workgroups(test.grid, program->workgroup_size())),
                  size = program->workgroup_size();
    for (std::uint64_t group = 0; group < grid.count(); ++group)
        for_workgroup(size.count(), !is_sequential(program), [&](std::uint64_t local) {
            const auto at = [](std::uint64_t index, Extent3 in, std::uint32_t(&to)[3]) {
                to[0] = static_cast<std::uint32_t>(index % in.x);
                to[1] = static_cast<std::uint32_t>(index / in.x % in.y);
                to[2] = static_cast<std::uint32_t>(index / in.x / in.y);
            };
            std::uint32_t ids[3][3] = {{}, {}, {grid.x, grid.y, grid.z}};
            at(local, size, ids[0]);
            at(group, grid, ids[1]);
            kernel(memory.data(), lengths.data(), ids, meet);
        });
    for (std::size_t i = 0; i < values.size(); ++i) {
        CHECK(guarded[i]->is_intact());
        const std::span<std::byte> words = std::as_writable_bytes(std::span(values[i].words));
        std::copy_n(guarded[i]->data(), words.size(), words.begin());
    }
    return values;
}

void check_in_c(const std::vector<Case>& cases) {
    struct Built {
        const Case* test;
        ValidProgram program;
        std::string kernel;
    };
    CKernels kernels;
    std::vector<Built> all;
    for (const Case& test : cases) {
        const ValidProgram program = valid(test);
        all.push_back({&test, program, kernels.add(program, {})});
        // Fast mode has no bits to compare: its text has to compile.
        if (all.size() % 8 == 0) kernels.add(program, {.precision = Precision::fast, .unchecked = true});
    }
    CHECK(all.size() >= 10);
    CHECK(std::ranges::any_of(all, [](const Built& one) { return !is_sequential(one.program); }));
    kernels.build();
    for (const auto& [test, program, name] : all) {
        CAPTURE(test->name);
        CAPTURE(test->text);
        const auto expected = run_interpreted(*test, program, 1);
        REQUIRE(expected);
        const auto actual = run(kernels.find(name), *test, program);
        REQUIRE(actual);
        for (std::size_t i = 0; i < expected->size(); ++i)
            CHECK_MESSAGE(difference((*expected)[i], (*actual)[i], false) == "",
                          program->variable(program->bindings()[i]).name);
    }
}

}  // namespace

TEST_CASE("conformance cases give the interpreter's bits in C") {
    auto cases = load_core_cases();
    REQUIRE(cases);
    const std::array<std::string, 1> wide{"float64/*"};  // vectors whose alignment is 32
    const auto more = select_cases(wide);
    REQUIRE(more);
    cases->insert(cases->end(), more->begin(), more->end());
    check_in_c(*cases);
}

TEST_CASE("forms of the language give the interpreter's bits in C") {
    std::vector<Case> cases;
    const std::vector<Form> forms = chosen_forms(7, 1);
    for (const auto group : in_groups(forms, forms_together)) cases.push_back(case_of(group));
    check_in_c(cases);
}

TEST_CASE("random programs give the interpreter's bits in C") {
    std::vector<Case> cases;
    for (std::uint64_t seed = 1; seed <= 30; ++seed)
        cases.push_back(muster::testing::random_case(muster::testing::random_program(seed).text()));
    check_in_c(cases);
}
