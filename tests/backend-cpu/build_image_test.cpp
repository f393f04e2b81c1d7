#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <muster/backend-cpu/compiler/llvm/codegen.hpp>
#include <muster/backend-cpu/compiler/output/build_image.hpp>
#include <muster/backend-cpu/compiler/output/link_image.hpp>
#include <muster/backend-cpu/native/image.hpp>
#include <muster/backend-cpu/native/kernel_abi.hpp>
#include <muster/foundation/base/try.hpp>

#include "backend-cpu/kernels.hpp"

using namespace muster;
using namespace muster::cpu;

namespace {

CompileTarget host() {
#if defined(__x86_64__)
    return {"x86-64-v1", true};
#else
    return {"aarch64", true};
#endif
}

Machine machine_for(const CompileTarget& target) {
    auto machine = make_machine(target);
    if (!machine) FAIL(machine.error().to_string());
    return *std::move(machine);
}

Result<std::vector<std::byte>> image_of(std::string_view text, const CompileTarget& target) {
    llvm::LLVMContext context;
    LoweredKernel kernel{test::parse_ir(context, text), 128, 7};
    return TRY(build_image(std::move(kernel), target, machine_for(target), 16)).bytes;
}

std::string refusal(std::string_view text, const CompileTarget& target = host()) {
    const auto image = image_of(text, target);
    REQUIRE(!image);
    return image.error().to_string();
}

ImageHeader header_of(const std::vector<std::byte>& image) {
    ImageHeader header;
    std::memcpy(&header, image.data(), sizeof header);
    return header;
}

/// The code of an image, mapped for as long as this lives.
class Mapped {
  public:
    explicit Mapped(const std::vector<std::byte>& image) : header_(header_of(image)) {
        bytes_ =
            mmap(nullptr, header_.code_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(bytes_ != MAP_FAILED);
        std::memcpy(bytes_, image.data() + header_.code_offset, header_.code_bytes);
        REQUIRE(mprotect(bytes_, header_.code_bytes, PROT_READ | PROT_EXEC) == 0);
    }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;
    ~Mapped() { munmap(bytes_, header_.code_bytes); }
    KernelFunction kernel() const {
        return std::bit_cast<KernelFunction>(static_cast<std::byte*>(bytes_) + header_.entry_offset);
    }

  private:
    ImageHeader header_;
    void* bytes_ = nullptr;
};

/// Runs saxpy on `count` elements, in memory whose end is guarded.
std::vector<float> run_saxpy(KernelFunction kernel, std::size_t count, std::uint32_t workgroups) {
    float a = 3;
    std::vector<float> x(count + 64), y(count + 64);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i);
        y[i] = 1;
    }
    const auto bytes = [](auto& value) { return reinterpret_cast<std::byte*>(&value); };
    const std::array bindings{KernelBinding{bytes(a), 4}, KernelBinding{bytes(x[0]), count * 4},
                              KernelBinding{bytes(y[0]), count * 4}};
    const KernelArguments arguments{bindings.data(), {0, 0, 0}, {workgroups, 1, 1}, {workgroups, 1, 1}};
    kernel(&arguments, 0, workgroups, nullptr);
    return y;
}

void check_saxpy(const std::vector<float>& y, std::size_t count) {
    for (std::size_t i = 0; i < y.size(); ++i)
        REQUIRE(y[i] == (i < count ? 3 * static_cast<float>(i) + 1 : 1.0f));
}

constexpr std::string_view prologue =
    "define void @muster_kernel(ptr %arguments, i64 %begin, i64 %end, ptr %scratch) {\n";

}  // namespace

TEST_CASE("an image runs wherever it is mapped") {
    const auto image = image_of(test::saxpy_ir, host());
    if (!image) FAIL(image.error().to_string());
    const Mapped one(*image), other(*image);
    REQUIRE(reinterpret_cast<void*>(one.kernel()) != reinterpret_cast<void*>(other.kernel()));
    for (const std::size_t count : std::initializer_list<std::size_t>{1, 15, 16, 17, 63, 64, 1000}) {
        const auto workgroups = static_cast<std::uint32_t>((count + 63) / 64);
        check_saxpy(run_saxpy(one.kernel(), count, workgroups), count);
        check_saxpy(run_saxpy(other.kernel(), count, workgroups), count);
    }
}

