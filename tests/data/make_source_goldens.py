#!/usr/bin/env python3
"""Writes ../goldens/sources/repositories.jsonl: what `datasets` makes of small dataset repositories: configs, globs, splits, declared types.
One case a line: the repository's files (text, or base64 for bytes), config name, dataset_kwargs, and either every split's rows (each value with
its Python type) or null where `datasets` refuses. Needs `datasets` (5.0.1 made the kept file), pandas and pyarrow."""
import base64, datetime, decimal, io, json, math, os, pathlib, tempfile

os.environ["HF_DATASETS_OFFLINE"] = "1"
os.environ["HF_HOME"] = tempfile.mkdtemp()
import datasets
import pyarrow as pa
import pyarrow.parquet as pq

datasets.disable_progress_bars()
datasets.logging.set_verbosity(100)


def typed(value):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, float):
        return {"float": "nan" if math.isnan(value) else value.hex()}
    if isinstance(value, (datetime.datetime, datetime.date)):
        return str(value)
    if isinstance(value, decimal.Decimal):
        return {"float": float(value).hex()}
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (list, tuple)):
        return [typed(item) for item in value]
    if isinstance(value, dict):
        return {"dict": [[key, typed(item)] for key, item in value.items()]}
    raise TypeError(type(value))


def read(files, name, kwargs):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "repo")
        for path, content in files.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        loaded = datasets.load_dataset(str(root), name, cache_dir=folder + "/cache", **kwargs)
        if not isinstance(loaded, datasets.DatasetDict):
            raise TypeError("the harness can't index it by split")
        return {split: {"columns": rows.column_names, "rows": [typed(dict(row)) for row in rows]} for split, rows in loaded.items()}


CASES = []


def add(title, files, name=None, **kwargs):
    CASES.append((title, files, name, kwargs))


def readme(text):
    return "---\n" + text.strip("\n") + "\n---\n"


def info(*features, config=None):
    return readme("dataset_info:\n" + (f"  config_name: {config}\n" if config else "") + "  features:\n" + "\n".join("  " + line for feature in features for line in feature.split("\n")))


def lines(*rows):
    return "".join(row + "\n" for row in rows)


def column(dtype, name="a"):
    return f"- name: {name}\n  dtype: {dtype}"


LABEL = "- name: l\n  dtype:\n    class_label:\n      names:\n        '0': neg\n        '1': pos"


def parquet(table):
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def add_values():
    """Every type that a json, csv or parquet file can hold against every declared type."""
    values = ['1', '1.0', '1.5', '300', '-1', 'true', '"1"', '"1.5"', '"x"', '"true"', '" 1"', '"0x10"', '"2024-01-01"', '"2024-01-01T10:00:00"', '9223372036854775807', '9007199254740993', '1e10', '1e-7', '1e300', '[1]', '{"b":1}', 'null', '{}']
    for dtype in ["int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64", "bool", "string", "large_string", "timestamp[s]", "timestamp[us]", "date32"]:
        for value in values:
            if dtype == "string" and value.startswith("{"):
                continue  # a record as text: refused here, by a decision of ours
            add(f"json {value} as {dtype}", {"README.md": info(column(dtype)), "train.jsonl": f'{{"a":{value}}}\n'})
    for dtype in ["int32", "float32", "string", "bool"]:
        for value in ["1", "1.5", "x", "True", "007", "2024-01-01"]:
            add(f"csv {value} as {dtype}", {"README.md": info(column(dtype)), "train.csv": f"a\n{value}\n"})
    scalars = pa.table({"a": pa.array([1, 2], pa.int32()), "f": pa.array([0.1, 1.5], pa.float32()), "s": ["1", "2"]})
    add("parquet of other types", {"README.md": info(column("int64"), column("string", "f"), column("int32", "s")), "train.parquet": parquet(scalars)})
    add("parquet with fewer columns", {"README.md": info(column("int64"), column("string", "z"), column("float32", "f"), column("string", "s")), "train.parquet": parquet(scalars)})
    add("parquet with more columns", {"README.md": info(column("int64")), "train.parquet": parquet(scalars)})


