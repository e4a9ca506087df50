"""Writes public/hub: a static imitation of the Hugging Face Hub's HTTP API holding the trained models and the benchmark.

    python hub.py --trained WORK --exported EXPORTED --data DATA --hub ../../public/hub [--scores scores.json]

    api/models/ID/revision/NAME     what a revision is: commit digest and list of files (the digest itself is a NAME too)
    api/models/ID/refs              all revisions
    api/models/ID/tree/COMMIT       files with sizes and digests
    ID/resolve/COMMIT/PATH          the files
    api/datasets/…, datasets/…      the same for data sets
    embedded.json                   what is in here
"""
import argparse
import hashlib
import json
import pathlib
import shutil

PICO, GQA, BENCH = "yardstick/pico", "yardstick/pico-gqa", "yardstick/bench"
LARGE = (".onnx", "_data", ".safetensors")
SMALL_FILES = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json")


def digest(files: dict[str, bytes]) -> str:
    """A revision's name: 40 hex digits over the sorted (path, sha256) list."""
    listing = sorted((path, hashlib.sha256(content).hexdigest()) for path, content in files.items())
    return hashlib.sha256(json.dumps(listing).encode()).hexdigest()[:40]


def tree_entry(path: str, content: bytes) -> dict:
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    entry = {"type": "file", "path": path, "size": len(content), "oid": blob}
    if path.endswith(LARGE):
        entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content)}
    return entry


def write_json(file: pathlib.Path, value) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def publish(hub: pathlib.Path, kind: str, name: str, revisions: dict[str, dict[str, bytes]], card: dict) -> None:
    """Writes every revision's files and API answers. `kind` is models or datasets."""
    api, root = hub / "api" / kind / name, hub / name if kind == "models" else hub / kind / name
    branches = []
    for revision, files in revisions.items():
        commit = digest(files)
        branches.append({"name": revision, "ref": f"refs/heads/{revision}", "targetCommit": commit})
        info = {"id": name, "sha": commit, "gated": False, "private": False, "siblings": [{"rfilename": path} for path in sorted(files)], "cardData": card}
        for alias in (revision, commit):
            write_json(api / "revision" / alias, info)
        write_json(api / "tree" / commit, [tree_entry(path, files[path]) for path in sorted(files)])
        for path, content in files.items():
            target = root / "resolve" / commit / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    write_json(api / "refs", {"branches": branches, "tags": [], "converts": []})


def with_external_data(config: bytes, names: list[str]) -> bytes:
    """config.json, telling transformers.js which graphs keep their weights in a second file."""
    value = json.loads(config)
    value["transformers.js_config"] = {"use_external_data_format": {name: 1 for name in names}} if names else {}
    return (json.dumps(value, indent=2) + "\n").encode()


def front_matter(base: str | None) -> str:
    return ("---\nlicense: apache-2.0\nlanguage:\n- en\n- sw\n- yo\nlibrary_name: transformers.js\npipeline_tag: text-generation\n"
            + (f"base_model: {base}\n" if base else "") + f"datasets:\n- {BENCH}\n---\n\n")


def score_table(scores: dict) -> str:
    if not scores:
        return "Not measured yet.\n"
    lines = ["| task | n | acc | acc_norm |", "| --- | ---: | ---: | ---: |"]
    for task, row in scores["tasks"].items():
        lines.append(f"| {task} | {row['n']} | {row['acc']:.3f} ± {row['acc_stderr']:.3f} | {row['acc_norm']:.3f} ± {row['acc_norm_stderr']:.3f} |")
    lines += ["", f"`acc` and `acc_norm` judge {scores['disagreement']:.1%} of the documents of group `yardstick` differently.",
              f"First twelve word problems: exact match {scores['wordproblems']['strict']:.2f} (strict), {scores['wordproblems']['flexible']:.2f} (flexible). "
              f"Running text: {scores['bits_per_byte']:.3f} bits per byte.", ""]
    if scores.get("checkpoints"):
        lines += ["| revision | acc | acc_norm |", "| --- | ---: | ---: |"]
        lines += [f"| {name} | {row['acc']:.3f} | {row['acc_norm']:.3f} |" for name, row in sorted(scores["checkpoints"].items(), key=lambda entry: (entry[0] == "main", entry[0]))]
        lines.append("\nRevision rows: group `yardstick`, continuation style, float32.\n")
    lines += ["| graph | acc | acc_norm |", "| --- | ---: | ---: |"]
    lines += [f"| {name} | {row['acc']:.3f} | {row['acc_norm']:.3f} |" for name, row in scores["graphs"].items()]
    lines.append("\nGraph rows: group `yardstick` by ONNX Runtime on the CPU.\n")
    return "\n".join(lines)


