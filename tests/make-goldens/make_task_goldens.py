"""Writes tests/goldens/tasks/harness.json.gz: what lm-evaluation-harness 0.4.13 makes of its own tasks of the names that are bundled.

    python make_task_goldens.py --hub HUB [--only GLOB | --missing]

HUB/datasets/<org>/<name> holds slices of the data sets in the Hub's layout. Every task is built over the made-up rows of task_rows.py and,
where HUB has its data, over that slice; each with no examples and with two. Kept are the task's config, and for every doc the first
eight digits of four hashes: doc, prompt, target (as in the harness's sample lines) and the arguments of all its requests.
No row of a data set is kept.
"""
import argparse
import fnmatch
import functools
import gzip
import hashlib
import json
import logging
import os
import pathlib
import random
import tempfile

# The metrics that a task names are looked up and never called; without the third, each look-up retries the network for seconds.
os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_EVALUATE_OFFLINE="1", HF_DATASETS_DISABLE_PROGRESS_BARS="1", TQDM_DISABLE="1")
CACHE = tempfile.TemporaryDirectory(prefix="task-goldens-")
os.environ["HF_DATASETS_CACHE"] = CACHE.name
logging.disable(logging.CRITICAL)

import datasets
import yaml

from task_rows import ROWS

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHOTS = 2

load_from_folder = datasets.load_dataset
hub = None
loaded = {}


def load_dataset(path, name=None, **kwargs):
    """Made-up rows while `hub` is None, else the slice in HUB. Every load from files has its own cache folder, or equal files would be mixed up."""
    kwargs = {key: value for key, value in kwargs.items() if key != "metadata"}
    key = (hub is None, path, name)
    if key not in loaded:
        if hub is None:
            rows = ROWS[path]
            turned = {split: rows[turn:] + rows[:turn] for turn, split in enumerate(["test", "validation", "train", "dev"])}
            made = datasets.DatasetDict({split: datasets.Dataset.from_list(part) for split, part in turned.items()})
            if path == "Idavidrein/gpqa":
                # Only what lies on disk is cached, and without the cache each look at the docs would shuffle them anew.
                folder = tempfile.mkdtemp(dir=CACHE.name)
                made.save_to_disk(folder)
                made = datasets.load_from_disk(folder)
            loaded[key] = made
        else:
            loaded[key] = load_from_folder(str(hub / "datasets" / path), name, cache_dir=tempfile.mkdtemp(dir=CACHE.name), **kwargs)
    return loaded[key]


datasets.load_dataset = load_dataset

from lm_eval.tasks import TaskManager  # noqa: E402  (after the patch)
from lm_eval.utils import handle_non_serializable, hash_string  # noqa: E402


class NamesLoader(yaml.SafeLoader):
    """Reads task files for their names alone."""


NamesLoader.add_constructor("!function", lambda loader, node: node.value)


def bundled_names():
    tasks, groups, own = [], [], set()
    for file in sorted((ROOT / "public" / "tasks").rglob("*.yaml")):
        config = yaml.load(file.read_text(encoding="utf-8"), NamesLoader)
        (groups if "group" in config else tasks).append(config.get("group") or config["task"])
        if file.relative_to(ROOT / "public" / "tasks").parts[0] in ("yardstick", "dfir_metric", "mmlu_original", "meta", "unicode"):
            own.add(config.get("group") or config["task"])
    return [name for name in tasks if name not in own], [name for name in groups if name not in own]


def plain(value, shows_examples=False):
    """A config as JSON, functions by their names; where a file lies on this machine is left out."""
    if isinstance(value, dict):
        return {key: plain(item, key == "fewshot_config" or shows_examples) for key, item in value.items() if key != "config_source"}
    if isinstance(value, (list, tuple)):
        return [plain(item, shows_examples) for item in value]
    if isinstance(value, functools.partial):
        return f"<function {name_of_partial(value, shows_examples)}>"
    return f"<function {value.__name__}>" if callable(value) else value


def name_of_partial(value, shows_examples):
    """A partial has no name, its module has one for it. Configs hold copies, and MMLU-Pro has two equal ones, of which one is for examples."""
    what = (value.func.__name__, value.args, value.keywords)
    named = [(name, one) for name, one in value.func.__globals__.items() if isinstance(one, functools.partial)]
    equal = [name for name, one in named if (one.func.__name__, one.args, one.keywords) == what]
    return next((name for name in equal if name.startswith("fewshot") == shows_examples), equal[0])


