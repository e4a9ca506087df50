"""What scipy says of made-up choices and verdicts: divergence of softmaxes, the chi-squared tail, Cochran's Q of several prompts.

Writes tests/goldens/compare/fans.json: python tests/make-goldens/make_fan_goldens.py
scipy has no Cochran's Q; its statistic is computed from the definition (Cochran 1950), in exact fractions.
"""

import json
import pathlib
import random
from fractions import Fraction

import numpy as np
from scipy import special, stats

from made import keep_record

SEED = 20260103


def divergences(draw):
    cases = []
    for n in (2, 4, 5, 10):
        for scale in (0.001, 1, 30):
            before = [round(-draw.random() * 40, 6) for _ in range(n)]
            now = [round(value + draw.gauss(0, scale), 6) for value in before]
            p, q = special.softmax(np.array(before)), special.softmax(np.array(now))
            cases.append({"before": before, "now": now, "kl": float(np.sum(special.rel_entr(p, q)))})
    return cases


def tails():
    return [[x, k, float(stats.chi2.sf(x, k))] for k in (1, 2, 3, 7, 20, 107) for x in (0.01, 0.5, 1.0, 3.84, 12.0, 60.0, 250.0)]


def cochran(draw):
    cases = []
    for k, n in ((2, 12), (3, 20), (4, 60), (6, 200)):
        values = [[int(draw.random() < 0.4 + 0.05 * prompt) for _ in range(n)] for prompt in range(k)]
        columns = [sum(own) for own in values]
        rows = [sum(own[doc] for own in values) for doc in range(n)]
        average = Fraction(sum(columns), k)
        q = k * (k - 1) * sum((column - average) ** 2 for column in columns) / sum(row * (k - row) for row in rows)
        cases.append({"values": values, "p": float(stats.chi2.sf(float(q), k - 1))})
    return cases


def main():
    draw = random.Random(SEED)
    golden = {"divergences": divergences(draw), "tails": tails(), "cochran": cochran(draw)}
    target = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "compare" / "fans.json"
    target.write_text(json.dumps(golden) + "\n", encoding="utf-8")
    keep_record(__file__, [target], ["scipy", "numpy"])


main()
