"""%%wgsl, with a stand-in for IPython's shell."""

import pytest

import muster
from conftest import SAXPY


class Shell:
    def __init__(self):
        self.magics, self.names = {}, {}

    def register_magic_function(self, function, kind, name):
        self.magics[kind, name] = function

    def push(self, names):
        self.names.update(names)


def test_a_cell_becomes_a_kernel(xy):
    shell = Shell()
    muster.load_ipython_extension(shell)
    magic = shell.magics["cell", "wgsl"]
    magic("", SAXPY)
    magic("other", SAXPY)
    x, y = xy
    shell.names["saxpy"](2.0, x, y)
    assert y[3] == 7 and shell.names["other"].fingerprint == shell.names["saxpy"].fingerprint
    with pytest.raises(muster.Error, match="cell.wgsl:3"):
        magic("", "@compute @workgroup_size(1) fn main() {\n  let a: f32 = 1u; }")
