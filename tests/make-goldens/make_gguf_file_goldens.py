"""Writes tests/goldens/weights/gguf-files.json: small GGUF files by gguf's own writer, and what its reader reads in them.

    python tests/make-goldens/make_gguf_file_goldens.py

Each file is [what, base64, metadata as [key, type names, value] (64-bit numbers as text), tensors as [name, type, sizes with the fastest axis last, sha256 of its bytes]]; `parts` are a split model's.
"""

import base64
import hashlib
import json
import struct
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFEndian, GGUFReader, GGUFValueType, GGUFWriter, quants

OUT = Path(__file__).parents[2] / "tests/goldens/weights/gguf-files.json"
random = np.random.default_rng(71)


def written(fill, **options):
    with tempfile.TemporaryDirectory() as folder:
        writer = GGUFWriter(Path(folder) / "model.gguf", "llama", **options)
        fill(writer)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def read(file):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.gguf"
        path.write_bytes(file)
        reader = GGUFReader(path)
        metadata = []
        for name, field in reader.fields.items():
            if name.startswith("GGUF."):
                continue
            value = field.contents()
            wide = {GGUFValueType.UINT64, GGUFValueType.INT64} & set(field.types)
            metadata.append([name, [kind.name for kind in field.types], json.loads(json.dumps(value), parse_int=str) if wide else value])
        tensors = [
            [t.name, t.tensor_type.name, [int(size) for size in reversed(t.shape)], hashlib.sha256(t.data.tobytes()).hexdigest()]
            for t in reader.tensors
        ]
        return metadata, tensors


def everything(writer):
    writer.add_uint8("t.uint8", 200)
    writer.add_int8("t.int8", -100)
    writer.add_uint16("t.uint16", 60000)
    writer.add_int16("t.int16", -30000)
    writer.add_uint32("t.uint32", 4_000_000_000)
    writer.add_int32("t.int32", -2_000_000_000)
    writer.add_uint64("t.uint64", 2**64 - 1)
    writer.add_int64("t.int64", -(2**63))
    writer.add_float32("t.float32", 0.1)
    writer.add_float64("t.float64", 0.1)
    writer.add_bool("t.true", True)
    writer.add_bool("t.false", False)
    writer.add_string("t.string", "Ġüber \u6f22 😀\n\0end")
    writer.add_array("tokenizer.ggml.tokens", ["<s>", "▁the", "", "é", "\u6f22", "<0x0A>"])
    writer.add_array("tokenizer.ggml.scores", [0.0, -1.5, 2.25])
    writer.add_array("tokenizer.ggml.token_type", [1, 2, -3])
    writer.add_array("t.booleans", [True, False, True])
    writer.add_array("t.bytes", b"\0\xff\x10")
    writer.add_tensor("token_embd.weight", random.standard_normal((6, 64)).astype(np.float32))
    writer.add_tensor("blk.0.attn_norm.weight", random.standard_normal(64).astype(np.float16))
    for kind in (GGMLQuantizationType.Q4_0, GGMLQuantizationType.Q8_0, GGMLQuantizationType.BF16, GGMLQuantizationType.TQ1_0):
        data = quants.quantize(random.standard_normal((3, 256)).astype(np.float32), kind)
        writer.add_tensor(f"blk.0.{kind.name}.weight", data, raw_dtype=kind)
    writer.add_tensor("blk.0.cube.weight", random.standard_normal((2, 3, 32)).astype(np.float32))


def aligned(writer):
    writer.add_custom_alignment(256)
    writer.add_tensor("a", np.arange(5, dtype=np.float32))
    writer.add_tensor("b", np.arange(3, dtype=np.float32))


def several(writer):
    for at in range(5):
        writer.add_tensor(f"blk.{at}.weight", np.full((2, 32), at, dtype=np.float32))


whole = written(everything)["model.gguf"]
files = {"version 3": whole, "version 2": whole[:4] + struct.pack("<I", 2) + whole[8:], "another alignment": written(aligned)["model.gguf"], "no tensors": written(lambda writer: writer.add_string("a", "b"))["model.gguf"]}
parts = written(several, split_max_tensors=2)
big = written(everything, endianess=GGUFEndian.BIG)["model.gguf"]
encode = lambda file: base64.b64encode(file).decode()
made = {
    "made_by": "tests/make-goldens/make_gguf_file_goldens.py",
    "versions": {"gguf": version("gguf"), "numpy": np.__version__},
    "files": [[what, encode(file), *read(file)] for what, file in files.items()],
    "parts": [[name, encode(file), *read(file)] for name, file in parts.items()],
    "big_endian": encode(big),
}
OUT.write_text(json.dumps(made, ensure_ascii=False, indent=0) + "\n")
print([name for name in parts], OUT.stat().st_size, "bytes")
