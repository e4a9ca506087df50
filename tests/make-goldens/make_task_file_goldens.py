"""What lm-evaluation-harness 0.4.13 makes of task files that this program wrote, unchanged, with the bundled model's safetensors (float32, CPU).

Usage: python tests/make-goldens/make_task_file_goldens.py tests/goldens/fan --shots 2 --limit 16
       python tests/make-goldens/make_task_file_goldens.py tests/goldens/judge
Reads FOLDER/tasks/*.yaml, which `YARDSTICK_WRITE=1 npm run unit -- tests/analysis/prompt-variants tests/analysis/judge` writes; rows are the bundled benchmark's, or lie where
the file says, from FOLDER on. Writes FOLDER/harness.json.
"""

import argparse
import json
import os
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tools" / "embedded-model"))

import lm_eval  # noqa: E402
from lm_eval.models.huggingface import HFLM  # noqa: E402
from lm_eval.tasks import TaskManager  # noqa: E402

from hub import BENCH, PICO  # noqa: E402
from make_goldens import main_folder, read_bench_from  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--shots", type=int, default=0)
parser.add_argument("--limit", type=int)
args = parser.parse_args()
os.chdir(args.folder)
read_bench_from(main_folder(root / "public" / "hub", "datasets", BENCH))
lm = HFLM(pretrained=str(main_folder(root / "public" / "hub", "models", PICO)), dtype="float32", device="cpu", batch_size=1)
names = sorted(path.stem for path in pathlib.Path("tasks").glob("*.yaml"))
results = lm_eval.simple_evaluate(
    model=lm,
    tasks=names,
    task_manager=TaskManager(include_path="tasks", include_defaults=False),
    limit=args.limit,
    num_fewshot=args.shots,
    bootstrap_iters=0,
)
tasks = {
    name: {
        "acc": results["results"][name]["acc,none"],
        "docs": [
            {
                "doc_hash": row["doc_hash"],
                "target": str(row["target"]),
                "acc": row["acc"],
                "requests": [[*call, response[0][0]] for call, response in zip(row["arguments"], row["resps"])],
            }
            for row in sorted(results["samples"][name], key=lambda row: row["doc_id"])
        ],
    }
    for name in names
}
golden = {"lm_eval": lm_eval.__version__, "num_fewshot": args.shots, "limit": args.limit, "tasks": tasks}
pathlib.Path("harness.json").write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
