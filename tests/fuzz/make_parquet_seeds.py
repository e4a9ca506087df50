#!/usr/bin/env python3
"""Writes tests/goldens/fuzz/parquet.jsonl: small parquet files of every encoding and page form that pyarrow writes, in base64, for the fuzzer to
mutate. `checked` tells that every page has a checksum. Needs pyarrow (26.0.1 made the kept file)."""
import base64, datetime, decimal, io, json, pathlib

import pyarrow as pa
import pyarrow.parquet as pq

N = 40
flat = pa.table({
    "i": pa.array([None if at % 7 == 0 else at * 1001 for at in range(N)], pa.int64()), "s": [f"row {at} é\u2028" for at in range(N)], "f": pa.array([at / 3 for at in range(N)], pa.float32()),
    "b": [at % 3 == 0 for at in range(N)], "t": pa.array([datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=at) for at in range(N)], pa.timestamp("ms"))})
nested = pa.table({"l": pa.array([[at, None] if at % 3 else (None if at % 2 else []) for at in range(N)]), "r": pa.array([{"x": at, "y": ["a", None]} if at % 4 else None for at in range(N)]), "lr": pa.array([[{"q": str(at)}] * (at % 3) for at in range(N)])})
texts = pa.table({"s": ["same"] * N, "n": pa.array([None] * N, pa.string())})
odd = pa.table({"d": pa.array([decimal.Decimal(at) / 100 for at in range(N)], pa.decimal128(9, 2)), "dt": pa.array([datetime.date(2024, 1, 1 + at % 28) for at in range(N)]), "u8": pa.array(range(N), pa.uint8()), "bin": pa.array([bytes([at, 65]).hex().encode() for at in range(N)])})

SEEDS = []


def add(name, table, **options):
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    SEEDS.append({"name": name, "rows": table.num_rows, "checked": options.get("write_page_checksum", False), "base64": base64.b64encode(sink.getvalue()).decode()})


for checked in [False, True]:
    add(f"flat {checked}", flat, write_page_checksum=checked)
    add(f"nested {checked}", nested, write_page_checksum=checked)
    add(f"small pages {checked}", flat, write_page_checksum=checked, data_page_size=64, row_group_size=13, compression="none")
for codec in ["gzip", "zstd", "brotli", "lz4", "none"]:
    add(codec, flat, compression=codec, use_dictionary=False)
add("pages of version 2", flat, data_page_version="2.0")
add("nested, version 2", nested, data_page_version="2.0", compression="zstd")
add("texts in a dictionary", texts)
add("odd types", odd)
add("delta", flat.select(["i", "s"]), use_dictionary=False, column_encoding={"i": "DELTA_BINARY_PACKED", "s": "DELTA_BYTE_ARRAY"})
add("delta lengths", flat.select(["s"]), use_dictionary=False, column_encoding={"s": "DELTA_LENGTH_BYTE_ARRAY"})
add("split bytes", flat.select(["f"]), use_dictionary=False, column_encoding={"f": "BYTE_STREAM_SPLIT"})
add("no rows", flat.slice(0, 0))

place = pathlib.Path(__file__).parents[2] / "tests/goldens/fuzz/parquet.jsonl"
place.write_text("".join(json.dumps(seed) + "\n" for seed in SEEDS))
print(len(SEEDS), "seeds,", place.stat().st_size, "bytes")
