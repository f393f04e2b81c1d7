// The scan of a section's bytes: bytes between records are skipped, and invalid records are reported.
#include <algorithm>
#include <array>
#include <cstring>

#include <doctest/doctest.h>

#include <muster/driver/registry/modules.hpp>

using namespace muster;

namespace {

/// Bytes laid out like a section.
class Section {
  public:
    Section& gap(std::size_t bytes, std::byte fill = std::byte{0xf9}) {
        storage_.resize(storage_.size() + bytes, fill);
        return *this;
    }
    template <Record T>
    Section& add(const T& record) {
        const auto* bytes = reinterpret_cast<const std::byte*>(&record);
        storage_.insert(storage_.end(), bytes, bytes + sizeof(T));
        return *this;
    }
    Section& cut(std::size_t bytes) {
        storage_.resize(storage_.size() - bytes);
        return *this;
    }
    Inventory scan() const {
        Inventory inventory;
        scan_records(storage_, inventory);
        return inventory;
    }

  private:
    std::vector<std::byte> storage_;
};

std::string_view id_of(const RecordHeader* header) { return reinterpret_cast<const Id*>(header + 1)->view(); }

constexpr BackendPrecedence one{.id = "one", .rank = 1};
constexpr BackendCapability two{.id = "two", .dispatches = true};

}  // namespace

TEST_CASE("records beside each other, padded, and with red zones between are all found") {
    for (const std::size_t gap : {0u, 8u, 24u, 64u, 1000u}) {
        const Section section = Section().gap(gap).add(one).gap(gap).add(two).gap(gap);
        const Inventory inventory = section.scan();
        REQUIRE(inventory.records.size() == 2);
        CHECK(id_of(inventory.records[0]) == "one");
        CHECK(id_of(inventory.records[1]) == "two");
        CHECK(inventory.damaged.empty());
    }
}

TEST_CASE("an empty section, and one too short for any record, hold none") {
    CHECK(Section().scan().records.empty());
    for (std::size_t bytes = 1; bytes < 64; ++bytes) CHECK(Section().gap(bytes).scan().records.empty());
}

TEST_CASE("a record cut short, or with an impossible size, is reported and the next one still found") {
    const Inventory cut = Section().add(one).cut(8).scan();
    CHECK(cut.records.empty());
    CHECK(cut.damaged == std::vector<std::size_t>{0});
    for (const std::uint32_t size : {0u, 8u, 183u, 100000u, UINT32_MAX}) {
        BackendPrecedence bad = one;
        bad.header.size = size;
        const Section section = Section().add(bad).add(two);
        const Inventory inventory = section.scan();
        CHECK(inventory.damaged == std::vector<std::size_t>{0});
        REQUIRE(inventory.records.size() == 1);
        CHECK(id_of(inventory.records[0]) == "two");
    }
}

TEST_CASE("a record of a later schema is skipped by its own size") {
    BackendPrecedence later = one;
    later.header.schema = 7;
    later.header.size = sizeof(later) + 40;
    const Section section = Section().add(later).gap(40).add(two);
    const Inventory inventory = section.scan();
    REQUIRE(inventory.records.size() == 2);
    CHECK(inventory.records[0]->schema == 7);
    CHECK(id_of(inventory.records[1]) == "two");
}

TEST_CASE("a record whose size reaches over the next one is reported, and hides none") {
    for (const std::uint32_t size : {193u, 200u, 300u, 384u, 500u}) {
        CAPTURE(size);
        BackendPrecedence bad = one;
        bad.header.size = size;
        const Section section = Section().add(bad).add(two).add(one).gap(200);
        const Inventory inventory = section.scan();
        CHECK(inventory.damaged == std::vector<std::size_t>{0});
        REQUIRE(inventory.records.size() == 2);
        CHECK(id_of(inventory.records[0]) == "two");
        CHECK(id_of(inventory.records[1]) == "one");
    }
}
