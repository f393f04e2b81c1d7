// Calls of the table in C in any order: right ones, and those just outside of what is allowed. Handles are those of the wanted kind, of another
// kind, released ones, none, and numbers that never were one; structures have wrong sizes, null pointers with lengths, offsets
// past the end. No call crashes, each gives a status that there is, a failed one tells its story, and nothing is left at the end.
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <muster/c/muster.h>

#include "script.hpp"
#include "target.hpp"

namespace muster::fuzz {
namespace {

constexpr std::size_t most_objects = 24;
constexpr int most_steps = 300;

constexpr std::array<const char*, 5> sources{
    "@group(0) @binding(0) var<storage, read_write> v: array<u32>;\n"
    "@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { v[id.x] = v[id.x] * 5u "
    "+ 1u; }",
    "@group(0) @binding(0) var<storage, read_write> v: array<u32>; @group(0) @binding(1) var<uniform> w: "
    "u32;\n"
    "@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { v[id.x] += w; }",
    "@compute @workgroup_size(1) fn main() {}",
    "@compute @workgroup_size(1) fn main() { x = 1; }",
    "",
};

const muster_api& api() {
    static const muster_api* const table = [] {
        const muster_api* found = nullptr;
        expect(muster_get_api(MUSTER_API_VERSION, &found, nullptr) == MUSTER_OK, "there is a table");
        return found;
    }();
    return *table;
}

std::uint64_t living() {
    std::uint64_t count = 0;
    expect(api().get_number(MUSTER_PROCESS, MUSTER_LIVE_OBJECTS, 0, &count) == MUSTER_OK,
           "living objects are counted");
    return count;
}

/// A structure with zeros behind it, for sizes that are too large.
template <class T>
struct Padded {
    T structure{};
    std::array<std::byte, 512> behind{};
};

class World {
  public:
    World() {
        muster_session_options options{};
        options.struct_size = sizeof(options);
        const muster_option backend{muster_text("backend"), muster_text("reference")};
        options.options = &backend;
        options.option_count = 1;
        muster_session session{};
        expect(api().session_open(&options, &session) == MUSTER_OK, "a session opens");
        add(session.id);
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() {
        for (const std::uint64_t id : held_)
            expect(api().release(id) == MUSTER_OK, "what is held is released");
    }

    struct Call {
        std::string_view name;
        void (World::*run)(Script&);
    };
    static std::span<const Call> calls();

  private:
    void add(std::uint64_t id) {
        held_.push_back(id);
        if (held_.size() > most_objects) release(1);  // not the first session
    }
    void release(std::size_t at) {
        const std::uint64_t id = held_[at];
        held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(at));
        expect(api().release(id) == MUSTER_OK, "what is held is released");
        expect(api().release(id) == MUSTER_ERROR_INVALID_HANDLE, "a second release is an error");
        released_ = id;
    }
    /// A handle for where one of `kind` is wanted: nearly always one of it.
    std::uint64_t pick(Script& script, std::int32_t kind) {
        const std::size_t how = script.below(16);
        if (how == 15) return 0;
        if (how == 14) return released_;
        if (how == 13) return script.number();
        if (how == 12) return held_[script.below(held_.size())];
        std::vector<std::uint64_t> fit;
        for (const std::uint64_t id : held_) {
            std::int32_t is = 0;
            if (api().kind_of(id, &is) == MUSTER_OK && is == kind) fit.push_back(id);
        }
        return fit.empty() ? 0 : fit[script.below(fit.size())];
    }
    /// A status is one that there is, and an error has its story.
    bool check(muster_status status) {
        expect(status <= MUSTER_NONE && status >= MUSTER_ERROR_VERSION, "a status is known",
               std::to_string(status));
        expect(status != MUSTER_ERROR_INTERNAL, "no call finds a defect");
        if (status >= 0) return status == MUSTER_OK;
        muster_error error{};
        error.struct_size = sizeof(error);
        expect(api().last_error(&error) == MUSTER_OK && error.status == status && error.message.size > 0 &&
                   error.text.size >= error.message.size,
               "an error has its story");
        return false;
    }
    template <class T>
    void sized(Script& script, Padded<T>& to) {
        constexpr std::array<std::uint32_t, 6> sizes{sizeof(T),     0,          sizeof(T) - 1,
                                                     sizeof(T) + 8, UINT32_MAX, 4};
        const std::size_t which = script.below(24);
        to.structure.struct_size = sizes[which < sizes.size() ? which : 0];
        if (script.below(24) == 23) to.behind[0] = std::byte(1);
    }
    std::uint64_t offset(Script& script) {
        const std::uint64_t number = script.number();
        return number < 1000 ? number * 4 : number;
    }

