"""What the tool does for the package, in a process of its own: sanitize, bench, quantize."""

import os

from . import _muster, _numbers as n
from ._arrays import Array, _has_buffer
from ._dtypes import by_element
from ._errors import Error
from ._tool import path as tool_path
from ._values import pack


def _run(arguments, allowed=(0,)):
    """The tool's output. Raises Error, with what the tool says."""
    tool = tool_path()
    if tool is None:
        raise Error("This installation has no tool.", "unavailable", "install muster-compute with it")
    import subprocess  # late: it takes a while

    done = subprocess.run([tool, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode in allowed:
        return done.stdout
    story = done.stderr.strip() or f"muster {arguments[0]} ended with {done.returncode}."
    message, _, fix = story.partition("\nFix: ")
    raise Error(message, "invalid_argument", fix, story)


def _folder():
    import tempfile

    return tempfile.TemporaryDirectory()


class Findings(list):
    """The faults of a kernel, each a dict with "kind", "message", "fix", "where" and more; str() of it tells
    them all.

    `sample` is True if not all of a large grid was run."""

    def __init__(self, told):
        super().__init__(told["findings"])
        self.sample = bool(told["workgroups"] and told["workgroups"]["sample"])
        self._name = told["entry"]

    def __str__(self):
        if not self:
            return f"{self._name}: no findings{' in the sample' if self.sample else ''}"
        texts = []
        for each in self:
            where = each.get("where") or {}
            place = f"{where['file']}:{where['line']}:{where['column']}: " if where else ""
            texts.append(f"{place}{each['kind']}: {each['message']}" + (f"\nFix: {each['fix']}" if each.get("fix") else ""))
        return "\n".join(texts)

    def _repr_html_(self):
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


def _content(kernel, binding, index, value):
    """The bytes that a binding is given."""
    if isinstance(value, Array):
        return value.numpy().tobytes()
    program = kernel._program
    element, size = program.numbers(n.BINDING_ELEMENT)[index], program.numbers(n.BINDING_MIN_BYTES)[index]
    if isinstance(value, (int, float)) or not (hasattr(value, "__dlpack__") or _has_buffer(value)):
        return pack(value, element, binding.type, size, binding.name)
    import numpy

    made = numpy.asarray(value) if not isinstance(value, (bytes, bytearray)) else numpy.frombuffer(value, numpy.uint8)
    described = _muster.describe(numpy.ascontiguousarray(made))
    if described is not None and element != n.BYTES and described[0] not in (element, n.BYTES) and not isinstance(value, (bytes, bytearray)):
        if made.ndim == 0:
            return pack(made.item(), element, binding.type, size, binding.name)
        raise Error(f'"{binding.name}" is {binding.type}; the argument is made of {by_element[described[0]].name}.', "invalid_argument",
                    f"give it {by_element[element].name}")
    return numpy.ascontiguousarray(made).tobytes()


def sanitize(kernel, arguments, keywords, grid, workgroups, seeds, ignore):
    """What Kernel.sanitize does."""
    bindings = kernel.bindings
    given = dict(zip((each.name for each in bindings), arguments), **keywords)
    unknown = [name for name in given if name not in {each.name for each in bindings}]
    if unknown or len(arguments) > len(bindings):
        raise Error(f"{kernel.name} has no binding {unknown[0] if unknown else len(bindings)}.", "invalid_argument",
                    f"bind {', '.join(each.name for each in bindings)}")
    with _folder() as folder:
        said = ["sanitize", *kernel._source_for_tool(folder), "--json", "--seeds", str(seeds)]
        for index, binding in enumerate(bindings):
            if binding.name in given:
                file = os.path.join(folder, f"{index}.bin")
                with open(file, "wb") as opened:
                    opened.write(_content(kernel, binding, index, given[binding.name]))
                said += ["--bind", f"{binding.name}={file}"]
        for option, size in (("--invocations", grid), ("--workgroups", workgroups)):
            if size is not None:
                said += [option, ",".join(map(str, size if isinstance(size, (tuple, list)) else (size,)))]
        for kind in ignore:
            said += ["--ignore", kind]
        import json

        return Findings(json.loads(_run(said, (0, 8))))


class Figures(dict):
    """What devices and kernels were measured to do, as `muster bench --json` has it; in a notebook, the
    roofline."""

    svg = None

    def _repr_html_(self):
        return self.svg or "<pre>no roofline</pre>"


def bench(only=(), *, backend=None, quick=False, fast=False):
    """Measures this machine's devices, and standard kernels on them, for a minute or more. Returns Figures, a
    dict.

    only: names of kernels; backend: an id, or several; quick: small data, to see whether all is right. Raises
    Error.
    """
    import json

    with _folder() as folder:
        figures, drawn = os.path.join(folder, "figures.json"), os.path.join(folder, "roofline.svg")
        said = ["bench", "--json", figures, "--svg", drawn]
        for option, values in (("--only", only), ("--backend", backend or ())):
            for value in [values] if isinstance(values, str) else values:
                said += [option, value]
        _run(said + ["--quick"] * quick + ["--fast"] * fast)
        with open(figures) as file:
            made = Figures(json.load(file))
        if os.path.exists(drawn):
            with open(drawn) as file:
                made.svg = file.read()
    return made


def quantize(model, output, calibrate, *options):
    """Makes a model of integers of an ONNX file, and writes it to `output`. Returns what the tool tells.

    calibrate: a folder of pictures, a .npy file, or a NumPy array of inputs, the first axis counting them.
    options: others of `muster quantize`, as words. Raises Error.
    """
    with _folder() as folder:
        if not isinstance(calibrate, (str, os.PathLike)):
            import numpy

            data = os.path.join(folder, "inputs.npy")
            numpy.save(data, calibrate)
            calibrate = data
        return _run(["quantize", os.fspath(model), "--calibrate", os.fspath(calibrate), "-o", os.fspath(output), *options])
