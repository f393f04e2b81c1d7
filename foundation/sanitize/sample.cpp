#include <array>
#include <unordered_set>

#include <muster/foundation/interpreter/random.hpp>
#include <muster/foundation/sanitize/sample.hpp>

namespace muster {
namespace {

class Sample {
  public:
    Sample(Extent3 grid, std::uint64_t count) : grid_(grid), count_(count) {}

    bool is_full() const { return chosen_.size() == count_; }
    /// Adds a workgroup and its neighbour along each axis: the next one, or the one
    /// before where there is none.
    void add_with_neighbours(Extent3 id) {
        add(id);
        add({neighbour(id.x, grid_.x), id.y, id.z});
        add({id.x, neighbour(id.y, grid_.y), id.z});
        add({id.x, id.y, neighbour(id.z, grid_.z)});
    }
    std::vector<Extent3> take() && { return std::move(chosen_); }

  private:
    void add(Extent3 id) {
        const std::uint64_t linear = (std::uint64_t{id.z} * grid_.y + id.y) * grid_.x + id.x;
        if (!is_full() && linear_.insert(linear).second) chosen_.push_back(id);
    }
    static std::uint32_t neighbour(std::uint32_t at, std::uint32_t extent) {
        if (at + 1 < extent) return at + 1;
        return at == 0 ? 0 : at - 1;
    }

    Extent3 grid_;
    std::uint64_t count_;
    std::vector<Extent3> chosen_;
    std::unordered_set<std::uint64_t> linear_;
};

}  // namespace

std::vector<Extent3> sample_workgroups(Extent3 grid, std::uint64_t count, std::uint64_t seed) {
    Sample sample(grid, count);
    sample.add_with_neighbours({0, 0, 0});
    sample.add_with_neighbours({grid.x - 1, grid.y - 1, grid.z - 1});
    interpreter::Random random(seed);
    while (!sample.is_full())
        sample.add_with_neighbours({random.below(grid.x), random.below(grid.y), random.below(grid.z)});
    return std::move(sample).take();
}

}  // namespace muster
