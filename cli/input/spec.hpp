// spec.hpp - the SPEC of `--bind NAME=SPEC`, and the buffers made from it.
//
//     picture.png, picture.jpg   a picture, as array<u32> (R in the lowest byte) or array<vec4<f32>> (0 to 1)
//     array.npy                  numbers, converted to the binding's type if all fit (npy_convert.hpp)
//     arrays.npz:NAME            the numbers of one array
//     bytes.bin                  the binding's bytes, not converted
//     zeros:TYPE:COUNT           COUNT elements; COUNT may be a shape, rows first: 600,512
//     random:TYPE:COUNT:SEED     f32 in [0, 1), integers of all 32 bits; the same on every machine
//     iota:TYPE:COUNT            numbers 0, 1, 2, ...
//     like:NAME                  zeros, with NAME's number of elements and shape
//     extent:NAME                NAME's width, height and depth, as many of them as the binding has numbers
//     2.5 or 1,2,3               literal numbers, in the order of the declaration; f32:1,2,3 also says their TYPE
//
// TYPE is the WGSL name of an element: f32, vec4f, array<u32,8>, a structure, an alias. docs/tool.md is the
// user's manual.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/cli/input/layout.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cli {

struct Spec {
    enum class Kind : std::uint8_t { image, npy, npz, raw, zeros, random, iota, like, extent, literal };
    Kind kind = Kind::literal;
    std::string text;                  // path, NAME or literals
    std::string type;                  // zeros, random, iota, literal: TYPE; npz: the array's name
    std::vector<std::uint64_t> shape;  // zeros, random, iota
    std::uint64_t seed = 0;            // random
};

/// Errors: invalid_argument.
Result<Spec> parse_spec(std::string_view text);

using NamedTexts = std::vector<std::pair<std::string, std::string>>;
using HostBuffers = std::map<std::string, HostBuffer, std::less<>>;

/// Splits each "NAME=VALUE". Errors: invalid_argument (no '=', an empty or repeated name); `option` is for
/// messages.
Result<NamedTexts> split_assignments(const std::vector<std::string>& texts, std::string_view option);

/// Makes a buffer for every binding of the program. Errors: invalid_argument (a name that isn't a binding, a
/// binding without a SPEC, data that doesn't fit the declaration), and those of the files.
Result<HostBuffers> make_buffers(const Program& program, const NamedTexts& binds);

/// A binding that has its data: `like:` and `extent:` refer to one.
struct SizedBinding {
    const Program* program = nullptr;
    const Variable* variable = nullptr;
    const HostBuffer* buffer = nullptr;
};
/// True if a SPEC refers to another binding by name (Spec::text).
bool refers(const Spec& spec);
/// Makes the buffer of one binding. Precondition: `source` is set if the SPEC refers
/// to one. Errors: as above.
Result<HostBuffer> make_buffer(const Program& program, const Variable& binding, const Spec& spec,
                               const SizedBinding& source);

/// The binding of this name, or null.
const Variable* find_binding(const Program& program, std::string_view name);

/// Word `index` of the stream behind `random:`: the high half of splitmix64 of seed and index.
std::uint32_t random_word(std::uint64_t seed, std::uint64_t index);

}  // namespace muster::cli
