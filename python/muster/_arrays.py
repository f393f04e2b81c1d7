"""Arrays in muster's memory."""

import operator
import struct

from . import _muster, _numbers as n
from ._dtypes import by_element, dtype_of
from ._sessions import current

_copies = {None: n.COPY_IF_NEEDED, True: n.COPY_ALWAYS, False: n.COPY_NEVER}  # DLPack's `copy`


class Array(_muster.Array):
    """Elements in memory that kernels use, wherever the session's device has it. asarray, zeros and
    from_dlpack make one.

    Attributes: shape (a tuple), dtype (muster.f32, which equals NumPy's), ndim, size, nbytes.

    Slices along the first axis are views of the same memory: a[10:20], a[3]. numpy() copies the elements to
    the host. numpy.asarray(a), memoryview(a) and DLPack share the memory where it is the host's, as on the
    CPU, and wait for the work that uses it; until the next call that uses the array, its elements may be read
    and changed there.

    It isn't an array library: kernels are what computes, so there is no arithmetic.
    """

    __slots__ = ("__weakref__",)
    # NumPy doesn't take it for a list of numbers in its own arithmetic, either.
    __array_ufunc__ = None

    @property
    def dtype(self):
        return by_element[self._element]

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return self.nbytes // self.dtype.itemsize

    def numpy(self):
        """A NumPy array with a copy of the elements. Waits for the work that uses them. Raises Error
        ("device_lost")."""
        import numpy

        copy = numpy.empty(self.shape, self.dtype.numpy)
        self._read(copy)
        return copy

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("the array's memory isn't the host's, so it has to be copied")
        copied = self.numpy()
        return copied if dtype is None else copied.astype(dtype)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if stream is not None:
            raise BufferError("the tensor is one of the CPU, which has no streams")
        if dl_device is not None and tuple(map(int, dl_device)) != (1, 0):
            raise BufferError(f"tensors are given in the host's memory, device (1, 0), not {dl_device}")
        return _muster.to_dlpack(self, _copies[copy], max_version is not None and max_version[0] >= 1)

    def __dlpack_device__(self):
        return 1, 0

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def __getitem__(self, index):
        if not self.shape:
            raise IndexError("an array without axes has no items")
        length, rest = self.shape[0], self.shape[1:]
        row = self.nbytes // length if length else 0
        if isinstance(index, slice):
            start, stop, step = index.indices(length)
            if step != 1:
                raise IndexError("slices are whole: their step is 1")
            return self._view(self._offset + start * row, (max(stop - start, 0), *rest))
        if index is Ellipsis:
            return self
        at = operator.index(index)
        if not -length <= at < length:
            raise IndexError(f"index {at} of an axis of {length}")
        return self._view(self._offset + at % length * row, rest)

    def __setitem__(self, index, value):
        view = self[index]
        if isinstance(value, Array):
            _muster.copy(current()._handle, value, view)
            return
        import numpy

        value = numpy.asarray(value, dtype=self.dtype.numpy)
        view._write(numpy.ascontiguousarray(numpy.broadcast_to(value, view.shape)))

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def item(self):
        """The element of an array that has one, as a number."""
        return self.numpy().item()

    def tolist(self):
        """The elements as lists of numbers, for NumPy's users."""
        return self.numpy().tolist()

    def reshape(self, *shape):
        """A view of another shape with as many elements; one size may be -1."""
        shape = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        if -1 in shape:
            known = 1
            for size in shape:
                known *= size if size != -1 else 1
            shape = tuple(self.size // known if size == -1 and known else size for size in shape)
        view = self._view(self._offset, shape)
        if view.nbytes != self.nbytes:
            raise ValueError(f"an array of shape {self.shape} has not as many elements as one of {shape}")
        return view

    def copy(self):
        """An array of its own with the same elements, copied where they are, after the work so far."""
        made = empty(self.shape, self.dtype)
        if self.nbytes:
            if self.nbytes % 4 or self._offset % 4:
                made._write(self.numpy())
            else:
                _muster.copy(current()._handle, self, made)
        return made

    def fill(self, value):
        """Sets all elements to a number, in order with the work that uses the array; it isn't waited for."""
        if not self.nbytes:
            return
        word = struct.pack(f"={self.dtype._format}", value)
        word *= max(4 // len(word), 1)
        if self.nbytes % 4 or self._offset % 4 or word != word[:4] * (len(word) // 4):
            self[...] = value
        else:
            _muster.fill(current()._handle, self, int.from_bytes(word[:4], "little"))

    def snapshot(self):
        """What the array holds after the work so far, which later work doesn't change: (an array, a Ticket). Doesn't wait;
        reading the array does. The sizes are multiples of 4 bytes."""
        buffer, ticket = _muster.snapshot(current()._handle, self)
        return Array(buffer, self._element, self.shape, 0), ticket

    @property
    def is_in_place(self):
        """True while kernels use the host's memory itself, as on the CPU, so that the buffer protocol shares it."""
        return bool(self._buffer.number(n.IS_IN_PLACE))

    def _view(self, offset, shape):
        return Array(self._buffer, self._element, shape, offset)

    def __repr__(self):
        return f"<muster.Array {self.shape} of {self.dtype.name}>"

    def __bool__(self):
        raise TypeError("an array of muster's has no truth value; ask numpy() of it")

    __hash__ = None  # type: ignore[assignment]


def _shape(shape):
    return (operator.index(shape),) if hasattr(shape, "__index__") else tuple(map(operator.index, shape))


def _bytes(shape, dtype):
    total = dtype.itemsize
    for size in shape:
        if size < 0:
            raise ValueError(f"an axis has the size {size}")
        total *= size
    return total


def zeros(shape, dtype="f32", *, session=None):
    """An array of zeros. shape: a number or a tuple. dtype: muster.f32, numpy.float32, "f32", ..."""
    shape, dtype = _shape(shape), dtype_of(dtype)
    made = _muster.buffer_create((session or current())._handle, _bytes(shape, dtype), dtype.element)
    return Array(made, dtype.element, shape, 0)


def empty(shape, dtype="f32", *, session=None):
    """An array whose elements are to be written. They are zeros: memory that others have left is never
    shown."""
    return zeros(shape, dtype, session=session)


def asarray(object, dtype=None, *, copy=True, session=None):
    """An array of muster's with the elements of a NumPy array, or of whatever has the buffer protocol,
    __dlpack__ or is a list.

    dtype: converts to that type first. copy: False shares the object's memory, which kernels then change; it
    must be writable, contiguous and aligned to 16 bytes. An array of muster's is returned as it is.

    Raises Error: "refused" (the memory can't be shared), "out_of_memory"; TypeError.
    """
    if isinstance(object, Array) and dtype in (None, object.dtype):
        return object
    session = session or current()
    if dtype is None and not copy and hasattr(object, "__dlpack__") and not _has_buffer(object):
        return from_dlpack(object, copy=False, session=session)
    if dtype is not None or not _has_buffer(object):
        object = _numpy_array(object, dtype)
    described = _muster.describe(object)
    if described is None or described[0] == n.BYTES:
        raise TypeError(f"arrays have elements of one known type, not those of {object!r:.80}")
    element, _, shape = described
    if not copy:
        return Array(_muster.buffer_over(session._handle, object, element), element, shape, 0)
    try:
        made = _muster.buffer_copy(session._handle, object, element)
    except (BufferError, ValueError):  # it isn't contiguous
        import numpy

        made = _muster.buffer_copy(session._handle, numpy.ascontiguousarray(object), element)
    return Array(made, element, shape, 0)


def _has_buffer(object):
    try:
        memoryview(object).release()
    except (TypeError, BufferError, ValueError):
        return False
    return True


def _numpy_array(object, dtype):
    import numpy

    if not isinstance(object, (Array, numpy.ndarray)) and hasattr(object, "__dlpack__"):
        object = numpy.from_dlpack(object)
    wanted = None if dtype is None else dtype_of(dtype).numpy
    made = numpy.asarray(object, dtype=wanted)
    if dtype is None and made.dtype == numpy.float64 and not hasattr(object, "dtype"):
        made = made.astype(numpy.float32)  # Python's numbers have no size of their own
    return made


def from_dlpack(tensor, *, copy=None, session=None):
    """An array over the memory of an object with __dlpack__, such as a tensor of torch's on the CPU.

    copy: None copies if it has to be, True always, False never. Raises Error: "unsupported" (its device or
    type), "refused".
    """
    session = session or current()
    if not hasattr(tensor, "__dlpack__"):
        raise TypeError(f"an object with __dlpack__ is expected, not one of type {tensor.__class__.__name__}")
    try:
        capsule = tensor.__dlpack__(max_version=(1, 1))
    except TypeError:
        capsule = tensor.__dlpack__()
    buffer, shape = _muster.from_dlpack(session._handle, capsule, _copies[copy])
    return Array(buffer, buffer.number(n.ELEMENT), shape, 0)


def take(tensor, is_written):
    """An argument with __dlpack__, which isn't copied if the kernel writes it."""
    return from_dlpack(tensor, copy=False if is_written else None)


def result(like, like_type, element, type, min_bytes, name):
    """A new array for a binding that was given as None, of the kind and shape of another argument."""
    from ._errors import Error

    dtype = by_element[element]
    if not type.startswith("array<"):
        shape = ()
    elif "," in type.rsplit(">", 1)[0].rsplit(">", 1)[-1]:  # a size behind the element's type
        shape = (min_bytes // dtype.itemsize,)
    elif like is None:
        raise Error(f'The size of the new array for "{name}" follows from no other argument.', "invalid_argument",
                    "give an array, or another argument that is one")
    else:
        shape = tuple(getattr(like, "shape", None) or (len(like),))
        if like_type.startswith("array<vec") and shape[-1:] == (int(like_type[9]),):
            shape = shape[:-1]  # an axis for components
        per = min_bytes // dtype.itemsize
        if per > 1:
            shape = (*shape, per)
    if isinstance(like, Array):
        return zeros(shape, dtype)
    import numpy

    return numpy.zeros(shape, dtype.numpy)
