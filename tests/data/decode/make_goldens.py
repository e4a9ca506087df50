#!/usr/bin/env python3
"""Writes goldens.jsonl: what the `datasets` library reads from small tricky files. One case a line: loader, options, files in base64 and
either the rows (every value with its Python type) or the fact that it refuses. Needs `datasets` (5.2.0 made the kept file) and pyarrow."""
import base64, datetime, decimal, gzip, io, json, math, os, pathlib, random, tempfile

os.environ["HF_DATASETS_OFFLINE"] = "1"
os.environ["HF_HOME"] = tempfile.mkdtemp()
import datasets
import pyarrow as pa
import pyarrow.parquet as pq

datasets.disable_progress_bars()
datasets.logging.set_verbosity(100)


def typed(value):
    """The value with its Python type spelt out; dates as `str` prints them."""
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


def read(loader, contents, options):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, content in contents:
            path = pathlib.Path(folder, name)
            path.write_bytes(content)
            paths.append(str(path))
        rows = datasets.load_dataset(loader, data_files={"test": paths}, cache_dir=folder + "/cache", **options)["test"]
        return {"columns": rows.column_names, "rows": [typed(dict(row)) for row in rows]}


CASES = []


def add(name, loader, content, extension=None, **options):
    contents = content if isinstance(content, list) else [content]
    default = {"json": "jsonl", "csv": "csv", "parquet": "parquet", "text": "txt"}[loader]
    files = [(f"{index}.{extension or default}", part.encode() if isinstance(part, str) else part) for index, part in enumerate(contents)]
    CASES.append((name, loader, files, options))


def lines(*rows):
    return "".join(row + "\n" for row in rows)


