"""What this process has: backends, devices, targets."""

import os
from typing import NamedTuple

from . import _muster, _numbers as n
from ._backends import load_entry_points


class _Machine:
    """What devices and targets share: attributes by properties."""

    _texts = dict(id=n.ID, backend=n.BACKEND, arch=n.ARCH, kind=n.DEVICE_KIND)
    _numbers = dict(subgroup_size=n.SUBGROUP_SIZE, subgroup_least=n.SUBGROUP_LEAST, subgroup_most=n.SUBGROUP_MOST,
                    max_workgroup_invocations=n.MAX_WORKGROUP_INVOCATIONS, max_workgroup_bytes=n.MAX_WORKGROUP_BYTES,
                    max_storage_binding_bytes=n.MAX_STORAGE_BINDING_BYTES, max_storage_bindings=n.MAX_STORAGE_BINDINGS,
                    max_uniform_binding_bytes=n.MAX_UNIFORM_BINDING_BYTES, max_uniform_bindings=n.MAX_UNIFORM_BINDINGS,
                    max_private_bytes=n.MAX_PRIVATE_BYTES)
    _flags = dict(is_exact=n.IS_EXACT)
    _lists = dict(features=n.FEATURE, types=n.TYPE)

    def __init__(self, handle):
        self._handle = handle

    def __getattr__(self, name):
        h = self.__dict__["_handle"]
        if name in self._texts:
            return h.text(self._texts[name])
        if name in self._numbers:
            return h.number(self._numbers[name])
        if name in self._flags:
            value = h.number(self._flags[name])
            return None if value is None else bool(value)
        if name in self._lists:
            return h.texts(self._lists[name])
        if name in ("max_workgroup_size", "max_workgroups"):
            return tuple(h.numbers(n.MAX_WORKGROUP_SIZE if name == "max_workgroup_size" else n.MAX_WORKGROUPS))
        raise AttributeError(f"a {type(self).__name__.lower()} has no {name}")

    def __dir__(self):
        return [*super().__dir__(), *self._texts, *self._numbers, *self._flags, *self._lists, "max_workgroup_size", "max_workgroups"]

    def json(self):
        """As the tool's --json has it, as a dict."""
        import json

        return json.loads(self._handle.json())


class Device(_Machine):
    """A device and what it can do. Nothing of it is opened. Attributes are numbers, texts and lists, sizes in
    bytes; None: it isn't known.

    id ("cuda:0"), name, backend, arch, kind ("cpu", "integrated_gpu", "discrete_gpu", "virtual_gpu", "other"),
    driver, uuid, pci_address; memory_bytes, free_memory_bytes (now), compute_units, clock_mhz, subgroup_size
    and its bounds subgroup_least and subgroup_most; is_exact, is_emulated, has_unified_memory,
    copies_beside_kernels; features, types (of scalars), no_compiler (why it compiles nothing here); the limits
    max_workgroup_size, max_workgroups and others, for which see dir().
    """

    _texts = dict(_Machine._texts, name=n.NAME, driver=n.DRIVER, uuid=n.UUID, pci_address=n.PCI_ADDRESS, no_compiler=n.NO_COMPILER)
    _numbers = dict(_Machine._numbers, ordinal=n.ORDINAL, memory_bytes=n.MEMORY_BYTES, free_memory_bytes=n.FREE_MEMORY_BYTES,
                    compute_units=n.COMPUTE_UNITS, clock_mhz=n.CLOCK_MHZ, vendor_number=n.VENDOR_NUMBER, device_number=n.DEVICE_NUMBER)
    _flags = dict(_Machine._flags, is_emulated=n.IS_EMULATED, has_unified_memory=n.HAS_UNIFIED_MEMORY,
                  copies_beside_kernels=n.COPIES_BESIDE_KERNELS)

    def supports(self, kernel):
        """None if the device can run the kernel, else the Error with the first thing that doesn't fit."""
        from ._errors import Error

        try:
            _muster.device_supports(self._handle, kernel._program, kernel._compile)
        except Error as why:
            return why
        return None

    def __repr__(self):
        return f"<muster.Device {self.id}: {self.name}>"


