// Backends whose probe does what their id says, in a library that the helper of isolated probes opens. With
// FAILS_WHEN_OPENED, the library does so already when it is opened.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include <support/doubles.hpp>
#include <support/interpreting_double.hpp>
#include <unistd.h>

#include <muster/driver/contract/inventory.hpp>

namespace muster::test {
namespace {

[[noreturn]] void hang() {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void say(const std::string& text) { (void)!write(3, text.data(), text.size()); }

Result<std::vector<DeviceInfo>> devices(std::string_view id) {
    if (id == "none") return std::vector<DeviceInfo>{};
    if (id == "hundred") {
        std::vector<DeviceInfo> all;
        for (std::uint32_t i = 100; i > 0; --i) all.push_back(fit_device(i - 1));
        return all;
    }
    if (id == "fails") return fail(ErrorCode::unavailable, "There is no driver.", "install it");
    if (id == "throws") throw std::runtime_error("thrown on purpose");
    if (id == "lies-of-ordinals") return std::vector{fit_device(3), fit_device(3)};
    if (id == "lies-of-limits") {
        DeviceInfo impossible = fit_device();
        impossible.limits.max_workgroup_invocations = 0;
        return std::vector{impossible};
    }
    if (id == "crashes") raise(SIGSEGV);
    if (id == "aborts") std::abort();
    if (id == "killed") raise(SIGKILL);
    if (id == "exits") _exit(7);
    if (id == "exits-well") _exit(0);
    if (id == "hangs") hang();
    if (id == "garbles") {
        say(std::string("muster probe 1\n\0\xff", 17));
        _exit(0);
    }
    while (id == "babbles") say(std::string(4096, 'x'));
    if (id == "leaves-one-behind" && fork() == 0) {  // the child holds the pipe open for a while
        for (const int file : {0, 1, 2}) close(file);
        std::this_thread::sleep_for(std::chrono::seconds(20));
        _exit(0);
    }
    return std::vector{fit_device()};
}

class Probed final : public Backend {
  public:
    explicit Probed(std::string_view id) : id_(id) {}
    std::string_view id() const override { return id_ == "impostor" ? "somebody" : id_; }
    Result<std::vector<DeviceInfo>> probe() override { return devices(id_); }
    Result<std::unique_ptr<Device>> open(std::uint32_t) override {
        if (id_ == "computes") return std::make_unique<InterpretingDevice>(std::make_shared<DeviceScript>());
        if (id_ == "crashes-when-opened") raise(SIGKILL);
        if (id_ == "exits-when-opened") _exit(7);
        if (id_ == "hangs-when-opened") hang();
        if (id_ == "garbles-when-opened") {
            say("muster device check 2\n");
            _exit(0);
        }
        return nowhere();
    }
    std::string default_arch() const override { return "d1"; }
    std::span<const std::string> formats() const override { return {}; }
    std::span<const SpecInfo> specs() const override { return {}; }
    Result<Target> describe(std::string_view) override { return nowhere(); }
    Result<Artifact> emit(const ValidProgram&, const Target&, const EmitRequest&) override {
        return nowhere();
    }

  private:
    static std::unexpected<Error> nowhere() { return fail(ErrorCode::unavailable, "It is only probed."); }
    std::string_view id_;
};

const OpSet& all_exact() { return OpSet::all_exact(); }

// NOLINTNEXTLINE(bugprone-macro-parentheses): a name
#define PROBED(name, text)                                                                    \
    Result<std::unique_ptr<Backend>> make_##name() { return std::make_unique<Probed>(text); } \
    constexpr BackendRegistration name{                                                       \
        .id = text, .factory = make_##name, .supported_ops = all_exact, .tags = {}};          \
    MUSTER_SUBMIT(name)

#if defined(FAILS_WHEN_OPENED)
PROBED(opened, "hurts-when-opened");
[[gnu::constructor]] void when_opened() {
    const char* what = std::getenv("MUSTER_TEST_WHEN_OPENED");
    if (what != nullptr) (void)devices(what);
}
#else
PROBED(sound, "sound");
PROBED(none, "none");
PROBED(hundred, "hundred");
PROBED(fails, "fails");
PROBED(throws, "throws");
PROBED(lies_of_ordinals, "lies-of-ordinals");
PROBED(lies_of_limits, "lies-of-limits");
PROBED(impostor, "impostor");
PROBED(crashes, "crashes");
PROBED(aborts, "aborts");
PROBED(killed, "killed");
PROBED(exits, "exits");
PROBED(exits_well, "exits-well");
PROBED(hangs, "hangs");
PROBED(garbles, "garbles");
PROBED(babbles, "babbles");
PROBED(leaves_one_behind, "leaves-one-behind");
PROBED(computes, "computes");
PROBED(crashes_when_opened, "crashes-when-opened");
PROBED(exits_when_opened, "exits-when-opened");
PROBED(hangs_when_opened, "hangs-when-opened");
PROBED(garbles_when_opened, "garbles-when-opened");
#endif

}  // namespace
}  // namespace muster::test
