"""Sequences: dispatches, copies and fills that are recorded once and submitted many times."""

from . import _muster, _numbers as n
from ._bound import Bound
from ._sessions import current


class Sequence:
    """Work that is recorded once, checked then, and submitted many times, in order, on one device.

        steps = muster.sequence()
        steps.fill(counts, 0)
        steps.add(count, keys=keys, counts=counts)
        ticket = steps.submit(); ticket.wait()

    Its arrays are muster's, which it keeps. One thread at a time records; any submits.
    """

    def __init__(self, session=None):
        self._session = session or current()
        self._handle = _muster.sequence_create(self._session._handle)

    def add(self, kernel, *arguments, **keywords):
        """Adds a dispatch. Arguments and grid as of a call, but arrays are muster's. Of a bound kernel, the grid
        alone. Returns the sequence."""
        if isinstance(kernel, Bound):
            _muster.sequence_dispatch_bound(self._handle, kernel._handle, *kernel._grid(*arguments, **keywords))
            return self
        with self._session:
            prepared = kernel._prepare()
        _muster.sequence_dispatch(self._handle, prepared, arguments, keywords)
        return self

    def copy(self, source, target):
        """Adds a copy between arrays, or slices of them, of as many bytes, a multiple of 4."""
        _muster.sequence_copy(self._handle, source, target)
        return self

    def fill(self, array, word):
        """Adds a fill with a word of 32 bits."""
        _muster.sequence_fill(self._handle, array, word)
        return self

    def submit(self):
        """Submits all steps. Returns a Ticket."""
        return _muster.sequence_submit(self._handle)

    def __len__(self):
        return self._handle.number(n.STEPS)


def sequence(*, session=None):
    """An empty sequence."""
    return Sequence(session)
