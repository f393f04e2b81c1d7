#include <array>
#include <optional>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/kernels/group_lowering.hpp>
#include <muster/graph/kernels/product_blocks.hpp>

namespace muster::graph {
namespace {

enum Input : std::size_t { x, w, r, bias, lengths, initial_h, initial_c, peepholes };

/// LSTM and GRU: a workgroup for each sequence and direction goes through its steps, each invocation through
/// some of the hidden units; between, all wait for each other. States are in scratch memory: h before and
/// after a step by turns, c, and r * h.
class RecurrentKernel {
  public:
    explicit RecurrentKernel(GroupLowering& group)
        : group_(group),
          is_lstm_(group.op() == Operator::lstm),
          batch_first_(group.attributes().flag("layout")) {
        const Sizes sizes = group.sizes(group.input(x));
        steps_ = sizes[batch_first_ ? 1 : 0];
        batch_ = sizes[batch_first_ ? 0 : 1];
        input_ = sizes[2];
        directions_ = group.sizes(group.input(w))[0];
        hidden_ = group.sizes(group.input(r))[2];
    }

    Result<void> write() {
        for (const std::string& name : group_.attributes().texts("activations")) {
            if (name != "Sigmoid" && name != "Tanh" && name != "Relu")
                return fail(ErrorCode::unsupported, fmt::format("Its activation {} has no kernel.", name));
        }
        for (std::size_t i = 0; i < operands_.size(); ++i)
            if (group_.has(i)) operands_[i] = text_.operand(group_.storage(group_.input(i)));
        state_ = text_.operand(Storage::row_major(ElementType::f32, {directions_ * batch_ * 4 * hidden_},
                                                  group_.scratch(directions_ * batch_ * 4 * hidden_ * 4)));
        begin();
        text_.line("for (var i = 0u; i < {}; i++) {{", index_literal(steps_));
        text_.line("let is_step = i < length;");
        text_.line("let step = {};", direction_text("i", "select(0u, length - 1u - i, is_step)"));
        text_.line("let now = first + (i & 1u) * {0}; let next = first + (1u - (i & 1u)) * {0};", units());
        if (!is_lstm_) resets();
        each_unit([&] { is_lstm_ ? lstm_unit() : gru_unit(); });
        wait();
        text_.line("}");
        end();
        group_.add(std::move(text_).finish(
            {static_cast<std::uint32_t>(batch_), static_cast<std::uint32_t>(directions_), 1}));
        return {};
    }

  private:
    static constexpr std::uint32_t lanes = 64;
    std::string units() const { return index_literal(hidden_); }
    bool has(std::size_t input) const { return operands_[input].has_value(); }

    /// One of two expressions by direction.
    std::string direction_text(const std::string& forward, const std::string& backward) const {
        if (group_.attributes().text("direction") == "reverse") return backward;
        return directions_ == 1 ? forward : fmt::format("select({}, {}, direction == 1u)", forward, backward);
    }

    template <class Body>
    void each_unit(Body&& body) {
        text_.line("for (var unit = lane; unit < {}; unit += {}u) {{", units(), lanes);
        body();
        text_.line("}");
    }
    void wait() {
        text_.line("storageBarrier();");
        text_.line("workgroupBarrier();");
    }

    std::string load(std::size_t input, const std::vector<std::string>& at) {
        const Storage& storage = text_.storage(*operands_[input]);
        return text_.load(*operands_[input], offset_of(at, storage.strides, storage.offset));
    }
    /// The place of a state [direction, batch, hidden], or [batch, direction, hidden].
    std::vector<std::string> state_place(const std::string& unit) const {
        if (batch_first_) return {"batch", "direction", unit};
        return {"direction", "batch", unit};
    }

