"""Values on the device, as kernels in Python have them: operators, places, atomics."""

import weakref

from ._errors import Error
from ._trace_record import _Expression, _error, _tracer
from ._trace_types import Type, _scalars


def _expression(parts, type, loads=False):
    """A new handle."""
    made = _Expression(parts, type, loads or any(not isinstance(each, str) and each.loads for each in parts))
    _tracer().event(made)
    return _handle(made)


def _handle(expression):
    handle = Value(expression)
    expression.handle = weakref.ref(handle)
    return handle


def _part(value):
    """What an operand is in a text: an expression, or a literal."""
    if isinstance(value, Value):
        return value._read()
    if hasattr(value, "item") and not isinstance(value, (int, float)):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if value >= 0 else f"({value})"
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise Error(f"{value} is no number of WGSL's.", "invalid_argument", "compute it from finite numbers")
        return repr(value) if value >= 0 and repr(value)[0] != "-" else f"({value!r})"
    raise TypeError(f"a value of type {value.__class__.__name__} can't be part of a kernel")


def _type_of(value):
    return value._read().type if isinstance(value, Value) else None


def _call(name, arguments, type):
    parts = [name, "("]
    for i, each in enumerate(arguments):
        parts += [", "] * (i > 0) + [_part(each)]
    return _expression([*parts, ")"], type)


def _binary(operator, left, right, result=None):
    try:
        parts = ["(", _part(left), f" {operator} ", _part(right), ")"]
    except TypeError:
        return NotImplemented
    types = [each for each in (_type_of(left), _type_of(right)) if each is not None]
    type = next((each for each in types if each.count), types[0] if types else None)
    if result is not None:
        type = _scalars["bool"] if type is None or type.count is None else Type(f"vec{type.count}<bool>", _scalars["bool"], count=type.count)
    return _expression(parts, type)


class Value:
    """A value on the device, which isn't known while the kernel is written down: Python's operators write
    theirs.

    `muster.if_` and `muster.for_range` take the place of Python's `if` and `for` where such values decide. &
    | ~ of bools are logical. v.x, v.zyx: components; p.mass: a structure's member; a[i]: an element.
    """

    __slots__ = ("_expression", "__weakref__")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, expression):
        object.__setattr__(self, "_expression", expression)

    def _read(self):
        return self._expression

    def __bool__(self):
        raise _error("A value on the device decides an `if` or a loop of Python's, which run before.",
                     "use `with muster.if_(condition):`, muster.for_range, muster.while_ or muster.select")

    __iter__ = None

    def __index__(self):
        raise TypeError("a value on the device is no number of Python's")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        read = self._read()
        type = read.type
        if type is not None and type.members is not None:
            if name not in type.members:
                raise AttributeError(f"{type.text} has no member {name}; it has {', '.join(type.members)}")
            return _expression([read, "." + name], type.members[name])
        if name in _atomic_functions and type is not None and type.text.startswith("atomic"):
            return lambda *arguments: _atomic(name, read, arguments)
        if set(name) <= set("xyzw") or set(name) <= set("rgba"):
            element = type.element if type is not None else None
            made = element if len(name) == 1 or element is None else Type(f"vec{len(name)}<{element.text}>", element, count=len(name))
            return _expression([read, "." + name], made)
        raise AttributeError(f"a value on the device has no {name}")

    def __setattr__(self, name, value):
        _assign([self._read(), "." + name], value)

    def __getitem__(self, index):
        read = self._read()
        return _expression([read, "[", _part(index), "]"], read.type.element if read.type is not None else None)

    def __setitem__(self, index, value):
        _assign([self._read(), "[", _part(index), "]"], value)

    def __neg__(self):
        return _expression(["(-", self._read(), ")"], self._read().type)

    def __pos__(self):
        return self

    def __invert__(self):
        is_bool = self._read().type is not None and "bool" in self._read().type.text
        return _expression(["(!" if is_bool else "(~", self._read(), ")"], self._read().type)

    def __abs__(self):
        return _call("abs", [self], self._read().type)


