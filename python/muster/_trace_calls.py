"""Functions that kernels in Python call, which stay functions on the device."""

import functools
import inspect

from ._trace_record import _error, _Expression, _line, _tracer, run_traced
from ._trace_statements import return_
from ._trace_types import _declare_structs, _Parameter, _type
from ._trace_values import Memory, Value, _call, _expression, _handle, _part


def function(of):
    """Makes a function of annotated parameters one of WGSL's, which kernels in Python and other such functions
    call.

        @muster.function
        def value_or_zero(i: muster.u32, values: muster.In[muster.f32]) -> muster.f32:
            with muster.if_(i >= values.length):
                muster.return_(0.0)
            return values[i]

    Values are its arguments; memory is handed over as it is, annotated as a kernel's. Its result has the type of its
    annotation; without one it has none. Memory of a workgroup is annotated Workgroup[...], an invocation's Private[...]. A place in the grid is given as an argument. Functions without the decorator
    are inlined. Raises Error: "invalid_argument" (a parameter without an annotation).
    """

    @functools.wraps(of)
    def called(*arguments, **named):
        signature = inspect.signature(of)
        given = signature.bind(*arguments, **named)
        given.apply_defaults()
        types = inspect.get_annotations(of, eval_str=True)
        lacking = [name for name in signature.parameters if name not in types]
        if lacking:
            raise _error(f'The parameter "{lacking[0]}" of {of.__name__} has no annotation.', "annotate it: muster.f32, muster.In[muster.f32]")
        memory = {name: value for name, value in given.arguments.items() if isinstance(types[name], _Parameter)}
        for name, value in memory.items():
            if not isinstance(value, Memory):
                raise _error(f'The parameter "{name}" of {of.__name__} is memory, and what is given isn\'t.', "give a kernel's parameter")
        values = [_part(value) for name, value in given.arguments.items() if name not in memory]
        result = None if types.get("return") is None else _type(types["return"])
        wgsl = _written(of, signature, types, memory, result)
        changes = any(types[name].space not in ("uniform", "storage, read") for name in memory)
        del given, arguments, named  # handles that would keep their values
        return _result_of(wgsl, values, result, changes)

    return called


def _result_of(name, values, result, changes):
    tracer = _tracer()
    parts = [f"{name}(", *(piece for i, each in enumerate(values) for piece in ([", "] * (i > 0) + [each])), ")"]
    if result is not None and not changes:
        return _expression(parts, result, True)
    root = _Expression(parts, result, True)
    if result is None:
        tracer.say(lambda texts, line: tracer.write(texts[0] + ";", line), [root])
        return None
    made = _Expression([], result, False)  # it is called here, whether its result is used or not
    handle = _handle(made)

    def write(texts, line):
        tracer.write(f"let {made.name} = {texts[0]};", line)

    tracer.say(write, [root])
    made.number, made.name = tracer.count, tracer.new_name()
    return handle


def _written(of, signature, types, memory, result):
    """The name of the function for this memory, which is written down at its first call."""
    tracer = _tracer()
    key = of, tuple(tuple(map(str, each._expression.parts)) for each in memory.values())
    if key in tracer.functions:
        name = tracer.functions[key]
        if name is None:
            raise _error(f"{of.__name__} calls itself, which functions on the device can't.", "write a loop")
        return name
    name = of.__name__ if of.__name__ not in tracer.taken else tracer.new_name("f")
    tracer.taken.add(name)
    tracer.functions[key] = None
    arguments, declared = {}, []
    for each in signature.parameters:
        if each in memory:
            arguments[each] = memory[each]
            continue
        type = _type(types[each])
        _declare_structs(tracer, type)
        made = _Expression([], type, False)
        made.name = each if each not in tracer.taken else tracer.new_name("p")
        tracer.taken.add(made.name)
        declared.append(f"{made.name}: {type.text}")
        arguments[each] = _handle(made)
    if result is not None:
        _declare_structs(tracer, result)
    head, line = f"fn {name}({', '.join(declared)}){f' -> {result.text}' if result is not None else ''} {{", _line()

    def at_return(value):
        if value is not None:
            return_(value)
        tracer.settle()

    outside = tracer.begin_function()
    try:
        run_traced(of, arguments, at_return)
        tracer.function_lines += [(head, line), *zip(tracer.lines, tracer.python_lines), ("}", line)]
    finally:
        tracer.end_function(outside)
    tracer.functions[key] = name
    return name
