"""Writes tests/goldens/original-mmlu: what the procedure of hendrycks/test `evaluate.py` for models of transformers makes of two small subjects.

Run: python tests/make-goldens/make_original_mmlu_goldens.py   (needs numpy, pandas, torch, tokenizers 0.22, transformers 4.57)

Rows, tokenizers and logits are made up here. The procedure is the program's: pandas reads the csv files, prompts are joined in the same order,
examples are dropped while there are too many tokens, the softmax is torch's over the four letters' logits, pandas writes the rows back.
Three things are parameters here that are constants there: the number of tokens (2048), the blank before the subject, and what is asked for by
"A". Areas without subjects are left out of the accuracies, where the program ends with an error.
"""
import io
import json
import pathlib
import tempfile

import numpy as np
import pandas as pd
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer

from made import keep_record

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens" / "original-mmlu"
LETTERS = ["A", "B", "C", "D"]
SUBCATEGORIES = {"high_school_statistics": ["math"], "world_religions": ["philosophy"]}
CATEGORIES = {"STEM": ["math"], "humanities": ["philosophy"]}

# Question, four options, answer. Cells that pandas does not leave alone: whole columns of numbers, numbers among missing cells, "None".
ROWS = {
    "high_school_statistics": {
        "dev": [
            ["How many sides has a die?", "4", "6", "8", "10", "B"],
            ["What is 2 + 3?", "5", "6", "7", "8", "A"],
            ["Half of ten?", "1", "2", "5", "4", "C"],
            ["The mean of 1 and 3, to one place?", "1", "3", "4", "2", "D"],
            ["How many faces of a coin?", "2", "3", "0", "1", "A"],
            ["One more, never shown?", "2", "3", "0", "1", "A"],
        ],
        "test": [
            ["The median of 1, 2, 9?", "2.5", "2", "007", "9", "B"],
            ["The range of 4 and 4?", "0.5", "1", "4", "0", "D"],
            ['A "fair" coin lands heads,\nthen tails. Chance?', ".25", "2", "3", "4", "A"],
            ["Ten choose one?", "", "10", "11", "12", "B"],
            ["Mode of 3, 3, 5? " + "Take all the numbers into account. " * 12, "5", "3", "8", "11", "B"],
        ],
    },
    "world_religions": {
        "dev": [
            ["Which of these is a sacred text?", "Vedas", "None", "Iliad", "Both A and C", "A"],
            ["Where is Mecca?", "Arabia", "India", "Egypt", "NA", "A"],
            ["Statement 1| All is one. Statement 2| All is many.", "True, True", "False, False", "True, False", "False, True", "C"],
            ["Who said it, \u201cknow thyself\u201d?", "Delphi", "Rome", "Ur", "Ife", "A"],
            [" The spaces around this stay ", "yes ", " no", "maybe", "never", "A"],
        ],
        "test": [
            ["Qu\u2019est-ce que le \u2018dharma\u2019?", "Law, duty", "A \"text\"", "A place", "A person", "A"],
            ["\u1ecc\u0300r\u00fanm\u00ecl\u00e0 belongs to which tradition?", "Yoruba", "Zulu", "None", "Norse", "A"],
            ["Is this true?", "True", "False", "true", "0", "D"],
            ["", "1", "2", "3", "4", "C"],
        ][:3],
    },
}


# ---------------------------------------------------------------- the program's procedure


def format_subject(subject, fixed):
    entries = "".join(" " + entry for entry in subject.split("_"))
    return entries[1:] if fixed else entries


def format_example(df, idx, include_answer=True):
    prompt = df.iloc[idx, 0]
    k = df.shape[1] - 2
    for j in range(k):
        prompt += "\n{}. {}".format(LETTERS[j], df.iloc[idx, j + 1])
    prompt += "\nAnswer:"
    if include_answer:
        prompt += " {}\n\n".format(df.iloc[idx, k + 1])
    return prompt


def gen_prompt(train_df, subject, k, fixed):
    prompt = "The following are multiple choice questions (with answers) about {}.\n\n".format(format_subject(subject, fixed))
    for i in range(k):
        prompt += format_example(train_df, i)
    return prompt


def run_subject(subject, dev_df, test_df, tokenizer, ntrain, max_tokens, fixed, form, rng):
    docs, cors, all_probs = [], [], []
    for i in range(test_df.shape[0]):
        k = ntrain
        prompt_end = format_example(test_df, i, include_answer=False)
        prompt = gen_prompt(dev_df, subject, k, fixed) + prompt_end
        while len(tokenizer(prompt).input_ids) > max_tokens and k > 0:
            k -= 1
            prompt = gen_prompt(dev_df, subject, k, fixed) + prompt_end
        input_ids = tokenizer(prompt).input_ids
        label = test_df.iloc[i, test_df.shape[1] - 1]
        logits = torch.tensor(rng.normal(size=len(tokenizer)).astype(np.float32) * 3)
        ids = [tokenizer(form.format(letter)).input_ids[-1] for letter in LETTERS]
        probs = torch.nn.functional.softmax(torch.tensor([logits[one] for one in ids]).float(), dim=0).numpy()
        logprobs = torch.log_softmax(logits.double(), dim=0)[ids]
        cors.append(LETTERS[int(np.argmax(probs))] == label)
        all_probs.append(probs)
        docs.append({"prompt": prompt, "input_ids": input_ids, "k": k, "logprobs": logprobs.tolist(), "ids": ids})
    return docs, np.array(cors), np.array(all_probs)