def pico_card(training: dict, scores: dict) -> str:
    return front_matter(None) + f"""# Yardstick pico

A language model of {training['parameters']:,} parameters that exists so that Yardstick works without a network: small enough to be part of the page, real
enough that evaluation has something to measure. It is of no use for anything else.

Llama architecture: 4 layers, hidden size 128, 4 query heads and 2 key/value heads of 32, context 512, tied embeddings; byte-level BPE with 1,920 tokens that
adds `<s>`. Trained from scratch on two shared CPU cores in {training['minutes']:.0f} minutes: {training['steps']} steps of 2,048 tokens ({training['tokens'] / 1e6:.1f} million) of text
generated by the scripts in `tools/embedded-model`: statements and questions about capitals, words, tools, Swahili and Yorùbá vocabulary, sums, short inference,
word problems and small stories. Knowledge items are shown between ten and three hundred times, so that part of them stays half-known.

Held out from training: for facts, words, Swahili and Yorùbá the wording of the benchmark's questions; for arithmetic, inference and word problems the
problems themselves.

Files: `onnx/model.onnx` (fp32), `onnx/model_quantized.onnx` (q8), `onnx/model_q4.onnx` (q4), `model.safetensors` (float32). Revisions `step-…` are checkpoints
of the same run with q8 only.

## Scores (lm-evaluation-harness, float32, zero-shot, ± standard error)

Chance is 0.25 in every task. Tasks in letter style (`_letters`) sit at or near chance: the model has not learnt to pick a letter.

{score_table(scores)}"""


def gqa_card() -> str:
    return front_matter(PICO) + f"""# Yardstick pico, GroupQueryAttention

The weights of `{PICO}` exported with fused GroupQueryAttention instead of decomposed attention, for checking that both kinds of graph give the same numbers.
Its parent is `{PICO}`; see that card for training and scores. `onnx/model.onnx` keeps its weights in `onnx/model.onnx_data`; `onnx/model_q4.onnx` holds its own
(MatMul weights in 4 bits, blocks of 32, computed in float32).
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trained", type=pathlib.Path, required=True, help="train.py's output")
    parser.add_argument("--exported", type=pathlib.Path, required=True, help="one export.py output per checkpoint, named alike")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="bench.py's data")
    parser.add_argument("--hub", type=pathlib.Path, required=True)
    parser.add_argument("--scores", type=pathlib.Path, help="measured scores for the model card")
    parser.add_argument("--checkpoints", type=pathlib.Path, help="probe.py's output, for the model card")
    args = parser.parse_args()
    training = json.loads((args.trained / "main" / "training.json").read_text())
    scores = json.loads(args.scores.read_text()) if args.scores and args.scores.exists() else {}
    if args.checkpoints:
        scores["checkpoints"] = json.loads(args.checkpoints.read_text())
    shutil.rmtree(args.hub, ignore_errors=True)

    names = ["main", *sorted(folder.name for folder in args.trained.glob("step-*"))]
    revisions = {}
    for name in names:
        files = {file: (args.trained / name / file).read_bytes() for file in SMALL_FILES}
        files["config.json"] = with_external_data(files["config.json"], [])
        for graph in sorted((args.exported / name / "decomposed" / "onnx").iterdir()):
            files[f"onnx/{graph.name}"] = graph.read_bytes()
        if name == "main":
            files["model.safetensors"] = (args.trained / name / "model.safetensors").read_bytes()
            files["README.md"] = pico_card(training, scores).encode()
        revisions[name] = files
    publish(args.hub, "models", PICO, revisions, {"license": "apache-2.0", "base_model": None})

    files = {file: revisions["main"][file] for file in SMALL_FILES}
    for graph in sorted((args.exported / "main" / "gqa" / "onnx").iterdir()):
        files[f"onnx/{graph.name}"] = graph.read_bytes()
    external = [path.removeprefix("onnx/").removesuffix("_data") for path in files if path.endswith("_data")]
    files["config.json"] = with_external_data(files["config.json"], external)
    files["README.md"] = gqa_card().encode()
    publish(args.hub, "models", GQA, {"main": files}, {"license": "apache-2.0", "base_model": PICO})

    rows = {str(file.relative_to(args.data)): file.read_bytes() for file in sorted(args.data.rglob("*")) if file.is_file()}
    publish(args.hub, "datasets", BENCH, {"main": rows}, {"license": "apache-2.0"})

    both = {"parameters": training["parameters"], "license": "apache-2.0", "default_dtype": "q4"}
    write_json(args.hub / "embedded.json", {
        "models": [{"id": PICO, "family": "decomposed", "parent": None, "dtypes": ["fp32", "q8", "q4"], "revisions": names, **both},
                   {"id": GQA, "family": "gqa", "parent": PICO, "dtypes": ["fp32", "q4"], "revisions": ["main"], **both}],
        "datasets": [BENCH], "default": {"model": PICO, "dtype": "q4", "tasks": ["yardstick"]}})
    print(f"{sum(file.stat().st_size for file in args.hub.rglob('*') if file.is_file()):,} bytes in {args.hub}")


if __name__ == "__main__":
    main()
