#include <charconv>
#include <concepts>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/probe_answer.hpp>
#include <muster/driver/records.hpp>

namespace muster {
namespace {

/// Writes fields; Reader, with the same functions, reads them.
class Writer {
  public:
    template <std::unsigned_integral Number>
    void number(std::string_view key, const Number& value) {
        text_ += fmt::format("{} {}\n", key, value);
    }
    void flag(std::string_view key, bool value) { number(key, unsigned{value}); }
    template <class Enum>
    void choice(std::string_view key, Enum value, Enum /*last*/) {
        number(key, static_cast<unsigned>(value));
    }
    void text(std::string_view key, std::string_view value) {
        text_ += fmt::format("{} {}:{}\n", key, value.size(), value);
    }
    template <std::size_t N>
    void bits(std::string_view key, const std::bitset<N>& value) {
        text(key, value.to_string());
    }
    template <class Item, class Each>
    void list(std::string_view key, const std::vector<Item>& items, Each each) {
        number(key, items.size());
        for (const Item& item : items) each(item);
    }
    void line(std::string_view expected) { text_ += fmt::format("{}\n", expected); }
    std::string take() && { return std::move(text_); }

  private:
    std::string text_;
};

/// What comes after the first line that isn't understood isn't read.
class Reader {
  public:
    explicit Reader(std::string_view text) : rest_(text) {}

    template <std::unsigned_integral Number>
    void number(std::string_view key, Number& value) {
        if (!begins(key)) return;
        const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (failed != std::errc()) return wrong(key);
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        ends(key);
    }
    void flag(std::string_view key, bool& value) {
        unsigned number = 0;
        this->number(key, number);
        if (number > 1) return wrong(key);
        value = number == 1;
    }
    template <class Enum>
    void choice(std::string_view key, Enum& value, Enum last) {
        unsigned number = 0;
        this->number(key, number);
        if (number > static_cast<unsigned>(last)) return wrong(key);
        value = static_cast<Enum>(number);
    }
    void text(std::string_view key, std::string& value) {
        if (!begins(key)) return;
        std::size_t length = 0;
        const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
        const auto digits = static_cast<std::size_t>(end - rest_.data());
        if (failed != std::errc() || digits == rest_.size() || *end != ':' ||
            length > rest_.size() - digits - 1)
            return wrong(key);
        value = rest_.substr(digits + 1, length);
        rest_.remove_prefix(digits + 1 + length);
        ends(key);
    }
    template <std::size_t N>
    void bits(std::string_view key, std::bitset<N>& value) {
        std::string digits;
        text(key, digits);
        if (digits.size() != N || digits.find_first_not_of("01") != std::string::npos) return wrong(key);
        value = std::bitset<N>(digits);
    }
    template <class Item, class Each>
    void list(std::string_view key, std::vector<Item>& items, Each each) {
        std::size_t count = 0;
        number(key, count);
        if (count > rest_.size()) return wrong(key);  // each takes a line
        for (std::size_t i = 0; i < count && !fault_; ++i) each(items.emplace_back());
    }
    void line(std::string_view expected) {
        if (fault_) return;
        if (!rest_.starts_with(expected)) return wrong(expected);
        rest_.remove_prefix(expected.size());
        ends(expected);
    }

    bool done() const { return !fault_ && rest_.empty(); }
    std::string fault() const { return fault_ ? *fault_ : "something behind its end"; }

  private:
    bool begins(std::string_view key) {
        if (fault_) return false;
        if (!rest_.starts_with(key) || !rest_.substr(key.size()).starts_with(' ')) {
            wrong(key);
            return false;
        }
        rest_.remove_prefix(key.size() + 1);
        return true;
    }
    void ends(std::string_view key) {
        if (!rest_.starts_with('\n')) return wrong(key);
        rest_.remove_prefix(1);
    }
    void wrong(std::string_view key) {
        if (!fault_) fault_ = fmt::format("no \"{}\" where one belongs", key);
    }

    std::string_view rest_;
    std::optional<std::string> fault_;
};

template <class Archive, class Extent>
void extent(Archive& archive, std::string_view key, Extent& value) {
    auto& [x, y, z] = value;
    archive.number(key, x);
    archive.number(key, y);
    archive.number(key, z);
}

// Each function names all members of its structure, so that a new one doesn't compile until it is written and read.

template <class Archive, class Limits>
void limits(Archive& archive, Limits& value) {
    auto& [workgroup, invocations, workgroup_bytes, workgroups, storage_bytes, uniform_bytes, storages,
           uniforms, private_bytes] = value;
    extent(archive, "max_workgroup_size", workgroup);
    archive.number("max_workgroup_invocations", invocations);
    archive.number("max_workgroup_bytes", workgroup_bytes);
    extent(archive, "max_workgroups", workgroups);
    archive.number("max_storage_binding_bytes", storage_bytes);
    archive.number("max_uniform_binding_bytes", uniform_bytes);
    archive.number("max_storage_bindings", storages);
    archive.number("max_uniform_bindings", uniforms);
    archive.number("max_private_bytes", private_bytes);
}

template <class Archive, class Exact>
void exactness(Archive& archive, Exact& value) {
    auto& [nearest, specials, subnormals, division, root, fused, mathematics] = value;
    for (auto* promise : {&nearest, &specials, &subnormals, &division, &root, &fused, &mathematics})
        archive.choice("promise", *promise, Promise::promised);
}

template <class Archive, class Info>
void device(Archive& archive, Info& value) {
    auto& [ordinal, name, arch, kind, emulated, uuid, driver, memory_bytes, subgroup_size, all_limits, ops,
           scalar_types, exact] = value;
    archive.number("ordinal", ordinal);
    archive.text("name", name);
    archive.text("arch", arch);
    archive.choice("kind", kind, DeviceKind::other);
    archive.flag("software_emulated", emulated);
    for (auto& byte : uuid) archive.number("uuid", byte);
    archive.text("driver", driver);
    archive.number("memory_bytes", memory_bytes);
    archive.number("subgroup_size", subgroup_size);
    limits(archive, all_limits);
    auto& [core, extensions] = ops;
    archive.bits("ops", core);
    archive.list("extensions", extensions, [&](auto& id) { archive.text("extension", id); });
    archive.bits("scalars", scalar_types);
    exactness(archive, exact);
}

template <class Archive, class Problem>
void error(Archive& archive, Problem& value) {
    auto& [code, message, fix, context] = value;
    archive.choice("code", code, ErrorCode::internal);
    archive.text("message", message);
    archive.text("fix", fix);
    archive.list("steps", context, [&](auto& step) { archive.text("step", step); });
}

template <class Archive, class Probe>
void answer(Archive& archive, Probe& value) {
    static constexpr AbiText build = abi_fingerprint();
    archive.line("muster probe 1");
    archive.line(build.view());
    archive.choice("state", value.state, last_probe_state);
    if (value.state == ProbeState::answered)
        archive.list("devices", value.devices, [&](auto& each) { device(archive, each); });
    else
        error(archive, value.error);
    archive.line("end");
}

}  // namespace

std::string probe_answer(const ProbeResult& result) {
    Writer writer;
    answer(writer, result);
    return std::move(writer).take();
}

Result<ProbeResult> read_probe_answer(std::string_view text) {
    Reader reader(text);
    ProbeResult result;
    answer(reader, result);
    if (!reader.done())
        return fail(ErrorCode::io_failed,
                    fmt::format("The answer of {} bytes has {}.", text.size(), reader.fault()));
    return result;
}

}  // namespace muster
