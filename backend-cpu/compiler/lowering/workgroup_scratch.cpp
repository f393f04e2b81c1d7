#include <muster/backend-cpu/compiler/lowering/workgroup_scratch.hpp>
#include <muster/backend-cpu/native/kernel_abi.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::cpu {

std::uint64_t WorkgroupScratch::take(std::uint64_t bytes) {
    const std::uint64_t at = round_up(bytes_, scratch_align);
    bytes_ = at + bytes;
    return at;
}

std::uint64_t WorkgroupScratch::take_in_record(std::uint64_t words, std::uint64_t stride) {
    const std::uint64_t at = round_up(record_bytes_, stride);
    record_bytes_ = at + words * stride;
    return at;
}

void WorkgroupScratch::lay_out_records() {
    record_bytes_ = round_up(record_bytes_, scratch_align);
    records_at_ = take(record_bytes_ * subgroups_);
}

Value* WorkgroupScratch::per_subgroup(std::uint64_t at, std::uint64_t bytes) {
    Value* index = b_.CreateMul(b_.CreateZExt(position_.subgroup, b_.getInt64Ty()), b_.getInt64(bytes));
    return b_.offset_pointer(this->at(at), index);
}

void WorkgroupScratch::clear_lane_set(std::uint64_t at) {
    b_.CreateMemSetInline(this->at(at), llvm::Align(8), b_.getInt8(0),
                          b_.getInt64(8 * std::uint64_t{subgroups_}));
}

void WorkgroupScratch::add_to_lane_set(std::uint64_t at) {
    Value* place = per_subgroup(at, 8);
    Value* bits = b_.CreateZExt(b_.bits_of(b_.active()), b_.getInt64Ty());
    Value* before = b_.CreateAlignedLoad(b_.getInt64Ty(), place, llvm::Align(8));
    b_.CreateAlignedStore(b_.CreateOr(before, bits), place, llvm::Align(8));
}

Value* WorkgroupScratch::lane_set(std::uint64_t at) {
    return b_.CreateAlignedLoad(b_.getInt64Ty(), per_subgroup(at, 8), llvm::Align(8));
}

}  // namespace muster::cpu
