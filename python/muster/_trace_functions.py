"""WGSL's functions and built-in values, for kernels in Python."""

from ._trace_record import _Expression, _tracer
from ._trace_types import _scalars, matrices, vectors
from ._trace_values import _call, _handle, _type_of


def select(no, yes, condition):
    """`yes` where the condition is true, else `no`; both are computed."""
    return _call("select", [no, yes, condition], _type_of(no) or _type_of(yes))


# Functions of WGSL's, in snake case, by the type of their results: t is the first argument's, s its scalar, as in
# foundation/build/functions.def, with which a test compares them.
_results = dict(
    t="""abs acos acosh asin asinh atan atanh atan2 ceil clamp cos cosh cross degrees exp exp2 face_forward floor fma fract
        inverse_sqrt ldexp log log2 max min mix normalize pow quantize_to_f16 radians reflect refract round saturate sign sin sinh
        smoothstep sqrt step tan tanh trunc count_leading_zeros count_one_bits count_trailing_zeros extract_bits first_leading_bit
        first_trailing_bit insert_bits reverse_bits""",
    s="dot length distance determinant", transposed="transpose", b="all any", u="pack2x16float pack4x8snorm pack4x8unorm",
    vec2f="unpack2x16float", vec4f="unpack4x8snorm unpack4x8unorm")


def _result(kind, type):
    """The Type of a result, of a first argument of this Type; None if that isn't known."""
    if kind in _scalars_of_results:
        return _scalars_of_results[kind]
    if kind in vectors:
        return vectors[kind]
    if type is None or kind == "t":
        return type
    if kind == "transposed":
        return next((each for each in matrices.values() if each.count == type.element.count and each.element.count == type.count
                     and each.element.element is type.element.element), None)
    while type.element is not None:
        type = type.element
    return type


_scalars_of_results = {"b": _scalars["bool"], "u": _scalars["u32"], "i": _scalars["i32"]}


def _function(name, kind):
    first, *rest = name.split("_")
    wgsl = first + "".join(each.capitalize() for each in rest)

    def function(*arguments):
        type = next((each for each in map(_type_of, arguments) if each is not None), None)
        return _call(wgsl, arguments, _result(kind, type))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"WGSL's {wgsl}."
    return function


_functions = {name: _function(name, kind) for kind, names in _results.items() for name in names.split()}


def convert(dtype, value):
    """What muster.u32(value) does."""
    return _call(dtype.name, [value], _scalars[dtype.name])


def bits(dtype, value):
    """The bits of a value as another type: WGSL's bitcast."""
    return _call(f"bitcast<{dtype.name}>", [value], _scalars[dtype.name])


class _Builtin:
    """A place in the grid: a vector of three u32, or a number."""

    def __init__(self, name, wgsl, type):
        self._name, self._wgsl, self._type = name, wgsl, type

    def _get(self):
        name = _tracer().builtin(self._wgsl)
        made = _Expression([name], self._type, False)
        made.name = name
        return _handle(made)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._get(), name)

    def __repr__(self):
        return "muster." + self._name


global_id = _Builtin("global_id", "global_invocation_id", vectors["vec3u"])
local_id = _Builtin("local_id", "local_invocation_id", vectors["vec3u"])
workgroup_id = _Builtin("workgroup_id", "workgroup_id", vectors["vec3u"])
num_workgroups = _Builtin("num_workgroups", "num_workgroups", vectors["vec3u"])


def local_index():
    """The invocation's number in its workgroup, a u32."""
    return _Builtin("local_index", "local_invocation_index", _scalars["u32"])._get()
