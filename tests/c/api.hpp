// api.hpp - what the tests of the interface in C share.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <muster/c/muster.h>

namespace muster::test {

inline const muster_api& api() {
    static const muster_api* const table = [] {
        const muster_api* found = nullptr;
        muster_get_api(MUSTER_API_VERSION, &found, nullptr);
        return found;
    }();
    return *table;
}

/// A structure of zeros with its size.
template <class T>
T sized() {
    T structure{};
    structure.struct_size = sizeof(T);
    return structure;
}

inline std::string text_of(muster_string text) { return {text.data, text.size}; }

/// The whole story of this thread's last error.
inline std::string last_error() {
    auto error = sized<muster_error>();
    return api().last_error(&error) == MUSTER_OK ? text_of(error.text) : std::string();
}

/// A property that is text; "none" if there is none.
inline std::string text_of(std::uint64_t object, std::int32_t property, std::size_t index = 0) {
    muster_string text{};
    const muster_status status = api().get_text(object, property, index, &text);
    if (status == MUSTER_NONE) return "none";
    REQUIRE_MESSAGE(status == MUSTER_OK, last_error());
    return text_of(text);
}
inline std::uint64_t number_of(std::uint64_t object, std::int32_t property, std::size_t index = 0) {
    std::uint64_t number = 0;
    REQUIRE_MESSAGE(api().get_number(object, property, index, &number) == MUSTER_OK, last_error());
    return number;
}

#define MUSTER_REQUIRE_OK(...) REQUIRE_MESSAGE((__VA_ARGS__) == MUSTER_OK, ::muster::test::last_error())

inline muster_program program_of(std::string_view text) {
    auto wgsl = sized<muster_wgsl>();
    wgsl.text = {text.data(), text.size()};
    muster_program program{};
    MUSTER_REQUIRE_OK(api().program_from_wgsl(&wgsl, &program));
    return program;
}

inline constexpr std::string_view add_one =
    "@group(0) @binding(0) var<storage, read_write> v: array<u32>;\n"
    "@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { v[id.x] += 1u; }\n";

/// A session on the reference backend, with a kernel that adds 1 to each word of "v"; releases what it has.
struct World {
    muster_session session{};
    muster_program program{};
    muster_kernel kernel{};
    World() {
        auto options = sized<muster_session_options>();
        const muster_option backend{muster_text("backend"), muster_text("reference")};
        options.options = &backend;
        options.option_count = 1;
        MUSTER_REQUIRE_OK(api().session_open(&options, &session));
        program = program_of(add_one);
        MUSTER_REQUIRE_OK(api().prepare(session, program, nullptr, nullptr, &kernel));
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() {
        for (const std::uint64_t id : {kernel.id, program.id, session.id}) api().release(id);
    }
    muster_buffer buffer(std::uint64_t bytes, std::uint32_t flags = 0) const {
        auto options = sized<muster_buffer_options>();
        options.bytes = bytes;
        options.flags = flags;
        muster_buffer made{};
        MUSTER_REQUIRE_OK(api().buffer_create(session, &options, &made));
        return made;
    }
    muster_argument argument(muster_buffer buffer) const {
        auto made = sized<muster_argument>();
        made.name = muster_text("v");
        made.buffer = buffer;
        return made;
    }
    static muster_dispatch over(const muster_argument& argument, std::uint64_t invocations) {
        auto dispatch = sized<muster_dispatch>();
        dispatch.arguments = &argument;
        dispatch.argument_count = 1;
        dispatch.grid = MUSTER_GRID_INVOCATIONS;
        dispatch.axes = 1;
        dispatch.size[0] = invocations;
        return dispatch;
    }
    void run(muster_buffer buffer, std::uint64_t invocations) const {
        const muster_argument argument = this->argument(buffer);
        const muster_dispatch dispatch = over(argument, invocations);
        MUSTER_REQUIRE_OK(api().run(session, kernel, &dispatch, MUSTER_FOREVER, nullptr));
    }
    std::uint32_t word(muster_buffer buffer, std::uint64_t index) const {
        std::uint32_t value = 0;
        MUSTER_REQUIRE_OK(api().buffer_read(buffer, 4 * index, &value, 4, MUSTER_FOREVER));
        return value;
    }
};

}  // namespace muster::test
