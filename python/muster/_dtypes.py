"""Types of elements: muster.f32 and its kin."""

from ._numbers import BOOL, BYTES, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64


class DType:
    """A type of elements. It equals NumPy's of the same kind, and stands for it: numpy.zeros(3,
    muster.f32)."""

    __slots__ = ("name", "element", "itemsize", "_numpy", "_format")

    def __init__(self, name, element, itemsize, numpy, format):
        self.name, self.element, self.itemsize, self._numpy, self._format = name, element, itemsize, numpy, format

    @property
    def numpy(self):
        """NumPy's dtype."""
        import numpy

        return numpy.dtype(self._numpy)

    __numpy_dtype__ = dtype = numpy

    def __call__(self, value):
        """Within a kernel in Python: the value converted to this type."""
        from ._trace import convert

        return convert(self, value)

    def __eq__(self, other):
        if isinstance(other, DType):
            return self is other
        try:
            return dtype_of(other) is self
        except TypeError:
            return NotImplemented

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return "muster." + self.name

    def __reduce__(self):
        return dtype_of, (self.name,)


f16 = DType("f16", F16, 2, "float16", "e")
f32 = DType("f32", F32, 4, "float32", "f")
f64 = DType("f64", F64, 8, "float64", "d")
i8 = DType("i8", I8, 1, "int8", "b")
u8 = DType("u8", U8, 1, "uint8", "B")
i16 = DType("i16", I16, 2, "int16", "h")
u16 = DType("u16", U16, 2, "uint16", "H")
i32 = DType("i32", I32, 4, "int32", "i")
u32 = DType("u32", U32, 4, "uint32", "I")
i64 = DType("i64", I64, 8, "int64", "q")
u64 = DType("u64", U64, 8, "uint64", "Q")
bool_ = DType("bool", BOOL, 1, "bool", "?")

_all = (f16, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64, bool_)
by_element = {each.element: each for each in _all} | {BYTES: u8}
_by_name = {each.name: each for each in _all} | {each._numpy: each for each in _all}
_by_type = {float: f32, int: i32, bool: bool_}


def dtype_of(what):
    """The DType that a DType, a name or a dtype of NumPy's or torch's means. Raises TypeError."""
    if isinstance(what, DType):
        return what
    if isinstance(what, type) and what in _by_type:
        return _by_type[what]
    name = what if isinstance(what, str) else getattr(what, "name", None) or getattr(what, "__name__", None) or str(what)
    found = _by_name.get(str(name).removeprefix("torch."))
    if found is None:
        raise TypeError(f"{what!r} is no type of elements; f16, f32, f64, i8 to i64, u8 to u64 and bool are")
    return found