def add_labels():
    for title, rows in [("names", ['{"a":1,"l":"pos"}', '{"a":2,"l":" neg "}']), ("ids", ['{"a":1,"l":1}', '{"a":1,"l":0}']), ("ids as text", ['{"a":1,"l":"1"}', '{"a":1,"l":"-1"}']), ("an unknown name", ['{"a":1,"l":"none"}']),
                        ("an id too large as text", ['{"a":1,"l":"2"}']), ("an id too large", ['{"a":1,"l":2}']), ("an id too large beside a cast", ['{"a":1.0,"l":2}']), ("a missing label", ['{"a":1}']), ("whole floats", ['{"a":1,"l":1.0}']), ("null", ['{"a":1,"l":null}', '{"a":1,"l":"pos"}'])]:
        add(f"labels: {title}", {"README.md": info(column("int64"), LABEL), "train.jsonl": lines(*rows)})
    for title, text in [("ids", "a,l\n1,1\n"), ("names", "a,l\n1,pos\n"), ("other order", "l,a\n1,\n0,3\n"), ("one more column", "l,a,z\n1,1,1\n"), ("one column less", "l\n1\n")]:
        add(f"labels in csv: {title}", {"README.md": info(column("int64"), LABEL), "train.csv": text})
    add("labels in parquet", {"README.md": info(LABEL), "train.parquet": parquet(pa.table({"l": ["pos", "neg", None]}))})
    add("labels as a list of names", {"README.md": readme("dataset_info:\n  features:\n  - name: l\n    dtype:\n      class_label:\n        names: [x, y]"), "train.jsonl": '{"l":"y"}\n'})
    add("labels with a missing id", {"README.md": readme("dataset_info:\n  features:\n  - name: l\n    dtype:\n      class_label:\n        names:\n          '0': x\n          '2': y"), "train.jsonl": '{"l":"y"}\n'})
    add("labels in lists", {"README.md": readme("dataset_info:\n  features:\n  - name: l\n    sequence:\n      class_label:\n        names:\n          '0': x\n          '1': y"), "train.jsonl": '{"l":["y","x"]}\n{"l":[]}\n'})


def add_nested():
    struct = "- name: a\n  struct:\n  - name: x\n    dtype: string\n  - name: y\n    dtype: float32"
    add("a record, fields in another order", {"README.md": info(struct), "train.jsonl": '{"a":{"y":1,"x":"p"}}\n'})
    add("a record with a field less", {"README.md": info(struct), "train.jsonl": '{"a":{"y":1}}\n{"a":null}\n'})
    add("a record with a field more", {"README.md": info(struct), "train.jsonl": '{"a":{"y":1,"z":1}}\n'})
    add("records with different fields", {"README.md": info(struct), "train.jsonl": '{"a":{"y":1.123456789012345}}\n{"a":{"x":"p"}}\n'})
    for key in ["sequence", "list"]:
        add(f"{key} of values", {"README.md": info(f"- name: a\n  {key}: string"), "train.jsonl": '{"a":["x","y"]}\n{"a":[]}\n{"a":null}\n'})
        add(f"{key} of numbers", {"README.md": info(f"- name: a\n  {key}: float32"), "train.jsonl": '{"a":[1,2]}\n'})
        add(f"{key} of lists", {"README.md": info(f"- name: a\n  {key}:\n    {key}: int64"), "train.jsonl": '{"a":[[1],[2,3]]}\n'})
        add(f"{key} of nulls", {"README.md": info(f"- name: a\n  {key}: string"), "train.jsonl": '{"a":[]}\n{"a":[null]}\n'})
    records = "- name: a\n  {key}:\n  - name: x\n    dtype: string\n  - name: y\n    dtype: int32"
    add("list of records", {"README.md": info(records.format(key="list")), "train.jsonl": '{"a":[{"y":1,"x":"p"},{"x":"q","y":2}]}\n'})
    add("list of records with fewer fields", {"README.md": info(records.format(key="list")), "train.jsonl": '{"a":[{"y":1},{"x":"q"}]}\n'})
    add("sequence of records from records of lists", {"README.md": info(records.format(key="sequence")), "train.jsonl": '{"a":{"y":[1,2],"x":["p","q"]}}\n'})
    add("sequence of records from lists of records", {"README.md": info(records.format(key="sequence")), "train.jsonl": '{"a":[{"y":1,"x":"p"}]}\n'})
    add("a fixed length", {"README.md": info("- name: a\n  sequence: int64\n  length: 2"), "train.jsonl": '{"a":[1,2]}\n'})
    add("a wrong length", {"README.md": info("- name: a\n  sequence: int64\n  length: 2"), "train.jsonl": '{"a":[1,2,3]}\n'})
    add("dtype with a struct", {"README.md": info("- name: a\n  dtype:\n    struct:\n    - name: x\n      dtype: int64"), "train.jsonl": '{"a":{"x":1}}\n'})
    add("mixed texts and numbers as text", {"README.md": info(column("string")), "train.jsonl": '{"a":1}\n{"a":"x"}\n{"a":"5"}\n'})
    add("whole and other floats as text", {"README.md": info(column("string")), "train.jsonl": '{"a":1}\n{"a":1.5}\n'})
    add("dates as text", {"README.md": info(column("string")), "train.jsonl": '{"a":"2024-01-01"}\n{"a":"2024-01-02 10:00:00"}\n'})
    add("a json array with types", {"README.md": info(column("int32"), column("string", "b")), "train.json": '[{"b":1,"a":"5"},{"b":2,"a":"6"}]'})