TEST_CASE("an image says what it is") {
    const auto image = image_of(test::saxpy_ir, {"x86-64-v4", false});
    REQUIRE(image);
    const ImageHeader header = header_of(*image);
    CHECK(header.magic == image_magic);
    CHECK(header.version == image_version);
    CHECK(header.header_bytes == sizeof(ImageHeader));
    CHECK(header.code_offset % 4096 == 0);
    CHECK(header.code_offset + header.code_bytes == image->size());
    CHECK(header.entry_offset < header.code_bytes);
    CHECK(header.scratch_bytes == 128);
    CHECK(header.width == 16);
    CHECK(header.cost == 7);
    CHECK(std::string(header.arch.data()) == "x86-64-v4");
    CHECK(std::string(header.features.data()).empty());
    const auto native = image_of(test::saxpy_ir, host());
    REQUIRE(native);
    CHECK(std::string(header_of(*native).features.data()).find(',') != std::string::npos);
}

TEST_CASE("the same request gives the same bytes") {
    const auto once = image_of(test::saxpy_ir, host()), again = image_of(test::saxpy_ir, host());
    REQUIRE(once);
    REQUIRE(again);
    CHECK(*once == *again);
}

TEST_CASE("images can be made for every target") {
    for (const char* arch : {"x86-64-v1", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"}) {
        const auto image = image_of(test::saxpy_ir, {arch, false});
        if (!image) FAIL(arch << ": " << image.error().to_string());
        CHECK(std::string(header_of(*image).arch.data()) == arch);
    }
    const auto unknown = make_machine({"sparc", false});
    REQUIRE(!unknown);
    CHECK(unknown.error().to_string() ==
          "The CPU backend compiles for no \"sparc\".\n"
          "Fix: compile for one of: x86-64-v1, x86-64-v2, x86-64-v3, x86-64-v4, aarch64");
}

TEST_CASE("vector registers are as wide as the target has them") {
    CHECK(machine_for({"x86-64-v1", false}).default_width() == 16);
    CHECK(machine_for({"x86-64-v2", false}).default_width() == 16);
    CHECK(machine_for({"x86-64-v3", false}).default_width() == 16);
    CHECK(machine_for({"x86-64-v4", false}).default_width() == 32);
    CHECK(machine_for({"aarch64", false}).default_width() == 16);
    CHECK(!machine_for({"x86-64-v1", false}).traits.has_rounding);
    CHECK(machine_for({"x86-64-v2", false}).traits.has_rounding);
    CHECK(!machine_for({"x86-64-v2", false}).traits.has_fma);
    CHECK(machine_for({"x86-64-v3", false}).traits.has_fma);

    llvm::LLVMContext context;
    auto module = test::parse_ir(context, test::saxpy_ir);
    const Machine machine = machine_for({"x86-64-v4", false});
    prepare(*module, machine);
    const auto text = generate_assembly(*module, machine);
    REQUIRE(text);
    CHECK(text->find("%zmm") != std::string::npos);
}

TEST_CASE("tables of constants and of branches are part of the image") {
    const std::string text = std::string(R"(
@table = internal constant [4 x i32] [i32 5, i32 6, i32 7, i32 8]
)") + std::string(prologue) + R"(
entry:
  switch i64 %begin, label %other [ i64 0, label %a i64 1, label %b i64 2, label %c i64 3, label %d i64 4, label %e ]
a:
  store i32 17, ptr %scratch
  ret void
b:
  %place = getelementptr [4 x i32], ptr @table, i64 0, i64 %end
  %value = load i32, ptr %place
  store i32 %value, ptr %scratch
  ret void
c:
  store <4 x i32> <i32 1, i32 2, i32 3, i32 9>, ptr %scratch, align 4
  ret void
d:
  store volatile i32 31, ptr %scratch
  ret void
e:
  store i32 71, ptr %arguments
  store i32 71, ptr %scratch
  ret void
other:
  call void @far(ptr %scratch)
  ret void
}
define internal void @far(ptr %to) noinline {
  store i32 99, ptr %to
  ret void
}
)";
    const auto image = image_of(text, host());
    if (!image) FAIL(image.error().to_string());
    const Mapped mapped(*image);
    const auto result = [&](std::uint64_t begin, std::uint64_t end) {
        KernelArguments arguments{};
        alignas(64) std::array<std::uint32_t, 4> scratch{};
        mapped.kernel()(&arguments, begin, end, reinterpret_cast<std::byte*>(scratch.data()));
        return begin == 2 ? scratch[3] : scratch[0];
    };
    CHECK(result(0, 0) == 17);
    CHECK(result(1, 2) == 7);
    CHECK(result(2, 0) == 9);
    CHECK(result(3, 0) == 31);
    CHECK(result(4, 0) == 71);
    CHECK(result(5, 0) == 99);
}

