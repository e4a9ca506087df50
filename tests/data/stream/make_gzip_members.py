"""Writes gzip-members.json: gzip files as Python's gzip reads them. Run with any Python 3.11 or later."""
import base64, gzip, json, pathlib, random

rng = random.Random(7)
line = lambda: json.dumps({"n": rng.randrange(10**6), "t": "".join(rng.choice("ab\u2028é ") for _ in range(rng.randrange(40)))}) + "\n"
cases = []


def add(name: str, packed: bytes) -> None:
    try:
        content = base64.b64encode(gzip.decompress(packed)).decode()
    except (OSError, EOFError):
        content = None
    cases.append({"name": name, "packed": base64.b64encode(packed).decode(), "content": content})


for count in range(1, 21):
    parts = ["".join(line() for _ in range(rng.randrange(4))).encode() for _ in range(count)]
    add(f"{count} members", b"".join(gzip.compress(part, rng.choice([0, 1, 9]), mtime=0) for part in parts))
whole = gzip.compress(b'{"a":1}\n', mtime=0)
add("zeros at the end", whole + bytes(9))
add("zeros between members", whole + bytes(3) + whole)
add("junk at the end", whole + b"junk")
add("one letter at the end", whole + b"x")
add("a bad magic after zeros", whole + bytes(2) + b"\x1f\x8c\x08")
add("a wrong checksum", whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:])
add("a wrong length", whole[:-1] + bytes([whole[-1] ^ 1]))
add("a wrong checksum in the first of two", whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:] + whole)
add("a second member without its end", whole + whole[:-3])
add("a name, a comment and extra bytes", b"\x1f\x8b\x08\x1c\0\0\0\0\0\xff" + b"\x03\0abc" + b"name\0" + b"comment\0" + whole[10:])
pathlib.Path(__file__).with_name("gzip-members.json").write_text(json.dumps(cases, indent=2) + "\n")