def add_infos():
    two = readme("configs:\n- config_name: one\n  data_files: one.jsonl\n- config_name: two\n  data_files: two.jsonl\ndataset_info:\n- config_name: one\n  features:\n  - name: a\n    dtype: string\n- config_name: two\n  features:\n  - name: a\n    dtype: float64")
    files = {"README.md": two, "one.jsonl": '{"a":1}\n', "two.jsonl": '{"a":1}\n'}
    add("types of one config of two", files, "one")
    add("types of the other config", files, "two")
    add("types of a config that isn't used", {"README.md": readme("configs:\n- config_name: one\n  data_files: one.jsonl\ndataset_info:\n- config_name: two\n  features:\n  - name: a\n    dtype: string"), "one.jsonl": '{"a":1}\n'})
    add("types with a config name but no configs", {"README.md": info(column("string"), config="plain_text"), "train.jsonl": '{"a":1}\n'})
    add("types with a config name but no configs, by name", {"README.md": info(column("string"), config="plain_text"), "train.jsonl": '{"a":1}\n'}, "plain_text")
    add("no features in dataset_info", {"README.md": readme("dataset_info:\n  splits:\n  - name: train\n    num_examples: 1"), "train.jsonl": '{"a":1}\n'})
    old = {"plain": {"features": {"a": {"dtype": "string", "id": None, "_type": "Value"}, "l": {"num_classes": 2, "names": ["n", "p"], "_type": "ClassLabel"}, "s": {"feature": {"x": {"dtype": "int32", "_type": "Value"}}, "length": -1, "_type": "Sequence"}}}}
    add("dataset_infos.json", {"dataset_infos.json": json.dumps(old), "train.jsonl": '{"a":1,"l":"p","s":{"x":[1]}}\n'})
    add("dataset_infos.json against the README", {"dataset_infos.json": json.dumps(old), "README.md": info(column("float64")), "train.jsonl": '{"a":1}\n'})
    add("features in the config", {"README.md": readme("configs:\n- config_name: one\n  data_files: one.jsonl\n  features:\n  - name: a\n    dtype: string"), "one.jsonl": '{"a":1}\n'})
    add("features in the config, csv", {"README.md": readme("configs:\n- config_name: one\n  data_files: one.csv\n  features:\n  - name: a\n    dtype: string"), "one.csv": 'a\n007\n'})
    add("data_files of the task and types of the README", {"README.md": info(column("string")), "x.jsonl": '{"a":1}\n'}, data_files={"test": "x.jsonl"})


