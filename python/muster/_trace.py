"""Kernels in Python: a function of annotated parameters is run once, and what it does with device values is written down as WGSL.

A handle (Value) stands for an expression. Expressions are written where a statement uses them; one that Python's code still has a name for,
or that is used twice, becomes a `let` first, in the order in which they were made. So the text is what one would have written by hand.
Whether there is a name shows once the statement of Python's is over, so each statement is written when the next thing happens.
"""

import inspect
import sys
import threading
import weakref

from . import _muster
from ._dtypes import DType, bool_, f16, f32, f64, i32, i64, u32, u64
from ._errors import Error

_now = threading.local()


def _tracer():
    tracer = getattr(_now, "tracer", None)
    if tracer is None:
        raise Error("This works within a function that becomes a kernel.", "invalid_argument", "call it in a function under @muster.kernel")
    return tracer


class Type:
    """A type of WGSL's: vec3f, mat4x4f, muster.array(f32, 4), a structure. Called, it constructs a value."""

    def __init__(self, text, element=None, members=None, count=None):
        self.text, self.element, self.members, self.count = text, element, members, count

    def __call__(self, *parts, **named):
        if named:
            parts = [named[name] for name in self.members]
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


class _Expression:
    """What a handle stands for. `parts` are texts and other expressions; `name` is its `let`, once it has one."""

    __slots__ = ("parts", "type", "loads", "name", "handle", "number", "__weakref__")

    def __init__(self, parts, type, loads):
        self.parts, self.type, self.loads, self.name, self.handle = parts, type, loads, None, None


class _Tracer:
    def __init__(self):
        self.lines, self.python_lines, self.depth, self.count = [], [], 1, 0
        self.globals, self.builtins, self.structs, self.enables = [], {}, {}, []
        self.unnamed = []  # expressions that may become a let
        self.pending = None
        self.names = 0
        self.else_allowed = -1

    def event(self, expression=None):
        """Something new: what was said before is written now."""
        self.settle()
        self.count += 1
        if expression is not None:
            expression.number = self.count
            self.unnamed.append(expression)

    def settle(self, all_of_them=False):
        pending, self.pending = self.pending, None
        wanted = set()
        if pending is not None:
            uses = {}
            for root in pending[1]:
                _count_uses(root, uses)
            wanted = {each for each, count in uses.items() if count > 1 or _is_held(each)}
        for each in self.unnamed:
            if each.name is None and (each in wanted or ((all_of_them or pending) and _is_held(each))):
                wanted.add(each)
        for each in sorted(wanted, key=lambda each: each.number):
            if each.name is None and len(each.parts) > 0:
                text = self.render(each, True)
                each.name = self.new_name()
                self.write(f"let {each.name} = {text};", pending[2] if pending else _line())
        self.unnamed = [each for each in self.unnamed if each.name is None and _is_held(each)]
        if pending is not None:
            write, roots, line = pending
            write([self.render(root, True) for root in roots], line)

    def say(self, write, roots):
        """A statement: `write` gets the texts of the roots, once it is known which expressions have names."""
        self.event()
        self.pending = (write, roots, _line())

    def write(self, text, line):
        self.lines.append("  " * self.depth + text)
        self.python_lines.append(line)

    def render(self, expression, is_root=False):
        if expression.name is not None:
            return expression.name
        text = "".join(each if isinstance(each, str) else self.render(each) for each in expression.parts)
        return text[1:-1] if is_root and text.startswith("(") and _encloses(text) else text

    def new_name(self):
        self.names += 1
        return f"t{self.names}"

    def builtin(self, name):
        self.builtins[name] = True
        return name


def _encloses(text):
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return i == len(text) - 1
    return False


def _is_held(expression):
    return expression.handle is not None and expression.handle() is not None


def _count_uses(expression, uses):
    if expression.name is not None or not expression.parts:
        return
    uses[expression] = uses.get(expression, 0) + 1
    if uses[expression] == 1:
        for each in expression.parts:
            if not isinstance(each, str):
                _count_uses(each, uses)


