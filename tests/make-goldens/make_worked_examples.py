"""Writes tools/tasks/worked-examples.json: the instructions and worked examples of BIG-Bench Hard by subset, and the eight of GSM8K's chain of thought.

    python make_worked_examples.py

Read out of lm-evaluation-harness 0.4.13. The words are not the harness's: BBH's are those of Suzgun et al. 2022
(github.com/suzgunmirac/BIG-Bench-Hard, MIT), GSM8K's those of Wei et al. 2022 (arXiv:2201.11903, appendix). A score is only comparable
with these very words, which is why they are copied and not written anew.
"""
import json
import pathlib

import lm_eval.tasks
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
TASKS = pathlib.Path(lm_eval.tasks.__file__).parent


def read(path):
    return yaml.safe_load((TASKS / path).read_text(encoding="utf-8"))


def subset_of(name):
    parts = {form: read(f"bbh/{form}/{name}.yaml") for form in ["cot_fewshot", "fewshot"]}
    return {"description": parts["fewshot"]["description"], **{form: part["fewshot_config"]["samples"] for form, part in parts.items()}}


def main():
    names = sorted(path.stem for path in (TASKS / "bbh" / "cot_fewshot").glob("*.yaml") if not path.name.startswith("_"))
    gsm8k = read("gsm8k/gsm8k-cot.yaml")["fewshot_config"]["samples"]
    data = {"bbh": {name: subset_of(name) for name in names}, "gsm8k": gsm8k}
    target = ROOT / "tools" / "tasks" / "worked-examples.json"
    target.write_text(json.dumps(data, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    print(f"{len(names)} subsets, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
