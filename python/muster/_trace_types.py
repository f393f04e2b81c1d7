"""Types of kernels in Python, and what parameters are annotated with."""

import inspect

from ._dtypes import DType, bool_, f16, f32, f64, i32, i64, u32, u64
from ._errors import Error


class Type:
    """A type of WGSL's: vec3f, mat4x4f, muster.array(f32, 4), a structure. Called, it constructs a value."""

    def __init__(self, text, element=None, members=None, count=None):
        self.text, self.element, self.members, self.count = text, element, members, count

    def __call__(self, *parts, **named):
        if named:
            parts = [named[name] for name in self.members]
        from ._trace_values import _call

        return _call(self.text, parts, self)

    def __repr__(self):
        return f"muster's {self.text}"


def _type(of):
    """The Type of an annotation."""
    if isinstance(of, Type):
        return of
    if isinstance(of, DType):
        return _scalars[of.name]
    struct = getattr(of, "__muster_struct__", None)
    if struct is not None:
        return struct
    if of in (float, int, bool):
        return {float: _scalars["f32"], int: _scalars["i32"], bool: _scalars["bool"]}[of]
    raise Error(f"{of!r} is no type of a kernel's.", "invalid_argument", "give muster.f32, muster.vec3f, a structure or the like")


_scalars = {each.name: Type(each.name) for each in (f16, f32, f64, i32, i64, u32, u64, bool_)}
_short = {"f": f32, "i": i32, "u": u32, "h": f16}
vectors = {f"vec{n}{letter}": Type(f"vec{n}<{scalar.name}>", element=_scalars[scalar.name], count=n)
           for n in (2, 3, 4) for letter, scalar in _short.items()}
matrices = {f"mat{c}x{r}{letter}": Type(f"mat{c}x{r}<{_short[letter].name}>", element=vectors[f"vec{r}{letter}"], count=c)
            for c in (2, 3, 4) for r in (2, 3, 4) for letter in "fh"}


def array(element, count=None):
    """The type of an array of `count` elements; of as many as its memory holds if there is no count."""
    element = _type(element)
    return Type(f"array<{element.text}>" if count is None else f"array<{element.text}, {count}>", element=element, count=count)


def atomic(element):
    """The type of an atomic u32, i32 or f32."""
    element = _type(element)
    return Type(f"atomic<{element.text}>", element=element)


def struct(cls):
    """Makes a structure of a class with annotations, laid out as WGSL does it."""
    members = {name: _type(each) for name, each in inspect.get_annotations(cls, eval_str=True).items()}
    made = Type(cls.__name__, members=members)
    cls.__muster_struct__ = made
    cls.__new__ = lambda _, *parts, **named: made(*parts, **named)
    return cls


class _Parameter:
    def __init__(self, space, type):
        self.space, self.type = space, type


class _Access:
    """In[f32] and its kin."""

    def __init__(self, name, space, of_array):
        self._name, self._space, self._of_array = name, space, of_array

    def __getitem__(self, of):
        of = _type(of)
        return _Parameter(self._space, array(of) if self._of_array else of)

    def __repr__(self):
        return "muster." + self._name


In = _Access("In", "storage, read", True)
Out = InOut = _Access("InOut", "storage, read_write", True)
Storage = _Access("Storage", "storage, read_write", False)
StorageIn = _Access("StorageIn", "storage, read", False)
Uniform = _Access("Uniform", "uniform", False)
# Parameters of muster.function alone.
Workgroup = _Access("Workgroup", "workgroup", False)
Private = _Access("Private", "private", False)


def _declare_structs(tracer, type):
    if type.members is not None and type.text not in tracer.structs:
        for each in type.members.values():
            _declare_structs(tracer, each)
        tracer.taken.add(type.text)
        tracer.structs[type.text] = f"struct {type.text} {{ {', '.join(f'{name}: {each.text}' for name, each in type.members.items())} }}"
    elif type.element is not None:
        _declare_structs(tracer, type.element)
