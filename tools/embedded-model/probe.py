"""Quick look at a checkpoint: accuracy per subject without the harness.

    python probe.py FOLDER... [--out FILE]
"""
import argparse
import json
import pathlib

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import corpus
from bench import LANGUAGE, TITLES
from common import LETTERS, ask, ask_letters


@torch.no_grad()
def score(model, tokenizer, context: str, continuation: str) -> float:
    whole, start = tokenizer(context + continuation).input_ids, len(tokenizer(context).input_ids)
    logits = model(torch.tensor([whole[:-1]])).logits[0].log_softmax(-1)
    return sum(logits[i - 1, whole[i]].item() for i in range(start, len(whole)))


def main() -> None:
    made = corpus.benchmark()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, help="write {name: {acc, acc_norm, letters}} here")
    args = parser.parse_args()
    measured = {}
    for folder in args.folders:
        tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder).eval()
        cells, total, norm_total, differ, count, letters_total = [], 0, 0, 0, 0, 0
        for name in TITLES:
            rows, plain, norm, letter = made[name]["test"], 0, 0, 0
            for row in rows:
                context = ask(row["question"], "", LANGUAGE.get(name, "en"))
                lls = [score(model, tokenizer, context, " " + choice) for choice in row["choices"]]
                norms = [ll / len(choice) for ll, choice in zip(lls, row["choices"])]
                first, second = lls.index(max(lls)) == row["answer"], norms.index(max(norms)) == row["answer"]
                listing = ask_letters(row["question"], row["choices"], 0, LANGUAGE.get(name, "en")).removesuffix(" A")
                lls = [score(model, tokenizer, listing, " " + mark) for mark in LETTERS]
                plain, norm, letter = plain + first, norm + second, letter + (lls.index(max(lls)) == row["answer"])
                differ, count = differ + (first != second), count + 1
            total, norm_total, letters_total = total + plain, norm_total + norm, letters_total + letter
            cells.append(f"{name} {plain / len(rows):.2f}/{norm / len(rows):.2f}/{letter / len(rows):.2f}")
        measured[folder.name] = {"acc": total / count, "acc_norm": norm_total / count, "letters": letters_total / count}
        print(folder.name, f"all {total / count:.3f}/{norm_total / count:.3f}/{letters_total / count:.3f} differ {differ / count:.3f} |", ", ".join(cells), flush=True)
    if args.out:
        args.out.write_text(json.dumps(measured, indent=1) + "\n")


if __name__ == "__main__":
    main()