def add_jsonl():
    for name, *rows in [
        ("integers and floats mixed", '{"a":1}', '{"a":1.5}'), ("a missing key", '{"a":1}', '{"b":"x"}'), ("only nulls", '{"a":null}', '{"a":null}'),
        ("integers and texts mixed", '{"a":1}', '{"a":"x"}'), ("texts that are JSON in a mixed column", '{"a":1}', '{"a":"5"}', '{"a":"[1]"}', '{"a":1.0}'),
        ("booleans and integers mixed", '{"a":true}', '{"a":1}'), ("int64 limits", '{"a":9223372036854775807}', '{"a":-9223372036854775808}'),
        ("beyond int64", '{"a":9223372036854775808}', '{"a":1}'), ("beyond 2^53", '{"a":9007199254740993}', '{"a":2}'),
        ("beyond 2^53 with a float", '{"a":9007199254740993}', '{"a":1.5}'), ("NaN", '{"a":NaN}', '{"a":1}'), ("infinities", '{"a":Infinity}', '{"a":-Infinity}'),
        ("too large for a float", '{"a":1e400}'), ("negative zero", '{"a":-0}', '{"a":0}'), ("an exponent", '{"a":1e2}'), ("blank lines", '{"a":1}', "", "  ", '{"a":2}', ""),
        ("white space", ' {"a" : 1 , "b":[ ] }  '), ("a key twice", '{"a":1,"a":2}'), ("an empty object first", "{}", '{"a":1}'), ("a lone surrogate", '{"a":"\\ud800"}'),
        ("line separators within a text", '{"a":"x\u2028y\u0085z"}', '{"a":"b"}'), ("a tab within a text", '{"a":"x\ty"}'), ("dates", '{"a":"2024-01-01"}', '{"a":"2024-01-02 10:00:00"}'),
        ("dates with zones", '{"a":"2024-01-01T10:00:00+02:00"}', '{"a":"2024-01-01T10:00:00Z"}'), ("dates and another text", '{"a":"2024-01-01"}', '{"a":"soon"}'),
        ("no date", '{"a":"2024-13-01"}'), ("dates in lists", '{"a":["2024-01-01",null]}'), ("dates in records", '{"a":{"d":"2024-01-01","n":1}}', '{"a":{"d":null,"n":2}}'),
        ("lists", '{"a":[1,2]}', '{"a":[1.5]}', '{"a":null}', '{"a":[]}'), ("mixed lists", '{"a":[1,"x"]}'), ("empty lists", '{"a":[]}', '{"a":[]}'),
        ("nested lists", '{"a":[[1],[2,3],[]]}'), ("lists and values mixed", '{"a":[1,[2]]}', '{"a":[3]}'), ("records with other keys", '{"a":{"y":1,"x":2}}', '{"a":{"x":3,"z":"q"}}', '{"a":null}'),
        ("records with the same keys", '{"a":{"y":1,"x":2}}', '{"a":{"x":3.5,"y":4}}'), ("records whose inner records differ", '{"a":{"x":1,"y":{"q":1}}}', '{"a":{"x":2,"y":{"p":1.0}}}'),
        ("records with other keys and blank lines", '{"a":{"y":1}}', "", '{"a":{"x":3.5}}'), ("lists of records with other keys", '{"k":[{"n":2,"r":"x"},{}]}', '{"k":[{"r":"at least"}]}'),
        ("a record of nulls", '{"a":{"x":null}}'), ("empty records", '{"a":{}}', '{"a":{}}'), ("a record and a list", '{"a":{"x":1}}', '{"a":[1]}'), ("a text and a record", '{"a":"s"}', '{"a":{"x":1}}'),
        ("floats beside mixed records", '{"a":{"x":1},"f":0.12345678901234}', '{"a":{"y":1},"f":1.0}'), ("columns that come later", '{"b":1}', '{"a":2,"b":3}', '{"c":4}'),
        ("keys like integers", '{"b":1,"2":2,"1":3}', '{"1":4}'), ("inner keys like integers", '{"a":{"b":1,"2":2,"1":3}}'), ("a key __proto__", '{"__proto__":{"x":1},"a":1}'), ("an empty key", '{"":1}'),
        ("escapes", '{"a":"\\u00e9\\n\\/ \\ud83d\\ude00 \\" \\\\"}'), ("two rows on a line", '{"a":1}{"a":2}'), ("a comma between lines", '{"a":1},', '{"a":2}'), ("a leading zero", '{"a":01}'),
        ("a bare fraction", '{"a":.5}'), ("a missing fraction", '{"a":1.}'), ("Python's True", '{"a":True}'), ("single quotes", "{'a':1}"), ("an unknown escape", '{"a":"\\x"}'), ("a value that is no object", "1"),
        ("float precision", '{"a":0.1}', '{"a":1234567.8901234567}', '{"a":5e-324}', '{"a":1}'), ("texts and nulls", '{"a":"x"}', '{"a":null}', "{}"), ("types within lists of records", '{"a":[{"x":1},{"x":"s"}]}'),
        ("an escaped NUL", '{"a":"\\u0000"}'), ("mixed booleans in a list", '{"a":[true,1]}'),
    ]:
        add(name, "json", lines(*rows))
    add("CRLF", "json", '{"a":1}\r\n{"a":2}\r\n')
    add("a byte order mark", "json", b'\xef\xbb\xbf{"a":1}\n')
    add("no line end at the end", "json", '{"a":1}\n{"a":2}')
    add("bytes that are not UTF-8", "json", b'{"a":"\xff"}\n')
    add("a cut last line", "json", '{"a":1}\n{"a":\n')
    add("a control character", "json", b'{"a":"x\x01y"}\n')
    add("a row over two lines", "json", '{"a":\n1}\n{"a":2}\n')
    add("two files", "json", ['{"a":1}\n', '{"a":2}\n'])
    add("gzip", "json", gzip.compress(b'{"a":1}\n'), "jsonl.gz")
    add("gzip of two members", "json", gzip.compress(b'{"a":1}\n') + gzip.compress(b'{"a":2}\n'), "jsonl.gz")