def run(model, tokenizer, ntrain, max_tokens, fixed, form, seed):
    rng = np.random.default_rng(seed)
    all_cors, subcat_cors, cat_cors, files, subjects = [], {}, {}, {}, {}
    for subject in sorted(ROWS):
        dev_df = pd.read_csv(OUT / "data" / "dev" / f"{subject}_dev.csv", header=None)[:ntrain]
        test_df = pd.read_csv(OUT / "data" / "test" / f"{subject}_test.csv", header=None)
        docs, cors, probs = run_subject(subject, dev_df, test_df, tokenizer, ntrain, max_tokens, fixed, form, rng)
        subjects[subject] = docs
        for subcat in SUBCATEGORIES[subject]:
            subcat_cors.setdefault(subcat, []).append(cors)
            for key in CATEGORIES:
                if subcat in CATEGORIES[key]:
                    cat_cors.setdefault(key, []).append(cors)
        all_cors.append(cors)
        test_df["{}_correct".format(model)] = cors
        for j in range(probs.shape[1]):
            test_df["{}_choice{}_probs".format(model, LETTERS[j])] = probs[:, j]
        buffer = io.StringIO()
        test_df.to_csv(buffer, index=None)
        files[subject] = buffer.getvalue()
    results = {"subcategories": {}, "categories": {}}
    for subcat, cors in subcat_cors.items():
        results["subcategories"][subcat] = np.mean(np.concatenate(cors))
    for cat, cors in cat_cors.items():
        results["categories"][cat] = np.mean(np.concatenate(cors))
    results["weighted_accuracy"] = np.mean(np.concatenate(all_cors))
    results["cost_time"] = 12.5
    return subjects, files, json.dumps(results, indent=4)


# ---------------------------------------------------------------- made-up tokenizers

TEXT = ["The following are multiple choice questions (with answers) about A B C D.", "Answer: A", "Answer: B", "Answer: C", "Answer: D", "A. 1\nB. 2\nC. 3\nD. 4"] * 4


def byte_level():
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    tok.train_from_iterator(TEXT, trainers.BpeTrainer(vocab_size=330, special_tokens=["<|endoftext|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    tok.post_processor = processors.ByteLevel(trim_offsets=True)
    return tok, {"tokenizer_class": "GPT2TokenizerFast", "bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>", "unk_token": "<|endoftext|>"}, {"model_type": "gpt2", "n_positions": 4096}


def sentencepiece_like():
    specials = ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)]
    tok = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    tok.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tok.train_from_iterator(TEXT, trainers.BpeTrainer(vocab_size=400, special_tokens=specials, show_progress=False))
    data = json.loads(tok.to_str())
    data["added_tokens"] = data["added_tokens"][:3]
    tok = Tokenizer.from_str(json.dumps(data))
    tok.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tok.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    return tok, {"tokenizer_class": "LlamaTokenizerFast", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "add_bos_token": True, "add_eos_token": False}, {"model_type": "llama", "max_position_embeddings": 4096}


def main():
    for split in ("dev", "test"):
        (OUT / "data" / split).mkdir(parents=True, exist_ok=True)
        for subject, rows in ROWS.items():
            pd.DataFrame(rows[split]).to_csv(OUT / "data" / split / f"{subject}_{split}.csv", header=False, index=False)
    golden = {"tokenizers": {}, "runs": []}
    for name, make in (("byte-level", byte_level), ("sentencepiece-like", sentencepiece_like)):
        tok, tokenizer_config, config = make()
        files = {"tokenizerJson": tok.to_str(), "tokenizerConfig": json.dumps(tokenizer_config), "config": json.dumps(config)}
        golden["tokenizers"][name] = files
        with tempfile.TemporaryDirectory() as folder:
            for file, key in (("tokenizer.json", "tokenizerJson"), ("tokenizer_config.json", "tokenizerConfig"), ("config.json", "config")):
                (pathlib.Path(folder) / file).write_text(files[key], encoding="utf-8")
            tokenizer = AutoTokenizer.from_pretrained(folder)
        for seed, (ntrain, max_tokens, fixed, form) in enumerate([(5, 2048, False, "{}"), (5, 400, False, "{}"), (2, 2048, True, " {}"), (0, 2048, False, "{}")]):
            model = "made/up-model"
            subjects, files, accuracies = run(model, tokenizer, ntrain, max_tokens, fixed, form, seed)
            golden["runs"].append({"tokenizer": name, "model": model, "ntrain": ntrain, "max_tokens": max_tokens, "fixed": fixed, "choice_tokens": "spaced" if form == " {}" else "bare", "subjects": subjects, "files": files, "accuracies": accuracies})
            print(name, ntrain, max_tokens, fixed, repr(form), {s: [d["k"] for d in docs] for s, docs in subjects.items()}, {s: docs[0]["ids"] for s, docs in subjects.items()})
    (OUT / "golden.json").write_text(json.dumps(golden, ensure_ascii=False), encoding="utf-8")
    keep_record(__file__, [OUT / "golden.json", *OUT.glob("data/*/*.csv")], ["pandas", "torch", "numpy", "tokenizers", "transformers"], folder=OUT)


main()
