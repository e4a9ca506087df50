"""What scipy says of made-up pairs, for the statistics of comparisons: exact McNemar, paired t, paired bootstrap, Holm, detectable effect.

Writes tests/goldens/compare/pairs.json: python tests/make-goldens/make_compare_goldens.py
scipy has no Holm; that one is computed from its definition (Holm 1979), in exact fractions.
"""

import json
import pathlib
import random
from fractions import Fraction

import numpy as np
from scipy import stats

from made import keep_record

SEED = 20260102


def mcnemar(draw):
    pairs = [(10, 2), (0, 0), (0, 1), (1, 0), (7, 7), (0, 1100), (600, 601), (7000, 7000), (3600, 3300), (1200, 1500)]
    while len(pairs) < 1000:
        top = draw.choice([5, 30, 200, 2000])
        pairs.append((draw.randint(0, top), draw.randint(0, top)))
    return [[b, c, 1.0 if b + c == 0 else float(stats.binomtest(b, b + c, 0.5).pvalue)] for b, c in pairs]


def paired(draw):
    cases = []
    for n in (2, 3, 5, 10, 40, 100, 257):
        for is_binary in (True, False):
            left = [float(draw.randint(0, 1)) if is_binary else round(draw.random(), 4) for _ in range(n)]
            right = [float(draw.randint(0, 1)) if is_binary else round(draw.random() * 0.9, 4) for _ in range(n)]
            left[0], right[0], left[1], right[1] = 1.0, 0.0, 0.0, 0.0
            a, b = np.array(left), np.array(right)
            interval = stats.bootstrap(
                (a - b,), np.mean, n_resamples=1000, method="percentile", vectorized=True, axis=-1, random_state=np.random.RandomState(1234)
            ).confidence_interval
            cases.append(
                {
                    "left": left,
                    "right": right,
                    "p": float(stats.ttest_rel(a, b).pvalue),
                    "low": float(interval.low),
                    "high": float(interval.high),
                }
            )
    return cases


def holm(draw):
    cases = []
    for m in (1, 2, 5, 57):
        values = [round(draw.random() ** 4, 6) for _ in range(m)]
        order = sorted(range(m), key=lambda i: values[i])
        adjusted, running = [0.0] * m, Fraction(0)
        for rank, i in enumerate(order):
            running = max(running, min(Fraction(1), (m - rank) * Fraction(values[i])))
            adjusted[i] = float(running)
        cases.append({"p": values, "adjusted": adjusted})
    return cases


draw = random.Random(SEED)
golden = {
    "seed": SEED,
    "mcnemar": mcnemar(draw),
    "paired": paired(draw),
    "holm": holm(draw),
    "detectable_per_stderr": float(stats.norm.ppf(0.975) + stats.norm.ppf(0.8)),
}
target = pathlib.Path(__file__).resolve().parents[1] / "goldens" / "compare" / "pairs.json"
target.write_text(json.dumps(golden) + "\n", encoding="utf-8")
keep_record(__file__, [target], ["scipy", "numpy"])