def short(text):
    return hash_string(text)[:8]


def fingerprints(task, shots, limit):
    task.set_config("num_fewshot", shots)
    task.set_fewshot_seed(1234)
    task.build_all_requests(limit=limit)
    docs = {}
    for instance in task.instances:
        docs.setdefault(instance.doc_id, []).append(instance)
    lines = []
    for requests in docs.values():
        doc = requests[0].doc
        arguments = [list(request.arguments) for request in requests]
        lines.append(
            short(json.dumps(doc, indent=2, default=handle_non_serializable, ensure_ascii=False))
            + short(str(requests[0].arguments[0]))
            + short(str(task.doc_to_target(doc)))
            + short(json.dumps(arguments, ensure_ascii=False))
        )
    return lines


def describe(manager, name):
    # As when a run begins; GPQA shuffles with it.
    random.seed(0)
    task = manager.load([name])["tasks"][name]
    config = plain(task.config.to_dict(keep_callable=True))
    can_show = task.config.num_fewshot != 0 and task.OUTPUT_TYPE != "loglikelihood_rolling"
    return config, {"0": fingerprints(task, 0, None), **({str(SHOTS): fingerprints(task, SHOTS, 4)} if can_show else {})}


def has_slice(config, folder):
    """Whether HUB has the data set, with the config of this name and the splits that the task names."""
    readme = folder / "datasets" / config["dataset_path"] / "README.md"
    if not readme.exists():
        return False
    front = yaml.safe_load(readme.read_text(encoding="utf-8").split("---")[1])
    splits = {entry["config_name"]: [part["split"] for part in entry["data_files"]] for entry in front.get("configs", []) if isinstance(entry["data_files"], list)}
    names = [entry["config_name"] for entry in front.get("configs", [])]
    wanted = config.get("dataset_name")
    needed = {config.get(key) for key in ["training_split", "fewshot_split"]} - {None}
    return (wanted is None or wanted in names) and needed <= set(splits.get(wanted, needed))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hub", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="*", metavar="GLOB", help="redo these tasks, keep the others as they are")
    parser.add_argument("--missing", action="store_true", help="make those that have no golden yet, keep the others as they are")
    args = parser.parse_args()
    global hub
    target = ROOT / "tests" / "goldens" / "tasks" / "harness.json.gz"
    known = json.loads(gzip.decompress(target.read_bytes()))["tasks"] if (args.only != "*" or args.missing) and target.exists() else {}
    names, groups = bundled_names()
    manager = TaskManager()
    tasks = {}
    for name in sorted(names):
        is_kept = name in known and (args.missing or not fnmatch.fnmatch(name, args.only))
        if is_kept:
            tasks[name] = known[name]
        if is_kept or not fnmatch.fnmatch(name, args.only):
            continue
        hub = None
        config, made_up = describe(manager, name)
        hub = args.hub.resolve()
        slices = describe(manager, name)[1] if has_slice(config, hub) else None
        tasks[name] = {"config": config, "madeUp": made_up, "slice": slices}
    hub = None
    found_groups = {}
    for name in sorted(groups):
        group = manager.load([name])["groups"]
        found_groups[name] = {
            key: {
                "alias": one.alias,
                "aggregate_metric_list": [plain(vars(metric)) for metric in one.aggregate_metric_list or []],
                "metadata": plain(one.metadata),
                "members": one.child_names,
            }
            for key, one in group.items()
        }
    tags = {}
    for name in tasks:
        entry = manager.task_index[name]
        for tag in entry.tags or []:
            tags.setdefault(tag, sorted(manager.task_index[tag].tags))
    golden = {"lm_eval": "0.4.13", "rows": ROWS, "tasks": tasks, "groups": found_groups, "tags": tags}
    text = json.dumps(golden, ensure_ascii=False, indent=0)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
    docs = sum(len(lines) for task in tasks.values() for part in (task["madeUp"], task["slice"] or {}) for lines in part.values())
    print(f"{len(tasks)} tasks, {sum(task['slice'] is not None for task in tasks.values())} with a slice, {docs} docs, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
