#!/usr/bin/env python3
"""Reads files as `datasets` does: on standard input one JSON object a line (loader, file name, base64), on standard output one a line with the
rows, every value with its Python type, or null where the library refuses. For `tests/fuzz/oracle.ts`."""
import base64, datetime, json, math, os, pathlib, sys, tempfile

os.environ["HF_DATASETS_OFFLINE"] = "1"
os.environ["HF_HOME"] = tempfile.mkdtemp()
import datasets

datasets.disable_progress_bars()
datasets.logging.set_verbosity(100)
out = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def typed(value):
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
    if isinstance(value, dict):
        return {"dict": [[key, typed(item)] for key, item in value.items()]}
    raise TypeError(type(value))


for line in sys.stdin:
    case = json.loads(line)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, case["name"])
        path.write_bytes(base64.b64decode(case["base64"]))
        try:
            rows = datasets.load_dataset(case["loader"], data_files={"test": [str(path)]}, cache_dir=folder + "/cache")["test"]
            answer = {"columns": rows.column_names, "rows": [typed(dict(row)) for row in rows]}
        except Exception as error:
            answer = {"refusal": f"{type(error).__name__}: {error.__cause__ or error}".split("\n")[0][:200]}
    out.write(json.dumps(answer) + "\n")
    out.flush()
