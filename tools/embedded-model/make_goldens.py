"""Runs lm-evaluation-harness itself on the bundled model and benchmark, and ONNX Runtime on every bundled graph.

    python make_goldens.py --hub ../../public/hub --tasks ../../public/tasks/yardstick --out ../../tests/goldens/embedded [--only ID…] [--scores scores.json]

OUT/ID/results.json and samples_TASK.jsonl.gz   one harness run each, see RUNS
OUT/ort/MODEL_DTYPE.json                        log-likelihoods of fixed requests by ONNX Runtime on the CPU
"""
import argparse
import gzip
import json
import os
import pathlib
import re
import sys
import tempfile

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
CACHE = tempfile.TemporaryDirectory(prefix="goldens-")
os.environ["HF_DATASETS_CACHE"] = CACHE.name

import datasets
import lm_eval
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager
from lm_eval.utils import handle_non_serializable, sanitize_list

import ort_scores
from hub import BENCH, PICO

datasets.disable_progress_bars()
RUNS = [
    {"id": "all", "tasks": ["yardstick"]},
    {"id": "letters", "tasks": ["yardstick_letters"]},
    {"id": "facts_3shot", "tasks": ["yardstick_facts"], "num_fewshot": 3},
    {"id": "words_chat_2shot", "tasks": ["yardstick_words"], "num_fewshot": 2, "apply_chat_template": True, "fewshot_as_multiturn": True},
    {"id": "swahili_mutual_info", "tasks": ["yardstick_swahili"], "overrides": {"metric_list": [
        {"metric": name, "aggregation": "mean", "higher_is_better": True} for name in ("acc", "acc_norm", "acc_mutual_info")]}},
    {"id": "text", "tasks": ["yardstick_text"]},
    {"id": "wordproblems", "tasks": ["yardstick_wordproblems"], "limit": 12, "gen_kwargs": {"max_gen_toks": 32}},
    # Contexts cut from the left: five examples and 400 tokens to be written in a window of 512.
    {"id": "wordproblems_5shot_cut", "tasks": ["yardstick_wordproblems"], "num_fewshot": 5, "limit": 3,
     "gen_kwargs": {"max_gen_toks": 400, "until": ["Question: M", "\n#### 4"]}},
    {"id": "wordproblems_penalty", "tasks": ["yardstick_wordproblems"], "limit": 6,
     "gen_kwargs": {"max_gen_toks": 60, "until": [], "repetition_penalty": 1.3}},
    {"id": "wordproblems_ngram", "tasks": ["yardstick_wordproblems"], "limit": 6,
     "gen_kwargs": {"max_new_tokens": 60, "until": "zzz", "no_repeat_ngram_size": 3, "min_new_tokens": 40, "bad_words_ids": [[16], [22, 23]]}},
    {"id": "wordproblems_chat_2shot", "tasks": ["yardstick_wordproblems"], "num_fewshot": 2, "limit": 5, "apply_chat_template": True,
     "fewshot_as_multiturn": True, "gen_kwargs": {"max_gen_toks": 40, "until": ["##", " = "]}},
]
CHECKED = ("all", "letters", "facts_3shot")  # runs whose requests the fp32 graphs must reproduce
RESULT_KEYS = ("results", "groups", "group_subtasks", "configs", "versions", "n-shot", "higher_is_better", "n-samples")
CONFIG_KEYS = ("limit", "bootstrap_iters", "gen_kwargs", "random_seed", "numpy_seed", "torch_seed", "fewshot_seed")
TOKENIZER_KEYS = ("tokenizer_pad_token", "tokenizer_eos_token", "tokenizer_bos_token", "eot_token_id", "max_length")


def main_folder(hub: pathlib.Path, kind: str, name: str) -> pathlib.Path:
    """Where the files of a repository's main revision lie."""
    commit = json.loads((hub / "api" / kind / name / "revision" / "main").read_text())["sha"]
    return (hub / name if kind == "models" else hub / kind / name) / "resolve" / commit


def read_bench_from(folder: pathlib.Path) -> None:
    """Makes `load_dataset("yardstick/bench", …)` read the bundled files."""
    load = datasets.load_dataset

    def load_dataset(path, *rest, **named):
        return load(str(folder) if path == BENCH else path, *rest, **named)

    datasets.load_dataset = load_dataset


def portable(value, replaced: list[tuple[str, str]]):
    """The value as JSON, machine paths rewritten and object addresses dropped."""
    text = json.dumps(value, default=handle_non_serializable, ensure_ascii=False)
    for path, replacement in replaced:
        text = text.replace(path, replacement)
    return json.loads(re.sub(r" at 0x[0-9a-f]+", "", text))


