"""Writes tests/goldens/real-tokenizers: what transformers and the harness's HFLM make of 20,000 texts with six tokenizers that people have.

Run: npm run tokenizers && python tests/make-goldens/make_real_tokenizer_goldens.py   (needs lm_eval 0.4.13, transformers 4.57.6, tokenizers 0.22.2)

texts.json.gz: the texts of real_texts.py. trials.json: which of them are cut into pairs, and which are taken for written answers, with strange
token ids among theirs. NAME.json.gz: the tokenizer's facts, and of every text, pair and answer the first 16 bits of SHA-256 over what came out,
as hexadecimal digits; the strings that are hashed are those of `ids_of` and its neighbours, and of tests/tokenizing/tokenizer.real.test.ts.
"""

import gzip
import hashlib
import json
import pathlib
import random
import sys

import torch
from lm_eval.models.utils import postprocess_generated_text
from lm_eval.models.utils_hf import stop_sequences_criteria
from transformers import AutoTokenizer

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from make_encode_goldens import capture_pair, harness, token
from real_texts import make

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "tests" / "goldens" / "real-tokenizers"
NAMES = ["llama2", "llama3_1", "qwen3", "gemma3", "gptoss", "deepseek_v3"]
VERSION = "3.7.2"
SEED, TEXTS, PAIRS, ANSWERS = 1, 20_000, 2_000, 1_500
STOPS = ["\n\n", "Question:", "</s>", "<|eot_id|>", "<|im_end|>", "<end_of_turn>", "Q:", ".", "ọ", "\n", "。", "é", "I", "```", " A", "x", "  ", "����"]
# Each is a tokenizer by itself: the argument goes into its making, too.
ADDS_BOS = {"default": {}, "with": {"add_bos_token": True}, "without": {"add_bos_token": False}}


def short(text):
    return hashlib.sha256(text.encode()).hexdigest()[:4]


def ids_of(lm, text):
    plain, default, all_of_it = (lm.tok_encode(text, add_special_tokens=False), lm.tok_encode(text), lm.tok_encode(text, add_special_tokens=True))
    return all_of_it, json.dumps([plain, default, all_of_it], separators=(",", ":"))


def texts_of(lm, ids):
    return json.dumps([lm.tok_decode(ids, skip_special_tokens=skip) for skip in (False, True)], ensure_ascii=False, separators=(",", ":"))


def make_trials(count):
    """Pairs: [text, characters of it that are context, text that follows or -1 for the rest]. Answers: [text, [[place, number, bound]], stops]."""
    r = random.Random(SEED)
    pairs = [[r.randrange(count), r.choice([0, 1, 2, 5, 9, 14, 30, 60, 100, 1000]), r.choice([-1, -1, r.randrange(count)])] for _ in range(PAIRS)]
    answers = [[r.randrange(count), [[r.randrange(40), r.randrange(1 << 30), r.choice([0, 0, 512])] for _ in range(r.choice([0, 0, 1, 3, 8]))], r.sample(STOPS, r.randint(0, 3))] for _ in range(ANSWERS)]
    return {"pairs": pairs, "answers": answers}


def pair_of(texts, trial):
    index, cut, following = trial
    return texts[index][:cut], texts[index][cut:] if following < 0 else texts[following]


def answer_ids(lm, entries, texts, trial):
    """A text's first ids with others between them: any of the vocabulary and a little beyond, as heads of models are wider, or small ones, where bytes lie."""
    index, strange, _ = trial
    ids = lm.tok_encode(texts[index], add_special_tokens=False)[:40]
    for place, number, bound in strange:
        ids.insert(min(place, len(ids)), number % (bound or entries + 64))
    return ids


def answer_of(lm, ids, stops):
    """Where the harness stops, and the text it takes; the ids are what a model writes."""
    criteria = stop_sequences_criteria(lm.tokenizer, stops, 0, 1)
    tokens = torch.tensor([ids])
    end = next((count for count in range(1, len(ids) + 1) if any(one(tokens[:, :count], None) for one in criteria)), None)
    text = postprocess_generated_text(lm.tok_decode(ids[:end]), stops, None)
    return json.dumps([end, text, lm.tok_decode(ids, skip_special_tokens=False)], ensure_ascii=False, separators=(",", ":"))


def write(path, value):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0) if path.suffix == ".gz" else text.encode() + b"\n")
    print(path.name, path.stat().st_size, flush=True)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    texts, trials = make(SEED, TEXTS), make_trials(TEXTS)
    write(OUT / "texts.json.gz", texts)
    write(OUT / "trials.json.gz", trials)
    for name in sys.argv[1:] or NAMES:
        folder = ROOT / ".cache" / "tokenizers" / f"{name}-{VERSION}"
        lms = {key: harness(AutoTokenizer.from_pretrained(folder, use_fast=True, **args), {"max_position_embeddings": 100_000}, args) for key, args in ADDS_BOS.items()}
        lm = lms["default"]
        tokenizer = lm.tokenizer
        # Counting makes a dictionary of all.
        entries = len(tokenizer)
        ids, decoded = [], []
        for text in texts:
            found, described = ids_of(lm, text)
            ids.append(short(described))
            decoded.append(short(texts_of(lm, found)))
        answers = [answer_ids(lm, entries, texts, trial) for trial in trials["answers"]]
        write(OUT / f"{name}.json.gz", {
            "made_by": "tests/make-goldens/make_real_tokenizer_goldens.py, lm_eval 0.4.13, transformers 4.57.6, tokenizers 0.22.2",
            "sha256": hashlib.sha256((folder / "tokenizer.json").read_bytes()).hexdigest(),
            "facts": {"bos": token(tokenizer.bos_token, tokenizer.bos_token_id), "eos": token(tokenizer.eos_token, tokenizer.eos_token_id), "pad": token(tokenizer.pad_token, tokenizer.pad_token_id), "unk": token(tokenizer.unk_token, tokenizer.unk_token_id),
                      "prefix_token_id": lm.prefix_token_id, "entries": entries},
            "ids": "".join(ids),
            "decoded": "".join(decoded),
            "pairs": {key: "".join(short(capture_pair(each, *pair_of(texts, trial))) for trial in trials["pairs"]) for key, each in lms.items()},
            "answers": "".join(short(answer_of(lm, found, trial[2])) for found, trial in zip(answers, trials["answers"])),
        })


if __name__ == "__main__":
    main()
