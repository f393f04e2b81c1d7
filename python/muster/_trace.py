"""Kernels in Python: a function of annotated parameters is run once, and what it does with device values is
written down as WGSL.

A handle (Value) stands for an expression. Expressions are written where a statement uses them; one that
Python's code still has a name for, or that is used twice, becomes a `let` first, in the order in which they
were made. So the text is what one would have written by hand. Whether there is a name shows once the
statement of Python's is over, so each statement is written when the next thing happens.
"""

import inspect

from . import _muster
from ._errors import Error
from ._trace_calls import function
from ._trace_functions import *
from ._trace_functions import _functions, bits, convert
from ._trace_record import _Expression, _Tracer, _now, run_traced
from ._trace_statements import *
from ._trace_types import (In, InOut, Out, Private, Storage, StorageIn, Uniform, Workgroup, _declare_structs, _Parameter, _type, array, atomic, matrices, struct,
                           vectors)
from ._trace_values import Memory, Value


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


def trace(function, name, workgroup_size):
    """Runs a function of annotated parameters once. Returns a Traced. Raises Error, and what the function
    raises."""
    if getattr(_now, "tracer", None) is not None:
        raise Error("A kernel is made within another one.", "invalid_argument", "make it outside; plain functions are inlined")
    size = workgroup_size if isinstance(workgroup_size, (tuple, list)) else (workgroup_size,)
    annotations = inspect.get_annotations(function, eval_str=True)
    tracer = _Tracer()
    tracer.taken = {name, *inspect.signature(function).parameters}
    arguments = {}
    for binding, parameter in enumerate(inspect.signature(function).parameters.values()):
        if parameter.name not in annotations:
            raise Error(f'The parameter "{parameter.name}" of {name} has no annotation.', "invalid_argument",
                        "annotate it: muster.f32, muster.In[muster.f32], muster.InOut[muster.f32]")
        of = annotations[parameter.name]
        if not isinstance(of, _Parameter):
            of = _Parameter("uniform", _type(of))
        _declare_structs(tracer, of.type)
        tracer.globals.append(f"@group(0) @binding({binding}) var<{of.space}> {parameter.name}: {of.type.text};")
        arguments[parameter.name] = Memory(_Expression([parameter.name], of.type, True))
    _now.tracer = tracer
    try:
        run_traced(function, arguments, lambda _: tracer.settle())
    finally:
        _now.tracer = None
    builtins = ", ".join(f"@builtin({each}) {each}: {'u32' if each == 'local_invocation_index' else 'vec3u'}" for each in tracer.builtins)
    before = [*(f"enable {each};" for each in tracer.enables), *tracer.structs.values(), *tracer.globals,
              *(text for text, _ in tracer.function_lines), f"@compute @workgroup_size({', '.join(map(str, size))})", f"fn {name}({builtins}) {{"]
    text = "\n".join([*before, *tracer.lines, "}", ""])
    lines = [line for _, line in tracer.function_lines]
    return Traced(name, text, [None] * (len(before) - len(lines) - 2) + lines + [None] * 2 + tracer.python_lines)
