"""Writes tests/goldens/weights/gguf-types.json: what `gguf.quants.dequantize` makes of 10,000 random blocks of every type.

    python tests/make-goldens/make_gguf_goldens.py

The blocks are random bytes from a seed (made_bytes.py), so scales are infinities and NaNs in some. By type: [number, values and bytes a block, seed, the first 16 digits of the sha256 of each 1,000 blocks' float32 values,
and the bits of the first block's]. NaNs are all taken for 0x7fc00000.
"""

import hashlib
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, quants
from gguf.constants import GGML_QUANT_SIZES

sys.path.insert(0, str(Path(__file__).parent))
from made_bytes import made_bytes

OUT = Path(__file__).parents[2] / "tests/goldens/weights/gguf-types.json"
BLOCKS, PART = 10_000, 1000
np.seterr(all="ignore")

types = {}
for kind in [GGMLQuantizationType.F32, GGMLQuantizationType.F16, *quants._type_traits]:
    values, size = GGML_QUANT_SIZES[kind]
    seed = 100 + kind
    found = quants.dequantize(made_bytes(seed, BLOCKS * size).reshape(BLOCKS, size), kind).reshape(BLOCKS, values)
    assert found.dtype == np.float32
    bits = found.view(np.uint32).copy()
    bits[np.isnan(found)] = 0x7FC00000
    parts = [hashlib.sha256(bits[at : at + PART].tobytes()).hexdigest()[:16] for at in range(0, BLOCKS, PART)]
    types[kind.name] = [int(kind), values, size, seed, parts, [f"{word:08x}" for word in bits[0].tolist()]]

rows = ",\n".join(f"{json.dumps(name)}:{json.dumps(row, separators=(',', ':'))}" for name, row in types.items())
made = json.dumps({"made_by": "tests/make-goldens/make_gguf_goldens.py", "versions": {"gguf": version("gguf"), "numpy": np.__version__}}, indent=0)
OUT.write_text(made[:-2] + ',\n"types": {\n' + rows + "\n}\n}\n")
print(len(types), "types", OUT.stat().st_size, "bytes")