def add_json():
    add("an array of objects", "json", '[{"a":1,"b":"x"},{"b":"y","a":2.5}]', "json")
    add("an array of texts", "json", '["x","y"]', "json")
    add("an array over lines", "json", '[\n  {"a": 1},\n  {"a": 2}\n]\n', "json")
    add("floats in an array", "json", '[{"f":0.12345678901234,"g":1.0},{"f":NaN,"g":2.0}]', "json")
    add("one object over lines", "json", '{\n "a": [1,2],\n "b": ["x","y"]\n}', "json")
    for name, content in [
        ("records", '{"v":1,"f":[{"q":"x","n":1},{"q":"y","n":2.5}]}'), ("columns", '{"f":{"a":[1,2],"b":["x","y"]}}'), ("texts", '{"f":["x","y"]}'), ("missing keys", '{"f":[{"a":1},{"b":2}]}'),
        ("dates", '{"f":[{"a":"2024-01-01","date":"2024-01-01","id":"007","l":[1,2],"o":{"x":1}}]}'), ("nulls", '{"f":[{"a":null,"b":true,"c":null},{"a":1,"b":null,"c":null}]}'), ("whole floats", '{"f":[{"a":1.0},{"a":2.0}]}'),
    ]:
        add(f"field of {name}", "json", content, "json", field="f")


