"""Arrays of muster's: views, the buffer protocol, DLPack, types."""

import gc

import numpy as np
import pytest

import muster


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.uint32, np.int64, np.bool_, np.uint8])
def test_every_type_goes_there_and_back(dtype):
    values = (np.arange(24) % 5).astype(dtype).reshape(2, 3, 4)
    d = muster.asarray(values)
    assert d.shape == (2, 3, 4) and d.dtype == dtype and d.nbytes == values.nbytes and d.ndim == 3 and d.size == 24
    back = d.numpy()
    assert back.dtype == dtype and np.array_equal(back, values)
    assert np.array_equal(np.asarray(d), values) and np.asarray(d).dtype == dtype
    assert np.array_equal(np.from_dlpack(d), values)
    assert np.array_equal(muster.from_dlpack(values).numpy(), values)
    assert np.zeros(3, d.dtype).dtype == dtype


def test_memory_is_shared_where_it_is_the_hosts(saxpy):
    d, one = muster.zeros(8), muster.asarray(np.ones(8, np.float32))
    saxpy(1.0, one, d)
    view = np.asarray(d)
    saxpy(1.0, one, d)
    np.asarray(d)  # waits
    assert view.tolist() == [2.0] * 8
    view[:] = 5
    saxpy(1.0, one, d)
    assert d.numpy().tolist() == [6.0] * 8
    copied = d.numpy()
    copied[:] = 0
    assert d.numpy().tolist() == [6.0] * 8
    capsule_view = np.from_dlpack(d)
    del d
    gc.collect()
    assert capsule_view.tolist() == [6.0] * 8 and view.tolist() == [6.0] * 8, "views keep the memory"


def test_slices_are_views(saxpy):
    d = muster.asarray(np.arange(256, dtype=np.float32))
    part = d[64:128]
    assert part.shape == (64,) and part.numpy()[0] == 64
    saxpy(1.0, muster.asarray(np.ones(64, np.float32)), part)  # aligned to 256 bytes
    odd = d[3:7]
    saxpy(1.0, muster.asarray(np.ones(4, np.float32)), odd)  # copied there and back
    assert "was copied" in str(saxpy.route)
    expected = np.arange(256, dtype=np.float32)
    expected[64:128] += 1
    expected[3:7] += 1
    assert np.array_equal(d.numpy(), expected)
    table = muster.asarray(np.arange(12, dtype=np.int32).reshape(3, 4))
    assert table[1].shape == (4,) and table[-1].tolist() == [8, 9, 10, 11] and table[1][2].item() == 6
    assert [row.tolist() for row in table] == np.arange(12).reshape(3, 4).tolist()
    assert table.reshape(2, 6)[1].tolist() == [6, 7, 8, 9, 10, 11] and table.reshape(-1).shape == (12,)
    table[1] = 0
    table[2:] = muster.asarray(np.full((1, 4), 7, np.int32))
    assert table.numpy().tolist() == [[0, 1, 2, 3], [0] * 4, [7] * 4]
    for wrong in (3, -4, slice(0, 3, 2), 1.5, "a"):
        with pytest.raises((IndexError, TypeError)):
            table[wrong]


def test_asarray():
    assert muster.asarray([1, 2, 3]).dtype in (muster.i64, muster.i32)
    assert muster.asarray([1.0, 2.0]).dtype == muster.f32
    assert muster.asarray(np.arange(4), dtype="f32").dtype == "f32"
    strided = np.arange(10, dtype=np.float32)[::2]
    assert muster.asarray(strided).numpy().tolist() == [0, 2, 4, 6, 8]
    d = muster.asarray(strided)
    assert muster.asarray(d) is d and muster.asarray(d, muster.f64).numpy().dtype == np.float64
    host = np.ones(8, np.float32)
    shared = muster.asarray(host, copy=False)
    host[0] = 9
    assert shared.numpy()[0] == 9
    for wrong in (strided, np.frombuffer(bytes(16), np.float32), np.ones(9, np.float32)[1:]):
        with pytest.raises(muster.Error):
            muster.asarray(wrong, copy=False)
    for wrong in (np.ones(3, np.complex64), np.array(["a"]), np.zeros(2, [("a", "f4")])):
        with pytest.raises((TypeError, ValueError)):
            muster.asarray(wrong)


