"""What lm-evaluation-harness 0.4.13 makes of the task files of a prompt fan, unchanged, with the bundled model's safetensors (float32, CPU).

Usage: python scripts/goldens/make_fan_task_goldens.py > tests/goldens/fan/harness.json
Reads tests/goldens/fan/tasks/*.yaml, which `YARDSTICK_WRITE=1 npm run unit -- tests/core/fan` writes.
"""

import json
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "scripts" / "embedded"))

import lm_eval  # noqa: E402
from lm_eval.models.huggingface import HFLM  # noqa: E402
from lm_eval.tasks import TaskManager  # noqa: E402

from hub import BENCH, PICO  # noqa: E402
from make_goldens import main_folder, read_bench_from  # noqa: E402

LIMIT = 16
SHOTS = 2
folder = root / "tests" / "goldens" / "fan" / "tasks"
read_bench_from(main_folder(root / "public" / "hub", "datasets", BENCH))
lm = HFLM(pretrained=str(main_folder(root / "public" / "hub", "models", PICO)), dtype="float32", device="cpu", batch_size=1)
names = sorted(path.stem for path in folder.glob("*.yaml"))
results = lm_eval.simple_evaluate(
    model=lm,
    tasks=names,
    task_manager=TaskManager(include_path=str(folder), include_defaults=False),
    limit=LIMIT,
    num_fewshot=SHOTS,
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
golden = {"lm_eval": lm_eval.__version__, "num_fewshot": SHOTS, "limit": LIMIT, "tasks": tasks}
json.dump(golden, sys.stdout, indent=1, ensure_ascii=False)
print()
