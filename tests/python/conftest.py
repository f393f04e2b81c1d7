"""What the tests of the package for Python share."""

import os

import numpy as np
import pytest

import muster

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

SAXPY = """
@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn saxpy(@builtin(global_invocation_id) id: vec3u) {
  y[id.x] = a * x[id.x] + y[id.x];
}
"""


@pytest.fixture(scope="session")
def saxpy():
    return muster.kernel(SAXPY)


@pytest.fixture
def xy():
    return np.arange(100, dtype=np.float32), np.ones(100, np.float32)