TEST_CASE("what isn't in the kernel is refused by name") {
    const std::string call = "declare void @somewhere(ptr)\n" + std::string(prologue) +
                             "call void @somewhere(ptr %scratch)\nret void\n}\n";
    CHECK(refusal(call) ==
          "The kernel's code can't be made an image: it needs somewhere, which nothing defines.");
    const std::string library = "declare double @llvm.sin.f64(double)\n" + std::string(prologue) +
                                "%x = load double, ptr %scratch\n%s = call double @llvm.sin.f64(double %x)\n"
                                "store double %s, ptr %scratch\nret void\n}\n";
    CHECK(refusal(library) ==
          "The kernel's code can't be made an image: it needs sin, which nothing defines.");
    const std::string written = "@state = internal global i32 3\n" + std::string(prologue) +
                                "%v = load i32, ptr @state\n%w = add i32 %v, 1\nstore i32 %w, ptr @state\n"
                                "store i32 %w, ptr %scratch\nret void\n}\n";
    CHECK(refusal(written).find("is written at run time") != std::string::npos);
    const std::string absolute =
        "@a = internal constant i32 1\n@b = internal constant i32 2\n"
        "@both = internal constant [2 x ptr] [ptr @a, ptr @b]\n" +
        std::string(prologue) +
        "%p = getelementptr ptr, ptr @both, i64 %begin\n%q = load ptr, ptr %p\n%v = load i32, ptr %q\n"
        "store i32 %v, ptr %scratch\nret void\n}\n";
    CHECK(refusal(absolute).find("Pointer64") != std::string::npos);
    CHECK(refusal("define void @other() { ret void }") ==
          "The kernel's code can't be made an image: it defines no muster_kernel.");
}

TEST_CASE("IR that isn't valid is our defect, and said to be") {
    llvm::LLVMContext context;
    auto module = test::parse_ir(context, std::string(prologue) + "ret void\n}\n");
    module->getFunction("muster_kernel")->front().getTerminator()->eraseFromParent();
    const auto image = build_image({std::move(module), 0, 0}, host(), machine_for(host()), 4);
    REQUIRE(!image);
    CHECK(image.error().code == ErrorCode::internal);
    CHECK(image.error().message.find("isn't valid") != std::string::npos);
}

TEST_CASE("stores of one value aren't made a call") {
    const std::string fill = std::string(prologue) + R"(
entry:
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %place = getelementptr i8, ptr %scratch, i64 %i
  store i8 0, ptr %place
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
)";
    CHECK(image_of(fill, host()));
}

TEST_CASE("large fills are loops, of exactly their length") {
    const auto filled = [](std::uint64_t bytes, const CompileTarget& target) {
        const std::string text = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n" +
                                 std::string(prologue) +
                                 "%value = trunc i64 %begin to i8\ncall void @llvm.memset.p0.i64(ptr align 4 "
                                 "%scratch, i8 %value, i64 " +
                                 std::to_string(bytes) + ", i1 false)\nret void\n}\n";
        const auto image = image_of(text, target);
        if (!image) FAIL(image.error().to_string());
        return *image;
    };
    for (const std::uint64_t bytes :
         std::initializer_list<std::uint64_t>{4, 256, 257, 300, 4096, 4100, 65532}) {
        const Mapped mapped(filled(bytes, host()));
        std::vector<std::byte> memory(bytes + 128);
        KernelArguments arguments{};
        mapped.kernel()(&arguments, 0x5a, 0, memory.data());
        for (std::size_t i = 0; i < memory.size(); ++i)
            REQUIRE(memory[i] == (i < bytes ? std::byte{0x5a} : std::byte{0}));
    }
    for (const char* arch : {"x86-64-v1", "aarch64"})
        CHECK(header_of(filled(65536, {arch, false})).code_bytes < 256);
}

TEST_CASE("code that needs more of the stack than a thread may have is refused, with the limit") {
    const auto with_stack = [](std::uint64_t bytes) {
        return "define void @muster_kernel(ptr %arguments, i64 %begin, i64 %end, ptr %scratch) {\n"
               "  %array = alloca [" +
               std::to_string(bytes) +
               " x i8]\n"
               "  store volatile ptr %array, ptr %scratch\n"
               "  ret void\n}\n";
    };
    CHECK(image_of(with_stack(most_stack_bytes - 1024), host()));
    const std::string refused = refusal(with_stack(most_stack_bytes + 1024));
    CHECK(refused.find("bytes of stack; the limit is 1048576.") != std::string::npos);
    CHECK(refused.find("\nFix: ") != std::string::npos);
}