def add_patterns():
    row = '{"p":"%s"}\n'
    def tree(*paths, **more):
        return {path: row % path for path in paths} | more
    def configs(*entries):
        return readme("configs:\n" + "\n".join(entries))
    def config(name, data_files, more=""):
        return f"- config_name: {name}\n  data_files: {data_files}{more}"
    nested = tree("a.jsonl", "x/b.jsonl", "x/y/c.jsonl", "x/y/d1.jsonl", "x/y/d2.jsonl", "x/.h/e.jsonl", "x/__p/f.jsonl", "x/.g.jsonl")
    for pattern in ["'*.jsonl'", "'**/*.jsonl'", "'**'", "x/*", "x/**", "'x/**/*.jsonl'", "'x/y/d[0-9].jsonl'", "'x/y/d[!1].jsonl'", "'x/y/d?.jsonl'", "'x/{b,c}.jsonl'", "['x/b.jsonl', a.jsonl]", "'x/.h/*'", "'x/__p/*'", "x/.g.jsonl", "'./a.jsonl'", "nothing.jsonl", "'*/b.jsonl'", "'x/y/c*'", "'**/c.jsonl'", "'x/**/c.jsonl'", "'x/y'", "'[ax].jsonl'", "[a.jsonl, 'a*']", "'**.jsonl'", "'x**'", "'x/*y/*.jsonl'"]:
        add(f"pattern {pattern}", {"README.md": configs(config("c", pattern)), **nested})
    for names in [("train", "test"), ("train-a", "test"), ("a.b", "test"), ("2024", "test"), ("dev_1", "validation")]:
        entries = "\n".join(f"  - split: {name if not name.isdigit() else repr(name)}\n    path: {at}.jsonl" for at, name in enumerate(names))
        add(f"splits {names}", {"README.md": configs("- config_name: c\n  data_files:\n" + entries), **tree("0.jsonl", "1.jsonl")})
    for title, paths in [
        ("sharded", ["data/train-00000-of-00002.jsonl", "data/train-00001-of-00002.jsonl", "data/odd-00000-of-00001.jsonl"]), ("a sharded split with a dash", ["data/train-a-00000-of-00001.jsonl"]),
        ("folders", ["train/a.jsonl", "test/b.jsonl", "other/c.jsonl"]), ("folders with separators", ["my-train/a.jsonl", "x.test_1/b.jsonl"]), ("deep folders", ["a/b/train/c.jsonl", "a/b/dev/d/e.jsonl"]), ("file names", ["my_train.jsonl", "val-1.jsonl", "x.test.jsonl"]),
        ("keywords within words", ["trained.jsonl", "latest.jsonl", "devil.jsonl"]), ("keywords", ["training.jsonl", "eval.jsonl", "evaluation.jsonl", "dev.jsonl", "valid.jsonl", "testing.jsonl"]), ("none", ["b.jsonl", "a.jsonl"]), ("one of many formats", ["train.jsonl", "train.txt"]),
        ("hidden", [".train/a.jsonl", "__x/b.jsonl", "test.jsonl"]), ("upper case", ["TRAIN.jsonl", "Test.jsonl"]), ("train in a folder and a file", ["train/a.jsonl", "test.jsonl"]), ("a folder named data", ["data/train.jsonl", "data/test.jsonl"]), ("spaces", ["my train.jsonl"]),
        ("digits", ["train2.jsonl", "test 3.jsonl"]), ("config.json", ["config.json", "a.jsonl"]), ("the keyword alone in a folder", ["test/test.jsonl", "test/train.jsonl"]),
    ]:
        add(f"by names: {title}", tree(*paths))
        add(f"by names in data_dir: {title}", tree(*["sub/" + path for path in paths], "train.jsonl"), data_dir="sub")
    add("data_dir of a config", {"README.md": configs("- config_name: c\n  data_dir: sub"), **tree("sub/train.jsonl", "sub/test.jsonl", "dev.jsonl")})
    add("data_dir and data_files of a config", {"README.md": configs("- config_name: c\n  data_dir: sub\n  data_files: '*.jsonl'"), **tree("sub/train.jsonl", "dev.jsonl")})
    add("data_dir of the task with configs", {"README.md": configs(config("c", "'*.jsonl'")), **tree("sub/train.jsonl", "dev.jsonl")}, data_dir="sub")
    add("data_files of the task", tree("a.jsonl", "b.jsonl"), data_files={"test": ["b.jsonl", "a.jsonl"]})
    add("data_files of the task, a glob", tree("a.jsonl", "b.jsonl"), data_files="*.jsonl")
    add("data_files and data_dir of the task", tree("a.jsonl", "s/b.jsonl"), data_dir="s", data_files={"test": "b.jsonl"})
    add("a config by data_files of the task and a name", {"README.md": configs(config("c", "a.jsonl")), **tree("a.jsonl", "b.jsonl")}, "c", data_files={"test": "b.jsonl"})
    three = {"README.md": configs(config("x", "a.jsonl"), config("y", "b.jsonl"))} | tree("a.jsonl", "b.jsonl")
    for name in ["x", "y", "z", None]:
        add(f"config {name}", three, name)
    add("a default config", {**three, "README.md": configs(config("x", "a.jsonl"), config("y", "b.jsonl", "\n  default: true"))})
    add("a config named default", {**three, "README.md": configs(config("x", "a.jsonl"), config("default", "b.jsonl"))})
    add("two default configs", {**three, "README.md": configs(config("x", "a.jsonl", "\n  default: true"), config("default", "b.jsonl"))})
    add("no config_name", {**three, "README.md": configs("- data_files: a.jsonl")})
    add("a number for a name", {**three, "README.md": configs("- config_name: '7'\n  data_files: a.jsonl")}, "7")
    add("loader options", {"README.md": configs(config("c", "a.csv", '\n  sep: ";"')), "a.csv": "x;y\n1;2\n"})
    add("a field for the loader", {"README.md": configs(config("c", "a.json", "\n  field: rows")), "a.json": '{"rows":[{"a":1}]}'})
    add("a README without a front matter", {"README.md": "# Rows\n", **tree("train.jsonl")})
    add("an empty front matter", {"README.md": "---\n---\n", **tree("train.jsonl")})