def _operators():
    def both(name, operator, result=None):
        setattr(Value, f"__{name}__", lambda self, other: _binary(operator, self, other, result))
        if result is None:
            setattr(Value, f"__r{name}__", lambda self, other: _binary(operator, other, self))

    for name, operator in dict(add="+", sub="-", mul="*", truediv="/", mod="%", xor="^", lshift="<<", rshift=">>").items():
        both(name, operator)
    both("and", "&")
    both("or", "|")
    both("floordiv", "/")  # of integers
    both("matmul", "*")
    for name, operator in dict(lt="<", le="<=", gt=">", ge=">=", eq="==", ne="!=").items():
        both(name, operator, True)


_operators()


def _assign(place, value, operator="="):
    """A store. A structure's member or an element of a variable or of memory."""
    target, source = _Expression(place, None, False), _part(value)
    source = _Expression([source], None, False) if isinstance(source, str) else source
    tracer = _tracer()
    tracer.say(lambda texts, line: tracer.write(f"{texts[0]} {operator} {texts[1]};", line), [target, source])


class Variable(Value):
    """A variable, as muster.var makes: each use reads it. `v += x` and its kin and `v.value = x` write it."""

    __slots__ = ()

    def _read(self):
        return _Expression(self._expression.parts, self._expression.type, True)

    @property
    def value(self):
        """What it holds now."""
        return _expression([*self._expression.parts], self._expression.type, True)

    def __setattr__(self, name, value):
        if name == "value":
            _assign(self._expression.parts, value)
        else:
            _assign([*self._expression.parts, "." + name], value)


for _name, _operator in dict(add="+", sub="-", mul="*", truediv="/", floordiv="/", mod="%", xor="^", lshift="<<", rshift=">>",
                             **{"and": "&", "or": "|"}).items():
    setattr(Variable, f"__i{_name}__",
            lambda self, other, operator=_operator: (_assign(self._expression.parts, other, operator + "="), self)[1])


class Memory(Value):
    """Memory: a parameter, or what muster.workgroup and muster.private made. m[i] is what an element holds at
    this line; m.value is all of it, unless a structure has a member of that name."""

    __slots__ = ()

    def _read(self):
        return _Expression(self._expression.parts, self._expression.type, True)

    def _is_whole(self, name):
        return name == "value" and name not in (self._expression.type.members or ())

    def __setattr__(self, name, value):
        if self._is_whole(name):
            _assign(self._expression.parts, value)
        else:
            Value.__setattr__(self, name, value)

    def __getattr__(self, name):
        if self._is_whole(name):
            return _expression([*self._expression.parts], self._expression.type, True)
        if name == "length" and self._expression.type.text.startswith("array<"):
            return _expression(["arrayLength(&", *self._expression.parts, ")"], _scalars["u32"])
        return Value.__getattr__(self, name)

    def __len__(self):
        if self._expression.type.count is None:
            raise TypeError("the length isn't known yet; use .length")
        return self._expression.type.count


_atomic_functions = dict(load="Load", store="Store", add="Add", sub="Sub", max="Max", min="Min", and_="And", or_="Or", xor="Xor",
                         exchange="Exchange")


def _atomic(name, place, arguments):
    tracer = _tracer()
    made = _Expression([], place.type.element, False)
    roots = [_Expression([f"atomic{_atomic_functions[name]}(&", place,
                          *(piece for each in arguments for piece in (", ", _part(each))), ")"], None, False)]
    handle = None if name == "store" else _handle(made)
    held = None if handle is None else made.handle

    def write(texts, line):
        if held is not None and (held() is not None or name == "load"):
            tracer.write(f"let {made.name} = {texts[0]};", line)
        else:
            tracer.write(f"{texts[0]};", line)

    tracer.say(write, roots)
    made.number = tracer.count
    if handle is not None:
        made.name = tracer.new_name()
    return handle