def _line():
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("muster."):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("?", 0)


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
    """A value on the device, which isn't known while the kernel is written down: Python's operators write theirs.

    `muster.if_` and `muster.for_range` take the place of Python's `if` and `for` where such values decide. & | ~ of bools are
    logical. v.x, v.zyx: components; p.mass: a structure's member; a[i]: an element.
    """

    __slots__ = ("_expression", "__weakref__")
    __hash__ = None

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


def _error(message, fix):
    """An error with the line of Python's that is being written down."""
    step = "writing down {}:{}".format(*_line())
    return Error(message, "invalid_argument", fix, f"{message}\n  while {step}\nFix: {fix}", [step])


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
    """Memory: a parameter, or what muster.workgroup and muster.private made. m[i] is what an element holds at this line."""

    __slots__ = ()

    def _read(self):
        return _Expression(self._expression.parts, self._expression.type, True)

    def __getattr__(self, name):
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


# Statements and blocks --------------------------------------------------------------------------------------------------


def _statement(text):
    tracer = _tracer()
    tracer.say(lambda _, line: tracer.write(text, line), [])


class _Block:
    """What `with` of a block does."""

    def __init__(self, head, roots=(), value=None, is_if=False, end="}"):
        self.head, self.roots, self.value, self.is_if, self.end = head, list(roots), value, is_if, end

    def __enter__(self):
        tracer = _tracer()
        tracer.settle(True)
        tracer.say(lambda texts, line: tracer.write(self.head(texts), line), self.roots)
        self.roots = []
        tracer.settle(True)
        tracer.depth += 1
        return self.value

    def __exit__(self, *raised):
        tracer = _tracer()
        if raised[0] is None:
            tracer.settle()
            tracer.depth -= 1
            tracer.write(self.end, _line())
            tracer.unnamed = []
            if self.is_if:
                tracer.else_allowed = len(tracer.lines)


def if_(condition):
    """with muster.if_(condition): what happens where it is true, on the device."""
    return _Block(lambda texts: f"if {texts[0]} {{", [_root(condition)], is_if=True)


def if_both(first, second):
    """with muster.if_both(first, lambda: second): `second` is computed only where `first` is true, as by WGSL's &&."""
    right = second()
    return _Block(lambda texts: f"if {texts[0]} {{", [_expression(["(", _part(first), " && ", _part(right), ")"], _scalars["bool"])._read()],
                  is_if=True)


def else_():
    """with muster.else_(): directly behind the block of an if_ or else_if_."""
    tracer = _tracer()
    tracer.settle()
    if tracer.else_allowed != len(tracer.lines):
        raise _error("else_ isn't directly behind a block of if_.", "put it there")
    return _Block(lambda _: "else {")


def else_if_(condition):
    """with muster.else_if_(condition): directly behind the block of an if_."""
    tracer = _tracer()
    if tracer.else_allowed != len(tracer.lines):
        raise _error("else_if_ isn't directly behind a block of if_.", "put it there")
    return _Block(lambda texts: f"else if {texts[0]} {{", [_root(condition)], is_if=True)


def for_range(start, stop=None, step=1):
    """with muster.for_range(n) as k: a loop on the device. As of Python's range; `step` is a positive number."""
    if stop is None:
        start, stop = 0, start
    tracer = _tracer()
    type = _type_of(stop) or _type_of(start) or _scalars["i32"]
    name = tracer.new_name()
    suffix = {"u32": "u", "i32": "i"}.get(type.text, "")
    first = _root(start if isinstance(start, Value) else type(start) if not suffix else _Text(f"{start}{suffix}"))
    counter = _Expression([name], type, False)
    counter.name = name
    is_one = isinstance(step, int) and step == 1
    return _Block(lambda texts: f"for (var {name} = {texts[0]}; {name} < {texts[1]}; "
                  f"{f'{name}++' if is_one else f'{name} += {texts[2]}'}) {{", [first, _root(stop), _root(step)], value=_handle(counter))


