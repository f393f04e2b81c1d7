"""Models: ONNX's files, muster's text of graphs, and artifacts of models."""

import os
from typing import NamedTuple

from . import _muster, _numbers as n
from ._arrays import Array, _numpy_array
from ._code import compile_options
from ._dtypes import by_element
from ._sessions import current


class End(NamedTuple):
    """An input or output of a model. `shape` has names where a size is open: ("N", 3, 224, 224)."""

    name: str
    dtype: object
    type: str
    shape: tuple


class _Tensor:
    """A tensor of muster's for numpy.from_dlpack, once."""

    def __init__(self, handle):
        self._handle = handle

    def __dlpack__(self, *, max_version=None, **_):
        return _muster.to_dlpack(self._handle, n.COPY_ALWAYS, max_version is not None and max_version[0] >= 1)

    def __dlpack_device__(self):
        return 1, 0


class Model:
    """A model that runs on the devices that the session chooses.

        model = muster.Model("mobilenet.onnx")
        scores = model(input=picture)            # NumPy arrays, by name or in order; one output: an array, several: a dict

    source: the path of an ONNX file, of muster's text of a graph or of an artifact of a model; or its bytes.
    folder: of external data. constants: {name: number or array} for sizes that the model leaves open, and
    inputs that are constant. precision: "exact" or "fast"; None is the session's.

    The first run with inputs of certain sizes prepares, which may take long. Threads: runs of the same sizes
    go one after the other.

    Raises Error: "not_found", "invalid_program", "unsupported" (operators, types), "unavailable" (this
    installation has no models).
    """

    def __init__(self, source, *, folder=None, constants=None, precision=None, session=None):
        session = session or current()
        self._bytes = None if isinstance(source, (str, os.PathLike)) else bytes(source)
        given = [(name, value if isinstance(value, int) else _tensor(value)) for name, value in (constants or {}).items()]
        self._handle = _muster.model_open(session._handle, os.fspath(source) if self._bytes is None else self._bytes, folder,
                                          compile_options(precision, False, 0, None), given)

    inputs = property(lambda self: self._ends(False), doc="An End for each input, in order.")
    outputs = property(lambda self: self._ends(True), doc="An End for each output, in order.")

    def _ends(self, is_output):
        ends = []
        while (end := _muster.model_end(self._handle, int(is_output), len(ends))) is not None:
            name, element, type, sizes = end
            ends.append(End(name, by_element[element], type, sizes))
        return ends

    def __call__(self, *arguments, **keywords):
        """Runs it. Elements are converted to the inputs' types only from lists."""
        results = [_numpy(each) for each in _muster.model_run(self._handle, self._tensors(arguments, keywords))]
        return results[0] if len(results) == 1 else dict(zip((end.name for end in self.outputs), results))

    def _tensors(self, arguments, keywords):
        ends = self.inputs
        if len(arguments) > len(ends):
            raise TypeError(f"the model takes {len(ends)} inputs, and {len(arguments)} are given")
        given = dict(zip((end.name for end in ends), arguments))
        for name, value in keywords.items():
            if name in given:
                raise TypeError(f"the input {name!r} is given twice")
            if name not in [end.name for end in ends]:
                raise TypeError(f"the model has no input {name!r}; it has {', '.join(end.name for end in ends)}")
            given[name] = value
        missing = [end.name for end in ends if end.name not in given]
        if missing:
            raise TypeError(f"inputs are missing: {', '.join(missing)}")
        return [_tensor(given[end.name], end.dtype) for end in ends]

    def prepare(self, *arguments, **keywords):
        """Prepares for inputs of these sizes. Returns what each step is, as a dict."""
        return self._told(_muster.model_prepare, arguments, keywords)

    def route(self, *arguments, **keywords):
        """Where each step would run with such inputs, as a dict. Compiles nothing."""
        return self._told(_muster.model_route, arguments, keywords)

    def profile(self, *arguments, **keywords):
        """Runs one kernel at a time, and tells how long each took: a Profile."""
        return Profile(self._told(_muster.model_profile, arguments, keywords))

    def _told(self, ask, arguments, keywords):
        import json

        return json.loads(ask(self._handle, self._tensors(arguments, keywords)))

    def __repr__(self):
        told = ", ".join(f"{end.name}: {end.type}" for end in self.inputs)
        return f"<muster.Model {self._handle.text(n.NAME) or ''}({told})>"


class Profile(list):
    """[{"step", "start_ms", "ms"}, ...] of a run; in a notebook a timeline."""

    def _repr_html_(self):
        from html import escape

        total = max((each["start_ms"] + each["ms"] for each in self), default=0) or 1
        rows = []
        for i, each in enumerate(self):
            left, width = 560 * each["start_ms"] / total, max(560 * each["ms"] / total, 1)
            rows.append(f'<rect x="{left:.1f}" y="{14 * i}" width="{width:.1f}" height="12" fill="#4878a8">'
                        f'<title>{escape(str(each["step"]))}: {each["ms"]:.3f} ms</title></rect>')
        return (f"<p>{len(self)} steps in {total:.3f} ms</p>"
                f'<svg width="560" height="{14 * len(self)}" xmlns="http://www.w3.org/2000/svg">{"".join(rows)}</svg>')


def _tensor(value, dtype=None):
    import numpy

    if isinstance(value, Array):
        value = value.numpy()
    elif not isinstance(value, numpy.ndarray):
        value = _numpy_array(value, None if hasattr(value, "dtype") or hasattr(value, "__dlpack__") else dtype)
    return _muster.tensor_create(numpy.ascontiguousarray(value).reshape(value.shape))


def _numpy(handle):
    import numpy

    return numpy.from_dlpack(_Tensor(handle))
