"""The recorder of kernels in Python: expressions, and the lines that they become."""

import inspect
import sys
import threading

from ._errors import Error

_now = threading.local()


def _tracer():
    tracer = getattr(_now, "tracer", None)
    if tracer is None:
        raise Error("This works within a function that becomes a kernel.", "invalid_argument", "call it in a function under @muster.kernel")
    return tracer


class _Expression:
    """What a handle stands for. `parts` are texts and other expressions; `name` is its `let`, once it has
    one."""

    __slots__ = ("parts", "type", "loads", "name", "handle", "number", "__weakref__")

    def __init__(self, parts, type, loads):
        self.parts, self.type, self.loads, self.name, self.handle = parts, type, loads, None, None


class _Tracer:
    def __init__(self):
        self.lines, self.python_lines, self.depth, self.count = [], [], 1, 0
        self.globals, self.builtins, self.structs, self.enables = [], {}, {}, []
        self.unnamed = []  # expressions that may become a let
        self.pending = None
        self.names, self.taken = 0, set()
        self.else_allowed = -1
        self.functions, self.function_lines = {}, []  # {key: name}; lines with those of Python's
        self.is_in_function = False

    def begin_function(self):
        """Lines and expressions are a function's from now on. Returns what end_function() takes."""
        outside = self.lines, self.python_lines, self.depth, self.unnamed, self.pending, self.else_allowed, self.is_in_function
        self.lines, self.python_lines, self.depth, self.unnamed, self.pending, self.else_allowed = [], [], 1, [], None, -1
        self.is_in_function = True
        return outside

    def end_function(self, outside):
        self.lines, self.python_lines, self.depth, self.unnamed, self.pending, self.else_allowed, self.is_in_function = outside

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

    def new_name(self, letter="t"):
        """One that neither the kernel nor its bindings and structures have."""
        while True:
            self.names += 1
            name = f"{letter}{self.names}"
            if name not in self.taken:
                return name

    def builtin(self, name):
        if self.is_in_function:
            raise _error("A place in the grid is asked for in a function.", "give it as an argument, such as muster.global_id.x")
        self.builtins[name] = True
        return name


def run_traced(function, arguments, at_return):
    """Calls a function that is written down, and at_return(its result) while its names still have their values: what
    its last statement uses by a name is a `let`, too. Python tells of a return by its profiling, which is left to
    others where they use it."""
    before = sys.getprofile()
    if before is not None and getattr(before, "at_return", None) is None:
        at_return(_called(function, arguments))
        return
    def hook(frame, event, result):
        if event == "return" and frame.f_code is code and frame.f_back.f_code is _called.__code__ and not told:
            told.append(True)
            at_return(result)

    code, told = getattr(function, "__code__", None), []
    hook.at_return = at_return
    sys.setprofile(hook)
    try:
        result = _called(function, arguments)
    finally:
        sys.setprofile(before)
    if not told:
        at_return(result)


def _called(function, arguments):
    by_name = {each.name for each in inspect.signature(function).parameters.values() if each.kind is each.KEYWORD_ONLY}
    return function(*(value for name, value in arguments.items() if name not in by_name),
                    **{name: value for name, value in arguments.items() if name in by_name})


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


def _error(message, fix):
    """An error with the line of Python's that is being written down."""
    step = "writing down {}:{}".format(*_line())
    return Error(message, "invalid_argument", fix, f"{message}\n  while {step}\nFix: {fix}", [step])