def add_kwargs():
    ten = {"train.jsonl": "".join(f'{{"a":{at}}}\n' for at in range(10)), "test.jsonl": "".join(f'{{"a":{at}}}\n' for at in range(100, 107))}
    for spec in ["train", "train[:3]", "train[2:5]", "train[-2:]", "train[:-3]", "train[5:]", "train[:10%]", "train[:25%]", "train[25%:75%]", "train[-10%:]", "train[:15%]", "test[:50%]", "test[:33%]", "test[:66%]", "test[10%:20%]", "train[:2]+test[:1]", "train[8:20]", "train[20:]", "train[5:2]", "train[3]", "train[:50%](pct1_dropremainder)", "train[:50%](closest)", "odd[:2]", "train [:2]", "train[:5%]", "train[:]", "all", "test+train", "train[1:50%]", "train[::2]"]:
        add(f"split {spec}", ten, split={"s": spec})
    add("split as a text", ten, split="train")
    add("split as a list", ten, split=["train"])
    add("features", {"train.jsonl": '{"a":1}\n'}, features=None)
    add("an unknown option", {"train.jsonl": '{"a":1}\n'}, nonsense=1)
    add("a csv option", {"train.csv": "a;b\n1;2\n"}, sep=";")
    add("csv options", {"train.csv": "1|2\n"}, delimiter="|", column_names=["x", "y"])
    add("options of the harness", {"train.jsonl": '{"a":1}\n'}, download_mode="reuse_dataset_if_exists", keep_in_memory=True, num_proc=1, verification_mode="no_checks")
    add("skiprows", {"train.csv": "# note\na,b\n1,2\n"}, skiprows=1)
    add("the json loader's encoding", {"train.jsonl": '{"a":"é"}\n'}, encoding="utf-8")
    add("a json chunk size", {"train.jsonl": '{"a":"é"}\n'}, chunksize=100)


add_values(), add_labels(), add_nested(), add_infos(), add_patterns(), add_kwargs()
place = pathlib.Path(__file__).parent.parent / "goldens/sources/repositories.jsonl"
place.parent.mkdir(parents=True, exist_ok=True)
with open(place, "w") as out:
    for title, files, name, kwargs in CASES:
        kept = {path: content if isinstance(content, str) else {"base64": base64.b64encode(content).decode()} for path, content in files.items()}
        case = {"name": title, "files": kept, "config": name, "kwargs": kwargs}
        try:
            case["expected"] = read(files, name, kwargs)
        except Exception as error:
            case["expected"] = None
            case["refusal"] = f"{type(error).__name__}: {error.__cause__ or error}".split("\n")[0].replace(tempfile.gettempdir(), "")[:160]
        out.write(json.dumps(case, ensure_ascii=False) + "\n")
print(len(CASES), "cases,", sum(1 for line in open(place) if '"expected": null' in line), "refused")
