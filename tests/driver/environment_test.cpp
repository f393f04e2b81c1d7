#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/doubles.hpp>

#include <muster/driver/policy/environment.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/session/session.hpp>

using namespace muster;
using namespace muster::test;

namespace {

Result<Policy> read(std::map<std::string, std::string, std::less<>> variables) {
    return environment_policy([&](std::string_view name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
    });
}

}  // namespace

TEST_CASE("nothing set is no policy") {
    const auto policy = read({});
    REQUIRE(policy);
    CHECK_FALSE(policy->backends);
    CHECK(policy->exclude.empty());
}

TEST_CASE("MUSTER_BACKEND is an ordered list, MUSTER_EXCLUDE a set") {
    const auto policy = read({{"MUSTER_BACKEND", "cuda, cpu"}, {"MUSTER_EXCLUDE", "vulkan"}});
    REQUIRE(policy);
    CHECK(*policy->backends == std::vector<std::string>{"cuda", "cpu"});
    CHECK(policy->exclude == std::vector<std::string>{"vulkan"});
    CHECK(read({{"MUSTER_EXCLUDE", ""}})->exclude.empty());
    CHECK(*read({{"MUSTER_BACKEND", "cuda:1, cuda"}})->backends ==
          std::vector<std::string>{"cuda:1", "cuda"});
}

TEST_CASE("a value that can't be understood is an error that names the variable") {
    for (const std::string value : {"", " ", "cuda,,cpu", "cuda,", "CUDA", "cpu;cuda", "cpu,cpu", "*",
                                    "cuda:", "cuda:a", "cuda:1,cuda:1"}) {
        CAPTURE(value);
        const auto policy = read({{"MUSTER_BACKEND", value}});
        REQUIRE_FALSE(policy);
        CHECK(policy.error().code == ErrorCode::invalid_argument);
        CHECK(policy.error().to_string().find("MUSTER_BACKEND") != std::string::npos);
        CHECK_FALSE(policy.error().fix.empty());
    }
    for (const std::string value : {"cuda,,cpu", "All", ","}) {
        CAPTURE(value);
        CHECK_FALSE(read({{"MUSTER_EXCLUDE", value}}));
    }
}

TEST_CASE("MUSTER_COMPILE_BUDGET is a number of seconds") {
    const auto budget = [](const char* value) { return read({{"MUSTER_COMPILE_BUDGET", value}}); };
    CHECK_FALSE(read({})->compile_budget);
    CHECK_FALSE(budget("")->compile_budget);
    CHECK(*budget(" 90 ")->compile_budget == std::chrono::seconds(90));
    CHECK(*budget("0.25")->compile_budget == std::chrono::milliseconds(250));
    CHECK(*budget("0")->compile_budget == std::chrono::nanoseconds(0));
    CHECK(budget("1000000000")->compile_budget);
    for (const char* value : {"-1", "30s", "soon", "1e3", "nan", "inf", "1000000001", "0x10", "1 2"}) {
        CAPTURE(value);
        const auto wrong = budget(value);
        REQUIRE_FALSE(wrong);
        CHECK(wrong.error().code == ErrorCode::invalid_argument);
        CHECK(wrong.error().to_string().find("MUSTER_COMPILE_BUDGET=\"" + std::string(value) + "\"") !=
              std::string::npos);
    }
}

TEST_CASE("a session reads the process's environment unless told not to") {
    setenv("MUSTER_EXCLUDE", "not an id", 1);
    const auto fleet = std::make_shared<Fleet>(entries({}));
    const auto session = Session::open({.fleet = fleet});
    unsetenv("MUSTER_EXCLUDE");
    REQUIRE_FALSE(session);
    CHECK(session.error().to_string().find("MUSTER_EXCLUDE=\"not an id\"") != std::string::npos);
    setenv("MUSTER_BACKEND", "one", 1);
    const auto heard = Session::open({.fleet = fleet}),
               deaf = Session::open({.fleet = fleet, .use_environment = false});
    unsetenv("MUSTER_BACKEND");
    CHECK(heard->policy().backends == std::vector<std::string>{"one"});
    CHECK_FALSE(deaf->policy().backends);
}

TEST_CASE("MUSTER_PROBE says where backends are probed, or is an error") {
    const auto asked = [](std::optional<std::string> value) {
        return environment_probing([&](std::string_view) { return value; });
    };
    CHECK(*asked(std::nullopt) == Probing::in_process);
    CHECK(*asked("in-process") == Probing::in_process);
    CHECK(*asked(" isolated ") == Probing::isolated);
    for (const std::string value : {"", "isolate", "ISOLATED", "1"}) {
        CAPTURE(value);
        const auto wrong = asked(value);
        REQUIRE_FALSE(wrong);
        CHECK(wrong.error().code == ErrorCode::invalid_argument);
        CHECK(wrong.error().message.find("MUSTER_PROBE is \"" + value + "\"") != std::string::npos);
    }
    setenv("MUSTER_PROBE", "isolatd", 1);
    const auto fleet = std::make_shared<Fleet>(entries({}));
    CHECK_FALSE(Session::open({.fleet = fleet}));
    CHECK(Session::open({.fleet = fleet, .use_environment = false}));
    unsetenv("MUSTER_PROBE");
}

