#include <doctest/doctest.h>

#include <muster/graph/ir/shape.hpp>
#include <muster/graph/ir/tensor.hpp>

namespace muster::graph {

TEST_CASE("Dimensions multiply and divide as products of numbers and symbols") {
    const Dimension n = Dimension::symbol("N"), t = Dimension::symbol("T");
    CHECK(to_string(n * 3 * t * 2) == "6*N*T");
    CHECK(t * n == n * t);
    CHECK(exact_quotient(n * t * 6, t * 2) == n * 3);
    CHECK(exact_quotient(n * 5, 2).is_unknown());
    CHECK(exact_quotient(n, t).is_unknown());
    CHECK(exact_quotient(12, 0).is_unknown());
    CHECK(n * 0 == Dimension(0));
    CHECK((Dimension(INT64_MAX) * 2).is_unknown());
}

TEST_CASE("Dimensions add where the sum is a product again") {
    const Dimension n = Dimension::symbol("N");
    CHECK(Dimension(2) + 3 == Dimension(5));
    CHECK(n + n * 2 == n * 3);
    CHECK(n + 0 == n);
    CHECK(n + n * -1 == Dimension(0));
    CHECK((n + 1).is_unknown());
    CHECK((Dimension(INT64_MAX) + 1).is_unknown());
}

TEST_CASE("Two unknown dimensions aren't provably equal") {
    CHECK(!provably_equal(Dimension::unknown(), Dimension::unknown()));
    CHECK(!provably_different(Dimension::symbol("N"), 3));
    CHECK(provably_different(2, 3));
}

TEST_CASE("A tensor shares its bytes, and has as many as its type asks for") {
    const Tensor a = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
    const Tensor b = a;
    CHECK(a.bytes().data() == b.bytes().data());
    CHECK(floats(b)[3] == 4);
    CHECK(floats(Tensor()) == std::vector<float>{0});
    const auto wrong = Tensor::over(ElementType::i64, {3}, {nullptr, 8});
    REQUIRE(!wrong);
    CHECK(wrong.error().message == "A tensor i64[3] takes 24 bytes, and its data has 8.");
}

TEST_CASE("Sizes that are negative or too large are refused") {
    const std::vector<std::int64_t> negative{2, -1}, large{INT64_MAX, INT64_MAX},
        empty{INT64_MAX, INT64_MAX, 0};
    CHECK(checked_element_count(negative).error().message == "A tensor's size of -1 is negative.");
    CHECK(checked_element_count(large).error().code == ErrorCode::limit_exceeded);
    CHECK(checked_element_count(empty) == 0);
    CHECK(checked_element_count(std::vector<std::int64_t>{1 << 24, 1 << 24}) == max_elements);
    CHECK(!checked_element_count(std::vector<std::int64_t>{1 << 24, (1 << 24) + 1}));
}

}  // namespace muster::graph
