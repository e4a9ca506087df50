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


MMLU_PRO = "biology business chemistry,computer science,economics engineering health history law math other philosophy physics psychology"
CATEGORIES = [name for part in MMLU_PRO.split(",") for name in ([part] if part == "computer science" else part.split())]
BOXED = [r"So $x = \boxed{\frac{1}{2}}$.", r"Thus \boxed{[0,1)} .", r"$\boxed{12\text{ cm}}$", r"It is $\boxed 7$", r"$$\boxed{\left(3, \frac{\pi}{2}\right)}$$ hence", r"First $\boxed{1}$, then $\boxed{x^2 - 1}$."]
MATH = [{"problem": text, "level": f"Level {1 + i % 5}", "type": "Algebra", "solution": BOXED[i]} for i, text in enumerate(ODD)]
INSTRUCTIONS = [("punctuation:no_comma", {}), ("length_constraints:number_words", {"relation": "at least", "num_words": 3}), ("keywords:existence", {"keywords": ["ọjà", "a+b"]})]

TOPICS = ["business", "entertainment", "health", "politics", "religion", "sports"]

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
    "allenai/winogrande": each(lambda i, text, options: {"sentence": ["The cup fell off the shelf because _ was round.", "Ann thanked Bea as _ had helped.", "A _ b.", "_ starts, and _ again", "Ọ̀rẹ́ _ : \u201cẹ\u201d ", "ends with _"][i], "option1": options[0], "option2": options[1], "answer": "12"[i % 2]}),
    "EleutherAI/lambada_openai": [{"text": text} for text in ["She gave the book to her mother", "He said to Anna that he'd seen Anna", "two  spaces", "one", "a tab\there then end", "Ìyá rẹ̀ ní “bẹ́ẹ̀ni”", "trailing "]],
    "cimec/lambada": [{"text": text, "domain": "a"} for text in ["she gave the book to her mother", "he said to anna that he 'd seen anna", "`` yes , '' she said", "two  spaces", "trailing ", "one"]],
    "EleutherAI/wikitext_document_level": [{"page": page} for page in [" = Robert <unk> = \n \n Robert 's 1 @,@ 000 @-@ year @.@ 5 ( old ) [ x ] { y } plan , yes . \" quoted \" text ' said ' .\n = = Part = = \n N o : b ; c !\n", "plain", " ° C and $ 5 % n't ` ` a ' ' \u2013 @-@ "]],
    "allenai/sciq": each(lambda i, text, options: {"question": text, "distractor3": options[0], "distractor1": options[1], "distractor2": options[2], "correct_answer": options[3], "support": ["", " Planets orbit. ", "\n\tTabs.", "ምድር ", "a\u00a0b", "\u00a0 nbsp first"][i]}),
    "allenai/openbookqa": each(lambda i, text, options: {"id": str(i), "question_stem": text, "choices": {"text": options, "label": ["A", "B", "C", "D"]}, "answerKey": [" A", "B", "\tC", "D", "A", "B"][i]}),
    "aps/super_glue": each(lambda i, text, options: {"passage": text, "premise": ["The man fell.", "It rained. ", "“Ó ṣú.”", "x.", "እሷ ወደቀች።", "No stop"][i], "choice1": ["He slipped.", "The ground got wet.", "Énorme.", "ǅ.", "Ì.", "ß."][i], "choice2": ["He ran.", "ÀBÍ.", "I.", "İ.", "a", "A b."][i], "question": ["cause", "effect"][i % 2], "idx": i, "label": i % 2}),
    "facebook/belebele": each(lambda i, text, options: {"link": "l", "question_number": i, "flores_passage": text, "question": text, "mc_answer1": options[0], "mc_answer2": options[1], "mc_answer3": options[2], "mc_answer4": options[3], "correct_answer_num": "1234"[i % 4], "dialect": "d", "ds": "2023-05-03"}),
    "masakhane/afrixnli": each(lambda i, text, options: {"premise": text, "hypothesis": " ".join(options), "label": i % 3}),
    "masakhane/masakhanews": each(lambda i, text, options: {"label": i, "headline": text, "text": " ".join(options), "headline_text": text, "url": "u", "category": TOPICS[i]}),
    "masakhane/afrisenti": each(lambda i, text, options: {"tweet": text, "label": ["positive", "neutral", "negative"][i % 3]}),
    "Davlan/nollysenti": each(lambda i, text, options: {"review": text, "label": ["positive", "negative"][i % 2]}),
    "google/IFEval": each(lambda i, text, options: {"key": 1000 + i, "prompt": text, "instruction_id_list": [name for name, _ in INSTRUCTIONS[: 1 + i % 3]], "kwargs": [{"relation": None, "num_words": None, "keywords": None} | kwargs for _, kwargs in INSTRUCTIONS[: 1 + i % 3]]}),
    "google-research-datasets/nq_open": each(lambda i, text, options: {"question": text, "answer": options[: 1 + i % 3]}),
    "openai/gsm8k": each(lambda i, text, options: {"question": text, "answer": f"{options[0]} is <<2+{i}={2 + i}>>{2 + i}.\n#### {['4', '1,200', '-3', '0.5 ', '$7', '10####11'][i]}"}),
    "SaylorTwift/bbh": each(lambda i, text, options: {"input": f"{text}\nOptions:\n(A) {options[0]}\n(B) {options[1]}", "target": ["(A)", "True", " no", "8", "] ]", "a b c"][i]}),
    "TIGER-Lab/MMLU-Pro": [
        {"question_id": 100 * c + i, "question": text, "options": (OPTIONS[i] * 3)[: 3 + (i + c) % 9], "answer": "ABC"[i % 3], "answer_index": i % 3, "cot_content": ["A: Let's think step by step. It is so. The answer is (B).", "No lead-in.", ""][i % 3], "category": category, "src": "made up"}
        for c, category in enumerate(CATEGORIES)
        for i, text in enumerate(ODD[: 4 + c % 3])
    ],
    "Idavidrein/gpqa": each(lambda i, text, options: {"Question": text, "Correct Answer": [options[0], " [title] both  sides ", "kept [in brackets]", options[1] + "\n", options[2], options[3]][i], "Incorrect Answer 1": options[1], "Incorrect Answer 2": None if i == 4 else options[2], "Incorrect Answer 3": options[3]}),
    "EleutherAI/hendrycks_math": MATH,
    "HuggingFaceH4/MATH-500": [{**row, "answer": "1", "subject": "Algebra", "unique_id": f"test/algebra/{i}.json"} for i, row in enumerate(MATH)],
    "masakhane/afrimgsm": each(lambda i, text, options: {"question": text, "answer": [None, "Step-by-Step Answer: 2 + 2 = 4. The answer is 4.", "short"][i % 3], "answer_number": 4 * i - 3, "equation_solution": [None, "2+2=4;"][i % 2]}),
    "masakhane/afriqa-gold-passages": each(lambda i, text, options: {"context": " ".join(options), "question_lang": text, "question_translated": text[::-1], "title": options[0], "answer_pivot": options[1], "answer_lang": options[2], "id": str(i)}),
    "csebuetnlp/xlsum": each(lambda i, text, options: {"id": str(i), "url": "u", "title": options[0], "summary": options[1], "text": text}),
    "masakhane/masakhaner-x": each(lambda i, text, options: {"text": text, "spans": [], "target": [f"PER: {options[0]} $$ LOC: {options[1]}", "", "ORG: x"][i % 3]}),
    "masakhane/masakhapos": each(lambda i, text, options: {"id": str(i), "tokens": text.split(), "upos": [(i + 5 * k) % 18 for k in range(len(text.split()))]}),
}
