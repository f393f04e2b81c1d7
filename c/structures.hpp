// structures.hpp - reads and writes the caller's structures, whose size may be that of
// an older or newer header.
//
//     const muster_wgsl wgsl = TRY(read(given, "muster_wgsl"));         // null: zeros
//     const Items<muster_argument> arguments = TRY(read_items(first, count, "muster_argument"));
//     write(to, muster_timing{...});                                    // as much as the caller has room for
//
// A structure may be larger than the one here only if what is behind is 0: then nothing is asked for that
// isn't known here. Threads: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <muster/c/answer.hpp>

namespace muster::c {

/// The least size of a structure, that of its first version. Specialise it when a structure grows.
template <class T>
inline constexpr std::uint32_t least_size = sizeof(T);
/// How much larger a newer header's structures may be.
inline constexpr std::uint32_t most_growth = 256;
/// The most items of an array that is given.
inline constexpr std::size_t most_items = 1 << 20;

std::unexpected<Fault> null_pointer(std::string_view what);
std::unexpected<Fault> too_many(std::string_view what, std::size_t count);
/// Errors: invalid_argument, if a structure of `size` can't be read as one of `here` bytes.
Answer<void> check_size(const void* given, std::uint32_t size, std::uint32_t least, std::uint32_t here,
                        std::string_view what);

/// The text of a view. Errors: invalid_argument (null, and not empty).
Answer<std::string_view> read_text(muster_string text, std::string_view what);
/// Bytes that are given. Errors: invalid_argument (null, and not empty).
Answer<std::span<const std::byte>> read_bytes(const void* data, std::uint64_t size, std::string_view what);

template <class T>
Answer<T> read(const T* given, std::string_view what) {
    T here{};
    here.struct_size = sizeof(T);
    if (given == nullptr) return here;
    const std::uint32_t size = given->struct_size;
    TRY(check_size(given, size, least_size<T>, sizeof(T), what));
    std::memcpy(&here, given, std::min<std::size_t>(size, sizeof(T)));
    return here;
}
/// Likewise, where null is an error.
template <class T>
Answer<T> read_given(const T* given, std::string_view what) {
    if (given == nullptr) return null_pointer(what);
    return read(given, what);
}

/// Structures in the caller's array, or copies of them if they are of another size.
template <class T>
struct Items {
    std::span<const T> all;
    std::vector<T> copies = {};
};
template <class T>
Answer<Items<T>> read_items(const T* first, std::size_t count, std::string_view what) {
    Items<T> items;
    if (count == 0) return items;
    if (first == nullptr) return null_pointer(what);
    if (count > most_items) return too_many(what, count);
    if (first->struct_size == sizeof(T)) {
        items.all = {first, count};
        return items;
    }
    const std::uint32_t size = first->struct_size;
    const auto* at = reinterpret_cast<const std::byte*>(first);
    for (std::size_t i = 0; i < count; ++i, at += size) {
        TRY(check_size(at, size, least_size<T>, sizeof(T), what));
        T& copy = items.copies.emplace_back();
        std::memcpy(&copy, at, std::min<std::size_t>(size, sizeof(T)));
    }
    items.all = items.copies;
    return items;
}
/// Plain values, which never change their size.
template <class T>
Answer<std::span<const T>> read_values(const T* first, std::size_t count, std::string_view what) {
    if (count == 0) return std::span<const T>();
    if (first == nullptr) return null_pointer(what);
    if (count > most_items) return too_many(what, count);
    return std::span<const T>(first, count);
}

/// True if a structure that isn't null has a size that can be filled in.
template <class T>
constexpr bool is_writable(const T& to) {
    return to.struct_size >= least_size<T> && to.struct_size <= sizeof(T) + most_growth;
}
/// Errors: invalid_argument (the structure's size).
template <class T>
Answer<void> check_writable(const T* to, std::string_view what) {
    if (to == nullptr || is_writable(*to)) return {};
    return check_size(to, to->struct_size, least_size<T>, sizeof(T), what);
}
/// Fills in the caller's structure, if it isn't null. Precondition: check_writable().
template <class T>
void write(T* to, T value) {
    if (to == nullptr) return;
    value.struct_size = to->struct_size;
    std::memcpy(to, &value, std::min<std::size_t>(value.struct_size, sizeof(T)));
}

}  // namespace muster::c