class Devices(list):
    """A list of devices; in a notebook, a table."""

    def _repr_html_(self):
        from html import escape

        rows = "".join(f"<tr><td>{escape(d.id)}</td><td>{escape(d.name)}</td><td>{escape(d.kind or '')}</td><td>{d.compute_units or ''}"
                       f"</td><td>{f'{d.memory_bytes / 2**30:.1f} GiB' if d.memory_bytes else ''}</td></tr>" for d in self)
        return f"<table><tr><th>id</th><th>name</th><th>kind</th><th>units</th><th>memory</th></tr>{rows}</table>"


def devices():
    """The devices of this machine that the environment's policy allows, as a list. Probes backends, which may
    take a moment."""
    load_entry_points()
    return Devices(Device(each) for each in _muster.devices(_muster.process()))


def candidates(kernel):
    """[(Device, None or the Error why it can't run the kernel), ...]"""
    return [(each, each.supports(kernel)) for each in devices()]


class Target(_Machine):
    """A machine to emit code for, which needn't be here. It has those attributes of a Device that its name tells:
    id ("cuda:sm_90"), backend, arch, kind, subgroup sizes, features, types, is_exact and the limits."""

    def __repr__(self):
        return f"<muster.Target {self.id}>"


def target(name):
    """A machine to emit code for: "cuda:sm_90"; "cuda", for its default; "cuda:0", for that of a device here.

    Raises Error: "not_found", "invalid_argument".
    """
    load_entry_points()
    return Target(_muster.find_target(name))


def packs():
    """{id: module} of the packs of patterns for models."""
    h = _muster.process()
    return dict(zip(h.texts(n.PACK_ID), h.texts(n.PACK_MODULE)))


class Installation(NamedTuple):
    """What there is of muster: its version, what it was compiled with, and the parts that may be missing."""

    version: str
    build: str
    has_models: bool
    has_onnx: bool
    has_check: bool


def installation():
    """This installation, as an Installation."""
    h = _muster.process()
    return Installation(h.text(n.VERSION_TEXT), h.text(n.BUILD_TEXT), *(bool(h.number(each)) for each in (n.HAS_MODELS, n.HAS_ONNX,
                                                                                                        n.HAS_CHECK)))


def variables():
    """{name: meaning} of the environment's variables that muster reads."""
    h = _muster.process()
    return dict(zip(h.texts(n.VARIABLE_NAME), h.texts(n.VARIABLE_MEANING)))


_levels = {1: "error", 2: "warning", 3: "info"}


def set_log(receiver):
    """Gives the log's messages to a function of (level, text), or a logging.Logger, instead of standard error; None:
    standard error again.

    level: "error", "warning" or "info"; MUSTER_LOG says which there are. It is called on the main thread of Python, soon
    after the message was written, in the messages' order. What it raises is printed.
    """
    import atexit

    if receiver is not None:
        atexit.register(_muster.set_log, None)
        receive = receiver
        if hasattr(receiver, "log"):  # a Logger
            receive = lambda level, text: receiver.log(getattr(__import__("logging"), level.upper()), "%s", text)
        _muster.set_log(lambda number, text: receive(_levels.get(number, "error"), text))
    else:
        _muster.set_log(None)


class trace:
    """Records what this process does, for ui.perfetto.dev, Chrome and `muster trace`.

        with muster.trace("saxpy.json") as t:
            saxpy(a=2.0, x=x, y=y)
        print(t.path)

    An older trace is replaced, no other file. `path` is another one than was asked for if another process records there; `left_out`, set
    at the end, is the number of events for which the file (at most 256 MiB) had no room. Threads: all are recorded.
    Raises Error: "conflict" (this process records already), "io_failed".
    """

    left_out = 0

    def __init__(self, path):
        self.path = os.fsdecode(path)
        if "\0" in self.path:
            raise ValueError("the path of a trace has a null character")

    def __enter__(self):
        self.path = _muster.trace_start(self.path)
        return self

    def __exit__(self, *error):
        self.left_out = _muster.trace_end()


def wait_until_optimized(timeout=None):
    """Waits until no kernel of this process is to be optimised (the option `optimize`), `timeout` seconds at most: for a process that
    would end before, since later ones find optimised code alone. Raises Error: "timed_out"."""
    _muster.wait_until_optimized(timeout)


def live_objects():
    """How many of muster's objects this process holds."""
    return _muster.process().number(n.LIVE_OBJECTS)


def set_default_policy(**options):
    """Sets the policy below the environment's, for sessions that are opened later. Options as of
    muster.session."""
    from ._sessions import pairs

    _muster.set_default_policy(pairs(options))
