// object.hpp - what a handle names: an object that can be asked for its properties, by number.
//
//     Answer<Property> DeviceObject::ask(std::int32_t property) const {
//         switch (property) {
//             case MUSTER_RANK: return one(rank_);
//             case MUSTER_TAG: return many(tags_.size(), [this](std::size_t i) { return Value(tags_[i]); });
//             default: return no_property(property);
//         }
//     }
//
// Text that is made for an answer is kept with the object, so that what a program has of it
// stays valid. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <muster/c/answer.hpp>

namespace muster::c {

/// A property's value: unknown, a number, a real number, text that is made, or text that
/// lives as long as the object.
using Value = std::variant<std::monostate, std::uint64_t, double, std::string, std::string_view>;

/// A property, or a list of them.
struct Property {
    std::size_t count = 1;
    Value value = {};                                // of one
    std::function<Value(std::size_t)> at = nullptr;  // of a list; not asked past its end
};

class Object {
  public:
    Object() = default;
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
    virtual ~Object() = default;

    virtual std::uint8_t kind() const = 0;
    /// Errors: invalid_argument (no_property), those of finding out.
    virtual Answer<Property> ask(std::int32_t property) const = 0;
    /// Errors: unsupported.
    virtual Answer<std::string> json() const;

    /// Keeps text for as long as the object lives.
    std::string_view keep_text(std::int32_t property, std::size_t index, std::string text) const;

  protected:
    std::unexpected<Fault> no_property(std::int32_t property) const;
    static Property one(Value value) { return {1, std::move(value), nullptr}; }
    template <class T>
    static Property one_if(const std::optional<T>& value) {
        return value ? one(Value(*value)) : Property{};
    }
    static Property number(std::uint64_t value) { return one(Value(value)); }
    static Property text(std::string value) { return one(Value(std::move(value))); }
    /// Text, or unknown if it is empty.
    static Property text_if(std::string value) { return value.empty() ? Property{} : text(std::move(value)); }
    static Property many(std::size_t count, std::function<Value(std::size_t)> at) {
        return {count, {}, std::move(at)};
    }
    template <class Texts>
    static Property texts(const Texts& all) {
        return many(all.size(), [&all](std::size_t i) { return Value(std::string(all[i])); });
    }

  private:
    mutable std::mutex mutex_;
    mutable std::map<std::pair<std::int32_t, std::size_t>, std::string_view> kept_;
    mutable std::deque<std::string> texts_;
};

}  // namespace muster::c
