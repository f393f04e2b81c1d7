"""muster runs kernels, written in WGSL or Python, and models, on the best device that the machine has.

    import numpy as np, muster

    saxpy = muster.kernel('''
        @group(0) @binding(0) var<uniform> a: f32;
        @group(0) @binding(1) var<storage, read> x: array<f32>;
        @group(0) @binding(2) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(256) fn saxpy(@builtin(global_invocation_id) id: vec3u) {
            y[id.x] = a * x[id.x] + y[id.x];
        }''')
    x, y = np.ones(1000, np.float32), np.ones(1000, np.float32)
    saxpy(a=2.0, x=x, y=y)          # y changes in place
    print(saxpy.route)              # where it ran, and why not elsewhere

kernel, load: kernels. asarray, zeros, empty, from_dlpack: arrays on the device. session: a policy. Model:
ONNX's models. sequence: many dispatches at once. devices, backends, target: what there is. check: the
conformance suite. Error: what is raised.
"""

from . import _muster
from ._errors import Error
from . import _arrays, _tickets, _values

_muster.set_functions(Error, _values.pack, _arrays.take, _arrays.result, _tickets.awaited)

from ._arrays import Array, asarray, empty, from_dlpack, zeros
from ._backends import Backend, Spec, backends, is_loaded, load_backend, retire_backend
from ._bound import Bound
from ._check import Report, check
from ._code import Artifact
from ._dtypes import DType, bool_, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64
from ._kernels import Binding, Kernel, interface, kernel, load
from ._models import Model, Profile
from ._process import (Device, Installation, Target, candidates, devices, installation, live_objects, packs, set_default_policy, set_log,
                       target, trace, variables, wait_until_optimized)
from ._routes import Candidate, Route
from ._sequences import Sequence, sequence
from ._sessions import Session, options, session
from ._verbs import Figures, Findings, bench, quantize

Ticket = _muster.Ticket
__version__ = _muster.process().text(100)


def load_ipython_extension(ipython):
    """%load_ext muster"""
    from ._notebook import load

    load(ipython)


# The names that kernels in Python are written with; muster._trace, which has them, is read at the first use of one.
_of_kernels = frozenset("""In InOut Out Private Storage StorageIn Uniform Value Workgroup array atomic bits break_ case_ continue_ default_ else_ else_if_ for_ for_range function global_id
    grid_barrier grid_uniform_load if_ if_both if_either local_id local_index loop num_workgroups private return_ select storage_barrier struct switch_ var while_ workgroup
    workgroup_barrier workgroup_id workgroup_uniform_load""".split())


def __getattr__(name):
    if not name.startswith("_"):
        from . import _trace

        if name in _of_kernels:
            return getattr(_trace, name)
        for table in (_trace._functions, _trace.vectors, _trace.matrices):
            if name in table:
                return table[name]
    raise AttributeError(f"module 'muster' has no attribute {name!r}")


def __dir__():
    from . import _trace

    return sorted({*(each for each in globals() if not each.startswith("_")), *_of_kernels, *_trace._functions, *_trace.vectors,
                   *_trace.matrices})