def test_dlpack_without_versions(xy):
    class Old:  # a producer and a consumer that know DLPack 0 alone
        def __init__(self, of):
            self.of = of

        def __dlpack__(self, stream=None):
            return self.of.__dlpack__()

        def __dlpack_device__(self):
            return self.of.__dlpack_device__()

    x = xy[0]
    taken = muster.from_dlpack(Old(x))
    assert np.array_equal(taken.numpy(), x)
    assert np.array_equal(np.from_dlpack(Old(taken)), x)
    with pytest.raises(TypeError):
        muster.from_dlpack(object())


def test_dlpack_refuses():
    d = muster.zeros(4)
    with pytest.raises(BufferError):
        d.__dlpack__(stream=1)
    with pytest.raises(BufferError):
        d.__dlpack__(dl_device=(2, 0))
    assert d.__dlpack_device__() == (1, 0)
    capsule = d.__dlpack__(max_version=(1, 0))

    class Once:
        def __dlpack__(self, **_):
            return capsule

    muster.from_dlpack(Once())
    with pytest.raises(TypeError, match="nobody has taken"):
        muster.from_dlpack(Once())
    read_only = np.arange(4, dtype=np.float32)
    read_only.flags.writeable = False
    assert muster.from_dlpack(read_only).numpy()[3] == 3
    with pytest.raises(muster.Error, match="read-only"):
        muster.from_dlpack(read_only, copy=False)


def test_tensors_as_arguments(saxpy, xy):
    class Tensor:  # as torch's: DLPack, no buffer protocol
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **keywords):
            return self.array.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return 1, 0

    x, y = xy
    saxpy(2.0, Tensor(x), Tensor(y))
    assert np.array_equal(y, 2 * x + 1)


def test_it_is_no_array_library():
    d = muster.zeros(4)
    for wrong in (lambda: d + 1, lambda: 1 + d, lambda: np.ones(4) + d, lambda: d @ d, lambda: bool(d), lambda: hash(d)):
        with pytest.raises(TypeError):
            wrong()


def test_sizes():
    assert muster.zeros((0, 5)).numpy().shape == (0, 5)
    assert muster.zeros(()).numpy().shape == () and muster.empty(3, "u32").tolist() == [0, 0, 0]
    for wrong in (-1, (2, -3), 2**62, (2**40, 2**40), 1.5, "a"):
        with pytest.raises((ValueError, TypeError, OverflowError, muster.Error)):
            muster.zeros(wrong)
    with pytest.raises(TypeError):
        muster.zeros(3, "complex64")


def test_nothing_is_left(saxpy, xy):
    x, y = xy
    saxpy(1.0, x, y)
    gc.collect()
    before = muster.live_objects()
    for i in range(50):
        d = muster.asarray(x)
        e = d[10:20]
        saxpy(1.0, d, muster.zeros(100), wait=False)
        saxpy(1.0, x, y)
        saxpy(1.0, x[1:], y[1:])
        np.from_dlpack(d), np.asarray(e), muster.from_dlpack(x), muster.from_dlpack(x[1:])
        with pytest.raises(muster.Error):
            saxpy(1.0, x, np.ones(100))
        with pytest.raises(muster.Error):
            saxpy(1.0, x, y, b=1)
        saxpy.route, saxpy.artifact
    del d, e
    gc.collect()
    muster.zeros(1)  # a call returns what was let go of
    gc.collect()
    assert muster.live_objects() == before


def test_references_of_arguments_are_given_back(saxpy):
    import sys

    x, y = np.ones(64, np.float32), np.ones(64, np.float32)
    before = sys.getrefcount(x), sys.getrefcount(y)
    for _ in range(100):
        saxpy(1.0, x, y)
        saxpy(1.0, x, y, wait=False).wait()
        with pytest.raises(muster.Error):
            saxpy(1.0, x, y, nothing=1)
    saxpy(1.0, np.ones(64, np.float32), np.ones(64, np.float32))
    assert (sys.getrefcount(x), sys.getrefcount(y)) == before
    y.resize(32, refcheck=False)  # nothing exports its memory
