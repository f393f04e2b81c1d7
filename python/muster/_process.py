"""What this process has: backends, devices, targets."""

from typing import NamedTuple

from . import _muster, _numbers as n
from ._backends import load_entry_points


class Device:
    """A device and what it can do. Nothing of it is opened. Attributes are numbers, texts and lists; None: it
    isn't known."""

    _texts = dict(id=n.ID, name=n.NAME, backend=n.BACKEND, arch=n.ARCH, kind=n.DEVICE_KIND, driver=n.DRIVER, uuid=n.UUID,
                  pci_address=n.PCI_ADDRESS, no_compiler=n.NO_COMPILER)
    _numbers = dict(ordinal=n.ORDINAL, memory_bytes=n.MEMORY_BYTES, free_memory_bytes=n.FREE_MEMORY_BYTES,
                    subgroup_size=n.SUBGROUP_SIZE, compute_units=n.COMPUTE_UNITS, clock_mhz=n.CLOCK_MHZ,
                    max_workgroup_invocations=n.MAX_WORKGROUP_INVOCATIONS, max_workgroup_bytes=n.MAX_WORKGROUP_BYTES,
                    max_storage_binding_bytes=n.MAX_STORAGE_BINDING_BYTES, max_storage_bindings=n.MAX_STORAGE_BINDINGS)
    _flags = dict(is_emulated=n.IS_EMULATED, has_unified_memory=n.HAS_UNIFIED_MEMORY, is_exact=n.IS_EXACT)
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
        raise AttributeError(f"a device has no {name}")

    def __dir__(self):
        return [*super().__dir__(), *self._texts, *self._numbers, *self._flags, *self._lists, "max_workgroup_size", "max_workgroups"]

    def supports(self, kernel):
        """None if the device can run the kernel, else the Error with the first thing that doesn't fit."""
        from ._errors import Error

        try:
            _muster.device_supports(self._handle, kernel._program, kernel._compile)
        except Error as why:
            return why
        return None

    def json(self):
        """As `muster backends --json` has it, as a dict."""
        import json

        return json.loads(self._handle.json())

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


class Target(NamedTuple):
    """A machine to emit code for."""

    id: str
    backend: str
    arch: str
    subgroup_size: int


def target(name):
    """A machine to emit code for: "cuda:sm_90"; "cuda", for its default; "cuda:0", for that of a device here.

    Raises Error: "not_found", "invalid_argument".
    """
    load_entry_points()
    h = _muster.find_target(name)
    return Target(h.text(n.ID), h.text(n.BACKEND), h.text(n.ARCH), h.number(n.SUBGROUP_SIZE))


def packs():
    """{id: module} of the packs of patterns for models."""
    h = _muster.process()
    return dict(zip(h.texts(n.PACK_ID), h.texts(n.PACK_MODULE)))


def live_objects():
    """How many of muster's objects this process holds."""
    return _muster.process().number(n.LIVE_OBJECTS)


def set_default_policy(**options):
    """Sets the policy below the environment's, for sessions that are opened later. Options as of
    muster.session."""
    from ._sessions import pairs

    _muster.set_default_policy(pairs(options))
