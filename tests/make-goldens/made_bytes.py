"""Numbers that a golden's maker and its test both make: tests/support/made-bytes.ts is the same in TypeScript."""

import numpy as np


def made_words(seed, count):
    """`count` random words of 32 bits: mulberry32 from `seed`."""
    with np.errstate(over="ignore"):
        u = np.uint32
        state = u(seed) + np.arange(1, count + 1, dtype=u) * u(0x6D2B79F5)
        value = (state ^ (state >> u(15))) * (u(1) | state)
        value = (value + (value ^ (value >> u(7))) * (u(61) | value)) ^ value
        return value ^ (value >> u(14))


def made_bytes(seed, count):
    """`count` random bytes: the words' own, little endian."""
    return made_words(seed, (count + 3) // 4).astype("<u4").view(np.uint8)[:count]


def made_normals(seed, count):
    """`count` float32 values, about normal with a deviation of 1: no step but the last rounds."""
    sums = (made_words(seed, 4 * count).reshape(count, 4) >> np.uint32(10)).astype(np.float64).sum(axis=1)
    return ((sums - 2**23) / 2**21 * 0.875).astype(np.float32)
