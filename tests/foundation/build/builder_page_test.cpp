// The examples of docs/builder.md, which guide/collect_examples writes into a source.

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/validate/validate.hpp>

#include "support/reread.hpp"

extern const std::vector<std::pair<const char*, muster::Result<muster::Program>*>> page_examples;

TEST_CASE("every kernel of docs/builder.md is valid, and reads back from its text") {
    CHECK(page_examples.size() >= 6);
    for (const auto& [name, program] : page_examples) {
        CAPTURE(std::string(name));
        REQUIRE_MESSAGE(*program, (*program ? "" : program->error().to_string()));
        CHECK((*program)->entry() == name);
        const auto valid = muster::validate(**program);
        CHECK_MESSAGE(valid, (valid ? "" : valid.error().to_string()));
        muster::test::printed(**program);
    }
}
