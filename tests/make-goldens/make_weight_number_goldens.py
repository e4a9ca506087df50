"""Writes tests/goldens/weights/numbers.json: what numpy makes of 16-bit floats, and onnxruntime's MatMulNBits quantiser of matrices.

    python tests/make-goldens/make_weight_number_goldens.py

The inputs are made from seeds (made_bytes.py), so that the first 16 digits of the outputs' sha256 are enough; small ones stand there in full. NaNs are all taken for 0x7fc00000 (float32) and
0x7e00 (float16) with their sign left out. On x86-64: elsewhere a compiler may fuse the quantiser's multiplication and addition.
"""

import hashlib
import json
import platform
import sys
from pathlib import Path

import numpy as np
import onnxruntime
from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, DefaultWeightOnlyQuantizer

sys.path.insert(0, str(Path(__file__).parent))
from made_bytes import made_normals, made_words

OUT = Path(__file__).parents[2] / "tests/goldens/weights/numbers.json"
assert platform.machine() == "x86_64"
np.seterr(all="ignore")


def sha(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def without_nans(floats):
    bits = floats.view(np.uint32 if floats.dtype == np.float32 else np.uint16).copy()
    bits[np.isnan(floats)] = 0x7FC00000 if floats.dtype == np.float32 else 0x7E00
    return bits


every = np.arange(65536, dtype=np.uint16)
halves = every.view(np.float16).astype(np.float32)

# Any bits at all; values of sizes that halves have; and each half, the middle to its neighbour, and both float32 beside that middle.
anything = made_words(11, 500_000).view(np.float32)
near = (made_normals(12, 500_000).astype(np.float64) * 2.0 ** ((np.arange(500_000) % 48) - 30)).astype(np.float32)
finite = halves[np.isfinite(halves)]
middles = ((finite.astype(np.float64) + np.nextafter(finite.astype(np.float16), np.float16(np.inf)).astype(np.float64)) / 2).astype(np.float32)
ties = np.concatenate([finite, middles, np.nextafter(middles, np.float32(-np.inf)), np.nextafter(middles, np.float32(np.inf))])
to_half = {
    "anything": anything,
    "near": near,
    "ties": ties[np.isfinite(ties)],
}


def matrix(kind, K, N, seed):
    """[N, K] float32, as weights are stored."""
    w = made_normals(seed, N * K).reshape(N, K)
    match kind:
        case "positive":
            w = abs(w)
        case "negative":
            w = -abs(w)
        case "constant":
            w = np.full_like(w, 0.37)
        case "zero":
            w = np.zeros_like(w)
        case "minus zero":
            w = -np.zeros_like(w)
        case "tiny":
            w = w * np.float32(2.0**-126)
        case "subnormal":
            w = (w.astype(np.float64) * 2.0**-146).astype(np.float32)
        case "huge":
            w = np.clip(w.astype(np.float64) * 2.0**127, -3.4e38, 3.4e38).astype(np.float32)
        case "outlier":
            w[0, K // 2] = 10000
        case "integers":
            w = np.round(w * np.float32(8))
        case "halves":
            # Quotients that lie between two integers: the largest is 8 (or 15) steps, the others multiples of half a step.
            w = np.round(w * np.float32(4)) / np.float32(2)
            w[:, ::32] = -8
    return w


KINDS = ["random", "positive", "negative", "constant", "zero", "minus zero", "tiny", "subnormal", "huge", "outlier", "integers", "halves"]
SHAPES = [(32, 4), (64, 5), (96, 3), (33, 4), (40, 2), (100, 3), (1, 2), (31, 2), (65, 3), (97, 2), (512, 96)]


def quantize(w, bits, symmetric):
    config = DefaultWeightOnlyQuantConfig(block_size=32, is_symmetric=symmetric, bits=bits)
    return DefaultWeightOnlyQuantizer(config).qbits_block_quant(np.ascontiguousarray(w.T))


quantized = []
for bits in (4, 8):
    for symmetric in (True, False):
        for scale_type in ("float32", "float16"):
            for at, (kind, (K, N)) in enumerate((kind, shape) for kind in KINDS for shape in SHAPES):
                w = matrix(kind, K, N, 1000 + at)
                if scale_type == "float16":
                    # The quantiser takes scales' type from the weights': these are halves to begin with.
                    w = np.clip(w, -65504, 65504).astype(np.float16)
                packed, scales, zero_points = quantize(w, bits, symmetric)
                whole = [packed.reshape(-1).tolist(), zero_points.reshape(-1).tolist()] if (K, N) == (33, 4) and kind == "random" else None
                quantized.append([bits, symmetric, scale_type, kind, K, N, 1000 + at, sha(packed), sha(scales.astype(np.float32)), None if symmetric else sha(zero_points), whole])

made = {
    "made_by": "tests/make-goldens/make_weight_number_goldens.py",
    "versions": {"numpy": np.__version__, "onnxruntime": onnxruntime.__version__, "machine": platform.machine()},
    "halves_as_float32": sha(without_nans(halves)),
    "to_half": {name: [len(values), sha(values), sha(without_nans(values.astype(np.float16)))] for name, values in to_half.items()},
    "quantized_fields": ["bits", "symmetric", "scale type", "kind", "K", "N", "seed", "packed", "scales", "zero points", "in full: packed and zero points"],
    "quantized": quantized,
}
OUT.parent.mkdir(parents=True, exist_ok=True)
rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in quantized)
OUT.write_text(json.dumps({**made, "quantized": []}, indent=0).replace('"quantized": []', '"quantized": [\n' + rows + "\n]") + "\n")
print(len(quantized), "matrices", OUT.stat().st_size, "bytes")
