"""Values that are no plain number, as WGSL lays them out."""

import re
import struct

from ._errors import Error
from ._dtypes import by_element
from ._numbers import BYTES


def _flat(value):
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _flat(each)
    else:
        yield value


def _columns(type):
    """How many components lie between the columns of a matrix or the elements of an array of vectors, and how
    many of them count."""
    found = re.search(r"(?:mat\dx|vec)(\d)", type)
    rows = int(found[1]) if found else 1
    return 4 if rows == 3 and not re.fullmatch(r"vec3<.*>", type) else rows, rows


def pack(value, element, type, bytes, name):
    """The bytes of a value: a number, or lists of numbers for vectors, matrices and arrays."""
    if element == BYTES:
        raise Error(f'"{name}" is {type}, and the argument is of type {_type_name(value)}.', "invalid_argument",
                    "give bytes in WGSL's layout: a structured NumPy array, or a bytes object")
    dtype = by_element[element]
    numbers = list(_flat(value))
    for number in numbers:
        if not isinstance(number, (int, float)) and not hasattr(number, "__index__"):
            raise Error(f'"{name}" is {type}, and the argument is of type {_type_name(number)}.', "invalid_argument",
                        "give a number, an array with the buffer protocol or __dlpack__, or an array of muster's")
    stride, rows = _columns(type)
    if stride != rows:
        numbers = [number for start in range(0, len(numbers), rows)
                   for number in numbers[start:start + rows] + [0] * (stride - rows)]
    try:
        whole = dtype.name[0] in "iu"
        return struct.pack(f"={len(numbers)}{dtype._format}", *(_whole(each) if whole else each for each in numbers))
    except (struct.error, OverflowError, TypeError) as why:
        raise Error(f'"{name}" is {type}, and {value!r} doesn\'t fit it: {why}.', "invalid_argument",
                    f"give numbers that {dtype.name} has") from None


def _whole(number):
    if isinstance(number, float):
        raise TypeError("it isn't a whole number")
    return number


def _type_name(value):
    return value.__class__.__name__