def while_(condition):
    """with muster.while_(lambda: condition): a loop on the device, whose condition is computed before each turn."""
    return _While(condition)


class _While(_Block):
    def __init__(self, condition):
        super().__init__(lambda _: "loop {")
        self._condition = condition

    def __enter__(self):
        super().__enter__()
        tracer = _tracer()
        tracer.say(lambda texts, line: tracer.write(f"if !({texts[0]}) {{ break; }}", line), [_root(self._condition())])


def loop():
    """with muster.loop(): a loop that muster.break_() ends."""
    return _Block(lambda _: "loop {")


def break_():
    """Ends the innermost loop."""
    _statement("break;")


def continue_():
    """Goes on with the innermost loop's next turn."""
    _statement("continue;")


def return_():
    """Ends the invocation."""
    _statement("return;")


def workgroup_barrier():
    """All invocations of the workgroup wait here for each other."""
    _statement("workgroupBarrier();")


def storage_barrier():
    """Likewise, for what was written to storage."""
    _statement("storageBarrier();")


def grid_barrier():
    """All invocations of the grid wait here for each other."""
    tracer = _tracer()
    if "muster_grid_barrier" not in tracer.enables:
        tracer.enables.append("muster_grid_barrier")
    _statement("gridBarrier();")


class _Text(str):
    """A literal as it is to be written."""


def _root(value):
    part = value if isinstance(value, _Text) else _part(value)
    return _Expression([part], None, False) if isinstance(part, str) else part


def var(value=None, type=None):
    """A variable of the invocation, which begins as `value`, or as zero of `type`: WGSL's `var`. total += x; total.value = x."""
    tracer = _tracer()
    if isinstance(value, (Type, DType)):
        value, type = None, value
    name = f"v{tracer.new_name()[1:]}"
    its = _type(type) if type is not None else _type_of(value)
    if its is None and value is not None and not isinstance(value, Value):
        its = _scalars["bool" if isinstance(value, bool) else "f32" if isinstance(value, float) else "i32"]
    declared = f"var {name}: {its.text}" if not isinstance(value, Value) and its is not None else f"var {name}"
    tracer.say(lambda texts, line: tracer.write(" = ".join([declared, *texts]) + ";", line), [] if value is None else [_root(value)])
    made = _Expression([name], its, True)
    return Variable(made)


def workgroup(element, count=None):
    """Memory that the invocations of a workgroup share, zeros at first: of `count` elements, or one."""
    return _module_memory("workgroup", element, count)


def private(element, count=None):
    """Memory of an invocation, zeros at first."""
    return _module_memory("private", element, count)


def _module_memory(space, element, count):
    tracer = _tracer()
    type = _type(element) if count is None else array(element, count)
    _declare_structs(tracer, type)
    name = f"m{len(tracer.globals)}"
    tracer.globals.append(f"var<{space}> {name}: {type.text};")
    return Memory(_Expression([name], type, True))


def select(no, yes, condition):
    """`yes` where the condition is true, else `no`; both are computed."""
    return _call("select", [no, yes, condition], _type_of(no) or _type_of(yes))


# Functions of WGSL's, in snake case; those whose result isn't of the first argument's type are told.
_functions = {}


def _add_functions():
    same = """abs acos acosh asin asinh atan atanh atan2 ceil clamp cos cosh cross degrees exp exp2 face_forward floor fma fract
        inverse_sqrt ldexp log log2 max min mix normalize pow quantize_to_f16 radians reflect refract round saturate sign sin sinh
        smoothstep sqrt step tan tanh trunc transpose count_leading_zeros count_one_bits count_trailing_zeros extract_bits
        first_leading_bit first_trailing_bit insert_bits reverse_bits workgroup_uniform_load"""
    others = dict(dot="element", length="element", distance="element", determinant="f32", all="bool", any="bool",
                  pack2x16float="u32", pack4x8snorm="u32", pack4x8unorm="u32", unpack2x16float="vec2f", unpack4x8snorm="vec4f",
                  unpack4x8unorm="vec4f")
    for name in same.split():
        _functions[name] = _function(name, None)
    for name, result in others.items():
        _functions[name] = _function(name, result)


