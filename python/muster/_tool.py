"""The tool, as a program of its own: `muster` and `python -m muster`."""

import os
import sys


def path():
    """The tool's file; None if this installation has none."""
    here = os.path.dirname(os.path.realpath(_extension()))
    for place in (os.path.join(here, "bin", "muster"), os.path.join(here, "..", "..", "..", "bin", "muster")):
        if os.access(place, os.X_OK):
            return os.path.normpath(place)
    return None


def _extension():
    from . import _muster

    return _muster.__file__


def main():
    tool = path()
    if tool is None:
        sys.exit("muster: this installation has no tool.")
    sys.stdout.flush()
    os.execv(tool, ["muster", *sys.argv[1:]])
