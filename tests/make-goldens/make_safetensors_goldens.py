"""Writes tests/goldens/weights/safetensors.json: small safetensors files, sound and damaged, with what the `safetensors` library makes of them.

    python tests/make-goldens/make_safetensors_goldens.py

Each case is [what, file as base64, tensors by name as [dtype, shape, sha256 of its bytes], or null where the library refuses the file].
"""

import base64
import hashlib
import json
import struct
from importlib.metadata import version
from pathlib import Path

import torch
from safetensors import deserialize
from safetensors.torch import save

OUT = Path(__file__).parents[2] / "tests/goldens/weights/safetensors.json"


def verdict(file):
    try:
        tensors = deserialize(file)
    except Exception:
        return None
    return {name: [t["dtype"], t["shape"], hashlib.sha256(bytes(t["data"])).hexdigest()] for name, t in tensors}


def raw(header, data=b"", length=None):
    header = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(header) if length is None else length) + header + data


def entry(shape, offsets, dtype="F32"):
    return '{"dtype":"%s","shape":%s,"data_offsets":%s}' % (dtype, shape, offsets)


torch.manual_seed(7)
whole = save(
    {
        "model.embed.weight": torch.randn(6, 4, dtype=torch.bfloat16),
        "model.norm.weight": torch.randn(4),
        "lm_head.weight": torch.randn(6, 4, dtype=torch.float16),
        "a scalar": torch.tensor(1.5),
        "empty": torch.zeros(0, 3),
        "é ключ \"quoted\" \\": torch.zeros(2, dtype=torch.int64),
    },
    metadata={"format": "pt", "note": "ü\n"},
)
one = entry("[1]", "[0,4]")
CASES = [
    ("what the library writes, six tensors", whole),
    ("nothing at all", b""),
    ("seven bytes", whole[:7]),
    ("a length without a header", whole[:8]),
    ("a header cut off", whole[:60]),
    ("data cut off by a byte", whole[:-1]),
    ("a byte too many", whole + b"\0"),
    ("no tensors", raw("{}")),
    ("no tensors, but bytes", raw("{}", b"1")),
    ("one tensor", raw('{"a":%s}' % one, bytes(4))),
    ("white space behind", raw('{"a":%s} \n\t ' % one, bytes(4))),
    ("white space in front", raw(' {"a":%s}' % one, bytes(4))),
    ("zero bytes behind", raw('{"a":%s}\0\0' % one, bytes(4))),
    ("an array", raw("[]")),
    ("a text", raw('"a"')),
    ("a byte order mark", raw(b"\xef\xbb\xbf{}")),
    ("no UTF-8", raw(b'{"\xff":' + one.encode() + b"}", bytes(4))),
    ("a comma too many", raw('{"a":%s,}' % one, bytes(4))),
    ("a single quote", raw("{'a':%s}" % one, bytes(4))),
    ("two objects", raw('{"a":%s}{}' % one, bytes(4))),
    ("a fractional size", raw('{"a":%s}' % entry("[1.0]", "[0,4]"), bytes(4))),
    ("an exponent", raw('{"a":%s}' % entry("[1e0]", "[0,4]"), bytes(4))),
    ("a negative size", raw('{"a":%s}' % entry("[-1]", "[0,4]"), bytes(4))),
    ("two negative sizes", raw('{"a":%s}' % entry("[-1,-1]", "[0,4]"), bytes(4))),
    ("a negative offset", raw('{"a":%s}' % entry("[1]", "[-4,0]"), bytes(4))),
    ("offsets in reverse", raw('{"a":%s}' % entry("[1]", "[4,0]"), bytes(4))),
    ("offsets beyond the file", raw('{"a":%s}' % entry("[2]", "[0,8]"), bytes(4))),
    ("offsets of another size than the shape", raw('{"a":%s}' % entry("[2]", "[0,4]"), bytes(4))),
    ("one offset", raw('{"a":%s}' % entry("[1]", "[0]"), bytes(4))),
    ("three offsets", raw('{"a":%s}' % entry("[1]", "[0,4,4]"), bytes(4))),
    ("a shape beyond 2^64", raw('{"a":%s}' % entry("[4294967296,4294967296,4294967296]", "[0,4]"), bytes(4))),
    ("a size beyond 2^64", raw('{"a":%s}' % entry("[99999999999999999999]", "[0,4]"), bytes(4))),
    ("a huge axis of an empty tensor", raw('{"a":%s}' % entry("[0,99999999999999]", "[0,0]"))),
    ("overlapping tensors", raw('{"a":%s,"b":%s}' % (entry("[2]", "[0,8]"), entry("[1]", "[4,8]")), bytes(8))),
    ("two tensors at one place", raw('{"a":%s,"b":%s}' % (one, one), bytes(4))),
    ("a gap", raw('{"a":%s,"b":%s}' % (one, entry("[1]", "[8,12]")), bytes(12))),
    ("a gap in front", raw('{"a":%s}' % entry("[1]", "[4,8]"), bytes(8))),
    ("tensors in another order than their bytes", raw('{"b":%s,"a":%s}' % (entry("[1]", "[4,8]"), one), bytes(range(8)))),
    ("an empty tensor in front", raw('{"b":%s,"a":%s}' % (one, entry("[0]", "[0,0]")), bytes(4))),
    ("an empty tensor within another", raw('{"b":%s,"a":%s}' % (one, entry("[0]", "[2,2]")), bytes(4))),
    ("no dtype", raw('{"a":{"shape":[1],"data_offsets":[0,4]}}', bytes(4))),
    ("no shape", raw('{"a":{"dtype":"F32","data_offsets":[0,4]}}', bytes(4))),
    ("no offsets", raw('{"a":{"dtype":"F32","shape":[1]}}', bytes(4))),
    ("a dtype twice", raw('{"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}', bytes(4))),
    ("a field more", raw('{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":[{}]}}', bytes(4))),
    ("a tensor that is null", raw('{"a":null}')),
    ("metadata that is null", raw('{"__metadata__":null,"a":%s}' % one, bytes(4))),
    ("metadata with a number", raw('{"__metadata__":{"a":1},"a":%s}' % one, bytes(4))),
    ("metadata that is a list", raw('{"__metadata__":[],"a":%s}' % one, bytes(4))),
    ("a length beyond the file", raw("{}", b"", 1 << 20)),
    ("a length beyond 100 MB", raw("{}", b"", 100_000_001)),
    ("a length beyond 2^63", raw("{}", b"", (1 << 64) - 1)),
    ("an escaped name", raw('{"\\u00e9\\n":%s}' % one, bytes(4))),
    ("half a surrogate pair", raw('{"\\ud800":%s}' % one, bytes(4))),
    *[
        (f"dtype {name}", raw('{"a":%s}' % entry("[8]", "[0,%d]" % bits, name), bytes(bits)))
        for name, bits in [("BOOL", 8), ("F4", 4), ("F6_E2M3", 6), ("F6_E3M2", 6), ("U8", 8), ("I8", 8), ("F8_E5M2", 8), ("F8_E4M3", 8),
                           ("F8_E8M0", 8), ("F8_E4M3FNUZ", 8), ("F8_E5M2FNUZ", 8), ("I16", 16), ("U16", 16), ("F16", 16), ("BF16", 16),
                           ("I32", 32), ("U32", 32), ("F32", 32), ("C64", 64), ("F64", 64), ("I64", 64), ("U64", 64)]
    ],
    ("half a byte of F4", raw('{"a":%s}' % entry("[3]", "[0,2]", "F4"), bytes(2))),
    # Where the project's reader says otherwise on purpose; the library keeps the last of the two, and refuses what it doesn't know.
    ("stricter: a tensor twice", raw('{"a":%s,"a":%s}' % (one, one), bytes(4))),
    ("stricter: metadata twice", raw('{"__metadata__":{"a":"b","a":"c"},"a":%s}' % one, bytes(4))),
    ("laxer: a dtype of tomorrow", raw('{"a":%s}' % entry("[1]", "[0,4]", "F3_E1M1"), bytes(4))),
]

made = {
    "made_by": "tests/make-goldens/make_safetensors_goldens.py",
    "versions": {"safetensors": version("safetensors"), "torch": torch.__version__},
    "cases": [[what, base64.b64encode(file).decode(), verdict(file)] for what, file in CASES],
}
OUT.parent.mkdir(parents=True, exist_ok=True)
OUT.write_text(json.dumps(made, ensure_ascii=False, indent=0) + "\n")
print(len(made["cases"]), "cases,", sum(case[2] is None for case in made["cases"]), "refused")