def _function(name, result):
    first, *rest = name.split("_")
    wgsl = first + "".join(each.capitalize() for each in rest)
    wgsl = {"quantizeToF16": "quantizeToF16", "atan2": "atan2"}.get(wgsl, wgsl)

    def function(*arguments):
        type = next((each for each in map(_type_of, arguments) if each is not None), None)
        if result == "element" and type is not None:
            type = type.element or type
        elif result in vectors:
            type = vectors[result]
        elif result is not None and result != "element":
            type = _scalars[result]
        return _call(wgsl, arguments, type)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"WGSL's {wgsl}."
    return function


_add_functions()


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


# The whole --------------------------------------------------------------------------------------------------------------


class Traced:
    """What a function was written down as. `wgsl` is the text."""

    def __init__(self, name, wgsl, lines):
        self.name, self.wgsl, self._lines = name, wgsl, lines

    def program(self, enables=()):
        try:
            return _muster.program_from_wgsl(self.wgsl, self.name + ".wgsl", self.name, None, enables)
        except Error as why:
            raise self._in_python(why) from None

    def _in_python(self, why):
        """The error with the lines of Python's."""
        import re

        steps = list(why.steps)
        for line in dict.fromkeys(re.findall(re.escape(self.name) + r"\.wgsl:(\d+)", why.story)):
            at = int(line) - 1
            if at < len(self._lines) and self._lines[at] is not None:
                file, number = self._lines[at]
                steps.append(f"{self.name}.wgsl:{line} is written by {file}:{number}")
        story = why.message + "".join(f"\n  {each}" for each in steps) + (f"\nFix: {why.fix}" if why.fix else "")
        return Error(why.message, why.code, why.fix, story, steps)


def _declare_structs(tracer, type):
    if type.members is not None and type.text not in tracer.structs:
        for each in type.members.values():
            _declare_structs(tracer, each)
        tracer.structs[type.text] = f"struct {type.text} {{ {', '.join(f'{name}: {each.text}' for name, each in type.members.items())} }}"
    elif type.element is not None:
        _declare_structs(tracer, type.element)


def trace(function, name, workgroup_size):
    """Runs a function of annotated parameters once. Returns a Traced. Raises Error, and what the function raises."""
    if getattr(_now, "tracer", None) is not None:
        raise Error("A kernel is made within another one.", "invalid_argument", "make it outside; plain functions are inlined")
    size = workgroup_size if isinstance(workgroup_size, (tuple, list)) else (workgroup_size,)
    annotations = inspect.get_annotations(function, eval_str=True)
    tracer = _Tracer()
    arguments = []
    for binding, parameter in enumerate(inspect.signature(function).parameters.values()):
        if parameter.name not in annotations:
            raise Error(f'The parameter "{parameter.name}" of {name} has no annotation.', "invalid_argument",
                        "annotate it: muster.f32, muster.In[muster.f32], muster.InOut[muster.f32]")
        of = annotations[parameter.name]
        if not isinstance(of, _Parameter):
            of = _Parameter("uniform", _type(of))
        _declare_structs(tracer, of.type)
        tracer.globals.append(f"@group(0) @binding({binding}) var<{of.space}> {parameter.name}: {of.type.text};")
        arguments.append(Memory(_Expression([parameter.name], of.type, True)))
    _now.tracer = tracer
    try:
        function(*arguments)
        tracer.settle()
    finally:
        _now.tracer = None
    builtins = ", ".join(f"@builtin({each}) {each}: {'u32' if each == 'local_invocation_index' else 'vec3u'}" for each in tracer.builtins)
    before = [*(f"enable {each};" for each in tracer.enables), *tracer.structs.values(), *tracer.globals,
              f"@compute @workgroup_size({', '.join(map(str, size))})", f"fn {name}({builtins}) {{"]
    text = "\n".join([*before, *tracer.lines, "}", ""])
    return Traced(name, text, [None] * len(before) + tracer.python_lines)