TEST_CASE("the cache's folder") {
    using Variables = std::map<std::string, std::string, std::less<>>;
    const auto folder = [](const Variables& set) {
        return cache_folder([&](std::string_view name) -> std::optional<std::string> {
            const auto found = set.find(name);
            return found == set.end() ? std::nullopt : std::optional(found->second);
        });
    };
    CHECK(folder({{"MUSTER_CACHE_DIR", "/here"}, {"HOME", "/home"}}) == "/here");
    CHECK(folder({{"XDG_CACHE_HOME", "/cache"}, {"HOME", "/home"}}) == "/cache/muster");
    CHECK(folder({{"XDG_CACHE_HOME", ""}, {"HOME", "/home"}}) == "/home/.cache/muster");
    CHECK(folder({{"MUSTER_CACHE_DIR", ""}, {"HOME", "/home"}}) == std::nullopt);
    CHECK(folder({}) == std::nullopt);
    CHECK(folder({{"MUSTER_CACHE_DIR", "here"}}) == "here");
    CHECK(folder({{"XDG_CACHE_HOME", "cache"}, {"HOME", "/home"}}) == "/home/.cache/muster");
    CHECK(folder({{"XDG_CACHE_HOME", "./cache"}, {"HOME", "home"}}) == std::nullopt);
}

TEST_CASE("the table of variables has each that is read, and no other") {
    std::set<std::string, std::less<>> asked, known;
    const auto ask = [&](std::string_view name) -> std::optional<std::string> {
        if (name.starts_with("MUSTER_")) asked.emplace(name);
        return std::nullopt;
    };
    (void)environment_policy(ask);
    (void)environment_log_level(ask);
    (void)environment_trace(ask);
    (void)environment_webgpu_precision(ask);
    (void)environment_webgpu_strict_type(ask);
    (void)environment_plugins(ask);
    (void)cache_folder(ask);
    (void)cache_bytes(ask);
    (void)environment_probing(ask);
    (void)environment_debug_info(ask);
    for (const KnownVariable& variable : known_variables()) {
        known.emplace(variable.name);
        CHECK_FALSE(variable.meaning.empty());
    }
    CHECK(asked == known);
}

TEST_CASE("a misspelt variable is warned of once, and one that resembles none isn't") {
    const auto warnings = [](std::vector<std::string> names) { return misspelt_variables(names); };
    CHECK(
        warnings({"MUSTER_BACKENDS"}) ==
        std::vector<std::string>{"The environment sets MUSTER_BACKENDS, which muster doesn't read. Fix: set "
                                 "MUSTER_BACKEND, if that is meant, and unset MUSTER_BACKENDS"});
    CHECK(warnings({"MUSTER_EXLUDE", "MUSTER_CACHE", "MUSTER_VALIDATED"}).size() == 3);
    CHECK(warnings({"MUSTER_BACKEND", "MUSTER_TEST_ALL", "MUSTER_HOME", "MUSTER_", "MUSTER", "BACKENDS"})
              .empty());
    CHECK(warnings({"MUSTER_" + std::string(1000, 'X')}).empty());

    std::vector<std::string> logged;
    set_log_sink([&](LogLevel, std::string_view text) { logged.emplace_back(text); });
    setenv("MUSTER_EXLUDE", "cpu", 1);
    const auto fleet = std::make_shared<Fleet>(entries({}));
    CHECK(Session::open({.fleet = fleet}));
    CHECK(Session::open({.fleet = fleet}));
    unsetenv("MUSTER_EXLUDE");
    set_log_sink({});
    REQUIRE(logged.size() == 1);
    CHECK(logged[0].find("MUSTER_EXCLUDE") != std::string::npos);
}

TEST_CASE("the most bytes of the cache") {
    const auto bytes = [](std::optional<std::string> set) {
        return cache_bytes(
            [&](std::string_view name) { return name == "MUSTER_CACHE_BYTES" ? set : std::nullopt; });
    };
    CHECK(*bytes(std::nullopt) == 256u << 20);
    CHECK(*bytes(" 1000 ") == 1000);
    CHECK(*bytes("0") == 0);
    CHECK(*bytes("18446744073709551615") == UINT64_MAX);
    for (const char* wrong : {"", "1k", "-1", "18446744073709551616", "0x10"}) {
        CAPTURE(wrong);
        REQUIRE_FALSE(bytes(wrong));
        CHECK(bytes(wrong).error().message ==
              "MUSTER_CACHE_BYTES is \"" + std::string(wrong) + "\", no number of bytes below 2^64.");
    }
}

namespace {

Result<PluginEnvironment> plugins_of(std::map<std::string, std::string, std::less<>> variables) {
    return environment_plugins([&](std::string_view name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
    });
}

}  // namespace

