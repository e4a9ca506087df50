"""Writes tests/goldens/table/tables.json: made-up results and the tables that lm_eval 0.4.13 prints of them.

Not-a-number and infinity are left out: pytablewriter words them by what it printed before.

Run: python tests/make-goldens/make_table_goldens.py
"""

import json
import pathlib
import random

from lm_eval.utils import make_table

from made import keep_record

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens" / "table" / "tables.json"
VALUES = [0.0, 1.0, 0.5, 0.25, 0.3333333333, 0.123456, 20.8695001, 1230732.5084, 87.14, 1e-5, 999, 0, 1, 3.0, 12.5, 0.1, -2.75]
STDERRS = [0.0, 0.5, 0.0125, 0.1666666, "N/A", "N/A", 38.26106, 1.0, 0.1]
VERSIONS = ["Yaml", 1.0, 2, 0.1, "1.0", 3.0]
METRICS = ["acc", "acc_norm", "exact_match", "f1", "perplexity", "bleu", "bypass", "prompt_level_strict_acc"]
ALIASES = ["task_a", "arc easy", "ọmọ", "日本語タスク", "x", "a longer name of a task", "mmlu|x", "123", "  - sub"]


def make(rng):
    names = rng.sample(["alpha", "beta", "gamma", "delta", "eps", "zeta"], rng.randint(1, 5))
    results, versions, shots, better = {}, {}, {}, {}
    for name in names:
        row = {"name": name, "alias": rng.choice([name, rng.choice(ALIASES)]), "sample_len": 3}
        for metric in rng.sample(METRICS, rng.randint(1, 3)):
            for flt in rng.choice([["none"], ["strict-match", "flexible-extract"], ["none", "custom,x"]]):
                row[f"{metric},{flt}"] = rng.choice(VALUES)
                if rng.random() < 0.9:
                    row[f"{metric}_stderr,{flt}"] = rng.choice(STDERRS)
            better.setdefault(name, {})[metric] = rng.choice([True, False, None])
        results[name] = row
        if rng.random() < 0.9:
            versions[name] = rng.choice(VERSIONS)
        if rng.random() < 0.9:
            shots[name] = rng.choice([0, 0, 5, 25])
    out = {"results": results}
    subtasks = {}
    if rng.random() < 0.4:
        subtasks["grp"] = [*names[:2], "sub"] if len(names) > 3 else list(names[:1])
        if "sub" in subtasks["grp"]:
            subtasks["sub"] = names[2:3]
        for group in subtasks:
            results[group] = {"alias": rng.choice([group, " - " + group]), "name": group, "sample_len": 6, "acc,none": rng.choice(VALUES), "acc_stderr,none": rng.choice(STDERRS), "sample_count": {"acc,none": 6}}
            versions[group] = rng.choice(["N/A", "1.0", "2"])
        out["groups"] = {group: results[group] for group in subtasks}
    out.update({"group_subtasks": subtasks, "versions": versions, "n-shot": shots, "higher_is_better": better})
    return out


def main():
    rng = random.Random(7)
    cases = []
    for index in range(80):
        results = make(rng)
        cases.append({"id": f"made-{index}", "results": results, "tasks": make_table(results), "groups": make_table(results, "groups") if "groups" in results else None})
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text("\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n", encoding="utf-8")
    keep_record(__file__, [OUT], ["lm_eval", "pytablewriter"])
    print(len(cases))


if __name__ == "__main__":
    main()