    void begin() {
        text_.line("let batch = group.x;");
        text_.line("let direction = group.y;");
        text_.line("let first = (direction * {} + batch) * {};", index_literal(batch_),
                   index_literal(4 * hidden_));
        text_.line("let cells = first + {}; let reset_states = first + {};", index_literal(2 * hidden_),
                   index_literal(3 * hidden_));
        text_.line("let length = {};",
                   has(lengths) ? fmt::format("u32(clamp({}, 0, {}))", load(lengths, {"batch"}), steps_)
                                : index_literal(steps_));
        each_unit([&] {
            text_.store(state_, "first + unit",
                        has(initial_h) ? load(initial_h, state_place("unit")) : "0.0f");
            if (is_lstm_)
                text_.store(state_, "cells + unit",
                            has(initial_c) ? load(initial_c, state_place("unit")) : "0.0f");
        });
        wait();
    }

    /// Declares the dot product of a row of weights and a vector.
    std::string dot(std::size_t input, const std::string& row, std::int64_t length,
                    const std::string& element) {
        const std::string sum = fmt::format("s{}", sums_++);
        text_.line("var {} = 0.0f;", sum);
        tree_of_sums(text_, sum, 0)
            .write(text_, sum + "b", tiles(length, product_block), "",
                   [&](const std::string& block, const std::string& end) {
                       const std::string first = fmt::format("{} * {}u", block, product_block);
                       each_of_block(text_, first, product_block, length, "k", [&] {
                           text_.line("{0}{1} = {0}{1} + {2} * {3};", sum, end,
                                      load(input, {"direction", row, "k"}), element);
                       });
                   });
        return sum;
    }
    std::string row_of(std::size_t gate) const {
        return fmt::format("(unit + {})", index_literal(static_cast<std::int64_t>(gate) * hidden_));
    }
    std::string from_input(std::size_t gate) {
        const std::vector<std::string> at = batch_first_ ? std::vector<std::string>{"batch", "step", "k"}
                                                         : std::vector<std::string>{"step", "batch", "k"};
        return dot(w, row_of(gate), input_, load(x, at));
    }
    std::string from_state(std::size_t gate, const std::string& states) {
        return dot(r, row_of(gate), hidden_, text_.load(state_, states + " + k"));
    }
    std::string biased(std::size_t number) {
        return has(bias) ? load(bias, {"direction", row_of(number)}) : "0.0f";
    }
    /// x * W + h * R + (Wb + Rb).
    std::string gate_sum(std::size_t gate, const std::string& states) {
        const std::size_t gates = is_lstm_ ? 4 : 3;
        const std::string input = from_input(gate), state = from_state(gate, states);
        return fmt::format("{} + {} + ({} + {})", input, state, biased(gate), biased(gates + gate));
    }

    /// An activation by its place in the list: clipped before.
    std::string activated(std::size_t place, const std::string& value) {
        std::string v = text_.let(value);
        const Attributes attributes = group_.attributes();
        if (attributes.has("clip")) {
            const float clip = attributes.number("clip");
            for (const auto& [bound, beyond] : {std::pair{-clip, "<"}, std::pair{clip, ">"}})
                v = text_.let(fmt::format("select({0}, {1}, {0} {2} {1})", v, literal(bound, text_), beyond));
        }
        const auto of = [&](std::size_t direction) -> std::string {
            const auto said = attributes.texts("activations");
            const std::string_view name =
                said.empty() ? (place == 0 ? "Sigmoid" : "Tanh")
                             : std::string_view(said[direction * (is_lstm_ ? 3 : 2) + place]);
            if (name == "Sigmoid") return fmt::format("1.0f / (1.0f + exp(-{}))", v);
            return name == "Tanh" ? fmt::format("tanh({})", v)
                                  : fmt::format("select({0}, 0.0f, {0} <= 0.0f)", v);
        };
        if (directions_ == 1 || of(0) == of(1)) return text_.let(of(0));
        return text_.let(fmt::format("select({}, {}, direction == 1u)", of(0), of(1)));
    }