def add_csv():
    for name, content in [
        ("types", "a,b,c\n1,x,1.5\n2,y,2\n"), ("integers with a gap", "a,b\n1,x\n,y\n"), ("texts with gaps", "a,b\nNA,x\nn,null\n"), ("booleans", "a\nTrue\nFALSE\ntrue\n"), ("booleans and a text", "a\nTrue\nx\n"),
        ("booleans with a gap", "a,b\nTrue,1\n,2\n"), ("quotes", 'a,b\n"x,1","he said ""hi"""\n"line\nbreak",z\n'), ("blank lines", "a,b\n1,2\n\n   \n3,4\n"), ("short rows", "a,b,c\n1,2\n3,4,5\n"),
        ("a long row", "a,b\n1,2\n1,2,3\n"), ("repeated names", "a,a,b,a\n1,2,3,4\n"), ("repeated names that clash", "a,a,a.1\n1,2,3\n"), ("an empty name", ",a\n0,x\n"), ("CRLF", "a,b\r\n1,2\r\n"), ("CR", "a,b\r1,2\r"),
        ("int64 limits", "a\n9223372036854775807\n1\n"), ("floats", "a\n0.1\n1e5\n-.5\n5.\n"), ("infinities", "a\ninf\n-Infinity\n+INF\n"), ("only gaps", "a,b\n,1\n,2\n"), ("leading zeros", "a\n007\n08\n"),
        ("a plus sign", "a\n+5\n6\n"), ("spaces", "a,b\n 1, x\n2,y \n"), ("percent", "a\n5%\n6\n"), ("thousands", 'a\n"1,000"\n2\n'), ("dates", "a\n2024-01-01\n"), ("hexadecimal", "a\n0x1F\n2\n"), ("quoted numbers", 'a\n"1"\n"2"\n'),
        ("quoted gaps", 'a,b\n"",1\n"x",2\n'), ("no line end at the end", "a,b\n1,2"), ("an open quote", 'a,b\n"x,1\n2,3\n'), ("a quote within", 'a,b\nx"y"z,1\n'), ("text after a quote", 'a,b\n"x"y,1\n'), ("a dash", "a\n-\n1\n"),
        ("all texts for gaps", "a\n" + "\n".join(["x", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"]) + "\n"),
        ("beyond floats", "a\n1e400\n1\n"), ("an underscore", "a\n1_000\n2\n"), ("a trailing comma", "a,b,\n1,2,\n"), ("numbers as names", "1,2\n3,4\n"), ("CRLF within quotes", 'a,b\r\n"x\r\ny",1\r\n'), ("a cut exponent", "a\n1e\n2\n"),
        ("an empty file", ""), ("blank lines first", "\n\na,b\n1,2\n"),
    ]:
        add(name, "csv", content)
    add("a byte order mark", "csv", b"\xef\xbb\xbfa,b\n1,2\n")
    add("bytes that are not UTF-8", "csv", b"a\n\xff\n")
    add("tabs", "csv", 'a\tb\n1\t"x"\n', "tsv", sep="\t")
    add("bars", "csv", "a|b\n1|2\n", delimiter="|")
    add("names given", "csv", "1,2\n", column_names=["x", "y"])
    add("no quoting", "csv", 'a\tb\n"x\ty"\n', "tsv", sep="\t", quoting=3)
    add("texts after many integers", "csv", "a\n" + "1\n" * 10000 + "x\n")
    rng = random.Random(1)
    add("random floats", "csv", "a\n" + "".join(f"{rng.uniform(-10 ** rng.randint(-8, 12), 10 ** rng.randint(-8, 12))!r}\n" for _ in range(200)))
    add("random decimals", "csv", "a\n" + "".join(f"{rng.randint(0, 10 ** 6)}.{rng.randint(0, 10 ** rng.randint(1, 4))}\n" for _ in range(200)))


def add_text():
    for name, content, options in [("lines", "a\nb\n\nc", {}), ("CRLF", "a\r\nb\r\n", {}), ("CR", "a\rb", {}), ("line separators", "a\u2028b\x0bc\n", {}), ("a byte order mark", "\ufeffa\n", {}),
                                   ("paragraphs", "a\n\nb\nc\n\n\nd\n", {"sample_by": "paragraph"}), ("documents", "a\n\nb\n", {"sample_by": "document"}), ("kept line ends", "a\nb\n", {"keep_linebreaks": True})]:
        add(name, "text", content, **options)


def add_parquet():
    def parquet(table, **options):
        sink = io.BytesIO()
        pq.write_table(table, sink, **options)
        return sink.getvalue()

    scalars = pa.table({
        "i8": pa.array([1, -2, None], pa.int8()), "u32": pa.array([1, 4294967295, None], pa.uint32()), "i64": pa.array([1, 9007199254740993, None]), "f32": pa.array([0.1, 1.0, None], pa.float32()),
        "f64": pa.array([0.1, 1.0, None]), "b": pa.array([True, False, None]), "s": pa.array(["x", "é\u2028", None]), "ls": pa.array(["x", "", None], pa.large_string()), "n": pa.array([None, None, None]),
        "d": pa.array([datetime.date(2024, 2, 29), datetime.date(1969, 12, 31), None]), "t": pa.array([datetime.datetime(2024, 1, 1, 1, 2, 3), datetime.datetime(1960, 1, 1, 0, 0, 0, 5), None], pa.timestamp("us")),
        "ts": pa.array([datetime.datetime(2024, 1, 1, 1, 2, 3), None, None], pa.timestamp("s"))})
    nested = pa.table({
        "l": pa.array([[1, None], [], None]), "ll": pa.array([[["a"], []], [None], None]), "st": pa.array([{"y": 1, "x": "a"}, {"y": None, "x": None}, None]),
        "ls": pa.array([[{"2": 1, "1": [True]}], [], None]), "sl": pa.array([{"text": ["a", "b"], "label": [1, 2]}, {"text": [], "label": []}, None])})
    add("scalars", "parquet", parquet(scalars))
    add("nested", "parquet", parquet(nested))
    for codec in ["none", "gzip", "zstd", "brotli", "lz4"]:
        add(f"{codec} compression", "parquet", parquet(scalars, compression=codec))
    add("several row groups", "parquet", parquet(pa.table({"a": list(range(100)), "s": [str(i) for i in range(100)]}), row_group_size=7))
    add("two files", "parquet", [parquet(pa.table({"a": [1], "b": ["x"]})), parquet(pa.table({"a": [2], "b": ["y"]}))])
    add("categories", "parquet", parquet(pa.table({"c": pa.array(["x", "y", "x"]).dictionary_encode()})))
    add("a cut file", "parquet", parquet(scalars)[:-20])


add_jsonl(), add_json(), add_csv(), add_text(), add_parquet()
with open(pathlib.Path(__file__).with_name("goldens.jsonl"), "w") as out:
    for name, loader, files, options in CASES:
        case = {"name": f"{loader}: {name}", "loader": loader, "options": options, "files": [{"name": file, "base64": base64.b64encode(content).decode()} for file, content in files]}
        try:
            case["expected"] = read(loader, files, options)
        except Exception:
            case["expected"] = None
        out.write(json.dumps(case, ensure_ascii=True) + "\n")
print(len(CASES), "cases")
