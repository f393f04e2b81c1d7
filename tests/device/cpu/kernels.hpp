// kernels.hpp - images of a few kernels written in machine code, to test the mapping and launching of images
// without a compiler. x86-64 only: elsewhere `kernels_here` is false. Binding 0 is an array of u32, "words".
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include <muster/backend-cpu/device/device.hpp>
#include <muster/backend-cpu/native/image.hpp>

namespace muster::cpu::test {

#if defined(__x86_64__)
inline constexpr bool kernels_here = true;
inline constexpr const char* arch_here = "x86-64-v1";
#else
inline constexpr bool kernels_here = false;
inline constexpr const char* arch_here = "aarch64";
#endif

struct KernelShape {
    std::uint32_t cost = 0;
    std::uint64_t scratch_bytes = 0;
    const char* arch = arch_here;
    const char* features = "";
};

inline std::vector<std::byte> image_of(std::initializer_list<unsigned> code, const KernelShape& shape) {
    ImageHeader header{};
    header.magic = image_magic;
    header.version = image_version;
    header.header_bytes = sizeof header;
    header.code_offset = 4096;
    header.code_bytes = code.size();
    header.scratch_bytes = shape.scratch_bytes;
    header.width = 1;
    header.cost = shape.cost;
    std::strcpy(header.arch.data(), shape.arch);
    std::strcpy(header.features.data(), shape.features);
    std::vector<std::byte> image(header.code_offset + code.size());
    std::memcpy(image.data(), &header, sizeof header);
    std::size_t at = header.code_offset;
    for (const unsigned byte : code) image[at++] = static_cast<std::byte>(byte);
    return image;
}

/// words[w] += 1 for each workgroup w (counted within extent), atomically.
inline std::vector<std::byte> count_kernel(const KernelShape& shape = {}) {
    return image_of({0x48, 0x8b, 0x07,              //     mov (%rdi), %rax        arguments->bindings
                     0x48, 0x8b, 0x00,              //     mov (%rax), %rax        [0].data
                     0x48, 0x39, 0xd6,              //  1: cmp %rdx, %rsi
                     0x73, 0x0a,                    //     jae 2f
                     0xf0, 0x83, 0x04, 0xb0, 0x01,  //     lock addl $1, (%rax,%rsi,4)
                     0x48, 0xff, 0xc6,              //     inc %rsi
                     0xeb, 0xf1,                    //     jmp 1b
                     0xc3},                         //  2: ret
                    shape);
}

/// count_kernel, but each workgroup first takes some 16,000 turns of an empty loop.
inline std::vector<std::byte> slow_count_kernel(const KernelShape& shape = {}) {
    return image_of({0x48, 0x8b, 0x07,              //     mov (%rdi), %rax
                     0x48, 0x8b, 0x00,              //     mov (%rax), %rax
                     0x48, 0x39, 0xd6,              //  1: cmp %rdx, %rsi
                     0x73, 0x13,                    //     jae 2f
                     0xb9, 0x00, 0x40, 0x00, 0x00,  //     mov $0x4000, %ecx
                     0xff, 0xc9,                    //  3: dec %ecx
                     0x75, 0xfc,                    //     jnz 3b
                     0xf0, 0x83, 0x04, 0xb0, 0x01,  //     lock addl $1, (%rax,%rsi,4)
                     0x48, 0xff, 0xc6,              //     inc %rsi
                     0xeb, 0xe8,                    //     jmp 1b
                     0xc3},                         //  2: ret
                    shape);
}

/// Fills words[1] bytes of its scratch with 0x5a; ORs the misaligned bits of its scratch's address into
/// words[0].
inline std::vector<std::byte> scratch_kernel(const KernelShape& shape) {
    return image_of({0x48, 0x8b, 0x07,  // mov (%rdi), %rax
                     0x48, 0x8b, 0x00,  // mov (%rax), %rax
                     0x49, 0x89, 0xc8,  // mov %rcx, %r8
                     0x83, 0xe1, 0x3f,  // and $63, %ecx
                     0xf0, 0x09, 0x08,  // lock or %ecx, (%rax)
                     0x4c, 0x89, 0xc7,  // mov %r8, %rdi
                     0x8b, 0x48, 0x04,  // mov 4(%rax), %ecx
                     0xb0, 0x5a,        // mov $0x5a, %al
                     0xf3, 0xaa,        // rep stosb
                     0xc3},             // ret
                    shape);
}

/// words[1] = 1; ends once words[0] isn't zero.
inline std::vector<std::byte> endless_kernel(const KernelShape& shape = {}) {
    return image_of({0x48, 0x8b, 0x07,                          //     mov (%rdi), %rax
                     0x48, 0x8b, 0x00,                          //     mov (%rax), %rax
                     0xc7, 0x40, 0x04, 0x01, 0x00, 0x00, 0x00,  //     movl $1, 4(%rax)
                     0xf3, 0x90,                                //  1: pause
                     0x83, 0x38, 0x00,                          //     cmpl $0, (%rax)
                     0x74, 0xf9,                                //     je 1b
                     0xc3},                                     //     ret
                    shape);
}

/// words[0] = the floating-point state (MXCSR).
inline std::vector<std::byte> floats_kernel(const KernelShape& shape = {}) {
    return image_of({0x48, 0x8b, 0x07,  // mov (%rdi), %rax
                     0x48, 0x8b, 0x00,  // mov (%rax), %rax
                     0x0f, 0xae, 0x18,  // stmxcsr (%rax)
                     0xc3},             // ret
                    shape);
}

/// A device, one array of words on it, and a kernel.
class Bench {
  public:
    Bench(std::vector<std::byte> image, std::size_t words, std::uint32_t threads = 0)
        : device(std::make_unique<CpuDevice>(CpuOptions{.threads = threads})) {
        Artifact artifact;
        artifact.bytes = std::move(image);
        artifact.format = "image";
        executable = device->load(artifact).value();
        memory = device->allocate(words * 4).value();
    }
    ~Bench() { device.reset(); }  // first: work in flight uses the others
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;
    Result<Submitted> submit(Extent3 extent) {
        const BoundMemory bound{memory.get(), 0, memory->bytes()};
        return device->submit(
            {.executable = executable.get(), .bindings = {&bound, 1}, .extent = extent, .grid = extent});
    }
    std::vector<std::uint32_t> words() const {
        std::vector<std::uint32_t> all(memory->bytes() / 4);
        (void)device->read(*memory, 0, std::as_writable_bytes(std::span(all)));
        return all;
    }
    /// Waits until a kernel has written the word.
    void wait_for_word(std::size_t which) const {
        for (std::uint32_t word = 0; word == 0; std::this_thread::yield())
            (void)device->read(*memory, which * 4, std::as_writable_bytes(std::span(&word, 1)));
    }
    void set_word(std::size_t which, std::uint32_t value) {
        (void)device->write(*memory, which * 4, std::as_bytes(std::span(&value, 1)));
    }

    std::unique_ptr<CpuDevice> device;
    std::unique_ptr<Executable> executable;
    std::unique_ptr<Memory> memory;
};

inline bool ran_at_once(const Result<Submitted>& submitted) {
    return submitted && std::holds_alternative<Timing>(*submitted);
}

inline Result<Timing> wait(const Result<Submitted>& submitted,
                           std::chrono::nanoseconds timeout = std::chrono::seconds(60)) {
    if (!submitted) return std::unexpected(submitted.error());
    if (const auto* ended = std::get_if<Timing>(&*submitted)) return *ended;
    return std::get<std::shared_ptr<Submission>>(*submitted)->wait(timeout);
}

}  // namespace muster::cpu::test
