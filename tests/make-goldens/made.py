"""Says how goldens were made: by which maker, with which command and versions, and the hash of each file as it was written."""

import hashlib
import importlib.metadata
import json
import pathlib
import platform

ROOT = pathlib.Path(__file__).resolve().parents[2]


def keep_record(maker, files, packages, arguments="", folder=None):
    """Writes the maker's entry in `made.json` of `folder`, by default the one that `files` lie in. `packages` are names of distributions.

    A maker that wrote some of its files only keeps what the entry says of the others.
    """
    paths = [pathlib.Path(file).resolve() for file in files]
    (place,) = {path.parent for path in paths} if folder is None else {pathlib.Path(folder).resolve()}
    target = place / "made.json"
    record = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    by = pathlib.Path(maker).resolve().relative_to(ROOT).as_posix()
    hashes = {path.relative_to(place).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    record[by] = {
        "command": f"python {by} {arguments}".strip(),
        "versions": {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in packages}},
        "files": dict(sorted({**record.get(by, {}).get("files", {}), **hashes}.items())),
    }
    target.write_text(json.dumps(dict(sorted(record.items())), indent=2) + "\n", encoding="utf-8")
