"""Backends: those of this installation, and those that other distributions bring.

A distribution names its backends by entry points of the group `muster.backends`:

    [project.entry-points."muster.backends"]
    npu = "muster_npu:plugins"

The name is the backend's id. The value is a function that returns the path of a plugin, or several, or none. It
is called when a session is opened whose policy allows the id, or when devices, targets or backends are asked
for. One that fails only warns. MUSTER_AUTOLOAD=0 turns all of them off.
"""

import os
import threading
import warnings
from typing import NamedTuple, Optional

from . import _muster, _numbers as n
from ._errors import Error

group = "muster.backends"
_lock = threading.RLock()
_entries = None  # {id: entry points}, once they were read
_pending = None  # the ids that no policy has asked for yet
_failed = {}  # {id: reason}


class Spec(NamedTuple):
    """An option of a backend's compiler, for specs=. runs: True if it is also for code that runs here."""

    name: str
    meaning: str
    runs: bool


class Backend(NamedTuple):
    """A backend. rank: lower comes first. dispatches: False if it only emits. fault: why it can't be used; None if
    it can."""

    id: str
    rank: Optional[int]
    dispatches: bool
    formats: list
    tags: list
    module: Optional[str]
    is_opened: bool
    fault: Optional[str]
    default_target: Optional[str] = None
    specs: tuple = ()

    def devices(self):
        """All that its probe finds, whatever the policy, as muster.devices() gives them. Raises Error: those of the
        probe."""
        from ._process import Device

        return [Device(each) for each in _muster.devices(self._handle())]

    def probe(self):
        """(state, error): "answered" and None, or "timed_out" and the like and why. May take a moment."""
        h = self._handle()
        return h.text(n.PROBE_STATE), h.text(n.PROBE_ERROR)

    def json(self):
        """As `muster backends --json` has it, as a dict. Probes."""
        import json

        return json.loads(self._handle().json())

    def _handle(self):
        found = next((each for each in _muster.backends() if each.text(n.ID) == self.id), None)
        if found is None:
            raise Error(f'There is no backend "{self.id}".', "not_found", self.fault or "load it again")
        return found


def backends():
    """All backends by rank, also those that can't be used, with the reason. Opens what entry points name, and
    the plugins that they are in; probes nothing."""
    load_entry_points()
    found = [_described(each) for each in _muster.backends()]
    broken = {each.id for each in found if each.fault is not None}
    usable = {each.id for each in found} - broken
    found = [each._replace(fault=_failed.get(each.id, each.fault)) if each.id in broken else each for each in found]
    return found + [Backend(id, None, False, [], [], None, False, why) for id, why in _failed.items() if id not in usable | broken]


def _described(h):
    fault, formats, target, specs = h.text(n.FAULT), [], None, ()
    try:
        formats, target = h.texts(n.FORMAT), h.text(n.DEFAULT_TARGET)
        specs = tuple(map(Spec, h.texts(n.SPEC_NAME), h.texts(n.SPEC_MEANING), map(bool, h.numbers(n.SPEC_RUNS))))
    except Error as why:  # it can't be constructed
        fault = fault or why.story
    return Backend(h.text(n.ID), h.number(n.RANK), bool(h.number(n.DISPATCHES)), formats, h.texts(n.TAG), h.text(n.MODULE),
                   bool(h.number(n.IS_OPENED)), fault, target, specs)


def load_backend(name):
    """Opens a plugin, by its backend's id or by its path, any text with a "/". An id may be that of an entry
    point. Does nothing if it is open. Sessions that were opened before don't have it.

    Raises Error: "not_found", "refused", "unavailable", "conflict" (of two plugins with one id); ImportError and
    its kin of an entry point's module. Nothing is left behind then, and the next call tries again.
    """
    name = os.fspath(name)
    with _lock:
        if name in _read() and not _muster.is_loaded(name):
            _pending.discard(name)
            _load(name)
            _failed.pop(name, None)
        else:
            _muster.load_backend(name)


def retire_backend(name):
    """Takes an open plugin, by its backend's id or its path, out of what later sessions see. Those that are open
    go on with it. load_backend() takes it back. Raises Error: "not_found"."""
    _muster.retire_backend(os.fspath(name))


def is_loaded(name):
    """True if the process has a usable backend of this id, or the plugin at this path. Opens nothing: a backend
    of an entry point isn't loaded before muster is used."""
    return _muster.is_loaded(os.fspath(name))


def load_entry_points(session=None):
    """Opens the plugins of other distributions that the policy of this session's handle allows, each once; None:
    the process's policy. Returns True if there were any, which this session doesn't see."""
    if _pending is not None and not _pending:
        return False
    with _lock:
        if os.environ.get("MUSTER_AUTOLOAD", "1") != "1":
            return False
        _read()
        allowed = _pending and _allowed(session if session is not None else _muster.session_open([], 0, None), _pending)
        for id in sorted(allowed):
            _pending.discard(id)  # first: its function may use muster
            try:
                _load(id)
            except Exception as why:
                _failed[id] = f'The entry point "{id}" of {_distributions(id)} failed: {_reason(why)}'
                warnings.warn(_failed[id], RuntimeWarning, stacklevel=2)
        return bool(allowed)


def _read():
    global _entries, _pending
    if _entries is None:
        import importlib.metadata

        _entries = {}
        for entry in importlib.metadata.entry_points(group=group):
            _entries.setdefault(entry.name, []).append(entry)
        _pending = set(_entries)
    return _entries


def _allowed(session, ids):
    """Those that the policy neither excludes nor leaves out of its list."""
    excluded, listed = set(), set()
    for name, value in zip(session.texts(n.SETTING_NAME), session.texts(n.SETTING_VALUE)):
        if name == "exclude":
            excluded.update(value.split(", "))
        elif name == "backends":
            listed.update(each.split(":")[0] for each in value.split(", "))
    return {id for id in ids if id not in excluded and (not listed or id in listed)}


def _load(id):
    """Opens the plugins of one entry point, all or none."""
    entries = _entries[id]
    if len(entries) > 1:
        raise Error(f'{len(entries)} distributions each name a backend "{id}": {_distributions(id)}. Neither is usable.', "conflict",
                    "install only one of them")
    found = entries[0].load()()
    paths = [os.path.abspath(os.fspath(each)) for each in ([found] if isinstance(found, (str, os.PathLike)) else found)]
    opened = []
    try:
        for path in paths:
            if not _muster.is_loaded(path):
                _muster.load_backend(path)
                opened.append(path)
        if paths and not _muster.is_loaded(id):
            raise Error(f'There is no backend "{id}" in {", ".join(paths)}.', "not_found", "call the entry point as the backend is called")
    except BaseException:
        for path in opened:
            _muster.retire_backend(path)
        raise


def _distributions(id):
    return " and ".join(sorted(entry.dist.name if entry.dist else "a distribution" for entry in _entries[id]))


def _reason(why):
    return why.story if isinstance(why, Error) else f"{type(why).__name__}: {why}"


def _after_fork():
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_after_fork)
