#include <array>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

namespace {

struct Hashed {
    std::string message;
    std::array<std::uint32_t, 8> digest;
};

// The examples of FIPS 180-4's publication, and sizes around those at which the padding needs another block.
// Python's hashlib gives the same digests.
const std::vector<Hashed>& hashed_messages() {
    static const std::vector<Hashed> all{
        {"",
         {0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924, 0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855}},
        {"abc",
         {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad}},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         {0x248d6a61, 0xd20638b8, 0xe5c02693, 0x0c3e6039, 0xa33ce459, 0x64ff2167, 0xf6ecedd4, 0x19db06c1}},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
         "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
         {0xcf5b16a7, 0x78af8380, 0x036ce59e, 0x7b049237, 0x0b249b11, 0xe8f07a51, 0xafac4503, 0x7afee9d1}},
        {std::string(55, 'a'),
         {0x9f4390f8, 0xd30c2dd9, 0x2ec9f095, 0xb65e2b9a, 0xe9b0a925, 0xa5258e24, 0x1c9f1e91, 0x0f734318}},
        {std::string(56, 'a'),
         {0xb35439a4, 0xac6f0948, 0xb6d6f9e3, 0xc6af0f5f, 0x590ce20f, 0x1bde7090, 0xef797068, 0x6ec6738a}},
        {std::string(63, 'a'),
         {0x7d3e74a0, 0x5d7db15b, 0xce4ad9ec, 0x0658ea98, 0xe3f06eee, 0xcf16b4c6, 0xfff2da45, 0x7ddc2f34}},
        {std::string(64, 'a'),
         {0xffe054fe, 0x7ae0cb6d, 0xc65c3af9, 0xb61d5209, 0xf439851d, 0xb43d0ba5, 0x997337df, 0x154668eb}},
        {std::string(65, 'a'),
         {0x635361c4, 0x8bb9eab1, 0x4198e76e, 0xa8ab7f1a, 0x41685d6a, 0xd62aa914, 0x6d301d4f, 0x17eb0ae0}},
        {std::string(119, 'a'),
         {0x31eba51c, 0x313a5c08, 0x226adf18, 0xd4a359cf, 0xdfd8d2e8, 0x16b13f4a, 0xf952f7ea, 0x6584dcfb}},
        {std::string(120, 'a'),
         {0x2f3d3354, 0x32c70b58, 0x0af0e8e1, 0xb3674a7c, 0x020d683a, 0xa5f73aaa, 0xedfdc55a, 0xf904c21c}},
        {std::string(1000, 'a'),
         {0x41edece4, 0x2d63e8d9, 0xbf515a9b, 0xa6932e1c, 0x20cbc9f5, 0xa5d13464, 0x5adb5db1, 0xb9737ea3}},
    };
    return all;
}

}  // namespace

// The messages again and again, so that they begin at each of a word's bytes.
Job sha256(Size size) {
    const std::vector<Hashed>& all = hashed_messages();
    Random random(size.seed);
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < all.size(); ++i) chosen.push_back(i);
    while (chosen.size() < std::size_t{40} * size.scale)
        chosen.push_back(random.below(static_cast<std::uint32_t>(all.size())));
    Words starts{0}, digests;
    std::string bytes;
    for (const std::size_t i : chosen) {
        bytes += all[i].message;
        starts.push_back(static_cast<std::uint32_t>(bytes.size()));
        digests.insert(digests.end(), all[i].digest.begin(), all[i].digest.end());
    }
    Words packed(bytes.size() / 4 + 1);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        packed[i / 4] |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * (i % 4));
    Job job{.arrays = {{"starts", starts}, {"bytes", packed}, {"digests", Words(digests.size())}},
            .overrides = {},
            .steps = {{.grid = Invocations{chosen.size()}}}};
    job.expected = [digests] { return std::vector{Expected{.array = "digests", .values = digests}}; };
    return job;
}

}  // namespace muster::kernels
