#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/driver/support/inline_vector.hpp>

using namespace muster;

namespace {

using Shared = InlineVector<std::shared_ptr<int>, 2>;

Shared holding(const std::shared_ptr<int>& what, int count) {
    Shared list;
    for (int i = 0; i < count; ++i) list.push_back(what);
    return list;
}

}  // namespace

TEST_CASE("elements stay in order, inside and beyond the inline ones") {
    InlineVector<std::string, 2> list;
    std::vector<std::string> wanted;
    for (int i = 0; i < 9; ++i) {
        wanted.push_back("element number " + std::to_string(i));
        list.push_back(wanted.back());
        CHECK(std::vector<std::string>(list.begin(), list.end()) == wanted);
    }
    list.push_back(list[0]);  // an element of the same vector
    CHECK(list.back() == wanted[0]);
    list.truncate(1);
    CHECK(list.size() == 1);
    CHECK(list.front() == wanted[0]);
}

TEST_CASE("what is moved from is empty and can be used again; nothing is lost or kept") {
    const auto what = std::make_shared<int>(7);
    for (const int count : {0, 1, 2, 3, 10}) {
        CAPTURE(count);
        {
            Shared from = holding(what, count);
            Shared to = std::move(from);
            CHECK(from.empty());  // NOLINT(bugprone-use-after-move): this is under test
            CHECK(to.size() == static_cast<std::size_t>(count));
            CHECK(what.use_count() == 1 + count);
            from.push_back(what);
            CHECK(what.use_count() == 2 + count);
            to = std::move(from);
            CHECK(what.use_count() == 2);
        }
        CHECK(what.use_count() == 1);
    }
}

TEST_CASE("copies are of their own") {
    const auto what = std::make_shared<int>(7);
    for (const int count : {1, 2, 3}) {
        const Shared one = holding(what, count);
        Shared two = one;
        two.push_back(what);
        CHECK(one.size() == static_cast<std::size_t>(count));
        CHECK(what.use_count() == 2 + 2 * count);
        two = one;
        CHECK(two.size() == one.size());
    }
    CHECK(what.use_count() == 1);
}

TEST_CASE("filled, and made from a span") {
    const InlineVector<int, 4> filled(6, 3);
    CHECK(std::vector<int>(filled.begin(), filled.end()) == std::vector<int>(6, 3));
    const InlineVector<int, 4> copied{std::span<const int>(filled)};
    CHECK(copied.size() == 6);
    CHECK(copied[5] == 3);
}
