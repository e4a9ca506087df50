"""Makes everything under public/hub, public/tasks/yardstick and tests/goldens/embedded, in order.

    python build.py --work FOLDER [--skip-training]

Steps whose output is already in FOLDER (a trained or exported revision) are not repeated.
"""
import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def run(script: str, *arguments) -> None:
    subprocess.run([sys.executable, str(HERE / script), *map(str, arguments)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for everything in between")
    parser.add_argument("--skip-training", action="store_true")
    args = parser.parse_args()
    trained, exported, data, scores = args.work / "trained", args.work / "exported", args.work / "data", args.work / "scores.json"
    hub, tasks = ROOT / "public" / "hub", ROOT / "public" / "tasks" / "yardstick"
    if not args.skip_training and not (trained / "main").exists():
        run("train.py", "--out", trained)
    for folder in sorted(trained.iterdir()):
        if not (exported / folder.name).exists():
            run("export.py", "--model", folder, "--out", exported / folder.name, *([] if folder.name == "main" else ["--only", "q8"]))
    run("bench.py", "--data", data, "--tasks", tasks)
    run("probe.py", "--out", args.work / "checkpoints.json", *sorted(trained.iterdir()))
    publish = ["--trained", trained, "--exported", exported, "--data", data, "--hub", hub]
    run("hub.py", *publish)
    run("make_goldens.py", "--hub", hub, "--tasks", tasks, "--out", ROOT / "tests" / "goldens" / "embedded", "--scores", scores)
    run("hub.py", *publish, "--scores", scores, "--checkpoints", args.work / "checkpoints.json")


if __name__ == "__main__":
    main()
