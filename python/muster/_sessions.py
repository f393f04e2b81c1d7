"""Sessions: a policy, and the devices that were opened for it."""

import atexit
import os
import threading

from . import _muster, _numbers as n
from ._backends import load_entry_points

_default = None
_lock = threading.Lock()
_of_thread = threading.local()
# Counts forks: what was made before one isn't usable after it.
process = 0


class Session:
    """Where kernels run: a policy, and the devices that were opened for it. `muster.session(...)` opens one.

    Within `with`, it is the session of all calls of this thread, but for kernels that have one of their own:

        with muster.session(backend="vulkan", precision="fast"):
            saxpy(a=2.0, x=x, y=y)

    It may be used by many threads at once. After a fork, the child opens its own: the parent's raises Error.
    """

    def __init__(self, options, ignore_environment=False, close_timeout=None):
        self._precision = options.get("precision")
        given = {name: value for name, value in options.items() if value is not None}
        asked = pairs(given), n.IGNORES_ENVIRONMENT if ignore_environment else 0, close_timeout
        self._handle = _muster.session_open(*asked)
        if load_entry_points(self._handle):
            self._handle = _muster.session_open(*asked)

    def __enter__(self):
        stack = _of_thread.__dict__.setdefault("stack", [])
        stack.append(self)
        _muster.set_session(self._handle, False)
        return self

    def __exit__(self, *_):
        stack = _of_thread.stack
        stack.pop()
        _muster.set_session(stack[-1]._handle if stack else None, False)

    def kernel(self, source=None, **options):
        """As muster.kernel, of a kernel that always runs in this session."""
        from ._kernels import kernel

        return kernel(source, session=self, **options)

    def devices(self):
        """The devices that the policy allows, as muster.devices() gives them. Probes."""
        from ._process import Device

        return [Device(each) for each in _muster.devices(self._handle)]

    @property
    def settings(self):
        """{name: (value, what decided it)} of the policy."""
        h, found = self._handle, {}
        for name, value, decided in zip(h.texts(n.SETTING_NAME), h.texts(n.SETTING_VALUE), h.texts(n.SETTING_FROM)):
            # Exclusions add up: each that excludes has a row.
            found[name] = tuple(map(", ".join, zip(found[name], (value, decided)))) if name in found else (value, decided)
        return found

    def close(self):
        """Waits for work in flight, and gives up devices whose work doesn't end in time. Later calls raise
        Error."""
        _muster.session_close(self._handle)

    def __repr__(self):
        return f"<muster.Session {', '.join(f'{k}={v[0]}' for k, v in self.settings.items()) or 'with defaults'}>"


def pairs(options):
    """A policy's options, {"no_emission": True}, as the extension takes them."""
    return [(name if name.startswith("MUSTER_") else name.replace("_", "-"), _text(value)) for name, value in options.items()]


def _text(value):
    if value is True:
        return "1"
    if value is False:
        return "0"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value)


def session(*, ignore_environment=False, close_timeout=None, **options):
    """Opens a session. No driver is called yet.

    options: the policy, by the names of the tool's options with "_" for "-": backend="cpu", exclude=["cuda"],
    on_failure="next", no_emission=True; `muster.options()` lists them. precision: "exact" (the default: the
    same bits on every device) or "fast". ignore_environment: True if MUSTER_BACKEND and its kin don't count.
    close_timeout: seconds that closing waits for work in flight; None is 5.

    Raises Error: "not_found" (an option), "invalid_argument" (its value).
    """
    return Session(options, ignore_environment, close_timeout)


def current():
    """The session of this thread's calls: that of the innermost `with`, or the process's."""
    stack = getattr(_of_thread, "stack", None)
    if stack:
        return stack[-1]
    global _default
    if _default is None:
        opened = Session({})
        with _lock:
            if _default is None:
                _muster.set_session(opened._handle, True)
                _default = opened
    return _default


def options():
    """{name: meaning} of what muster.session takes."""
    h = _muster.process()
    return {name.replace("-", "_"): meaning for name, meaning in zip(h.texts(n.OPTION_NAME), h.texts(n.OPTION_MEANING))}


def _after_fork():
    global _default, _lock, process
    process += 1
    _lock = threading.Lock()
    _default = None
    _muster.set_session(None, True)
    _muster.end_calls(True)


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_muster.end_calls, False)
