"""Writes tests/goldens/rouge/rouge.json with rouge_score 0.1.2, NLTK's Porter stemmer, numpy's legacy generator and sacrebleu.

Corpus values: what `evaluate`'s rouge does, a BootstrapAggregator under numpy seed 1234 (the script itself lies on the Hub).
Run from the repository: python tests/make-goldens/make_rouge_goldens.py
"""

import json
import random
import re
from pathlib import Path

import numpy as np
from nltk.stem import porter
from rouge_score import rouge_scorer, scoring

from made import keep_record

OUT = Path(__file__).parents[2] / "tests/goldens/rouge/rouge.json"
TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
WORDS = """the a river rivers running runs ran happily happy relational conditional rational valenci hesitanci digitizer conformabli
radicalli differentli vileli analogousli vietnamization predication operator feudalism decisiveness hopefulness callousness formaliti
sensitiviti sensibiliti triplicate formative formalize electriciti electrical hopeful goodness revival allowance inference airliner
gyroscopic adjustable defensible irritant replacement adjustment dependent adoption homologou communism activate angulariti homologous
effective bowdlerize probate rate cease controll roll caresses ponies ties caress cats feed agreed plastered bled motoring sing
conflated troubled sized hopping tanned falling hissing fizzed failing filing sky skies dying lying tying news innings howe proceed
spied tried flies enjoy enjoyment yyyy syzygy toy spy by ion ations apology apologi fulli joyfulli abli y yy ied died eed need 42nd x1y2
ability abilities organization organizer archaeology psychology geologist trying being bees oed wing string breeding added egg ebbing
üben naïve ọjà ሰላም ቤት 河流 İzmir don't U.S. 3.14""".split()


def text(r):
    words = [r.choice(WORDS) for _ in range(r.choice([0, 1, 2, 5, 9, 20]))]
    return "".join(w + r.choice([" ", " ", " ", "\n", ". ", "\n\n", "--"]) for w in words)


def stems():
    stemmer = porter.PorterStemmer()
    r = random.Random(5)
    words = [w for w in WORDS if re.match(r"^[a-z0-9]+$", w)]
    suffixes = re.findall(r"[a-z]+", "sses ies s eed ed ing y ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize e ll")
    for _ in range(1500):
        words.append("".join(r.choice("aeiouybcdlstz" ) for _ in range(r.randint(0, 5))) + r.choice(suffixes))
    return [[w, stemmer.stem(w)] for w in dict.fromkeys(words)]


def score(s):
    return [s.precision, s.recall, s.fmeasure]


def main():
    r = random.Random(11)
    plain, stemmed = (rouge_scorer.RougeScorer(TYPES, use_stemmer=u) for u in (False, True))
    pairs = [("", ""), ("a", ""), ("", "a"), ("!!", "a"), ("the cat", "the cat"), ("ሰላም ቤት", "ሰላም ቤት"), ("a\nb\nc", "c\nb\na")]
    pairs += [(text(r), text(r)) for _ in range(120)]
    scores = [
        {"target": t, "prediction": p, "plain": [score(plain.score(t, p)[k]) for k in TYPES], "stemmed": [score(stemmed.score(t, p)[k]) for k in TYPES]}
        for t, p in pairs
    ]
    best = []
    for _ in range(30):
        targets, p = [text(r) for _ in range(r.randint(1, 4))], text(r)
        best.append({"targets": targets, "prediction": p, "scores": [score(plain.score_multi(targets, p)[k]) for k in TYPES]})
    corpora = []
    for n in (1, 2, 3, 7, 40, 129):
        items = [(text(r), text(r)) for _ in range(n)]
        np.random.seed(1234)
        aggregator = scoring.BootstrapAggregator()
        for t, p in items:
            aggregator.add_scores(plain.score(t, p))
        result = aggregator.aggregate()
        corpora.append({"items": items, "values": [float(result[k].mid.fmeasure) for k in TYPES]})
    draws = []
    for n in (1, 2, 3, 5, 8, 1000, 70000):
        np.random.seed(1234)
        draws.append({"count": n, "indices": np.random.choice(np.arange(n), size=700).tolist()})
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps({"stems": stems(), "scores": scores, "best": best, "corpora": corpora, "draws": draws}, ensure_ascii=False))
    keep_record(__file__, [OUT], ["rouge-score", "nltk", "numpy"])


main()
