// json.hpp - JSON as a value to build and print; members stand in the order written.
//
//     Json json{{"id", entry.id}, {"devices", Json::array()}};
//     json["devices"].push_back({{"name", device.name}});
//     json.text();      // {"id":"cpu","devices":[{"name":"..."}]}
//
// It is for what programs are told; reading JSON is the tool's, with a library. Text that isn't UTF-8 is
// printed with U+FFFD in place of what is wrong. Threads: a value.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <muster/foundation/base/api.hpp>

namespace muster::report {
MUSTER_API_BEGIN

class Json {
  public:
    using Member = std::pair<std::string_view, Json>;

    Json() = default;  // null
    Json(std::nullptr_t) {}
    Json(bool value) : value_(value) {}
    Json(std::unsigned_integral auto value) : value_(std::uint64_t{value}) {}
    Json(std::signed_integral auto value) : value_(std::int64_t{value}) {}
    Json(double value) : value_(value) {}
    Json(std::string value) : value_(std::move(value)) {}
    Json(std::string_view value) : value_(std::string(value)) {}
    Json(const char* value) : value_(std::string(value)) {}
    Json(const std::vector<std::string>& texts) : value_(Items()) {
        for (const std::string& text : texts) push_back(text);
    }
    /// An object.
    Json(std::initializer_list<Member> members);
    static Json array() { return of(Items()); }
    static Json array(std::vector<Json> items) { return of(std::move(items)); }
    static Json object() { return of(Members()); }

    /// A member of an object, which is added if it isn't there; of null, which becomes an object.
    Json& operator[](std::string_view name);
    /// Adds to an array; to null, which becomes one.
    Json& push_back(Json item);

    /// The text, without spaces or line ends.
    std::string text() const;

  private:
    using Items = std::vector<Json>;
    using Members = std::vector<std::pair<std::string, Json>>;
    using Content =
        std::variant<std::monostate, bool, std::uint64_t, std::int64_t, double, std::string, Items, Members>;
    static Json of(Content value) {
        Json json;
        json.value_ = std::move(value);
        return json;
    }
    void print(std::string& to) const;
    Content value_;
};

MUSTER_API_END
}  // namespace muster::report
