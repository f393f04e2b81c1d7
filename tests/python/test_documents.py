"""The Python of the documents runs: the blocks of a page one after the other, in the tree's folder."""

import glob
import os
import re
import shutil

import pytest

from conftest import SOURCE


def blocks(page):
    with open(page) as file:
        text = file.read()
    for found in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S):
        line = text.count("\n", 0, found.start()) + 1
        yield "\n" * line + found[1]


PAGES = [page for page in sorted([*glob.glob(SOURCE + "/*.md"), *glob.glob(SOURCE + "/docs/*.md")]) if any(blocks(page))]


def test_there_are_some():
    assert [os.path.basename(page) for page in PAGES][-1] == "python.md"


@pytest.mark.parametrize("page", PAGES, ids=os.path.basename)
def test_page(page, tmp_path, monkeypatch):
    os.mkdir(tmp_path / "build")
    shutil.copytree(SOURCE + "/examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks(page):
        exec(compile(block, page, "exec"), names)