    void program(Script& script) {
        Padded<muster_wgsl> wgsl;
        sized(script, wgsl);
        wgsl.structure.text = muster_text(sources[script.below(sources.size())]);
        if (script.below(16) == 15) wgsl.structure.text = {nullptr, script.below(2)};
        muster_program made{};
        if (check(api().program_from_wgsl(&wgsl.structure, &made))) add(made.id);
    }
    void bytes(Script& script) {
        muster_blob blob{};
        if (!check(api().program_bytes({pick(script, MUSTER_KIND_PROGRAM)}, &blob))) return;
        muster_string content{};
        check(api().get_text(blob.id, MUSTER_CONTENT, 0, &content));
        std::string copy(content.data, content.size);
        if (script.below(2) == 1 && !copy.empty())
            copy[script.below(copy.size())] ^= static_cast<char>(1 + script.below(255));
        muster_program made{};
        if (check(api().program_from_bytes(copy.data(), copy.size(), &made))) add(made.id);
        add(blob.id);
    }
    void prepare(Script& script) {
        Padded<muster_compile_options> options;
        sized(script, options);
        options.structure.precision = static_cast<std::uint32_t>(script.below(4));
        muster_kernel kernel{};
        if (check(api().prepare({pick(script, MUSTER_KIND_SESSION)}, {pick(script, MUSTER_KIND_PROGRAM)},
                                script.below(2) == 1 ? &options.structure : nullptr, nullptr, &kernel)))
            add(kernel.id);
    }
    void route(Script& script) {
        muster_route made{};
        if (check(api().route({pick(script, MUSTER_KIND_SESSION)}, {pick(script, MUSTER_KIND_PROGRAM)},
                              nullptr, nullptr, static_cast<std::uint32_t>(script.below(5)), &made)))
            add(made.id);
    }
    void buffer(Script& script) {
        Padded<muster_buffer_options> options;
        sized(script, options);
        muster_buffer_options& asked = options.structure;
        asked.bytes = script.below(8) == 7 ? script.number() : 4 * script.below(200);
        asked.element = static_cast<std::uint32_t>(script.below(16));
        asked.flags = static_cast<std::uint32_t>(script.below(3));
        if (asked.bytes > 1 << 20 && asked.bytes < std::uint64_t{1} << 50) asked.bytes = 64;
        if (asked.bytes <= sizeof(memory_) && script.below(4) == 3) {
            asked.over = memory_.data();
            asked.release = [](void* user) { ++*static_cast<int*>(user); };
            asked.user = &given_back_;
        }
        muster_buffer made{};
        const bool is_given = asked.over != nullptr;
        if (!check(api().buffer_create({pick(script, MUSTER_KIND_SESSION)}, &asked, &made))) return;
        given_ += is_given ? 1 : 0;
        add(made.id);
    }
    void read(Script& script) {
        std::array<std::byte, 256> into{};
        check(api().buffer_read({pick(script, MUSTER_KIND_BUFFER)}, offset(script),
                                script.below(16) == 15 ? nullptr : into.data(), script.below(into.size() + 1),
                                MUSTER_FOREVER));
    }
    void write(Script& script) {
        const std::array<std::byte, 256> from{};
        check(api().buffer_write({pick(script, MUSTER_KIND_BUFFER)}, offset(script), from.data(),
                                 script.below(from.size() + 1), MUSTER_FOREVER));
    }
    void sync(Script& script) {
        void* at = nullptr;
        check(api().buffer_sync({pick(script, MUSTER_KIND_BUFFER)}, MUSTER_FOREVER,
                                script.below(2) == 1 ? &at : nullptr));
    }
    muster_dispatch dispatch_of(Script& script, std::array<muster_argument, 3>& arguments) {
        const std::uint32_t value = 3;
        value_ = value;
        muster_dispatch made{};
        made.struct_size = sizeof(made);
        made.arguments = arguments.data();
        made.argument_count = script.below(arguments.size() + 1);
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            muster_argument& one = arguments[i];
            one = {};
            one.struct_size = script.below(32) == 31 ? 4 : sizeof(one);
            one.binding = static_cast<std::uint32_t>(i);
            if (script.below(2) == 1) one.name = muster_text(i == 0 ? "v" : "w");
            if (i == 0) {
                one.buffer.id = pick(script, MUSTER_KIND_BUFFER);
                one.offset = 256 * script.below(2);
                one.bytes = 4 * script.below(8);
            } else {
                one.value = &value_;
                one.bytes = script.below(16) == 15 ? script.number() : 4;
                if (one.bytes > 4) one.value = nullptr;
                one.element = static_cast<std::uint32_t>(script.below(14));
            }
        }
        made.grid = static_cast<std::uint32_t>(script.below(5));
        made.axes = static_cast<std::uint32_t>(script.below(5));
        for (std::uint64_t& axis : made.size)
            axis = script.below(16) == 15 ? script.number() : script.below(5);
        made.grid_buffer.id = pick(script, MUSTER_KIND_BUFFER);
        made.grid_offset = offset(script);
        // A grid of more than a few thousand invocations takes too long here.
        if (made.axes <= 3 && made.grid <= 2)
            for (std::uint64_t& axis : made.size)
                if (axis > 5 && axis < std::uint64_t{1} << 33) axis = 2;
        if (made.grid == MUSTER_GRID_IN_BUFFER)
            made.grid = MUSTER_GRID_WORKGROUPS;  // its numbers may be anything
        return made;
    }
    void dispatch(Script& script) {
        std::array<muster_argument, 3> arguments{};
        const muster_dispatch asked = dispatch_of(script, arguments);
        muster_ticket ticket{};
        if (check(api().dispatch({pick(script, MUSTER_KIND_SESSION)}, {pick(script, MUSTER_KIND_KERNEL)},
                                 &asked, &ticket)))
            add(ticket.id);
    }
    void run(Script& script) {
        std::array<muster_argument, 3> arguments{};
        const muster_dispatch asked = dispatch_of(script, arguments);
        Padded<muster_timing> timing;
        sized(script, timing);
        check(api().run({pick(script, MUSTER_KIND_SESSION)}, {pick(script, MUSTER_KIND_KERNEL)}, &asked,
                        MUSTER_FOREVER, &timing.structure));
    }
    void bind(Script& script) {
        std::array<muster_argument, 3> arguments{};
        const muster_dispatch asked = dispatch_of(script, arguments);
        muster_bound bound{};
        if (check(api().bind({pick(script, MUSTER_KIND_SESSION)}, {pick(script, MUSTER_KIND_KERNEL)}, &asked,
                             &bound)))
            add(bound.id);
    }
    void wait(Script& script) {
        check(api().wait({pick(script, MUSTER_KIND_TICKET)}, MUSTER_FOREVER, nullptr));
    }
    muster_range range(Script& script) {
        return {{pick(script, MUSTER_KIND_BUFFER)}, offset(script), 4 * script.below(32)};
    }
    void copy(Script& script) {
        const muster_range from = range(script), to = range(script);
        check(api().copy({pick(script, MUSTER_KIND_SESSION)}, &from, script.below(16) == 15 ? nullptr : &to,
                         nullptr));
    }
    void fill(Script& script) {
        const muster_range what = range(script);
        check(api().fill({pick(script, MUSTER_KIND_SESSION)}, &what, 1, nullptr));
    }
    void sequence(Script& script) {
        muster_sequence made{};
        if (check(api().sequence_create({pick(script, MUSTER_KIND_SESSION)}, &made))) add(made.id);
    }
    void record(Script& script) {
        const muster_sequence to{pick(script, MUSTER_KIND_SEQUENCE)};
        std::array<muster_argument, 3> arguments{};
        const muster_range what = range(script);
        if (script.below(2) == 1) {
            check(api().sequence_fill(to, &what, 7));
            return;
        }
        const muster_dispatch asked = dispatch_of(script, arguments);
        check(api().sequence_dispatch(to, {pick(script, MUSTER_KIND_KERNEL)}, &asked));
    }
    void submit(Script& script) {
        muster_ticket ticket{};
        if (check(api().sequence_submit({pick(script, MUSTER_KIND_SEQUENCE)}, &ticket))) add(ticket.id);
    }
    void emit(Script& script) {
        Padded<muster_emit_options> options;
        sized(script, options);
        options.structure.target = muster_text(script.below(2) == 1 ? "reference" : "nothing:x");
        muster_artifact artifact{};
        if (check(api().emit({pick(script, MUSTER_KIND_SESSION)}, {pick(script, MUSTER_KIND_PROGRAM)},
                             script.below(2) == 1 ? &options.structure : nullptr, &artifact)))
            add(artifact.id);
    }
    /// Any property of any object, by each of the functions.
    void ask(Script& script) {
        const std::uint64_t id = script.below(8) == 7
                                     ? MUSTER_PROCESS
                                     : pick(script, static_cast<std::int32_t>(1 + script.below(16)));
        constexpr std::array<std::int32_t, 8> begins{0, 100, 200, 300, 400, 500, 600, 700};
        const auto property = static_cast<std::int32_t>(begins[script.below(begins.size())] +
                                                        static_cast<int>(script.below(60)));
        if (property >= MUSTER_HAS_MODELS && property <= MUSTER_HAS_CHECK) return;  // opens a library
        const std::size_t index = script.below(16) == 15 ? script.number() : script.below(4);
        muster_string text{};
        if (check(api().get_text(id, property, index, &text)) && text.size > 0)
            touched_ += text.data[text.size - 1];
        std::uint64_t number = 0;
        check(api().get_number(id, property, index, &number));
        double real = 0;
        check(api().get_real(id, property, index, &real));
        std::size_t count = 0;
        check(api().get_count(id, property, &count));
        muster_blob json{};
        if (id != MUSTER_PROCESS && check(api().get_json(id, &json))) check(api().release(json.id));
    }
    void drop(Script& script) {
        if (held_.size() > 1) release(1 + script.below(held_.size() - 1));
    }
    void wrong(Script& script) {
        std::uint64_t copy = 0;
        if (check(api().duplicate(pick(script, static_cast<std::int32_t>(script.below(20))), &copy)) &&
            copy != MUSTER_PROCESS)
            add(copy);
        check(api().release(script.number() | std::uint64_t{1} << 63));
        check(api().get_text(script.number(), 1, 0, nullptr));
        muster_error error{};
        error.struct_size = static_cast<std::uint32_t>(script.below(sizeof(error)));
        (void)api().last_error(&error);
        (void)api().status_name(static_cast<muster_status>(script.number()));
    }

