// Turns Vulkan's validation layer on in a whole test program: any message fails the test that is running.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <support/vulkan_validation.hpp>

#include <muster/backend-vulkan/native/validation.hpp>

namespace {

struct Messages {
    std::mutex mutex;
    std::vector<std::string> all;
};
Messages& messages() {
    static auto* const shared = new Messages;  // drivers may call until the process has ended
    return *shared;
}

void keep(std::string_view message) {
    const std::lock_guard lock(messages().mutex);
    messages().all.emplace_back(message);
}

bool has_messages = false;
/// Fails the program: doctest no longer counts failures after a test has ended.
void fail_if_it_has_messages() {
    if (!has_messages) return;
    std::fflush(nullptr);
    std::_Exit(1);
}

/// Turns the layer on before the first test, and checks the messages after each.
struct Watch final : doctest::IReporter {
    explicit Watch(const doctest::ContextOptions&) {}
    void test_run_start() override {
        muster::vulkan::validate(keep);
        std::atexit(fail_if_it_has_messages);
    }
    void test_case_start(const doctest::TestCaseData& test) override { test_ = test.m_name; }
    void test_case_end(const doctest::CurrentTestCaseStats&) override { check_messages(); }
    void test_run_end(const doctest::TestRunStats&) override { check_messages(); }

    void report_query(const doctest::QueryData&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}

  private:
    void check_messages() {
        const std::lock_guard lock(messages().mutex);
        for (const std::string& message : messages().all)
            std::fprintf(stderr, "In \"%s\" Vulkan's validation layer says: %s\n", test_, message.c_str());
        has_messages = has_messages || !messages().all.empty();
        messages().all.clear();
    }
    const char* test_ = "";
};

REGISTER_LISTENER("vulkan_validation", 1, Watch);

}  // namespace

std::vector<std::string> muster::test::take_validation_messages() {
    const std::lock_guard lock(messages().mutex);
    return std::exchange(messages().all, {});
}
