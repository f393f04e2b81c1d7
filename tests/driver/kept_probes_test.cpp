// What earlier processes found out about backends: it postpones those that can't win, and never chooses one.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/programs.hpp>
#include <support/scratch_folder.hpp>

#include <muster/driver/proving/kept_probes.hpp>
#include <muster/driver/session/session.hpp>

using namespace muster;
using namespace muster::test;
using namespace std::chrono_literals;

namespace {

DeviceInfo emulated() {
    DeviceInfo device = fit_device();
    device.software_emulated = true;
    return device;
}

/// A process with these backends, and what it has in common with others: the cache.
class Process {
  public:
    Process(const std::filesystem::path& cache, std::initializer_list<ScriptPointer> scripts,
            Policy policy = {})
        : fleet_(std::make_shared<Fleet>(entries(scripts), 1min, nullptr, nullptr,
                                         proving::kept_probes(Verdicts(DiskCache(cache, 1 << 20))))) {
        auto opened = Session::open({.policy = std::move(policy), .fleet = fleet_, .use_environment = false});
        REQUIRE(opened);
        session_.emplace(*std::move(opened));
    }
    std::string chosen() {
        const Route route = session_->route(saxpy());
        return route.execute() ? route.execute()->id() : std::string(route.mode());
    }
    Session& session() { return *session_; }

  private:
    std::shared_ptr<Fleet> fleet_;
    std::optional<Session> session_;
};

}  // namespace

TEST_CASE("a backend with emulated devices alone is asked again only if no native device fits") {
    const ScratchFolder cache;
    const auto software = script("software", 1), native = script("native", 2);
    software->devices = {emulated()};
    CHECK(Process(cache.path, {software, native}).chosen() == "native:0");
    REQUIRE(software->calls.probe == 1);
    for (int i = 0; i < 2; ++i) CHECK(Process(cache.path, {software, native}).chosen() == "native:0");
    CHECK(software->calls.probe == 1);
    CHECK(software->calls.factory == 1);
    CHECK(native->calls.probe == 3);

    Process process(cache.path, {software, native});
    const Route route = process.session().route(saxpy());
    const std::string text = route.explain();
    CHECK_MESSAGE(
        text.find("software isn't asked: an earlier process found no native device of it, and nothing has "
                  "changed since.") != std::string::npos,
        text);
    (void)process.session().explain(saxpy());  // asks all
    CHECK(software->calls.probe == 2);

    SUBCASE("no native device fits") {
        native->devices[0].limits.max_workgroup_invocations = 1;
        CHECK(Process(cache.path, {software, native}).chosen() == "software:0");
        CHECK(software->calls.probe == 3);
    }
    SUBCASE("the native backend has no device") {
        native->devices.clear();
        CHECK(Process(cache.path, {software, native}).chosen() == "software:0");
    }
    SUBCASE("the policy names it") {
        CHECK(Process(cache.path, {software, native}, {.backends = {{"software"}}}).chosen() == "software:0");
        CHECK(Process(cache.path, {software, native}, {.backends = {{"software:0", "native"}}}).chosen() ==
              "software:0");
        CHECK(Process(cache.path, {software, native}, {.backends = {{"software", "native"}}}).chosen() ==
              "native:0");
        CHECK(software->calls.probe == 5);
    }
    SUBCASE("it has a native device by now, and something else made a process ask it") {
        software->devices = {fit_device()};
        Process asks(cache.path, {software, native});
        (void)asks.session().explain(saxpy());
        CHECK(asks.chosen() == "software:0");
        CHECK(Process(cache.path, {software, native}).chosen() == "software:0");
    }
}

TEST_CASE("what drivers depend on is part of what was found") {
    const ScratchFolder cache, home;
    const auto software = script("software", 1), native = script("native", 2);
    software->devices = {emulated()};
    const auto probes_after = [&] {
        CHECK(Process(cache.path, {software, native}).chosen() == "native:0");
        return software->calls.probe.load();
    };
    REQUIRE(::setenv("XDG_DATA_HOME", home.path.c_str(), 1) == 0);
    CHECK(probes_after() == 1);
    CHECK(probes_after() == 1);
    REQUIRE(::setenv("VK_ICD_FILENAMES", "/nowhere/icd.json", 1) == 0);
    CHECK(probes_after() == 2);
    CHECK(probes_after() == 2);
    REQUIRE(::unsetenv("VK_ICD_FILENAMES") == 0);
    CHECK(probes_after() == 3);

    const std::filesystem::path manifests = home.path / "vulkan" / "icd.d";
    std::filesystem::create_directories(manifests);
    CHECK(probes_after() == 4);
    std::ofstream(manifests / "new.json") << "{}";
    CHECK(probes_after() == 5);
    std::ofstream(manifests / "new.json") << "{\"ICD\": 1}";
    CHECK(probes_after() == 6);
    CHECK(probes_after() == 6);
    REQUIRE(::unsetenv("XDG_DATA_HOME") == 0);
}

TEST_CASE("a probe that fails, and a backend that isn't there, are kept by nobody") {
    const ScratchFolder cache;
    const auto broken = script("broken", 1), native = script("native", 2);
    broken->probe = Act::fail;
    for (int i = 1; i < 3; ++i) {
        CHECK(Process(cache.path, {broken, native}).chosen() == "native:0");
        CHECK(broken->calls.probe == i);
    }
}

TEST_CASE("a kept text that isn't one counts as missing") {
    const ScratchFolder cache;
    const auto software = script("software", 1), native = script("native", 2);
    software->devices = {emulated()};
    for (int i = 1; i < 3; ++i) {
        CHECK(Process(cache.path, {software, native}).chosen() == "native:0");
        CHECK(software->calls.probe == i);
        for (const auto& entry : std::filesystem::recursive_directory_iterator(cache.path))
            if (entry.is_regular_file()) std::ofstream(entry.path(), std::ios::trunc) << "muster";
    }
}
