"""What the package promises about itself."""

import ast
import os
import re
import subprocess
import sys

import muster
from muster import _numbers
from conftest import SOURCE


def test_numbers_are_those_of_muster_h():
    with open(SOURCE + "/c/muster.h") as file:
        header = file.read()
    theirs = {name: int(number) for name, number in re.findall(r"\bMUSTER_(\w+) = (-?\d+)", header)}
    ours = {name: value for name, value in vars(_numbers).items() if name.isupper()}
    short = {"UNCHECKED": "COMPILE_UNCHECKED", "IGNORES_ENVIRONMENT": "SESSION_IGNORES_ENVIRONMENT"}
    assert len(ours) > 100
    for name, value in ours.items():
        assert theirs[short.get(name, name)] == value, name
    assert theirs["CHECK_IGNORES_ENVIRONMENT"] == _numbers.IGNORES_ENVIRONMENT


def scalar_or_compound(each):
    """f32 and vec3f are classes for those who read types, so that they can be annotations; here they are objects."""
    return any(isinstance(base, ast.Name) and base.id in ("_Scalar", "_Compound") for base in each.bases)


def test_stubs_have_the_public_names():
    with open(SOURCE + "/python/muster/__init__.pyi") as file:
        tree = ast.parse(file.read())
    names = set()
    for each in tree.body:
        if isinstance(each, (ast.FunctionDef, ast.ClassDef)):
            names.add(each.name)
        elif isinstance(each, ast.AnnAssign):
            names.add(each.target.id)
    from muster import _trace

    others = set(_trace._functions)
    assert {name for name in names if not name.startswith("_")} == set(dir(muster)) - others
    for each in tree.body:  # methods, too
        if isinstance(each, ast.ClassDef) and not each.name.startswith("_") and each.name not in ("Device", "Value") and not scalar_or_compound(each):
            cls = getattr(muster, each.name)
            for member in each.body:
                if isinstance(member, ast.FunctionDef) and member.name not in ("__init__", "__buffer__"):
                    assert hasattr(cls, member.name), f"{each.name}.{member.name}"


def test_public_names_are_documented():
    for name in dir(muster):
        value = getattr(muster, name)
        if callable(value) and not isinstance(value, (muster.DType, *({type(muster.In), type(muster.vec3f)}))):
            assert value.__doc__, name


def test_importing_needs_no_numpy_and_opens_nothing():
    code = """
import sys, muster
late = {"numpy", "muster._trace", "subprocess", "tempfile", "json", "importlib.metadata", "asyncio", "logging", "ctypes"}
assert not late & set(sys.modules), late & set(sys.modules)
libraries = open("/proc/self/maps").read()
assert "libLLVM" not in libraries and "libcuda" not in libraries and "libvulkan" not in libraries, libraries
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_extension_keeps_to_the_limited_interface():
    """It imports of Python only what the stable interface has, and exports its entry alone."""
    library = muster._muster.__file__
    assert library.endswith(".abi3.so")
    undefined = subprocess.run(["nm", "-D", "--undefined-only", library], capture_output=True, text=True).stdout
    used = set(re.findall(r" U (_?Py\w+)", undefined))
    assert used and not {name for name in used if name.startswith("_Py")} - {"_Py_Dealloc", "_Py_NoneStruct", "_Py_TrueStruct",
                                                                            "_Py_FalseStruct"}
    defined = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True).stdout
    assert re.findall(r" [A-Z] (\w+)", defined) == ["PyInit__muster"]
    table = set(re.findall(r" U (muster_\w+|_ZN6muster\w+)", undefined))
    assert table == {"muster_get_api"}, "muster.h alone"
