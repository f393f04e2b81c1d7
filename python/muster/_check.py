"""The conformance suite."""

from . import _muster, _numbers as n
from ._backends import load_entry_points
from ._sessions import pairs


class Report:
    """Results of the conformance suite: bool(report) is True if every device passes and no case is left
    out."""

    def __init__(self, handle):
        self._handle = handle

    left_out = property(lambda self: self._handle.number(n.LEFT_OUT), doc="Cases that didn't run because the check was stopped.")

    def __bool__(self):
        return bool(self._handle.number(n.PASSES))

    def json(self):
        """As `muster check --json` has it, as a dict."""
        import json

        return json.loads(self._handle.json())

    def __repr__(self):
        return f"<muster.Report: {'passes' if self else 'fails'}>"


def check(cases=(), *, gaps=None, timeout=None, reduction=None, progress=None, ignore_environment=False, deviations=True, **options):
    """Runs the conformance suite on devices, for minutes. Returns a Report. Ctrl-C stops it.

    cases: globs of names; none: all. gaps: the text of a file of known gaps. timeout: seconds of one case on
    one device. reduction: seconds for making kernels of failures small, of each device; None: they stay.
    progress: called with (device, what, outcome, done, total); returning False stops. None: tqdm's bar, if tqdm is
    installed. options: the policy, as of muster.session: backend="cpu".

    Raises Error: "unavailable" (this installation has no suite), "refused" (no device), "not_found" (cases).
    """
    flags = (n.IGNORES_ENVIRONMENT if ignore_environment else 0) | (0 if deviations else n.CHECK_WITHOUT_DEVIATIONS)
    load_entry_points(_muster.session_open(pairs(options), flags & n.IGNORES_ENVIRONMENT, None))
    bar = None
    if progress is None:
        progress, bar = _bar()
    try:
        cases = [cases] if isinstance(cases, str) else list(cases)
        return Report(_muster.check(pairs(options), cases, gaps, timeout, progress, flags, reduction))
    finally:
        if bar is not None:
            bar.close()


def _bar():
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped]
    except ImportError:
        return None, None
    bar = tqdm(unit="case")

    def progress(device, what, outcome, done, total):
        bar.total, bar.n = total, done
        bar.set_postfix_str(f"{device} {what}", refresh=False)
        bar.refresh()

    return progress, bar
