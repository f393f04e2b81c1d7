"""Backends: those of this installation, and those that other distributions bring.

A distribution names its backends by entry points of the group `muster.backends`:

    [project.entry-points."muster.backends"]
    npu = "muster_npu:plugins"

The name is the backend's id. The value is a function that returns the path of a plugin, or several. It is
called at muster's first use, but for an id that MUSTER_EXCLUDE names. One that fails only warns.
MUSTER_AUTOLOAD=0 turns all of them off.
"""

import os
import threading
import warnings
from typing import NamedTuple, Optional

from . import _muster, _numbers as n
from ._errors import Error

group = "muster.backends"
_lock = threading.RLock()
_failed = None  # {id: reason} once entry points were read


class Backend(NamedTuple):
    """A backend. `fault` says why it can't be used; None if it can."""

    id: str
    rank: Optional[int]
    dispatches: bool
    formats: list
    tags: list
    module: Optional[str]
    is_opened: bool
    fault: Optional[str]


def backends():
    """All backends by rank, also those that can't be used. Opens nothing but what entry points name."""
    failed = load_entry_points()
    found = []
    for h in _muster.backends():
        found.append(Backend(h.text(n.ID), h.number(n.RANK), bool(h.number(n.DISPATCHES)), h.texts(n.FORMAT), h.texts(n.TAG),
                             h.text(n.MODULE), bool(h.number(n.IS_OPENED)), h.text(n.FAULT)))
    known = {each.id for each in found if each.fault is None}
    return found + [Backend(id, None, False, [], [], None, False, why) for id, why in failed.items() if id not in known]


def load_backend(name):
    """Opens a plugin, by its backend's id or by its path. Does nothing if it is open.

    Raises Error: "not_found", "refused", "unavailable"; nothing is left behind then.
    """
    _muster.load_backend(os.fspath(name))


def is_loaded(name):
    """True if the process has a usable backend of this id, or the plugin at this path."""
    return _muster.is_loaded(os.fspath(name))


def load_entry_points():
    """Opens the plugins of the other distributions, once. Returns {id: reason} of those that failed."""
    global _failed
    if _failed is None:
        with _lock:
            if _failed is None:
                failed = {}
                _failed = failed  # a function that uses muster finds it under way
                if os.environ.get("MUSTER_AUTOLOAD", "1") not in ("0", "off", "false"):
                    failed.update(_load_all())
    return _failed


def _load_all():
    import importlib.metadata

    excluded = {each.strip() for each in os.environ.get("MUSTER_EXCLUDE", "").split(",")}
    failed, paths = {}, {}
    for entry in importlib.metadata.entry_points(group=group):
        if entry.name in excluded:
            continue
        try:
            found = entry.load()()
            for path in [found] if isinstance(found, (str, os.PathLike)) else list(found):
                _muster.load_backend(os.path.abspath(os.fspath(path)))
                paths.setdefault(entry.name, []).append(path)
        except Exception as why:
            reason = why.story if isinstance(why, Error) else f"{type(why).__name__}: {why}"
            failed[entry.name] = f'The entry point "{entry.name}" of {entry.dist.name if entry.dist else "a distribution"} failed: {reason}'
            warnings.warn(failed[entry.name], RuntimeWarning, stacklevel=2)
    return failed
