#!/usr/bin/env python3
"""Writes chunk-goldens.jsonl: what the `datasets` library (5.0.1 made the kept file) does with json files of several chunks or several files: the
first chunk settles the columns, later ones are cast to them or refused. One case a line: files, chunk size, rows with their Python types or null
for a refusal."""
import base64, datetime, json, math, os, pathlib, tempfile

os.environ["HF_DATASETS_OFFLINE"] = "1"
os.environ["HF_HOME"] = tempfile.mkdtemp()
import datasets

datasets.disable_progress_bars()
datasets.logging.set_verbosity(100)


def typed(value):
    """The value with its Python type spelt out; as in make_goldens.py."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, float):
        return {"float": "nan" if math.isnan(value) else value.hex()}
    if isinstance(value, (datetime.datetime, datetime.date)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [typed(item) for item in value]
    return {"dict": [[key, typed(item)] for key, item in value.items()]}


CASES = []


def jsonl(*rows):
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


def add(name, *files, chunk_bytes=None):
    contents = [file.encode() for file in files]
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for index, content in enumerate(contents):
            path = pathlib.Path(folder, f"{index}.jsonl")
            path.write_bytes(content)
            paths.append(str(path))
        options = {} if chunk_bytes is None else {"chunksize": chunk_bytes}
        try:
            rows = datasets.load_dataset("json", data_files={"test": paths}, cache_dir=folder + "/cache", **options)["test"]
            expected = {"columns": rows.column_names, "rows": [typed(dict(row)) for row in rows]}
        except Exception:
            expected = None
    CASES.append({"name": name, "chunkBytes": chunk_bytes, "files": [base64.b64encode(content).decode() for content in contents], "expected": expected})


pairs = {
    "int, float": ({"a": 1}, {"a": 2.5}), "int, whole float": ({"a": 1}, {"a": 2.0}), "float, int": ({"a": 1.5}, {"a": 2}), "int, number as text": ({"a": 1}, {"a": "7"}),
    "int, text": ({"a": 1}, {"a": "x"}), "text, int": ({"a": "x"}, {"a": 7}), "text, float": ({"a": "x"}, {"a": 7.5}), "text, whole float": ({"a": "x"}, {"a": 7.0}),
    "text, large float": ({"a": "x"}, {"a": 1e22}), "text, small float": ({"a": "x"}, {"a": 1e-7}), "text, bool": ({"a": "x"}, {"a": True}), "bool, int": ({"a": True}, {"a": 0}),
    "int, bool": ({"a": 1}, {"a": False}), "float, bool": ({"a": 1.5}, {"a": False}), "bool, text": ({"a": True}, {"a": "true"}), "float, number as text": ({"a": 1.5}, {"a": "2.5"}),
    "null, text": ({"a": None}, {"a": "x"}), "text, null": ({"a": "x"}, {"a": None}), "a column less": ({"a": 1, "b": 2}, {"a": 1}), "a column more": ({"a": 1}, {"a": 1, "b": 2}),
    "another order": ({"a": 1, "b": "x"}, {"b": "y", "a": 1}), "records in another order": ({"s": {"a": 1, "b": "x"}}, {"s": {"b": "y", "a": 1}}),
    "records with a field less": ({"s": {"a": 1, "b": "x"}}, {"s": {"a": 1}}), "records with a field more": ({"s": {"a": 1}}, {"s": {"a": 1, "b": 2}}),
    "records, int and float": ({"s": {"a": 1}}, {"s": {"a": 1.5}}), "lists, int and float": ({"s": [1]}, {"s": [1.0, 2.5]}), "lists, nothing and text": ({"s": []}, {"s": ["x"]}),
    "lists, text and nothing": ({"s": ["x"]}, {"s": []}), "lists, text and int": ({"s": ["x"]}, {"s": [1]}), "text, list": ({"s": "x"}, {"s": [1]}), "list, text": ({"s": [1]}, {"s": "x"}),
    "dates": ({"a": "2020-01-01"}, {"a": "2021-01-01 10:00:00"}), "date, text": ({"a": "2020-01-01"}, {"a": "x"}), "text, date": ({"a": "x"}, {"a": "2021-01-01T10:00:00Z"}),
    "int, beyond int64": ({"a": 1}, {"a": 2**63}), "dates in lists": ({"a": ["x"]}, {"a": ["2021-01-01"]}),
}
for name, (first, second) in pairs.items():
    add(f"files: {name}", jsonl(first), jsonl(second))
    first_line = jsonl(first)
    add(f"chunks: {name}", first_line + jsonl(first) + jsonl(second), chunk_bytes=len(first_line))
add("mixed shapes, then one", jsonl({"a": 1}, {"a": "x"}), jsonl({"a": 3}))
add("mixed shapes, then others", jsonl({"a": 1}, {"a": "x"}), jsonl({"a": 3.1}, {"a": [1]}))
add("records of mixed shapes, then one", jsonl({"a": {"x": 1}}, {"a": {"y": 1}}), jsonl({"a": {"x": 2}}))
add("a blank line first, records of mixed shapes", "\n" + jsonl({"a": {"x": 1}}, {"a": {"y": 1}}))
add("one shape, then records of mixed shapes", jsonl({"a": {"x": 1}}), jsonl({"a": {"x": 1}}, {"a": {"y": 2}}))
add("an array, then an array", '[{"a":1}]', '[{"a":2}]')
add("an array, then an array of another type", '[{"a":1}]', '[{"a":2.5}]')
add("an array, then lines of another type", '[{"a":1}]', jsonl({"a": 2.5}))
add("lines, then an array", jsonl({"a": 1.5}), '[{"a":2}]')
add("lines, then an array of a wider type", jsonl({"a": 1}), '[{"a":2.5}]')
add("lines, then an empty file", jsonl({"a": 1}), "")
add("a date that is none in a later chunk", jsonl(*[{"d": "2020-01-01"}] * 3, {"d": "soon"}), chunk_bytes=30)
add("dates in a later chunk of texts", jsonl(*[{"d": "soon"}] * 3, *[{"d": "2020-01-01"}] * 6), chunk_bytes=30)
for size in [1, 8, 9, 10, 17, 18, 19, 27, 100]:
    add(f"chunks of {size} bytes", jsonl(*[{"a": at, "t": f"t{at}"} for at in range(6)]), chunk_bytes=size)
    add(f"chunks of {size} bytes with a late float", jsonl(*[{"a": at} for at in range(6)], {"a": 2.5}), chunk_bytes=size)

pathlib.Path(__file__).with_name("chunk-goldens.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))
print(len(CASES), "cases,", sum(case["expected"] is None for case in CASES), "refused")
