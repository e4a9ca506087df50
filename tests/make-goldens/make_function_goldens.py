"""Writes tests/goldens/functions/*.json: what the Python helpers of lm_eval 0.4.13's task files give for made-up rows.

Each case names the folder of a helper, the key that uses it, its `module.function`, the arguments, and the value or `raises`.
Tuples become {"__tuple__": [...]}.

Run: python tests/make-goldens/make_function_goldens.py [family…]
"""

import importlib
import importlib.util
import inspect
import json
import pathlib
import random
import re
import sys
import types

import datasets
import evaluate
import lm_eval.tasks
import numpy as np
from rouge_score import rouge_scorer, scoring

from function_cases import FAMILIES
from made import keep_record
from minerva_cases import minerva_math
from more_function_cases import MORE_FAMILIES

datasets.disable_progress_bars()
TASKS = pathlib.Path(lm_eval.tasks.__file__).parent
OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens" / "functions"


class Rouge:
    """`evaluate`'s rouge, whose script lies on the Hub: its defaults, under the seed that a fresh run of the harness gives it."""

    def compute(self, predictions, references):
        np.random.seed(1234)
        scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"])
        aggregator = scoring.BootstrapAggregator()
        for reference, prediction in zip(references, predictions):
            several = isinstance(reference, list)
            aggregator.add_scores((scorer.score_multi if several else scorer.score)(reference, prediction))
        return {name: score.mid.fmeasure for name, score in aggregator.aggregate().items()}


evaluate.load = lambda name: {"rouge": Rouge()}[name]


# longbench imports them for scores that are not ported.
for module, names in {"jieba": [], "fuzzywuzzy": ["fuzz"], "rouge": ["Rouge"]}.items():
    stub = types.ModuleType(module)
    for name in names:
        setattr(stub, name, None)
    sys.modules.setdefault(module, stub)


def load(folder, name):
    module, function = name.rsplit(".", 1)
    if module.startswith("lm_eval."):
        return getattr(importlib.import_module(module), function)
    path = TASKS / folder / (module.replace(".", "/") + ".py")
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(f"{folder}.{module}", path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    sys.path.pop(0)
    return getattr(loaded, function)


def encode(value):
    if isinstance(value, tuple):
        return {"__tuple__": [encode(item) for item in value]}
    if isinstance(value, list):
        return [encode(item) for item in value]
    if isinstance(value, dict):
        return {key: encode(item) for key, item in value.items()}
    if isinstance(value, (np.generic, np.ndarray)):
        return value.item()
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise TypeError(f"cannot write {value!r}")


def run(use, function, args):
    if use == "processDocs":
        return [dict(row) for row in function(datasets.Dataset.from_list(args))]
    if use == "filter":
        options, responses, docs = args
        return function(**options).apply(responses, docs)
    if use in ("docTo", "aggregation"):
        return function(args)
    if use == "metric" and len(inspect.signature(function).parameters) == 1:
        # The harness falls back to handing such a function `[gold, response]`.
        predictions, references = args
        return function([references[0], predictions[0]])
    return function(*args)


def main():
    wanted = sys.argv[1:]
    for family, cases in {**FAMILIES, **MORE_FAMILIES, "minerva-math": minerva_math()}.items():
        if wanted and family not in wanted:
            continue
        written = []
        for folder, use, name, inputs in cases:
            for args in inputs:
                # The rows as a dataset hands them out: every row has every column.
                given = [dict(row) for row in datasets.Dataset.from_list(args)] if use == "processDocs" else args
                case = {"folder": folder, "use": use, "name": name, "args": encode(given)}
                try:
                    function = load(folder, name)
                    random.seed(0)
                    case["value"] = encode(run(use, function, args))
                except (KeyError, ValueError, IndexError, TypeError, AttributeError, AssertionError, SyntaxError, StopIteration, re.error) as error:
                    case["raises"] = type(error).__name__
                written.append(case)
        text = "[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in written) + "\n]\n"
        (OUT / f"{family}.json").write_text(text, encoding="utf-8")
        keep_record(__file__, [OUT / f"{family}.json"], ["lm_eval", "datasets", "numpy", "rouge-score", "nltk", "scikit-learn", "sympy", "math-verify"], "[family…]")
        print(family, len(written), sum("raises" in case for case in written))


if __name__ == "__main__":
    main()