TEST_CASE("MUSTER_DEBUG_INFO is 0 or 1") {
    const auto debug_info = [](std::optional<std::string> value) {
        return environment_debug_info([&](std::string_view) { return value; });
    };
    for (const char* off : {"", " ", "0"}) CHECK_FALSE(*debug_info(off));
    CHECK_FALSE(*debug_info(std::nullopt));
    CHECK(*debug_info(" 1 "));
    const auto wrong = debug_info("yes");
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().to_string() ==
          "MUSTER_DEBUG_INFO is \"yes\", neither 0 nor 1.\nFix: set it to 1 to see kernels in perf and gdb, "
          "or unset it");
}

TEST_CASE("MUSTER_AUTOLOAD is 0 or 1, MUSTER_BACKEND_PATH folders in their order") {
    CHECK(plugins_of({})->autoload);
    CHECK(plugins_of({})->folders.empty());
    CHECK(plugins_of({{"MUSTER_AUTOLOAD", "1"}})->autoload);
    CHECK_FALSE(plugins_of({{"MUSTER_AUTOLOAD", "0"}})->autoload);
    CHECK(plugins_of({{"MUSTER_BACKEND_PATH", ""}})->folders.empty());
    CHECK(plugins_of({{"MUSTER_BACKEND_PATH", "/b:/a:."}})->folders ==
          std::vector<std::string>{"/b", "/a", "."});
}

TEST_CASE("values about plugins that can't be understood are errors, never everything") {
    for (const char* value : {"", "no", "00", "off", "2", "0 1"}) {
        CAPTURE(value);
        const auto plugins = plugins_of({{"MUSTER_AUTOLOAD", value}});
        REQUIRE_FALSE(plugins);
        CHECK(plugins.error().code == ErrorCode::invalid_argument);
        CHECK(plugins.error().message ==
              "MUSTER_AUTOLOAD is \"" + std::string(value) + "\", neither 0 nor 1.");
    }
    for (const char* value : {":", "/a:", ":/a", "/a::/b"}) {
        CAPTURE(value);
        const auto plugins = plugins_of({{"MUSTER_BACKEND_PATH", value}});
        REQUIRE_FALSE(plugins);
        CHECK(plugins.error().message.find("with an empty item") != std::string::npos);
    }
}

TEST_CASE("MUSTER_CHECK_DEVICES is 0 or 1") {
    const auto checks = [](const char* value) { return read({{"MUSTER_CHECK_DEVICES", value}}); };
    CHECK_FALSE(read({})->check_devices);
    CHECK_FALSE(checks("")->check_devices);
    CHECK(checks("0")->check_devices == false);
    CHECK(checks(" 1 ")->check_devices == true);
    const auto wrong = checks("no");
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().to_string() ==
          "\"no\" is neither 1 nor 0.\n"
          "  while reading MUSTER_CHECK_DEVICES=\"no\" from the environment\n"
          "Fix: give 1 to set it, or 0");
}

TEST_CASE("MUSTER_VALIDATE is 0, 1 or error") {
    const auto validate = [](const char* value) { return read({{"MUSTER_VALIDATE", value}}); };
    CHECK_FALSE(read({})->validate);
    CHECK_FALSE(validate("")->validate);
    CHECK(validate("0")->validate == Validation::off);
    CHECK(validate(" 1 ")->validate == Validation::warn);
    CHECK(validate("error")->validate == Validation::error);
    for (const char* value : {"2", "01", "yes", "warn", "ERROR", "1,0"}) {
        CAPTURE(value);
        const auto wrong = validate(value);
        REQUIRE_FALSE(wrong);
        CHECK(wrong.error().to_string() ==
              "\"" + std::string(value) +
                  "\" isn't a kind of validation.\n"
                  "  while reading MUSTER_VALIDATE=\"" +
                  value +
                  "\" from the environment\n"
                  "Fix: set it to 1 for warnings, to error for errors, or to 0 for none");
    }
}

TEST_CASE("MUSTER_WEBGPU_PRECISION is exact or fast, or an error") {
    const auto asked = [](std::optional<std::string> value) {
        return environment_webgpu_precision([&](std::string_view) { return value; });
    };
    CHECK(*asked(std::nullopt) == Precision::exact);
    CHECK(*asked("") == Precision::exact);
    CHECK(*asked("exact") == Precision::exact);
    CHECK(*asked(" fast ") == Precision::fast);
    const auto wrong = asked("quick");
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ErrorCode::invalid_argument);
    CHECK(wrong.error().message == "MUSTER_WEBGPU_PRECISION is \"quick\", which isn't a precision.");
}

TEST_CASE("MUSTER_WEBGPU_BACKEND_TYPE is strict or lenient, or an error") {
    const auto asked = [](std::optional<std::string> value) {
        return environment_webgpu_strict_type([&](std::string_view) { return value; });
    };
    CHECK_FALSE(*asked(std::nullopt));
    CHECK_FALSE(*asked(""));
    CHECK_FALSE(*asked("lenient"));
    CHECK(*asked(" strict "));
    const auto wrong = asked("1");
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ErrorCode::invalid_argument);
    CHECK(wrong.error().message == "MUSTER_WEBGPU_BACKEND_TYPE is \"1\", neither strict nor lenient.");
}
