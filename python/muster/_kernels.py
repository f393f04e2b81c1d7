"""Kernels: programs of WGSL that are called as functions."""

import os
import weakref
from typing import NamedTuple

from . import _muster, _numbers as n, _sessions
from ._bound import Bound
from ._code import Artifact, compile_options, emit
from ._errors import Error
from ._routes import Route


class Binding(NamedTuple):
    """What a kernel takes: `type` as WGSL has it, "array<f32>"."""

    name: str
    type: str
    space: str
    access: str
    is_written: bool
    group: int
    binding: int


class Kernel(_muster.Kernel):
    """A kernel, which is called with its arguments, by name or in the order of its bindings:

        saxpy(a=2.0, x=x, y=y)
        ticket = saxpy(2.0, x, y, wait=False); ticket.wait()

    Arguments: NumPy arrays and anything else with the buffer protocol, which are used in place (on the CPU
    nothing is copied; what is aligned below 16 bytes is copied, and `route` says so); objects with
    __dlpack__; muster.Array; numbers, and lists of numbers for vectors. Elements aren't converted: an
    array<f32> takes an array of float32. None for a binding that the kernel writes makes a new array, which
    the call returns. Structures are bytes in WGSL's layout, such as structured NumPy arrays.

    grid: the invocations of each axis, x first; workgroups: the workgroups instead, also as an array of muster's with
    three u32, which a kernel may have written. Without either the grid
    is that of the array that the first written binding takes: its elements, or its axes, last axis first, if
    workgroups have more than one. wait=False: returns a Ticket at once. Results are in NumPy's arrays once it
    was waited for.

    The GIL is released while the kernel runs. Ctrl-C stops waiting; the work goes on, and keeps its arrays
    until it ends.

    Raises Error: "invalid_argument", "refused", "conflict" (arrays overlap), "device_lost", "out_of_memory",
    ...
    """

    def __init__(self, make, session=None, compile=(0, 0, 0, ()), text=None):
        self._make, self._session, self._compile, self._text = make, session, compile, text
        self._made_in = self._program_of_process = None
        self._ready = weakref.WeakKeyDictionary()
        self._program  # raises what is wrong with it

    @property
    def _program(self):
        # A child of fork() makes its own.
        if self._made_in != _sessions.process:
            self._program_of_process, self._made_in = self._make(), _sessions.process
            self._ready.clear()
        return self._program_of_process

    @property
    def _session_now(self):
        return self._session or _sessions.current()

    def _prepare(self):
        session, program = self._session_now, self._program
        ready = self._ready.get(session)
        if ready is None:
            ready = _muster.Prepared(session._handle, _muster.prepare(session._handle, program, self._compile))
            self._ready[session] = ready
        self._use(ready, self._session is not None)
        return ready

    def prepare(self):
        """Compiles and loads it for this session's device now, instead of at its first call. Returns the
        kernel."""
        self._prepare()
        return self

    name = property(lambda self: self._program.text(n.NAME), doc="The entry point's name.")
    wgsl = property(lambda self: self._program.text(n.WGSL_TEXT), doc="The program as WGSL.")
    fingerprint = property(lambda self: self._program.text(n.FINGERPRINT), doc="What the program is, without names: 64 digits.")
    workgroup_size = property(lambda self: tuple(self._program.numbers(n.WORKGROUP_SIZE)), doc="(x, y, z)")

    @property
    def bindings(self):
        """A Binding for each argument, in order. Variables that no result depends on have none."""
        p = self._program
        rows = zip(p.texts(n.BINDING_NAME), p.texts(n.BINDING_TYPE), p.texts(n.BINDING_SPACE), p.texts(n.BINDING_ACCESS),
                   map(bool, p.numbers(n.BINDING_IS_WRITTEN)), p.numbers(n.BINDING_GROUP), p.numbers(n.BINDING_NUMBER))
        return [Binding(*row) for row in rows]

    @property
    def device(self):
        """Where it runs in this session: "cpu:0". Prepares it if need be."""
        return self._prepare().handle.text(n.ID)

    @property
    def route(self):
        """Where it runs, and why not elsewhere: a Route. A kernel that hasn't been called is routed, not
        compiled."""
        session = self._session_now
        ready = self._ready.get(session)
        if ready is None:
            return Route(_muster.route(session._handle, self._program, self._compile, n.ROUTE_ASKS_ALL))
        notes = [f'the array of "{name}" was copied for the last call: memory is used in place from a multiple of 16 bytes on, and a '
                 "part of an array of muster's from a multiple of 256" for name in ready.copied]
        return Route(_muster.kernel_route(ready.handle), notes)

    def explain(self, *arguments, **keywords):
        """The Route of a call with these arguments, which isn't made: with estimates, where devices were
        measured."""
        return Route(self._route(self._prepare(), arguments, keywords))

    @property
    def artifact(self):
        """The code that runs in this session."""
        return Artifact(_muster.kernel_artifact(self._prepare().handle))

    @property
    def is_stored(self):
        """True if nothing was compiled for it in this process. Prepares it if need be."""
        return bool(self._prepare().handle.number(n.IS_STORED))

    @property
    def is_optimized(self):
        """False while quick code runs in place of optimised code (the option `optimize`). Prepares it if need be."""
        return bool(self._prepare().handle.number(n.IS_OPTIMIZED))

    @property
    def codes(self):
        """The codes that it brings, of a .muster file: an Artifact for each target."""
        found = []
        while (code := _muster.program_code(self._program, len(found))) is not None:
            found.append(Artifact(code))
        return found

    @property
    def emission_route(self):
        """Which backend emits it, if no target is named, and why the others don't: a Route."""
        return Route(_muster.route(self._session_now._handle, self._program, self._compile, n.ROUTE_EMISSION))

    def bind(self, *arguments, **keywords):
        """Checks arguments once, for calls to come: a muster.Bound. Arguments as of a call, but arrays are muster's,
        and numbers are taken now. The grid, too, may be given here, but not as an array."""
        return Bound(self, self._prepare(), arguments, keywords)

    def place(self, *arguments, **keywords):
        """Moves the arrays of a call to come, which are muster's, to the kernel's device. Waits. Raises Error:
        "out_of_memory", and as a call does."""
        _muster.place(self._prepare(), arguments, keywords)

    def to_bytes(self):
        """The program and the codes that it brings, which muster.load() reads. It is what pickle keeps of a kernel,
        with the compile options."""
        return _muster.program_bytes(self._program)

    def __reduce__(self):
        return _unpickled, (self.to_bytes(), self._compile)

    def emit(self, target=None, path=None, format=None):
        """Generates code for a machine that needn't be here: an Artifact, written to `path` if that is given.

        target: "cuda:sm_90"; "cuda", for its default; None: the routed backend's. format: "ptx", "spirv",
        ...; None: what the file's extension says, or the backend's first. Raises Error: "refused",
        "not_found".
        """
        return emit(self._session_now, self._program, target, path, format, self._compile)

    def package(self, targets, path=None):
        """Code for several targets as one .muster file, which muster.load() reads on machines without a
        compiler. Returns bytes."""
        asked = [(each.split(":")[0], each if ":" in each else "", "", self._compile, n.EMIT_TO_LOAD) for each in targets]
        content = _muster.package(self._session_now._handle, self._program, asked)
        if path is not None:
            with open(path, "wb") as file:
                file.write(content)
        return content

    def sanitize(self, *arguments, grid=None, workgroups=None, seeds=4, ignore=(), **keywords):
        """Runs it on the interpreter with several seeds, and reports data races, accesses out of bounds and
        endless loops: Findings, a list, which is empty if all is well. Arguments as of a call; they aren't
        changed. Small data suffice.

        seeds: how many orders are tried. ignore: kinds that aren't reported, such as "out_of_bounds". Raises
        Error.
        """
        from ._verbs import sanitize

        return sanitize(self, arguments, keywords, grid, workgroups, seeds, ignore)

    def _source_for_tool(self, folder):
        """The tool's arguments for this program, whose file it writes."""
        text, name, options = self._text or (self.wgsl, self.name + ".wgsl", ())
        file = os.path.join(folder, os.path.basename(name or "kernel.wgsl"))
        with open(file, "w") as opened:
            opened.write(text)
        return [file, *options]

    def __repr__(self):
        return f"<muster.Kernel {self.name}({', '.join(f'{each.name}: {each.type}' for each in self.bindings)})>"


