"""The bundled benchmark: data set rows as JSON Lines with a data set card, and the task files of the harness.

    python bench.py --data FOLDER --tasks FOLDER
"""
import argparse
import json
import pathlib

import corpus
from common import HEADINGS, LETTERS, length_bias

TITLES = {
    "facts": "Capitals, chemical symbols, young animals, what things are for, what people do",
    "words": "Meanings of English words",
    "arithmetic": "Sums, differences, products and number sequences",
    "inference": "Conclusions from two or three sentences",
    "swahili": "Swahili words, plurals, opposites and sums (questions in Swahili)",
    "yoruba": "Yorùbá words, numbers and days (questions in Yorùbá)",
}
OTHERS = {"wordproblems": "Arithmetic word problems with worked answers ending in `#### n`", "text": "Short documents of running text"}
LANGUAGE = {"swahili": "sw", "yoruba": "yo"}


def write_data(folder: pathlib.Path, made: dict) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, splits in made.items():
        for split, rows in splits.items():
            (folder / name).mkdir(exist_ok=True)
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (folder / name / f"{split}.jsonl").write_text(text, encoding="utf-8")
    (folder / "README.md").write_text(card(made), encoding="utf-8")


def card(made: dict) -> str:
    lines = ["---", "license: apache-2.0", "language:", "- en", "- sw", "- yo", "pretty_name: Yardstick bench", "size_categories:", "- n<1K", "configs:"]
    for name, splits in made.items():
        lines += [f"- config_name: {name}", "  data_files:"]
        for split in splits:
            lines += [f"  - split: {split}", f"    path: {name}/{split}.jsonl"]
    lines += ["---", "", "# Yardstick bench", "",
              "A small benchmark written for Yardstick and its bundled model, so that the evaluator works and can be checked without a network.",
              "It says nothing about other models beyond a smoke test.", "", "| configuration | content | test | few-shot |", "| --- | --- | ---: | ---: |"]
    for name, splits in made.items():
        lines.append(f"| {name} | {(TITLES | OTHERS)[name]} | {len(splits['test'])} | {len(splits.get('fewshot', []))} |")
    lines += ["", "Multiple-choice rows have `id`, `kind`, `question`, `choices` (four) and `answer` (an index); gold positions are balanced over A to D.",
              "Word problems have `question` and `answer`; documents have `title` and `text`.", "",
              "| configuration | gold is the longest choice | gold is the shortest choice |", "| --- | ---: | ---: |"]
    for name in TITLES:
        longest, shortest = length_bias(made[name]["test"])
        lines.append(f"| {name} | {longest:.2f} | {shortest:.2f} |")
    lines += ["", "With four choices each share would be 0.25 if length told nothing; ties are shared out among the tied choices.", "",
              "What the bundled model has seen: every item of facts, words, swahili and yoruba occurs in its training text, but never in the wording used",
              "here. For arithmetic, inference and word problems the wording is the same and the problems themselves are new. The running text is new.", ""]
    return "\n".join(lines)


def quoted(text: str) -> str:
    """A YAML double-quoted scalar."""
    return json.dumps(text, ensure_ascii=False)


def metrics(*names: str, indent: str = "") -> str:
    return "".join(f"{indent}  - metric: {name}\n{indent}    aggregation: mean\n{indent}    higher_is_better: true\n" for name in names)


def task_files() -> dict[str, str]:
    before, after = HEADINGS["en"]
    listed = "".join(f"\n{letter}. {{{{choices[{index}]}}}}" for index, letter in enumerate(LETTERS))
    common = ("dataset_path: yardstick/bench\noutput_type: multiple_choice\ntest_split: test\nfewshot_split: fewshot\n"
              "doc_to_target: answer\ntarget_delimiter: \" \"\nfewshot_delimiter: \"\\n\\n\"\n")
    version = "metadata:\n  version: 1.0\n"
    files = {
        "_yardstick_continuation": f"{common}doc_to_text: {quoted(before + '{{question}}' + after)}\ndoc_to_choice: choices\n"
                                   f"metric_list:\n{metrics('acc', 'acc_norm')}{version}",
        "_yardstick_letters": f"{common}doc_to_text: {quoted(before + '{{question}}' + listed + after)}\n"
                              f"doc_to_choice: [\"A\", \"B\", \"C\", \"D\"]\nmetric_list:\n{metrics('acc', 'acc_norm')}{version}",
    }
    for name, title in TITLES.items():
        language = LANGUAGE.get(name)
        for style in ("continuation", "letters"):
            task = f"yardstick_{name}" + ("_letters" if style == "letters" else "")
            text = f"# {title}, {'as continuations' if style == 'continuation' else 'as letters'}.\ninclude: _yardstick_{style}\ntask: {task}\ndataset_name: {name}\n"
            if language:
                before, after = HEADINGS[language]
                text += f"doc_to_text: {quoted(before + '{{question}}' + (listed if style == 'letters' else '') + after)}\n"
                text += f"metric_list:\n{metrics('acc', 'acc_norm', 'acc_bytes')}"
            files[task + ".yaml"] = text
    for group, suffix in (("yardstick", ""), ("yardstick_letters", "_letters")):
        listing = "".join(f"  - yardstick_{name}{suffix}\n" for name in TITLES)
        aggregates = "".join(f"  - metric: {name}\n    aggregation: mean\n    weight_by_size: true\n" for name in ("acc", "acc_norm"))
        files[group + ".yaml"] = f"group: {group}\ntask:\n{listing}aggregate_metric_list:\n{aggregates}{version}"
    before, after = HEADINGS["en"]
    files["yardstick_wordproblems.yaml"] = f"""# {OTHERS['wordproblems']}.
task: yardstick_wordproblems
dataset_path: yardstick/bench
dataset_name: wordproblems
output_type: generate_until
test_split: test
fewshot_split: fewshot
doc_to_text: {quoted(before + '{{question}}' + after)}
doc_to_target: "{{{{answer}}}}"
generation_kwargs:
  until: ["Question:", "</s>", "\\n\\n"]
  do_sample: false
  temperature: 0.0
  max_gen_toks: 48
filter_list:
  - name: strict-match
    filter:
      - function: regex
        regex_pattern: "#### (-?[0-9]+)"
      - function: take_first
  - name: flexible-extract
    filter:
      - function: regex
        regex_pattern: "(-?[0-9]+)"
        group_select: -1
      - function: take_first
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
    regexes_to_ignore: ["(?s).*#### "]
{version}"""
    files["yardstick_text.yaml"] = f"""# {OTHERS['text']}, scored whole.
task: yardstick_text
dataset_path: yardstick/bench
dataset_name: text
output_type: loglikelihood_rolling
test_split: test
doc_to_text: ""
doc_to_target: "{{{{text}}}}"
metric_list:
  - metric: word_perplexity
  - metric: byte_perplexity
  - metric: bits_per_byte
{version}"""
    return files


def write_tasks(folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    files = task_files()
    for old in folder.iterdir():
        old.unlink()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--tasks", type=pathlib.Path, required=True)
    args = parser.parse_args()
    made = corpus.benchmark()
    write_data(args.data, made)
    write_tasks(args.tasks)
    for name in TITLES:
        print(name, len(made[name]["test"]), "gold longest %.2f, shortest %.2f" % length_bias(made[name]["test"]))


if __name__ == "__main__":
    main()
