#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/backend-vulkan/device/device.hpp>
#include <muster/backend-vulkan/device/sample.hpp>
#include <muster/backend-vulkan/device/sample_kernels.hpp>
#include <muster/driver/platform/fork.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::vulkan {
namespace {

constexpr const char* kernel_text = R"(
struct Case { x: f32, y: f32, z: f32, turns: f32 }
struct Result { quotient: f32, root: f32, fused: f32, sum: f32, product: f32, turns: f32, a: f32, b: f32 }
@group(0) @binding(0) var<storage, read> cases: array<Case>;
@group(0) @binding(1) var<storage, read_write> results: array<Result>;
@compute @workgroup_size(64)
fn sample(@builtin(global_invocation_id) id: vec3u) {
    let x = cases[id.x].x;
    let y = cases[id.x].y;
    let z = cases[id.x].z;
    let most = u32(cases[id.x].turns);
    var turns = 0u;
    for (var i = 0u; i < 2; i++) {
        for (var k = 0u; k < most; k++) {
            turns++;
        }
    }
    results[id.x] = Result(x / y, sqrt(x), fma(x, y, z), x + y, x * y, f32(turns), 0.0, 0.0);
}
)";
constexpr std::uint32_t workgroup_size = 64, drawn_cases = 4096 - 64;
constexpr std::chrono::seconds patience(2);
/// To be increased with each change of the samples or of their evaluation: stored answers of
/// older revisions don't count.
constexpr int sample_revision = 3;
/// Iterations of the inner loop, which runs twice. llvmpipe limits their total and so ends the second run;
/// what the first run left behind must not pass for the second's result.
constexpr float inner_iterations = 40'000.0f;

/// The processor features that determine how kernels are compiled for it.
std::string processor_features() {
#if defined(__x86_64__) && defined(__GNUC__)
    std::string text = "x86-64";
    if (__builtin_cpu_supports("avx")) text += " avx";
    if (__builtin_cpu_supports("avx2")) text += " avx2";
    if (__builtin_cpu_supports("fma")) text += " fma";
    if (__builtin_cpu_supports("avx512f")) text += " avx512f";
    return text;
#else
    return "the processor";
#endif
}

bool is_subnormal(float value) { return std::fpclassify(value) == FP_SUBNORMAL; }
bool same(float a, float b) {
    return (std::isnan(a) && std::isnan(b)) ||
           std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

/// An endless sequence of pseudo-random numbers, the same each time.
class RandomNumbers {
  public:
    std::uint32_t bits() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state_ >> 32);
    }
    /// Any number in [1, 2); halfway() is between two neighbours.
    double mantissa() { return 1.0 + (bits() >> 9) * 0x1p-23; }
    double halfway() { return mantissa() + 0x1p-24; }
    int exponent() { return static_cast<int>(bits() % 40) - 20; }

  private:
    std::uint64_t state_ = 1;
};

/// A case whose quotient, root and fma lie as close as possible to the middle between two numbers, where a
/// result that is slightly off is rounded to the wrong one.
SampleCase hard_case(RandomNumbers& random, std::uint32_t which) {
    const double y = std::ldexp(random.mantissa(), random.exponent());
    double x = std::ldexp(random.mantissa(), random.exponent());
    if (which % 4 == 1) x = random.halfway() * y;
    if (which % 4 == 2) {
        const double root = random.halfway();
        x = root * root * (1 << (2 * (which % 3)));
    }
    SampleCase hard{static_cast<float>(x), static_cast<float>(y), 0.0f, 0.0f};
    const double product = static_cast<double>(hard.x) * hard.y;
    // The product's rounding error is the whole result, or a small part that decides.
    hard.z = which % 2 == 0 ? -static_cast<float>(product)
                            : static_cast<float>(std::ldexp(random.mantissa(), random.exponent()));
    return hard;
}

}  // namespace