def kernel(source=None, *, path=None, entry=None, overrides=None, enables=(), precision=None, unchecked=False, subgroup_size=0,
           specs=None, session=None, name=None, workgroup_size=None):
    """Makes a kernel from WGSL, or from a function of Python's (as a decorator, too).

        saxpy = muster.kernel('''
            @group(0) @binding(0) var<uniform> a: f32;
            @group(0) @binding(1) var<storage, read> x: array<f32>;
            @group(0) @binding(2) var<storage, read_write> y: array<f32>;
            @compute @workgroup_size(256) fn saxpy(@builtin(global_invocation_id) id: vec3u) {
                y[id.x] = a * x[id.x] + y[id.x];
            }''')
        saxpy(a=2.0, x=x, y=y)

        @muster.kernel
        def saxpy(a: muster.f32, x: muster.In[muster.f32], y: muster.InOut[muster.f32]):
            i = muster.global_id.x
            y[i] = a * x[i] + y[i]

    source: the text, or a function; path: a file with the text instead, or a .muster file. entry: the entry
    point, if there are several. overrides: {name: value} of the text's `override`s. enables: extensions that
    count as enabled. precision: "exact" or "fast"; None is the session's. unchecked: no bounds checks.
    subgroup_size: of kernels that use subgroups; 0 is the device's. specs: {name: value} for the backend's
    compiler. session: where it always runs; None: the session of each call. workgroup_size: of a function's
    kernel, a number or a tuple; 256 unless given.

    Loads that lie outside of an array give zero there, and stores do nothing: kernels needn't compare the
    index with the length.

    Raises Error: "invalid_program" (with lines and fixes), "not_found" (the entry point, the file).
    """
    compile = compile_options(precision, unchecked, subgroup_size, specs)
    if source is None and path is None:
        options = dict(enables=enables, precision=precision, unchecked=unchecked, subgroup_size=subgroup_size, specs=specs,
                       session=session, name=name, workgroup_size=workgroup_size)
        return lambda function: kernel(function, **options)
    if callable(source):
        from ._trace import trace

        traced = trace(source, name or source.__name__, workgroup_size or 256)
        make = lambda: traced.program(enables)
        return _with_function(Kernel(make, session, compile, (traced.wgsl, traced.name + ".wgsl", ())), source)
    if path is not None:
        file = os.fspath(path)
        with open(file, "rb") as opened:
            content = opened.read()
        if file.endswith(".muster"):
            return Kernel(lambda: _muster.program_from_bytes(content), session, compile)
        source = content.decode()
    else:
        file = name
    changed = [(each, _literal(value)) for each, value in (overrides or {}).items()]
    for_tool = [*(["--entry", entry] if entry else ()), *(word for pair in changed for word in ("--override", "=".join(pair)))]
    text = None if enables else (source, file, for_tool)
    return Kernel(lambda: _muster.program_from_wgsl(source, file, entry, changed, enables), session, compile, text)


def _unpickled(content, compile):
    return Kernel(lambda: _muster.program_from_bytes(content), None, compile)


def _literal(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def _with_function(made, function):
    made.__doc__, made.__name__, made.__wrapped__ = function.__doc__, function.__name__, function
    return made


def load(path_or_bytes, *, session=None):
    """A kernel from a .muster file, or its bytes, that Kernel.package() or `muster emit` wrote. Its codes run
    as they are: take a file only from where you would take a library. Raises Error: "invalid_argument"
    (damaged, another version)."""
    if not isinstance(path_or_bytes, (bytes, bytearray, memoryview)):
        with open(path_or_bytes, "rb") as file:
            path_or_bytes = file.read()
    content = bytes(path_or_bytes)
    return Kernel(lambda: _muster.program_from_bytes(content), session)


def interface(source, *, entry=None):
    """The declarations of a text of WGSL, as a dict: entries with their resources, overrides."""
    import json

    return json.loads(_muster.wgsl_interface(source, None, entry, None, None))
