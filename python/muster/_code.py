"""Code that was generated."""

import os

from . import _muster, _numbers as n
from ._backends import backends
from ._errors import Error


def compile_options(precision, unchecked, subgroup_size, specs):
    """The tuple that the extension takes."""
    if precision not in (None, "exact", "fast"):
        raise Error(f"{precision!r} is no precision.", "invalid_argument", "give exact or fast")
    number = {None: 0, "exact": n.EXACT, "fast": n.FAST}[precision]
    return number, n.UNCHECKED if unchecked else 0, subgroup_size, [(k, str(v)) for k, v in (specs or {}).items()]


class Artifact:
    """Code for a target, with its binding layout."""

    def __init__(self, handle):
        self._handle = handle

    name = property(lambda self: self._handle.text(n.NAME), doc="The entry point.")
    target = property(lambda self: self._handle.text(n.TARGET), doc='"cuda:sm_90"')
    format = property(lambda self: self._handle.text(n.FORMAT), doc='"ptx"')
    fingerprint = property(lambda self: self._handle.text(n.FINGERPRINT), doc="The program's, in 64 hexadecimal digits.")

    @property
    def content(self):
        """bytes, or str if the format is text."""
        data = self._handle.bytes(n.CONTENT)
        return data.decode() if self._handle.number(n.IS_TEXT) else data

    @property
    def files(self):
        """Other files that belong to it, such as a C header: {name: text}."""
        return dict(zip(self._handle.texts(n.SIDE_FILE_NAME), self._handle.texts(n.SIDE_FILE_TEXT)))

    def save(self, path):
        """Writes it to a file, and its other files beside that. Returns their paths."""
        path = os.fspath(path)
        with open(path, "wb") as file:
            file.write(self._handle.bytes(n.CONTENT))
        written = [path]
        for name, text in self.files.items():
            written.append(os.path.join(os.path.dirname(path), name))
            with open(written[-1], "w") as file:
                file.write(text)
        return written

    def disassemble(self):
        """A listing for people. Raises Error: "unsupported", "unavailable"."""
        return _muster.disassemble(self._handle)

    def json(self):
        import json

        return json.loads(self._handle.json())

    def __repr__(self):
        return f"<muster.Artifact {self.name} for {self.target} as {self.format}>"


# The formats that extensions of files mean, as for the tool. Any format's own name is an extension, too.
_formats = {"cu": "cuda", "cl": "clc", "o": "object", "obj": "object", "s": "asm", "ll": "llvm-ir", "spv": "spirv",
            "spvasm": "spirv-asm"}


def emit(session, program, target, path, format, compile, to_load=False):
    """An Artifact, written to `path` if there is one."""
    target = target or ""
    backend = target.split(":")[0]
    if format is None and path is not None and not to_load:
        backend, format = _format_of(os.fspath(path), backend)
    asked = (backend, target if ":" in target else "", format or "", compile, n.EMIT_TO_LOAD if to_load else 0)
    artifact = Artifact(_muster.emit(session._handle, program, asked))
    if path is not None:
        artifact.save(path)
    return artifact


def _format_of(path, backend):
    """The backend and the format that a file's extension means."""
    extension = os.path.splitext(path)[1][1:]
    format = _formats.get(extension, extension)
    known = []
    for each in backends():
        if backend in ("", each.id):
            if format in each.formats:
                return each.id, format
            known += each.formats
    raise Error(f'The extension of "{path}" says no format of {backend or "any backend"}.', "invalid_argument",
                f"give format=, one of {', '.join(dict.fromkeys(known))}")