def sample_rows(rows: list[dict]) -> list[dict]:
    """Rows as the harness's own samples file has them: arguments as named fields, everything inside them as strings."""
    made = []
    for row in rows:
        arguments = {f"gen_args_{i}": {f"arg_{j}": value for j, value in enumerate(values)} for i, values in enumerate(row["arguments"])}
        made.append({**row, "resps": sanitize_list(row["resps"]), "filtered_resps": sanitize_list(row["filtered_resps"]),
                     "arguments": arguments, "target": str(row["target"])})
    return made


def write_run(out: pathlib.Path, spec: dict, results: dict, replaced: list[tuple[str, str]]) -> None:
    folder = out / spec["id"]
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("samples_*"):
        old.unlink()
    kept = {key: results[key] for key in RESULT_KEYS if results.get(key)}
    kept["config"] = {"model": "hf", "model_args": {"pretrained": PICO, "dtype": "float32"}, "batch_size": 1, "device": "cpu",
                      **{key: results["config"].get(key) for key in CONFIG_KEYS}}
    kept.update({key: results[key] for key in TOKENIZER_KEYS if key in results})
    kept.update({key: results.get(key) for key in ("lm_eval_version", "transformers_version")}, spec=spec)
    (folder / "results.json").write_text(json.dumps(portable(kept, replaced), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for task, rows in results["samples"].items():
        lines = "".join(json.dumps(portable(row, replaced), ensure_ascii=False) + "\n" for row in sample_rows(rows))
        with open(folder / f"samples_{task}.jsonl.gz", "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
            packed.write(lines.encode())


def scores(runs: dict[str, dict]) -> dict:
    """The numbers the model card shows."""
    names = ("acc", "acc_norm")
    tasks = {}
    for run in ("all", "letters"):
        for task, row in runs[run]["results"].items():
            size = runs[run]["n-samples"].get(task, {}).get("effective") or sum(n["effective"] for n in runs[run]["n-samples"].values())
            tasks[task] = {"n": size, **{f"{name}{tail}": row[f"{name}{tail},none"] for name in names for tail in ("", "_stderr")}}
    docs = [row for rows in runs["all"]["samples"].values() for row in rows]
    problems, text = runs["wordproblems"]["results"]["yardstick_wordproblems"], runs["text"]["results"]["yardstick_text"]
    return {"tasks": tasks, "disagreement": sum(row["acc"] != row["acc_norm"] for row in docs) / len(docs),
            "wordproblems": {"strict": problems["exact_match,strict-match"], "flexible": problems["exact_match,flexible-extract"]},
            "bits_per_byte": text["bits_per_byte,none"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", type=pathlib.Path, required=True)
    parser.add_argument("--tasks", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--scores", type=pathlib.Path, help="also write the model card's numbers here (a complete run only)")
    args = parser.parse_args()
    hub, tasks = args.hub.resolve(), args.tasks.resolve()
    model, bench = main_folder(hub, "models", PICO), main_folder(hub, "datasets", BENCH)
    read_bench_from(bench)
    replaced = [(str(tasks) + "/", ""), (str(model), PICO), (str(bench), BENCH), (str(pathlib.Path(lm_eval.__file__).parent), "lm_eval")]
    manager = TaskManager(include_path=str(tasks))
    lm = HFLM(pretrained=str(model), dtype="float32", device="cpu", batch_size=1)
    runs = {}
    for spec in RUNS:
        if args.only and spec["id"] not in args.only:
            continue
        named = {key: value for key, value in spec.items() if key not in ("id", "tasks", "overrides")}
        requested = [{**manager.task_index[task].cfg, **spec["overrides"]} for task in spec["tasks"]] if "overrides" in spec else spec["tasks"]
        runs[spec["id"]] = results = lm_eval.simple_evaluate(
            model=lm, tasks=requested, task_manager=manager, batch_size=1, device="cpu", **named)
        write_run(args.out, spec, results, replaced)
        print(spec["id"], {task: {key: round(value, 4) for key, value in row.items() if isinstance(value, float) and "stderr" not in key}
                           for task, row in results["results"].items()}, flush=True)
    if args.only:
        return
    requests = {run: [(tuple(call), tuple(response[0])) for rows in runs[run]["samples"].values() for row in rows
                      for call, response in zip(row["arguments"], row["resps"])] for run in CHECKED}
    fine, graphs = ort_scores.write_all(hub, args.out / "ort", runs, requests)
    if args.scores:
        args.scores.write_text(json.dumps({**scores(runs), "graphs": graphs}, indent=1) + "\n")
    if not fine:
        sys.exit("the fp32 graphs differ from the harness by more than the tolerance")


if __name__ == "__main__":
    main()