std::vector<SampleCase> sample_cases() {
    constexpr float inf = std::numeric_limits<float>::infinity(),
                    nan = std::numeric_limits<float>::quiet_NaN();
    constexpr float least = 0x1p-126f, most = std::numeric_limits<float>::max();
    constexpr std::array specials{0.0f, -0.0f, 1.0f, -1.0f, inf, -inf, nan, most, -most, 3.0f};
    std::vector<SampleCase> cases;
    for (const float x : specials)
        for (const float y : {0.0f, -0.0f, 1.0f, 3.0f, inf}) cases.push_back({x, y, x, 0.0f});
    for (const float x : {least, 1.5f * least, 0x1p-149f, 0x1p-130f, -0x1p-127f})
        for (const float y : {0.5f, 1.0f, least}) cases.push_back({x, y, -least, 0.0f});
    RandomNumbers random;
    for (std::uint32_t i = 0; i < drawn_cases; ++i) cases.push_back(hard_case(random, i));
    cases.resize(cases.size() / workgroup_size * workgroup_size);
    return cases;
}

Exactness evaluate(const Exactness& promised, std::span<const SampleCase> cases,
                   std::span<const SampleResult> results) {
    bool division = true, root = true, fused = true, rounding = true, subnormals = true;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto [x, y, z, iterations] = cases[i];
        const SampleResult& result = results[i];
        const float sum = x + y, product = x * y;
        subnormals = subnormals && same(result.sum, sum) && same(result.product, product);
        // Cases with subnormals don't count here: flushing is checked separately.
        const auto right = [&](float expected, float actual) {
            const bool asks =
                !is_subnormal(x) && !is_subnormal(y) && !is_subnormal(z) && !is_subnormal(expected);
            return !asks || same(expected, actual);
        };
        rounding = rounding && right(sum, result.sum) && right(product, result.product);
        division = division && right(x / y, result.quotient);
        root = root && right(std::sqrt(x), result.root);
        fused = fused && (is_subnormal(product) || right(std::fma(x, y, z), result.fused));
    }
    Exactness exactness = promised;
    const auto add = [](Promise& promise, bool shown) {
        if (promise == Promise::no && shown) promise = Promise::sampled;
    };
    add(exactness.round_to_nearest_even, rounding);
    add(exactness.subnormals, subnormals);
    add(exactness.division, division);
    add(exactness.square_root, root);
    add(exactness.fma, fused);
    // A sample can't show that no kernel is optimised as if signed zero, infinity and NaN didn't exist.
    return exactness;
}

LongLoops evaluate_loops(float iterations, bool told) {
    if (iterations == 2 * inner_iterations) return LongLoops::run;
    return told ? LongLoops::watched : LongLoops::refused;
}

namespace {

Result<ValidProgram> kernel() { return validate(TRY(wgsl::parse(kernel_text))); }

Result<Sampled> sampled(const std::shared_ptr<const Instance>& instance, PhysicalDevice physical,
                        const Exactness& promised) {
    std::vector<SampleCase> cases = sample_cases();
    std::vector<SampleResult> results(cases.size());
    const bool may_end_loops = physical.is_processor();
    if (may_end_loops) {
        physical.long_loops = LongLoops::watched;
        cases[0].iterations = inner_iterations;
    }
    auto device = TRY(VulkanDevice::open(instance, physical, device_info(physical, 0, promised), {}));
    // First, because a device whose loop was ended runs nothing more.
    const bool has_subgroups =
        physical.subgroups.missing.empty() && sample_subgroups(*device).value_or(false);
    const auto executable = TRY(device->load(TRY(device->compile(TRY(kernel()), {}))));
    const auto in = std::as_bytes(std::span(cases));
    const auto out = std::as_writable_bytes(std::span(results));
    const auto from = TRY(device->allocate(in.size())), to = TRY(device->allocate(out.size()));
    TRY(device->write(*from, 0, in));
    const std::array bound{BoundMemory{from.get(), 0, in.size()}, BoundMemory{to.get(), 0, out.size()}};
    const Extent3 grid{static_cast<std::uint32_t>(cases.size()) / workgroup_size, 1, 1};
    const auto submitted = TRY(
        device->submit({.executable = executable.get(), .bindings = bound, .extent = grid, .grid = grid}));
    bool told = false;
    if (const auto* running = std::get_if<std::shared_ptr<Submission>>(&submitted)) {
        const auto end = (*running)->wait(patience);
        told = !end && end.error().code == ErrorCode::limit_exceeded;
        if (!end && !told) return std::unexpected(end.error());
    }
    TRY(device->read(*to, 0, out));
    const Exactness exactness = evaluate(promised, cases, results);
    bool has_doubles = false;
    if (physical.float64) {
        const auto fresh =
            TRY(VulkanDevice::open(instance, physical, device_info(physical, 0, exactness), {}));
        has_doubles = sample_doubles(*fresh, exactness).value_or(false);
    }
    return Sampled{.exactness = exactness,
                   .long_loops = may_end_loops ? evaluate_loops(results[0].iterations, told) : LongLoops::run,
                   .subgroups = has_subgroups,
                   .doubles = has_doubles};
}

}  // namespace

