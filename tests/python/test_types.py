"""Tools that read types agree with what users write; skipped where mypy isn't installed."""

import os
import re
import subprocess
import sys

import pytest

from conftest import SOURCE
from test_documents import PAGES, blocks

pytest.importorskip("mypy")


def mypy(tmp_path, *arguments):
    os.makedirs(tmp_path / "stubs", exist_ok=True)
    if not os.path.exists(tmp_path / "stubs" / "muster"):
        os.symlink(SOURCE + "/python/muster", tmp_path / "stubs" / "muster")
    run = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), *arguments], cwd=tmp_path,
                         env={**os.environ, "MYPYPATH": str(tmp_path / "stubs")}, capture_output=True, text=True)
    return run.stdout + run.stderr


def test_strictly(tmp_path):
    said = mypy(tmp_path, "--strict", SOURCE + "/tests/python/typed.py")
    assert said.startswith("Success"), said


def test_documents(tmp_path):
    """A page's blocks, one file. What they redefine from block to block isn't a fault of theirs."""
    for page in PAGES:
        lines = []
        for block in blocks(page):
            lines += [""] * (block.count("\n", 0, len(block) - len(block.lstrip("\n"))) - len(lines)) + block.lstrip("\n").split("\n")
        name = re.sub(r"\W", "_", os.path.basename(page))
        (tmp_path / f"{name}.py").write_text("\n".join(lines))
        said = mypy(tmp_path, "--allow-redefinition", "--disable-error-code=no-redef", "--ignore-missing-imports", f"{name}.py")
        assert said.startswith("Success"), said
