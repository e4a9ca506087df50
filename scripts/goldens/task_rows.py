"""Made-up rows with the columns of the bundled tasks' data sets, and with what trips prompts up: odd spaces, quotes, braces, digits, scripts."""

ODD = [
    "Which gas do plants take in?",
    "  What is 2+2?\n",
    "Ìbéèrè: kí ni orúkọ “olú-ìlú” Nàìjíríà?",
    "የኢትዮጵያ ዋና ከተማ ማን ናት?\u00a0",
    "He said: \"it's {{not}} {% a %} template\" \\ and left",
    "Emoji 👩🏽‍🔬 and a tab\there, 100 % sure ",
]
OPTIONS = [
    ["oxygen", "carbon dioxide", "helium", "neon"],
    ["3", "4", "5", "4.0"],
    ["Àbújá", "Èkó", " Kánò", "Ìbàdàn"],
    ["አዲስ አበባ", "መቐለ", "ጎንደር", "ሐረር"],
    ["it's", 'a "b"', "{{x}}", "None"],
    ["True", "", "-1", "d\n"],
]


def each(make):
    return [make(i, text, OPTIONS[i]) for i, text in enumerate(ODD)]


NEWS = ["business", "entertainment", "health", "politics", "religion", "sports"]

# Rows by `dataset_path`.
ROWS = {
    "Rowan/hellaswag": [
        {"ind": 4, "activity_label": "Removing ice", "ctx_a": "Then, a man writes [header] over snow.", "ctx_b": "then", "ctx": "x", "endings": [" [title] runs.", "he  walks [substeps] fast.", "É sits", "ok"], "source_id": "s", "split": "val", "split_type": "i", "label": "2"},
        {"ind": 5, "activity_label": "Baking", "ctx_a": "A cake", "ctx_b": "THE OVEN", "ctx": "y", "endings": ["a", "b", "c", "d"], "source_id": "t", "split": "val", "split_type": "i", "label": "0"},
        {"ind": 6, "activity_label": "Baking 2", "ctx_a": "A cake 2", "ctx_b": "", "ctx": "y", "endings": ["a", "   b", "c [step]  ", "1"], "source_id": "t", "split": "val", "split_type": "i", "label": "3"},
        {"ind": 7, "activity_label": "ßtraße", "ctx_a": " Ẹ̀rọ [title]", "ctx_b": "ǆ ", "ctx": "", "endings": ["[a]\n[b]", "x [unclosed", "y] z", ""], "source_id": "t", "split": "val", "split_type": "i", "label": "1"},
    ],
    "allenai/ai2_arc": each(lambda i, text, options: {"id": f"q{i}", "question": text, "choices": {"text": options[: 4 - i % 2], "label": (["A", "B", "C", "D"] if i % 3 else ["1", "2", "3", "4"])[: 4 - i % 2]}, "answerKey": ("ABC" if i % 3 else "123")[i % 3]}),
    "baber/piqa": each(lambda i, text, options: {"goal": text, "sol1": options[0], "sol2": options[1], "label": i % 2}),
    "cais/mmlu": each(lambda i, text, options: {"question": text, "subject": "anatomy", "choices": options, "answer": i % 4}),
    "masakhane/afrimmlu": each(lambda i, text, options: {"question": text, "subject": ["elementary_mathematics", "world history"][i % 2], "choices": repr(options), "answer": "ABCD"[i % 4]}),
    "truthfulqa/truthful_qa": each(lambda i, text, options: {"question": text, "mc1_targets": {"choices": options[: 2 + i % 3], "labels": [1, 0, 0, 0][: 2 + i % 3]}, "mc2_targets": {"choices": options, "labels": [1, 1, 0, 0]}}),
}
