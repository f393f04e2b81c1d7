"""Runs the Python package wgpu on the library that WGPU_LIB_PATH names: its compute helper and its plain interface."""

import ctypes
import os
import struct
import sys

try:
    import wgpu
    import wgpu.utils
    from wgpu.utils.compute import compute_with_buffers
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import wgpu.backends.wgpu_native as native

assert native.lib_path == os.environ["WGPU_LIB_PATH"], native.lib_path
checks = 0


def check(what, got, wanted):
    global checks
    checks += 1
    if got != wanted:
        sys.exit(f"{what}: got {got}, wanted {wanted}")


def the_helper():
    square = """
        @group(0) @binding(0) var<storage, read> source: array<f32>;
        @group(0) @binding(1) var<storage, read_write> result: array<f32>;
        override factor: f32 = 1.0;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            result[id.x] = factor * source[id.x] * source[id.x];
        }"""
    numbers = (ctypes.c_float * 100)(*range(100))
    out = compute_with_buffers({0: numbers}, {1: (100, "f")}, square, n=100)
    check("squares", out[1].tolist(), [float(i * i) for i in range(100)])
    out = compute_with_buffers({0: numbers}, {1: ctypes.c_float * 100}, square, constants={"factor": 0.5})
    check("halves", list(out[1]), [i * i / 2 for i in range(100)])
    in_place = """
        @group(0) @binding(0) var<storage, read_write> data: array<i32>;
        @compute @workgroup_size(4, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            data[id.y * 8 + id.x] += i32(id.x + 10 * id.y);
        }"""
    out = compute_with_buffers({0: struct.pack("32i", *range(32))}, {0: (4, 8, "i")}, in_place, n=(2, 2, 1))
    check("a grid", out[0].tolist(), [[y * 8 + x + x + 10 * y for x in range(8)] for y in range(4)])


def adapters():
    everything = wgpu.gpu.enumerate_adapters_sync()
    assert everything
    best = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
    check("the best adapter", best.info["device"], everything[0].info["device"])
    assert "chosen" in best.info["description"], best.info
    assert best.limits["max-bind-groups"] == 8, best.limits
    assert "timestamp-query" in best.features, best.features
    return best


def the_interface(adapter):
    device = adapter.request_device_sync(label="ours", required_features=["timestamp-query"])
    check("limits", device.limits["max-compute-workgroup-size-x"], adapter.limits["max-compute-workgroup-size-x"])
    shader = device.create_shader_module(
        code="""
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @group(1) @binding(0) var<uniform> add: vec4<u32>;
        @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            if (id.x < arrayLength(&data)) { data[id.x] += add.x; }
        }"""
    )
    pipeline = device.create_compute_pipeline(layout="auto", compute={"module": shader, "entry_point": "main"})
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
    data = device.create_buffer_with_data(data=struct.pack("20I", *range(20)), usage=usage)
    add = device.create_buffer(size=16, usage=wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.COPY_DST)
    device.queue.write_buffer(add, 0, struct.pack("4I", 100, 0, 0, 0))
    grid = device.create_buffer_with_data(data=struct.pack("3I", 3, 1, 1), usage=wgpu.BufferUsage.INDIRECT)
    groups = [
        device.create_bind_group(
            layout=pipeline.get_bind_group_layout(i),
            entries=[{"binding": 0, "resource": {"buffer": buffer, "offset": 0, "size": buffer.size}}],
        )
        for i, buffer in enumerate([data, add])
    ]
    queries = device.create_query_set(type="timestamp", count=2)
    times = device.create_buffer(size=16, usage=wgpu.BufferUsage.QUERY_RESOLVE | wgpu.BufferUsage.COPY_SRC)
    encoder = device.create_command_encoder()
    compute = encoder.begin_compute_pass(
        timestamp_writes={
            "query_set": queries,
            "beginning_of_pass_write_index": 0,
            "end_of_pass_write_index": 1,
        }
    )
    compute.set_pipeline(pipeline)
    for i, group in enumerate(groups):
        compute.set_bind_group(i, group)
    compute.dispatch_workgroups(3)
    compute.dispatch_workgroups_indirect(grid, 0)
    compute.end()
    encoder.resolve_query_set(queries, 0, 2, times, 0)
    device.queue.submit([encoder.finish()])
    check("sums", list(device.queue.read_buffer(data).cast("I")), [i + 200 for i in range(20)])
    begin, end = device.queue.read_buffer(times).cast("Q")
    assert 0 < begin <= end, (begin, end)

    download = device.create_buffer(size=80, usage=wgpu.BufferUsage.MAP_READ | wgpu.BufferUsage.COPY_DST)
    encoder = device.create_command_encoder()
    encoder.clear_buffer(data, 0, 40)
    encoder.copy_buffer_to_buffer(data, 0, download, 0, 80)
    device.queue.submit([encoder.finish()])
    download.map_sync(wgpu.MapMode.READ)
    check("a mapped buffer", list(download.read_mapped().cast("I")), [0] * 10 + [i + 200 for i in range(10, 20)])
    download.unmap()
    upload = device.create_buffer(size=16, usage=wgpu.BufferUsage.MAP_WRITE | wgpu.BufferUsage.COPY_SRC)
    upload.map_sync(wgpu.MapMode.WRITE)
    upload.write_mapped(struct.pack("4I", 7, 8, 9, 10))
    upload.unmap()
    check("an upload", list(device.queue.read_buffer(upload).cast("I")), [7, 8, 9, 10])


def raises(text, step):
    try:
        step()
    except wgpu.GPUValidationError as error:
        assert text in str(error), error
        global checks
        checks += 1
    else:
        sys.exit(f"no error with: {text}")


def errors(adapter):
    device = adapter.request_device_sync()
    raises("allows no use", lambda: device.create_buffer(size=16, usage=0))
    raises(":2:", lambda: device.create_shader_module(code="// a\n@compute @workgroup_size(1) fn main() { x = 1; }"))
    raises("SPIR-V", lambda: device.create_shader_module(code=b"\x03\x02#\x07" + bytes(16)))
    raises(
        "textures",
        lambda: device.create_texture(
            size=(4, 4, 1), format="rgba8unorm", usage=wgpu.TextureUsage.COPY_DST
        ),
    )


the_helper()
best = adapters()
the_interface(best)
errors(best)
print(f"{checks} checks of wgpu {wgpu.__version__} on {best.summary}")