    std::vector<std::uint64_t> held_;
    std::uint64_t released_ = 0;
    std::uint32_t value_ = 0;
    char touched_ = 0;
    alignas(16) std::array<std::byte, 512> memory_{};

  public:
    int given_ = 0, given_back_ = 0;
};

std::span<const World::Call> World::calls() {
    static constexpr std::array all{
        Call{"program", &World::program}, Call{"bytes", &World::bytes},   Call{"prepare", &World::prepare},
        Call{"route", &World::route},     Call{"buffer", &World::buffer}, Call{"read", &World::read},
        Call{"write", &World::write},     Call{"sync", &World::sync},     Call{"dispatch", &World::dispatch},
        Call{"run", &World::run},         Call{"bind", &World::bind},     Call{"wait", &World::wait},
        Call{"copy", &World::copy},       Call{"fill", &World::fill},     Call{"sequence", &World::sequence},
        Call{"record", &World::record},   Call{"submit", &World::submit}, Call{"emit", &World::emit},
        Call{"ask", &World::ask},         Call{"drop", &World::drop},     Call{"wrong", &World::wrong},
    };
    return all;
}

}  // namespace

void check(std::string_view text) {
    setenv("MUSTER_BACKEND", "reference", 0);
    setenv("MUSTER_LOG", "off", 0);
    const std::uint64_t before = living();
    auto world = std::make_unique<World>();
    Script script(text);
    for (int steps = 0; steps < most_steps; ++steps) {
        const auto call = script.next(World::calls());
        if (!call) break;
        (world.get()->*World::calls()[*call].run)(script);
    }
    world.reset();
    expect(living() == before, "nothing is left of what was released", std::to_string(living()));
}

}  // namespace muster::fuzz