SampleKey key_of(const PhysicalDevice& device) {
    const VkPhysicalDeviceProperties& says = device.properties;
    return {fmt::format("vulkan sample of {} {:02x}", says.deviceName, fmt::join(device.uuid, "")),
            fmt::format("sample {}, {}, version {:#x} of {:#x}, {}", sample_revision, device.driver,
                        says.driverVersion, says.apiVersion,
                        device.is_processor() ? processor_features() : "a device of its own")};
}

std::string to_text(const Sampled& sampled) {
    const Exactness& of = sampled.exactness;
    std::string text;
    for (const Promise promise : {of.round_to_nearest_even, of.signed_zero_inf_nan, of.subnormals,
                                  of.division, of.square_root, of.fma})
        text += static_cast<char>('0' + static_cast<int>(promise));
    text += static_cast<char>('0' + static_cast<int>(sampled.long_loops));
    for (const bool has : {sampled.subgroups, sampled.doubles}) text += has ? '1' : '0';
    return text;
}

std::optional<Sampled> sampled_from(std::string_view text) {
    if (text.size() != 9 || text[7] > '1' || text[8] > '1') return std::nullopt;
    for (const char digit : text)
        if (digit < '0' || digit > '2') return std::nullopt;
    const auto promise = [&](std::size_t i) { return static_cast<Promise>(text[i] - '0'); };
    return Sampled{.exactness = {promise(0), promise(1), promise(2), promise(3), promise(4), promise(5)},
                   .long_loops = static_cast<LongLoops>(text[6] - '0'),
                   .subgroups = text[7] == '1',
                   .doubles = text[8] == '1'};
}

Sampled sample_of(const std::shared_ptr<const Instance>& instance, const PhysicalDevice& device,
                  const Verdicts& verdicts) {
    struct KnownSamples {
        std::mutex mutex;
        std::map<std::string, Sampled> devices;
    };
    static auto* const all =
        new PerProcess<KnownSamples>;  // never destroyed: probes may run until the process ends
    KnownSamples* const known = &all->get();
    const auto [subject, circumstances] = key_of(device);
    const std::string key = subject + '\n' + circumstances;
    const std::lock_guard lock(known->mutex);
    if (const auto found = known->devices.find(key); found != known->devices.end()) return found->second;
    const auto keep = [&](const Sampled& what) { return known->devices.emplace(key, what).first->second; };
    if (const auto kept = verdicts.find(subject, circumstances))
        if (const auto read = sampled_from(*kept)) return keep(*read);
    const Exactness promised = promised_exactness(device.float_controls);
    const auto found = sampled(instance, device, promised);
    if (!found)  // not stored: sampled again next time
        return {promised, device.is_processor() ? LongLoops::watched : LongLoops::run};
    verdicts.keep(subject, circumstances, to_text(*found));
    return keep(*found);
}

}  // namespace muster::vulkan
