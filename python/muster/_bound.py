"""Kernels with their arguments."""

from . import _muster


class Bound:
    """A kernel with arguments that were checked once, which makes calls shorter: what Kernel.bind() returns.

        step = saxpy.bind(2.0, x, y)            # arrays of muster's
        step(); step(grid=100); step(wait=False).wait()

    It runs in the session that bound it, and keeps its arrays. Sequence.add() takes it, too. Threads: any.
    """

    def __init__(self, kernel, prepared, arguments, keywords):
        self.kernel, self._session = kernel, prepared.session
        self._handle, self._own_grid = _muster.bind(prepared, arguments, keywords)

    def __call__(self, *, grid=None, workgroups=None, wait=True):
        """Runs it over the grid of its arguments, or another one. wait=False: returns a Ticket at once. Raises Error:
        "device_lost", "limit_exceeded", ..."""
        ticket = _muster.dispatch_bound(self._session, self._handle, *self._grid(grid, workgroups))
        if not wait:
            return ticket
        ticket.wait()

    def _grid(self, grid=None, workgroups=None):
        return self._own_grid if grid is None and workgroups is None else (grid, workgroups)

    def __repr__(self):
        return f"<muster.Bound {self.kernel.name}>"
