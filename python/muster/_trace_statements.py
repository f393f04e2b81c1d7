"""Statements and blocks of kernels in Python: what stands for `if`, `for` and variables on the device."""

from ._dtypes import DType
from ._trace_record import _Expression, _error, _line, _tracer
from ._trace_types import Type, _declare_structs, _scalars, _type, array
from ._trace_values import Memory, Value, Variable, _expression, _handle, _part, _type_of


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


def if_both(first, *others):
    """with muster.if_both(first, lambda: second): `second` is computed only where `first` is true, as by
    WGSL's &&. It may have more."""
    return _if_chain(" && ", first, others)


def if_either(first, *others):
    """with muster.if_either(first, lambda: second): `second` is computed only where `first` is false, as by
    WGSL's ||. It may have more."""
    return _if_chain(" || ", first, others)


def _if_chain(operator, first, others):
    whole = first
    for each in others:
        whole = _expression(["(", _part(whole), operator, _part(each()), ")"], _scalars["bool"])
    root = _root(whole)
    del whole  # which would be a `let`
    return _Block(lambda texts: f"if {texts[0]} {{", [root], is_if=True)


def switch_(value):
    """with muster.switch_(value): its cases follow, each `with muster.case_(3):`, and `with muster.default_():`."""
    return _Block(lambda texts: f"switch {texts[0]} {{", [_root(value)])


def case_(*values):
    """with muster.case_(2, 3): where the value of the switch_ around it is one of these numbers."""
    return _Block(lambda _: f"case {', '.join(map(str, values))}: {{")


def default_():
    """with muster.default_(): where no case_ of the switch_ around it has the value."""
    return _Block(lambda _: "default: {")


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
    """with muster.for_range(n) as k: a loop on the device. As of Python's range; `step` is positive."""
    if stop is None:
        start, stop = 0, start
    type = _type_of(stop) or _type_of(start) or _scalars["i32"]
    is_one = isinstance(step, int) and step == 1
    return _for(start, type, lambda counter: [_root(counter < stop), _root(step)],
                lambda name, step: f"{name}++" if is_one else f"{name} += {step}")


def for_(start, condition, following):
    """with muster.for_(u32(1), lambda k: k < n, lambda k: k << 1) as k: a loop on the device, as of C."""
    type = _type_of(start) or _scalars["i32"]
    return _for(start, type, lambda counter: [_root(condition(counter)), _root(following(counter))],
                lambda name, following: f"{name} = {following}")


def _for(start, type, roots, ending):
    tracer = _tracer()
    name = tracer.new_name()
    suffix = {"u32": "u", "i32": "i"}.get(type.text, "")
    first = _root(start if isinstance(start, Value) else type(start) if not suffix else _Text(f"{start}{suffix}"))
    counter = _Expression([name], type, False)
    counter.name = name
    handle = _handle(counter)
    return _Block(lambda texts: f"for (var {name} = {texts[0]}; {texts[1]}; {ending(name, texts[2])}) {{",
                  [first, *roots(handle)], value=handle)


def while_(condition):
    """with muster.while_(lambda: condition): a loop on the device, whose condition is computed before each
    turn."""
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


def return_(value=None):
    """Ends the invocation, or a muster.function with its result."""
    if value is None:
        _statement("return;")
        return
    tracer = _tracer()
    if not tracer.is_in_function:
        raise _error("A kernel returns a value.", "write it to an array")
    tracer.say(lambda texts, line: tracer.write(f"return {texts[0]};", line), [_root(value)])


def workgroup_uniform_load(memory):
    """What memory of the workgroup holds once all its invocations are here, which is the same for each of them."""
    return _uniform_load("workgroupUniformLoad", memory)


def grid_uniform_load(memory):
    """What a place in storage holds, directly behind a grid_barrier(): the same for each invocation."""
    return _uniform_load("gridUniformLoad", memory)


def _uniform_load(function, memory):
    tracer, place = _tracer(), memory._read()
    type = place.type.element if place.type is not None and place.type.text.startswith("atomic") else place.type
    root, made = _Expression([f"{function}(&", place, ")"], type, True), _Expression([], type, False)
    handle = _handle(made)
    tracer.say(lambda texts, line: tracer.write(f"let {made.name} = {texts[0]};", line), [root])
    made.number, made.name = tracer.count, tracer.new_name()
    return handle


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
    """A variable of the invocation, which begins as `value`, or as zero of `type`: WGSL's `var`. total += x;
    total.value = x."""
    tracer = _tracer()
    if isinstance(value, (Type, DType)):
        value, type = None, value
    name = tracer.new_name("v")
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
    name = tracer.new_name("m")
    tracer.globals.append(f"var<{space}> {name}: {type.text};")
    return Memory(_Expression([name], type, True))
