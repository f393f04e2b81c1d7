#include <new>
#include <utility>

#include <muster/driver/device/copy_kernels.hpp>
#include <muster/foundation/lang/kernel.hpp>

namespace muster {

using namespace lang;

namespace {

/// The valid program. These lack nothing but memory, perhaps: then std::bad_alloc, and
/// the next call tries again.
ValidProgram valid(const Result<Program>& made) {
    if (made)
        if (auto program = validate(*made)) return *std::move(program);
    throw std::bad_alloc();
}

}  // namespace

const ValidProgram& copy_words() {
    static const ValidProgram program =
        valid(kernel("copy_words(range, source, copy)", {copy_workgroup_size},
                     [](Uniform<vec4<u32>> range, In<u32> source, InOut<u32> copy) {
                         Value<vec4<u32>> at = range;
                         Value<u32> i = global_invocation_id().x();
                         if_(i < at.z(), [&] { copy[at.y() + i] = source[at.x() + i]; });
                     }));
    return program;
}

const ValidProgram& copy_words_within() {
    static const ValidProgram program =
        valid(kernel("copy_words_within(range, words)", {copy_workgroup_size},
                     [](Uniform<vec4<u32>> range, InOut<u32> words) {
                         Value<vec4<u32>> at = range;
                         Value<u32> i = global_invocation_id().x();
                         if_(i < at.z(), [&] { words[at.y() + i] = words[at.x() + i]; });
                     }));
    return program;
}

const ValidProgram& fill_words() {
    static const ValidProgram program = valid(kernel("fill_words(range, words)", {copy_workgroup_size},
                                                     [](Uniform<vec4<u32>> range, InOut<u32> words) {
                                                         Value<vec4<u32>> at = range;
                                                         Value<u32> i = global_invocation_id().x();
                                                         if_(i < at.z(), [&] { words[at.y() + i] = at.w(); });
                                                     }));
    return program;
}

}  // namespace muster
