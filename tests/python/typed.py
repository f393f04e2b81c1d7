"""What users write, for tools that read types: mypy finds no fault here, and those that are marked. test_types.py runs it."""

from __future__ import annotations

import numpy as np

import muster

saxpy = muster.kernel("@compute @workgroup_size(64) fn main() {}", precision="exact")
from_file = muster.kernel(path="kernel.wgsl", overrides={"size": 4})


@muster.kernel
def scale(a: muster.f32, x: muster.In[muster.f32], y: muster.InOut[muster.f32]) -> None:
    i = muster.global_id.x
    with muster.if_(i < 10):
        y[i] = a * x[i] + muster.f32(i)


@muster.kernel(workgroup_size=(8, 8))
def rotate(angle: muster.Uniform[muster.f32], points: muster.InOut[muster.vec2f]) -> None:
    i = muster.global_id.x
    turn = muster.mat2x2f(muster.cos(angle), muster.sin(angle), -muster.sin(angle), muster.cos(angle))
    points[i] = turn * points[i]


def use(x: np.ndarray[tuple[int], np.dtype[np.float32]]) -> str:
    y = np.zeros_like(x)
    scale(a=2.0, x=x, y=y)
    d: muster.Array = muster.asarray(x, dtype=muster.f32)
    shape: tuple[int, ...] = d.shape
    first: muster.Array = d[0:4]
    if d.dtype == muster.f32 and d.dtype.itemsize == 4:
        d[0] = 1.0
    route: muster.Route = scale.explain(a=1.0, x=d, y=y)
    reasons: list[str] = [candidate.reason for candidate in route.candidates]
    with muster.session(backend="vulkan,cpu", precision="fast") as session:
        kernel: muster.Kernel = session.kernel(scale)
        names: list[str] = [device.name for device in session.devices()]
        ticket = kernel(a=1.0, x=d, y=d, wait=False)
        ticket.wait(1.5)
    sequence = muster.sequence()
    sequence.add(kernel, a=1.0, x=d, y=d).fill(d, 0).submit().wait()
    artifact: muster.Artifact = scale.emit("cuda:sm_90", "scale.ptx")
    model = muster.Model("model.onnx", constants={"N": 1})
    output = model(x)
    report: muster.Report = muster.check("integers/*", progress=lambda device, what, outcome, done, total: done < 10)
    try:
        muster.load_backend("mine")
    except muster.Error as error:
        return error.fix + error.code + str(shape) + str(first) + str(reasons) + str(names) + str(output) + artifact.target
    return str(bool(report))


def faults() -> None:
    muster.kernel(3)  # type: ignore[call-overload]
    muster.asarray([1.0], copi=True)  # type: ignore[call-arg]
    muster.devices()[0].nam  # type: ignore[attr-defined]
    scale.explain().candidate  # type: ignore[attr-defined]
    muster.check(timeout="long")  # type: ignore[arg-type]