    void finish_unit(const std::string& h) {
        // Beyond the sequence's end the state stays.
        text_.line("if is_step {");
        text_.store(state_, "next + unit", h);
        if (group_.wants(0)) {
            const Storage y = group_.storage(group_.output(0));
            const std::vector<std::string> at =
                batch_first_ ? std::vector<std::string>{"batch", "step", "direction", "unit"}
                             : std::vector<std::string>{"step", "direction", "batch", "unit"};
            text_.store(y_operand(), offset_of(at, y.strides, y.offset), h);
        }
        text_.line("} else {");
        text_.store(state_, "next + unit", text_.load(state_, "now + unit"));
        if (group_.wants(0)) {
            const Storage y = group_.storage(group_.output(0));
            const std::vector<std::string> at =
                batch_first_ ? std::vector<std::string>{"batch", "i", "direction", "unit"}
                             : std::vector<std::string>{"i", "direction", "batch", "unit"};
            text_.store(y_operand(), offset_of(at, y.strides, y.offset), "0.0f");
        }
        text_.line("}");
    }
    OperandId y_operand() {
        if (!y_) y_ = text_.operand(group_.storage(group_.output(0)));
        return *y_;
    }

    void lstm_unit() {
        enum Gate : std::size_t { in, out, forget, cell };
        text_.line("let c = {};", text_.load(state_, "cells + unit"));
        const auto gate = [&](Gate which, const std::string& state) {
            const std::string peephole =
                has(peepholes) ? load(peepholes, {"direction", row_of(which)}) : "0.0f";
            return activated(0, fmt::format("{} + {} * {}", gate_sum(which, "now"), peephole, state));
        };
        const std::string f = gate(forget, "c");
        const std::string i =
            group_.attributes().flag("input_forget") ? text_.let("1.0f - " + f) : gate(in, "c");
        const std::string candidate = activated(1, gate_sum(cell, "now"));
        const std::string next = text_.let(fmt::format("{} * c + {} * {}", f, i, candidate));
        const std::string o = gate(out, next);
        const std::string h = text_.let(fmt::format("{} * {}", o, activated(2, next)));
        text_.line("if is_step {");
        text_.store(state_, "cells + unit", next);
        text_.line("}");
        finish_unit(h);
    }

    enum GruGate : std::size_t { update, reset, candidate };
    /// r * h of all units, which each unit's candidate needs.
    void resets() {
        if (group_.attributes().flag("linear_before_reset")) return;
        each_unit([&] {
            const std::string gate = activated(0, gate_sum(reset, "now"));
            text_.store(state_, "reset_states + unit",
                        fmt::format("{} * {}", gate, text_.load(state_, "now + unit")));
        });
        wait();
    }

    void gru_unit() {
        const std::string z = activated(0, gate_sum(update, "now"));
        std::string sum;
        if (group_.attributes().flag("linear_before_reset")) {
            const std::string gate = activated(0, gate_sum(reset, "now"));
            const std::string state =
                text_.let(fmt::format("{} + {}", from_state(candidate, "now"), biased(3 + candidate)));
            sum = fmt::format("{} + {} * {} + {}", from_input(candidate), gate, state, biased(candidate));
        } else {
            sum = gate_sum(candidate, "reset_states");
        }
        const std::string made = activated(1, sum);
        finish_unit(text_.let(
            fmt::format("(1.0f - {0}) * {1} + {0} * {2}", z, made, text_.load(state_, "now + unit"))));
    }

    void end() {
        const std::string last = fmt::format("first + ({} & 1u) * {} + unit", index_literal(steps_), units());
        for (const std::size_t output : {std::size_t{1}, std::size_t{2}}) {
            if (!group_.wants(output)) continue;
            const Storage to = group_.storage(group_.output(output));
            const OperandId operand = text_.operand(to);
            each_unit([&] {
                text_.store(operand, offset_of(state_place("unit"), to.strides, to.offset),
                            text_.load(state_, output == 1 ? last : "cells + unit"));
            });
        }
    }

    GroupLowering& group_;
    bool is_lstm_, batch_first_;
    KernelText text_{lanes};
    std::array<std::optional<OperandId>, 8> operands_;
    std::optional<OperandId> y_;
    OperandId state_;
    std::int64_t steps_ = 0, batch_ = 0, input_ = 0, directions_ = 0, hidden_ = 0;
    std::size_t sums_ = 0;
};

}  // namespace

Result<void> lower_recurrent(GroupLowering& group) { return RecurrentKernel(group).write(); }

}  // namespace muster::graph
