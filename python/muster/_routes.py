"""Routes: where a program runs, and why not elsewhere."""

from typing import NamedTuple, Optional

from . import _numbers as n


class Candidate(NamedTuple):
    """A backend with one of its devices, as a route saw it: `stage` says how far it came, such as "probe", `reason`
    why it went no further, such as "outranked"; the best one's is "chosen"."""

    id: str
    backend: str
    device: str
    stage: str
    reason: str
    message: str
    fix: str
    rank: int
    estimate_us: Optional[float]


class Route:
    """The decision: `device` executes the program, or `target` is what it can only be emitted for, or
    neither.

    print(route) is the table that `muster route` prints; in a notebook it is a table of HTML.
    """

    def __init__(self, handle, notes=()):
        self._handle, self._notes = handle, list(notes)

    @property
    def device(self):
        """The device's id, "cpu:0"; None if none executes the program."""
        return self._handle.text(n.ID) if self._handle.number(n.OUTCOME) == n.EXECUTES else None

    @property
    def target(self):
        """Where the program can only be emitted for: "cuda:sm_90". None if it executes, or is refused."""
        return self._handle.text(n.TARGET) if self._handle.number(n.OUTCOME) == n.EMITS else None

    @property
    def candidates(self):
        """A Candidate for each backend and device, with the reason."""
        h = self._handle
        columns = [h.texts(which) for which in (n.CANDIDATE_ID, n.CANDIDATE_BACKEND, n.CANDIDATE_DEVICE, n.CANDIDATE_STAGE, n.CANDIDATE_REASON,
                                                n.CANDIDATE_MESSAGE, n.CANDIDATE_FIX)]
        return [Candidate(*row) for row in zip(*columns, h.numbers(n.CANDIDATE_RANK), h.reals(n.CANDIDATE_ESTIMATE_US))]

    @property
    def notes(self):
        """What else there is to say: moves to other devices, arrays that the last call copied."""
        return [each for each in self._handle.texts(n.NOTE) if each] + self._notes

    def json(self):
        """The record as `muster route --json` has it, as a dict."""
        import json

        return json.loads(self._handle.json())

    def __str__(self):
        return "\n".join([self._handle.text(n.EXPLANATION).rstrip("\n"), *(f"Note: {each}" for each in self._notes)])

    def __repr__(self):
        return f"<muster.Route to {self.device or self.target or 'nothing'}>"

    def _repr_html_(self):
        from html import escape

        rows = "".join(
            f"<tr><td>{escape(each.id)}</td><td>{escape(each.reason)}</td><td>{escape(each.message or '')}"
            + (f"<br><i>Fix: {escape(each.fix)}</i>" if each.fix else "")
            + "</td></tr>"
            for each in self.candidates)
        notes = "".join(f"<p>{escape(each)}</p>" for each in self.notes)
        said = escape(str(self).splitlines()[0])
        return f"<p>{said}</p><table><tr><th>candidate</th><th>reason</th><th></th></tr>{rows}</table>{notes}"
