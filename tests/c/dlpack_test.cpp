// Memory that is shared: DLPack tensors, the caller's memory, and who gets it back when.
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "api.hpp"

// DLPack 1.x, as its header has it.
struct DLManagedTensorVersioned {
    std::uint32_t major, minor;
    void* manager;
    void (*deleter)(DLManagedTensorVersioned* self);
    std::uint64_t flags;
    void* data;
    std::int32_t device_type, device_id, ndim;
    std::uint8_t code, bits;
    std::uint16_t lanes;
    std::int64_t* shape;
    std::int64_t* strides;
    std::uint64_t byte_offset;
};

namespace muster::test {
namespace {

/// A tensor of u32 that counts the calls of its deleter, and on which thread.
struct Tensor {
    alignas(64) std::array<std::uint32_t, 16> values{};
    std::array<std::int64_t, 2> shape{4, 4}, strides{4, 1};
    DLManagedTensorVersioned managed{};
    std::atomic<int> deleted{0};
    std::thread::id deleted_on;

    Tensor() {
        for (std::uint32_t i = 0; i < 16; ++i) values[i] = i;
        managed = {1,
                   1,
                   this,
                   [](DLManagedTensorVersioned* self) {
                       auto* const tensor = static_cast<Tensor*>(self->manager);
                       ++tensor->deleted;
                       tensor->deleted_on = std::this_thread::get_id();
                   },
                   0,
                   values.data(),
                   1,
                   0,
                   2,
                   1,
                   32,
                   1,
                   shape.data(),
                   strides.data(),
                   0};
    }
};

TEST_CASE("A DLPack tensor becomes a buffer without a copy, and its deleter is called once") {
    Tensor tensor;
    {
        const World world;
        muster_buffer buffer{};
        MUSTER_REQUIRE_OK(api().buffer_from_dlpack(world.session, &tensor.managed, nullptr, &buffer));
        CHECK(number_of(buffer.id, MUSTER_IS_SHAREABLE) == 1);
        CHECK(number_of(buffer.id, MUSTER_ELEMENT) == MUSTER_U32);
        world.run(buffer, 16);
        void* memory = nullptr;
        MUSTER_REQUIRE_OK(api().buffer_sync(buffer, MUSTER_FOREVER, &memory));
        CHECK(memory == tensor.values.data());
        CHECK(tensor.values[15] == 16);
        CHECK(tensor.deleted == 0);
        muster_buffer copy{};
        MUSTER_REQUIRE_OK(api().duplicate(buffer.id, &copy.id));
        api().release(buffer.id);
        CHECK(tensor.deleted == 0);
        api().release(copy.id);
    }
    CHECK(tensor.deleted == 1);
    CHECK(tensor.deleted_on == std::this_thread::get_id());
}

TEST_CASE("What can't be shared is copied if that is allowed, and refused otherwise") {
    const World world;
    muster_buffer buffer{};
    auto options = sized<muster_import_options>();
    const auto word = [&](std::uint64_t index) { return world.word(buffer, index); };
    SUBCASE("transposed") {
        Tensor tensor;
        tensor.strides = {1, 4};
        CHECK(api().buffer_from_dlpack(world.session, &tensor.managed, nullptr, &buffer) ==
              MUSTER_ERROR_REFUSED);
        CHECK(tensor.deleted == 0);
        options.copy = MUSTER_COPY_IF_NEEDED;
        MUSTER_REQUIRE_OK(api().buffer_from_dlpack(world.session, &tensor.managed, &options, &buffer));
        CHECK(tensor.deleted == 1);
        CHECK(word(1) == 4);
        CHECK(word(4) == 1);
    }
    SUBCASE("unaligned") {
        Tensor tensor;
        tensor.managed.byte_offset = 4;
        tensor.shape = {3, 1};
        CHECK(api().buffer_from_dlpack(world.session, &tensor.managed, nullptr, &buffer) ==
              MUSTER_ERROR_REFUSED);
        options.copy = MUSTER_COPY_IF_NEEDED;
        MUSTER_REQUIRE_OK(api().buffer_from_dlpack(world.session, &tensor.managed, &options, &buffer));
        CHECK(tensor.deleted == 1);
        CHECK(number_of(buffer.id, MUSTER_SIZE_BYTES) == 12);
        CHECK(word(2) == 9);
    }
    SUBCASE("read-only") {
        Tensor tensor;
        tensor.managed.flags = 1;
        CHECK(api().buffer_from_dlpack(world.session, &tensor.managed, nullptr, &buffer) ==
              MUSTER_ERROR_REFUSED);
        CHECK(tensor.deleted == 0);
    }
    SUBCASE("of another device, version or type") {
        Tensor tensor;
        tensor.managed.device_type = 2;
        options.copy = MUSTER_COPY_IF_NEEDED;
        CHECK(api().buffer_from_dlpack(world.session, &tensor.managed, &options, &buffer) ==
              MUSTER_ERROR_UNSUPPORTED);
        tensor.managed.device_type = 1;
        tensor.managed.major = 2;
        CHECK(api().buffer_from_dlpack(world.session, &tensor.managed, &options, &buffer) ==
              MUSTER_ERROR_UNSUPPORTED);
        tensor.managed.major = 1;
        tensor.managed.code = 4;
        CHECK(api().buffer_from_dlpack(world.session, &tensor.managed, &options, &buffer) ==
              MUSTER_ERROR_UNSUPPORTED);
        tensor.managed.code = 1;
        tensor.shape = {-1, 4};
        CHECK(api().buffer_from_dlpack(world.session, &tensor.managed, &options, &buffer) ==
              MUSTER_ERROR_INVALID_ARGUMENT);
        CHECK(api().buffer_from_dlpack(world.session, nullptr, &options, &buffer) ==
              MUSTER_ERROR_INVALID_ARGUMENT);
        CHECK(tensor.deleted == 0);
    }
    if (buffer.id != 0) api().release(buffer.id);
}

TEST_CASE("A buffer goes out as a DLPack tensor and outlives its session") {
    DLManagedTensorVersioned* shared = nullptr;
    DLManagedTensorVersioned* copied = nullptr;
    {
        const World world;
        const muster_buffer plain = world.buffer(64), shareable = world.buffer(64, MUSTER_BUFFER_SHAREABLE);
        world.run(shareable, 16);
        world.run(plain, 16);
        auto options = sized<muster_export_options>();
        options.element = MUSTER_U32;
        const std::array<std::int64_t, 2> sizes{2, 8};
        options.sizes = sizes.data();
        options.rank = 2;
        MUSTER_REQUIRE_OK(api().buffer_to_dlpack(shareable, &options, &shared));
        CHECK(api().buffer_to_dlpack(plain, &options, &copied) == MUSTER_ERROR_REFUSED);
        options.copy = MUSTER_COPY_IF_NEEDED;
        MUSTER_REQUIRE_OK(api().buffer_to_dlpack(plain, &options, &copied));
        options.offset = 4;
        DLManagedTensorVersioned* none = nullptr;
        CHECK(api().buffer_to_dlpack(plain, &options, &none) == MUSTER_ERROR_INVALID_ARGUMENT);
        CHECK(none == nullptr);
        void* memory = nullptr;
        MUSTER_REQUIRE_OK(api().buffer_sync(shareable, MUSTER_FOREVER, &memory));
        CHECK(memory == shared->data);
        for (const std::uint64_t id : {plain.id, shareable.id}) api().release(id);
    }
    for (DLManagedTensorVersioned* const tensor : {shared, copied}) {
        REQUIRE(tensor != nullptr);
        CHECK(tensor->major == 1);
        CHECK(tensor->ndim == 2);
        CHECK(tensor->shape[1] == 8);
        CHECK(tensor->strides[0] == 8);
        CHECK(tensor->bits == 32);
        CHECK(static_cast<std::uint32_t*>(tensor->data)[15] == 1);
        CHECK(tensor->flags == (tensor == copied ? 2u : 0u));
        std::thread([&] { tensor->deleter(tensor); }).join();
    }
}

TEST_CASE("The caller's memory is given back once, in a call, and not after an error") {
    static int released = 0;
    released = 0;
    alignas(16) static std::array<std::uint32_t, 16> memory{};
    const World world;
    auto options = sized<muster_buffer_options>();
    options.over = memory.data();
    options.bytes = sizeof(memory);
    options.release = [](void*) { ++released; };
    muster_buffer buffer{};
    options.over = reinterpret_cast<char*>(memory.data()) + 4;
    options.bytes = 16;
    CHECK(api().buffer_create(world.session, &options, &buffer) == MUSTER_ERROR_INVALID_ARGUMENT);
    CHECK(released == 0);
    options.over = memory.data();
    options.bytes = sizeof(memory);
    MUSTER_REQUIRE_OK(api().buffer_create(world.session, &options, &buffer));
    const muster_argument argument = world.argument(buffer);
    const muster_dispatch dispatch = World::over(argument, 16);
    muster_sequence sequence{};
    MUSTER_REQUIRE_OK(api().sequence_create(world.session, &sequence));
    MUSTER_REQUIRE_OK(api().sequence_dispatch(sequence, world.kernel, &dispatch));
    api().release(buffer.id);
    CHECK(released == 0);  // the sequence needs it
    muster_ticket ticket{};
    MUSTER_REQUIRE_OK(api().sequence_submit(sequence, &ticket));
    MUSTER_REQUIRE_OK(api().wait(ticket, MUSTER_FOREVER, nullptr));
    api().release(ticket.id);
    api().release(sequence.id);
    CHECK(released == 1);
    CHECK(memory[15] == 1);
}

}  // namespace
}  // namespace muster::test
