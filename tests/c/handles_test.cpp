// Handles, versions and wrong arguments: an error each, and no crash.
#include <array>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <muster/c/handles.hpp>

#include "api.hpp"

namespace muster::test {
namespace {

TEST_CASE("A version that there is gives its table, and another one a status with what is offered") {
    const muster_api* table = nullptr;
    auto offered = sized<muster_versions>();
    CHECK(muster_get_api(1, &table, &offered) == MUSTER_OK);
    REQUIRE(table != nullptr);
    CHECK(table->struct_size >= sizeof(muster_api));
    CHECK(table->version == 2);  // has all of version 1
    for (const std::uint32_t version : {0u, 3u, UINT32_MAX}) {
        CHECK(muster_get_api(version, &table, &offered) == MUSTER_ERROR_VERSION);
        CHECK(table == nullptr);
        CHECK(offered.oldest == 1);
        CHECK(offered.newest == 2);
        CHECK(text_of(offered.library) == "0.1.0");
    }
    CHECK(muster_get_api(1, nullptr, nullptr) == MUSTER_ERROR_INVALID_ARGUMENT);
    offered.struct_size = 3;
    CHECK(muster_get_api(1, &table, &offered) == MUSTER_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("Every slot of the table has a function") {
    const auto* const slots = reinterpret_cast<void* const*>(reinterpret_cast<const char*>(&api()) + 8);
    for (std::size_t i = 0; i < (sizeof(muster_api) - 8) / sizeof(void*); ++i) CHECK(slots[i] != nullptr);
}

TEST_CASE("Handles of another kind, released ones and those that never were are errors") {
    const World world;
    const muster_buffer buffer = world.buffer(16);
    CHECK(api().session_close({buffer.id}) == MUSTER_ERROR_INVALID_HANDLE);
    CHECK(last_error() ==
          "A session is asked for, and the handle is of a buffer.\nFix: give a handle of a session");
    CHECK(api().session_close({0}) == MUSTER_ERROR_INVALID_HANDLE);
    CHECK(last_error().starts_with("A session is asked for, and the handle is 0."));
    MUSTER_REQUIRE_OK(api().release(buffer.id));
    CHECK(api().release(buffer.id) == MUSTER_ERROR_INVALID_HANDLE);
    CHECK(last_error().find("is of no living buffer") != std::string::npos);
    std::uint32_t word = 0;
    CHECK(api().buffer_read(buffer, 0, &word, 4, 0) == MUSTER_ERROR_INVALID_HANDLE);
    const std::uint64_t own = world.session.id, other_generation = own ^ (std::uint64_t{1} << 24);
    for (const std::uint64_t id :
         {std::uint64_t{2}, ~std::uint64_t{0}, own + 1, other_generation, own | 0xffffff})
        CHECK(api().session_close({id}) == MUSTER_ERROR_INVALID_HANDLE);
    CHECK(api().release(0) == MUSTER_OK);
    CHECK(api().release(MUSTER_PROCESS) == MUSTER_OK);
}

TEST_CASE("A copy of a handle lives on when the first is released") {
    const World world;
    muster_buffer first = world.buffer(16), second{};
    MUSTER_REQUIRE_OK(api().duplicate(first.id, &second.id));
    CHECK(second.id != first.id);
    MUSTER_REQUIRE_OK(api().release(first.id));
    world.run(second, 4);
    CHECK(world.word(second, 3) == 1);
    MUSTER_REQUIRE_OK(api().release(second.id));
}

TEST_CASE("Nothing is left of what is released") {
    const std::uint64_t before = number_of(MUSTER_PROCESS, MUSTER_LIVE_OBJECTS);
    {
        const World world;
        const muster_buffer buffer = world.buffer(16);
        CHECK(number_of(MUSTER_PROCESS, MUSTER_LIVE_OBJECTS) == before + 4);
        api().release(buffer.id);
    }
    CHECK(number_of(MUSTER_PROCESS, MUSTER_LIVE_OBJECTS) == before);
}

TEST_CASE("A handle whose generations are used up isn't given again") {
    c::HandleTable<int> table(MUSTER_KIND_BLOB);
    const std::uint64_t first = *table.add(1);
    REQUIRE(table.remove(first));
    std::uint64_t last = 0;
    for (std::uint32_t i = 2; i < (1u << 24); ++i) {
        last = *table.add(0);
        if (!table.remove(last)) FAIL("a handle can't be taken back");
    }
    CHECK(c::HandleParts::of(last).generation == (1u << 24) - 1);
    CHECK(c::HandleParts::of(last).index == c::HandleParts::of(first).index);
    CHECK(c::HandleParts::of(*table.add(0)).index != c::HandleParts::of(first).index);
    CHECK(!table.get(last));
}

TEST_CASE("Threads make, use and release handles at the same time") {
    const World world;
    std::vector<std::thread> threads;
    const muster_buffer shared = world.buffer(64);
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 300; ++i) {
                muster_buffer mine{};
                if (api().duplicate(shared.id, &mine.id) != MUSTER_OK) std::abort();
                std::uint32_t word = 0;
                if (api().buffer_read(mine, 0, &word, 4, MUSTER_FOREVER) != MUSTER_OK) std::abort();
                if (api().release(mine.id) != MUSTER_OK) std::abort();
                if (api().release(mine.id) != MUSTER_ERROR_INVALID_HANDLE) std::abort();
            }
        });
    for (std::thread& thread : threads) thread.join();
    MUSTER_REQUIRE_OK(api().release(shared.id));
}

TEST_CASE("In a child of fork() the parent's handles say so, and new ones work") {
    const World world;
    const pid_t child = fork();
    if (child == 0) {
        muster_buffer buffer{};
        auto options = sized<muster_buffer_options>();
        options.bytes = 16;
        const bool is_refused =
            api().buffer_create(world.session, &options, &buffer) == MUSTER_ERROR_INVALID_HANDLE &&
            last_error().find("is of the process that this one was forked from") != std::string::npos;
        muster_session own{};
        const bool works =
            api().session_open(nullptr, &own) == MUSTER_OK && api().release(own.id) == MUSTER_OK;
        _exit(is_refused && works ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

TEST_CASE("Wrong sizes of structures, null pointers and lengths are errors") {
    const World world;
    muster_buffer buffer{};
    muster_program program{};
    struct Larger {
        muster_buffer_options options;
        std::array<std::uint64_t, 4> behind;
    } larger{};
    larger.options.bytes = 16;
    for (const std::uint32_t size :
         {0u, 1u, 8u, std::uint32_t{sizeof(muster_buffer_options)} - 1, UINT32_MAX}) {
        larger.options.struct_size = size;
        CHECK(api().buffer_create(world.session, &larger.options, &buffer) == MUSTER_ERROR_INVALID_ARGUMENT);
    }
    larger.options.struct_size = sizeof(larger);
    larger.behind[3] = 1;
    CHECK(api().buffer_create(world.session, &larger.options, &buffer) == MUSTER_ERROR_INVALID_ARGUMENT);
    CHECK(last_error().find("members behind that are set") != std::string::npos);
    larger.behind[3] = 0;
    MUSTER_REQUIRE_OK(api().buffer_create(world.session, &larger.options, &buffer));
    CHECK(api().buffer_create(world.session, &larger.options, nullptr) == MUSTER_ERROR_INVALID_ARGUMENT);
    CHECK(api().buffer_create(world.session, nullptr, &buffer) == MUSTER_ERROR_INVALID_ARGUMENT);

    CHECK(api().buffer_read(buffer, 0, nullptr, 4, 0) == MUSTER_ERROR_INVALID_ARGUMENT);
    std::uint32_t word = 0;
    CHECK(api().buffer_read(buffer, 13, &word, 4, 0) == MUSTER_ERROR_INVALID_ARGUMENT);
    CHECK(api().buffer_read(buffer, ~std::uint64_t{0}, &word, 4, 0) == MUSTER_ERROR_INVALID_ARGUMENT);
    CHECK(api().buffer_read(buffer, 16, nullptr, 0, 0) == MUSTER_OK);

    auto wgsl = sized<muster_wgsl>();
    wgsl.text = {nullptr, 10};
    CHECK(api().program_from_wgsl(&wgsl, &program) == MUSTER_ERROR_INVALID_ARGUMENT);
    wgsl.text = muster_text("fn main( {");
    CHECK(api().program_from_wgsl(&wgsl, &program) == MUSTER_ERROR_INVALID_PROGRAM);
    CHECK(api().program_from_bytes("x", 1, &program) == MUSTER_ERROR_INVALID_ARGUMENT);
    CHECK(api().program_from_bytes(nullptr, 1, &program) == MUSTER_ERROR_INVALID_ARGUMENT);

    muster_argument argument = world.argument(buffer);
    muster_dispatch dispatch = World::over(argument, 4);
    dispatch.axes = 0;
    CHECK(api().dispatch(world.session, world.kernel, &dispatch, nullptr) == MUSTER_ERROR_INVALID_ARGUMENT);
    dispatch = World::over(argument, 4);
    dispatch.grid = 9;
    CHECK(api().dispatch(world.session, world.kernel, &dispatch, nullptr) == MUSTER_ERROR_INVALID_ARGUMENT);
    dispatch = World::over(argument, 4);
    dispatch.argument_count = SIZE_MAX;
    CHECK(api().dispatch(world.session, world.kernel, &dispatch, nullptr) == MUSTER_ERROR_INVALID_ARGUMENT);
    argument.offset = 1;
    dispatch = World::over(argument, 4);
    CHECK(api().dispatch(world.session, world.kernel, &dispatch, nullptr) == MUSTER_ERROR_INVALID_ARGUMENT);
    api().release(buffer.id);
}

TEST_CASE("An error has its message, its steps and its fix") {
    const World world;
    muster_argument argument = world.argument(world.buffer(16));
    argument.name = muster_text("w");
    const muster_dispatch dispatch = World::over(argument, 4);
    CHECK(api().dispatch(world.session, world.kernel, &dispatch, nullptr) == MUSTER_ERROR_INVALID_ARGUMENT);
    auto error = sized<muster_error>();
    MUSTER_REQUIRE_OK(api().last_error(&error));
    CHECK(error.status == MUSTER_ERROR_INVALID_ARGUMENT);
    CHECK(error.message.size > 0);
    CHECK(error.fix.size > 0);
    REQUIRE(error.step_count == 2);
    CHECK(text_of(error.steps[0]) == "binding arguments of main");
    CHECK(text_of(error.steps[1]) == "dispatching main on reference:0");
    CHECK(text_of(error.text).find("\n  while binding arguments of main\n") != std::string::npos);
    std::thread([] {
        auto other = sized<muster_error>();
        CHECK(api().last_error(&other) == MUSTER_NONE);
    }).join();
    CHECK(text_of(api().status_name(MUSTER_ERROR_DEVICE_LOST)) == "device_lost");
    CHECK(text_of(api().status_name(-1000)) == "unknown");
    api().release(argument.buffer.id);
}

}  // namespace
}  // namespace muster::test
