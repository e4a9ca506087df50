"""More made-up rows for `make_function_goldens.py`, in the form of `function_cases.py`."""

TEXTS = [
    ("The river is wide. It rains.", "The river is wide and it rains . Often ."),
    ("ሰላም ነው", "ሰላም ነው"),
    ("Ọjà ńlá ni", "oja nla ni"),
    ("", "nothing"),
    ("one two three four", ""),
    ("Bread, milk & eggs: 3.50!", "bread milk eggs 3 50"),
]
LLS = [(-4.0, False), (-3.0, False), (-9.0, False), (-3.5, True)]


def rouge_summaries():
    for i in (1, 2, 3):
        yield f"afrobench/xlsum/prompt_{i}", "metric", "utils.rougeL", [[["said"], ["gold"]]]
        yield f"afrobench/xlsum/prompt_{i}", "aggregation", "utils.rougeL_agg", [TEXTS, TEXTS[:1], TEXTS[1:2]]
    for folder in ("french_bench", "catalan_bench", "galician_bench", "spanish_bench", "noticia"):
        yield folder, "metric", "utils.rouge1", [[["said"], ["gold"]]]
        yield folder, "aggregation", "utils.rouge1_agg", [TEXTS, TEXTS[:1], []]
    yield "noticia", "aggregation", "utils.average_len_agg", [TEXTS, TEXTS[3:4]]
    docs = [[{"highlights": a}, [b]] for a, b in TEXTS] + [[{}, ["running rivers"]], [{"highlights": "The runner's rivers ran  on"}, ["running\nriver"]]]
    yield "cnn_dailymail", "processResults", "utils.process_results", docs


def truthful_generation():
    doc = {"question": " Why? ", "correct_answers": ["It rains", " It pours. ", ""], "incorrect_answers": ["Magic", "No."], "best_answer": "It rains"}
    comments = {"en": "I have no comment.", "ca": "No tinc cap comentari.", "gl": "Non teño ningún comentario."}
    for folder in ("truthfulqa", "galician_bench", "catalan_bench/truthfulqa_va"):
        known = {**doc, "correct_answers": list(comments.values())}
        yield folder, "processDocs", "utils.process_docs_gen", [[doc, known]]
    langs = [{**doc, "lang": lang} for lang in ("en", "ca", "es", "eu", "gl", "xx")]
    yield "truthfulqa-multi", "processDocs", "utils.process_docs_gen", [langs, [{**langs[0], "correct_answers": ["I have no comment"]}]]
    yield "noreval/nortruthfulqa/generation", "processDocs", "utils.process_docs", [[doc]]
    said = ["It rains a lot.", "magic", "", "It is 3.5 % (of $5) « odd » . Yes . No", "ሰላም ነው።", "no.", "It pours."]
    scored = [[{"correct_answers": ["It rains.", "It is 3.5% of $5 . Yes ."], "incorrect_answers": ["Magic.", "No."]}, [s]] for s in said]
    scored.append([{"correct_answers": [], "incorrect_answers": ["a"]}, ["a"]])
    for folder in ("truthfulqa", "truthfulqa-multi", "galician_bench", "catalan_bench/truthfulqa_va"):
        yield folder, "processResults", "utils.process_results_gen", scored
    yield "noreval/nortruthfulqa/generation", "processResults", "utils.process_results", scored


def gpqa():
    rows = [
        {
            "Question": f"q{i}",
            "Correct Answer": f" right  {i} [title] so [cut\n] [cut]",
            **{f"Incorrect Answer {k}": (f"wrong {i} {k}" if (i + k) % 4 else None) for k in (1, 2, 3)},
        }
        for i in range(9)
    ]
    for folder in ("gpqa/zeroshot", "gpqa/n_shot", "gpqa/generative", "gpqa/cot_zeroshot", "gpqa/cot_n_shot", "leaderboard/gpqa"):
        yield folder, "processDocs", "utils.process_docs", [rows, rows[:1]]


def iberian_bench():
    pair = {"sentence1": " It 's ( good ) , no ? ", "sentence2": "Élan \" so \" it is n't"}
    nli = {"premise": pair["sentence1"], "hypothesis": pair["sentence2"]}
    more = [pair, {"sentence1": "A;", "sentence2": "B."}, {"sentence1": None, "sentence2": "x"}, {"sentence1": "x", "sentence2": ""}]
    for folder in ("catalan_bench", "spanish_bench"):
        yield folder, "processDocs", "utils.process_doc_nli", [[nli, {"premise": "A;", "hypothesis": "B."}], [{"premise": "A", "hypothesis": " "}]]
        yield folder, "processDocs", "utils.process_docs_paraphrases", [more]
    copa = {"choice1": "Ünder", "choice2": "ÀB", "premise": " p. ", "question": "cause"}
    yield "catalan_bench", "processDocs", "utils.process_docs_copa_ca", [[copa], [{**copa, "choice1": ""}]]
    yield "spanish_bench", "processDocs", "utils.process_docs_copa_es", [[copa]]
    yield "spanish_bench", "processDocs", "utils.process_xlsum", [[{"text": "a  b\n  c", "summary": "   d"}]]
    yield "galician_bench", "processDocs", "utils.process_summarization", [[{"text": "a  b\n  c", "summary": "   d"}]]
    labels = ["entailment", "neutral", "contradiction"]
    yield "galician_bench", "processDocs", "utils.process_doc_nli", [[{**pair, "gold_label": label} for label in labels], [{**pair, "gold_label": "x"}]]
    yield "galician_bench", "processDocs", "utils.process_docs_paraphrases", [[{"Frase": p["sentence1"], "Paráfrase": p["sentence2"]} for p in more]]
    yield "galician_bench", "processDocs", "utils.process_docs_paws", [more]
    mc2 = [[{"mc2_targets": {"labels": ls}}, LLS[: len(ls)]] for ls in ([1, 0, 1], [1, 1, 0, 0], [0, 0], [1])]
    yield "galician_bench", "processResults", "utils.process_results_mc2", mc2
    summaries = {kind: {f"a{i}": f"{kind}   {i}" for i in (1, 2, 3)} for kind in ("abstractive", "extractive", "extreme")}
    yield "catalan_bench", "processDocs", "utils.process_doc_cabreu", [[{"content": "a   b", "summaries": summaries}]]
    turns = {
        "questions": ["q1", "q2"],
        "answers": {"input_text": ["x", "The big house"]},
        "additional_answers": {"0": {"input_text": ["x", "the BIG house"]}, "1": {"input_text": ["x", "a cabin"]}},
    }
    said = ["big house\nQ:", "cabin", "", " The cabin "]
    coqcat = [[d, [s]] for d in (turns, {**turns, "additional_answers": None}) for s in said]
    yield "catalan_bench", "processResults", "utils.process_results_coqcat", coqcat
    yield "catalan_bench", "processResults", "utils.process_results_qa", [[{"answers": [{"text": "The red house"}]}, [s]] for s in said]
    yield "basque_bench", "docTo", "utils.xcopa_doc_to_text", [copa, {**copa, "question": "effect"}, {**copa, "question": "?"}]
    yield "basque_bench", "docTo", "utils.xcopa_doc_to_choice", [copa, {**copa, "choice2": ""}]
    yield "basque_bench", "processDocs", "utils.paws_process_docs", [more]


def norquad():
    doc = {"context": " Tittel her \nLinje en\n\nLinje to ", "question": " Hva  er\tdette ? ", "answers": {"text": ["Det røde huset"], "answer_start": [1]}}
    yield "noreval/norquad", "processDocs", "utils.process_docs", [[doc, {**doc, "context": "bare"}]]
    for i in range(5):
        yield "noreval/norquad", "docTo", f"utils.p{i}", [{"title": "t", "passage": "p", "question": "q"}]
    yield "noreval/norquad", "processResults", "utils.process_results", [[doc, [s]] for s in ("røde huset", "", "det røde huset.", "hus")]


def bbq():
    base = {
        "ans0": "The F-Black woman", "ans1": "Can't be determined", "ans2": "James",
        "answer_info": {"ans0": ["Donna", "F-Black"], "ans1": ["Can't be determined", "unknown"], "ans2": ["James", "M-White"]},
        "additional_metadata": {"stereotyped_groups": ["Black", "african american"]},
        "question_polarity": "neg", "context_condition": "ambig", "category": "Race_ethnicity", "label": 1,
    }
    changes = [
        {}, {"question_polarity": "nonneg"}, {"context_condition": "disambig", "label": 0}, {"label": 2, "context_condition": "disambig"},
        {"answer_info": {**base["answer_info"], "ans0": ["lowSES-man", "nonTrans"]}, "category": "SES"},
        {"answer_info": {**base["answer_info"], "ans0": ["", ""]}, "ans0": "Latina girl", "category": "Race_x_gender"},
        {"answer_info": {**base["answer_info"], "ans2": ["boy", "highSES-nonObese girl"]}},
        {"question_polarity": "?"},
    ]
    rows = [{**base, **change} for change in changes]
    yield "bbq", "processDocs", "utils.process_docs", [rows]
    yield "bbq", "processDocs", "utils.process_docs_ambig", [rows]
    yield "bbq", "processDocs", "utils.process_docs_disambig", [rows]
    groups = {"ans0_groups": ["f", "black"], "ans1_groups": ["can't be determined", "unknown"], "ans2_groups": ["james", "m", "white"]}
    docs = [{**row, **groups, "biased_answers": biased} for row in rows[:4] for biased in (["James"], [])]
    odd = [{**docs[0], "ans1": "Maybe"}, {**docs[0], "category": "Other"}]
    for name in ("doc_to_choice", "doc_to_target"):
        yield "bbq", "docTo", f"utils.{name}", docs + odd
    picks = [[(-1.0 if i == pick else -2.0, False) for i in range(12)] for pick in (0, 1, 2, 11)]
    yield "bbq", "processResults", "utils.process_results_multiple_choice", [[d, p] for d in docs + odd for p in picks]
    said = ["James!", "the black one", "I do not know", "It cannot be determined.", "", "THE the james", "unknown", "white people", "woman", "e th James's"]
    yield "bbq", "processResults", "utils.process_results_generate_until", [[d, [s]] for d in docs for s in said]
    nan = float("nan")
    pairs = [(1.0, True), (0.0, False), (1.0, False), (0.0, True), (1.0, True)]
    fours = [(1.0, 1.0, 1.0, True), (0.0, 1.0, 1.0, False), (0.0, 0.0, 1.0, False), (1.0, 0.0, 0.0, False), (0.0, nan, nan, nan), (1.0, 1.0, 1.0, False)]
    for kind in ("amb", "disamb"):
        yield "bbq", "aggregation", f"utils.agg_accuracy_{kind}", [pairs, pairs[:2], []]
        yield "bbq", "aggregation", f"utils.agg_{kind}_bias_scores", [fours, fours[1:4], fours[:1], [fours[4]], fours[3:4], fours[2:3]]


def drop():
    date = {"day": "", "month": "May", "year": "1999"}
    none = {"day": "", "month": "", "year": ""}
    answers = [
        {"number": "", "spans": [], "date": date}, {"number": "7", "spans": [], "date": none}, {"number": "", "spans": ["a", "b"], "date": none},
    ]
    rows = [
        {"query_id": f"i{i}", "passage": "p", "question": "q", "answer": a, "validated_answers": {k: [b[k] for b in answers[:n]] for k in a}}
        for i, (a, n) in enumerate(zip(answers, (3, 2, 0)))
    ]
    yield "drop", "processDocs", "utils.process_docs", [[row] for row in rows[:2]]
    golds = [
        [("7",)], [("May 1999",)], [("red house", "blue-green door"), ("house",)], [("",)], [(" ", "x"), ("a",)], [("the 3.0 men",)], [("1e3",)],
        [("inf", "nan")], [("٣ apples",)], [("Café au lait",)], [("a an the",)], [("10-12 yards",)], [("$1,000.50",)],
    ]
    said = ["7", "7.0", "seven", "May, 1999", "the red house", "blue green door red house", "", "3 men", "1000", "INF", "3 apples", "cafe", "12 yards", "1000.5", "the a"]
    yield "drop", "processResults", "utils.process_results", [[{"answers": g}, [s]] for g in golds for s in said]


def masakha_pos():
    for i in range(1, 6):
        yield f"afrobench/masakhapos/prompt_{i}", "docTo", "utils.doc_to_target", [{"upos": list(range(18))}, {"upos": []}, {"upos": [18]}]


def web_questions():
    rows = [{"answers": a} for a in (["b", "a", "ab", "Éa"], ["x"], ["b", "bc", "b d", "c"], ["\U0001f600", "\uffee"], [])]
    for name in ("doc_to_choice", "doc_to_target"):
        yield "webqs", "docTo", f"utils.{name}", rows


def wsc273():
    text = "The man.  He saw The dog"
    row = {"text": text, "options": ["The dog", "An old man"], "pronoun": "he", "pronoun_loc": 9, "label": 0}
    changes = [{}, {"pronoun": "His"}, {"pronoun_loc": 3}, {"pronoun_loc": 10}, {"pronoun_loc": 0}, {"pronoun_loc": 1}]
    yield "wsc273", "processDocs", "utils.process_doc", [[{**row, **change} for change in changes], [{**row, "pronoun_loc": 99}], [{**row, "options": ["", "x"]}]]


def ethics():
    rows = [{"activity": a, "baseline": f"not {a}"} for a in ("", "I ran.", "Ẹ káàárọ̀ 😀", *(f"I bought {i} apples" * (i % 12) for i in range(30)))]
    for name in ("doc_to_text", "doc_to_target"):
        yield "hendrycks_ethics", "docTo", f"utils.{name}", rows


def super_glue_t5():
    folder = "super_glue/cb"
    labels = ["entailment", "contradiction", "neutral", "?"]
    yield folder, "metric", "t5_utils.mean_3class_f1", [[[a], [b]] for a in labels for b in labels]
    pairs = [(0, 0), (1, 2), (2, 2), (0, 1), (0, 0)]
    yield folder, "aggregation", "t5_utils.agg_mean_3class_f1", [pairs, pairs[:1], pairs[1:2]]
    folder = "super_glue/multirc"
    inputs = [[[a], [b]] for a in ("True", "False", "", "true") for b in ("1_True", "2_False", "a_b_True", "True", "1_no")]
    for name in ("f1", "em"):
        yield folder, "metric", f"t5_utils.{name}", inputs
    yield folder, "aggregation", "t5_utils.agg_f1", [[(1, 1), (True, 0), (0, 1), (False, 0)], [(0, 0)], [(1, 1)]]
    yield folder, "aggregation", "t5_utils.agg_em", [[("1", 1, 1), ("1", True, 1), ("2", 0, 1), ("2", 1, 1), ("3", 0, 0)]]
    folder = "super_glue/record"
    row = {"passage": "One.\n@highlight\nTwo\n@highlight\nThree\"\n@highlight\nend", "query": "@placeholder?", "entities": ["a", "B"], "answers": ["B", "é"], "idx": 3}
    yield folder, "processDocs", "t5_utils.process_docs", [[row, {**row, "answers": ["x"]}]]
    yield folder, "docTo", "t5_utils.doc_to_text", [row]
    for name in ("em", "f1"):
        yield folder, "metric", f"t5_utils.{name}", [[["a"], ["b"]]]
    items = [("the House!", "1_house"), ("home", "1_a home"), ("red car", "2_car"), ("", "3_x"), ("x", "3_"), ("zebra", "2_red car")]
    for name in ("em", "f1"):
        yield folder, "aggregation", f"t5_utils.squad_{name}_agg", [items, items[:1], [("a", "b")], [("a", "1_b_c")]]
    folder = "super_glue/wsc"
    wsc = {"text": "Ann saw Bea because X she hid .", "span1_text": "The Bea's mother", "span2_text": "she", "span2_index": 5, "label": 1}
    whipped = "The boy continued to whip the pony , and eventually the pony threw him over. John laughed out quite loud. \"Good for him,\" he said. "
    pebble = "When they had eventually calmed down a bit , and had gotten home, Mr. Farley put the magic pebble in an iron safe . Some day they might want to use it , but really for now, what more could they wish for?"
    docs = [wsc, {**wsc, "span2_index": 0}, {**wsc, "span2_index": 4}, {**wsc, "span2_index": 40}, {**wsc, "text": whipped, "span2_text": "him"}]
    docs += [{**wsc, "text": pebble, "span2_text": "it"}, {**wsc, "text": "a b \\g c", "span2_text": "\\g", "span2_index": 2}, {**wsc, "text": "a b \\n c", "span2_text": "\\n", "span2_index": 2}]
    yield folder, "docTo", "t5_utils.doc_to_text", docs
    said = ["Bea's mother", "mother", "", "the bea's MOTHER house", "Ann's", "bea's"]
    yield folder, "processResults", "t5_utils.process_results", [[{**wsc, "label": label}, [s]] for s in said for label in (0, 1)]


def evalita():
    folder = "evalita_llm"
    flags = [{"opos": a, "oneg": b} for a in ("0", "1", "2") for b in ("0", "1")] + [{"opos": 1, "oneg": 0}]
    yield folder, "docTo", "utils.sa_doc_to_target", flags
    yield folder, "docTo", "utils.sa_doc_to_choice", flags[:1]
    words = [{"word": "casa", "count": 3}, {"word": "abitazione", "count": 1}, {"word": "a::b", "count": 2}, {"word": "nido bello", "count": "x"}]
    answers = [{"answers": words[:n]} for n in range(5)]
    yield folder, "docTo", "utils.ls_doc_to_target", answers
    said = ["casa, dimora", "\"casa, abitazione\"", "casa , abitazione!", "", ",,\"", "nido bello, casa, casa\nx", "b, a, 1" + ", x" * 12, "\"casa\",\"abitazione\""]
    yield folder, "processResults", "utils.ls_process_results", [[d, [s]] for d in answers for s in said]
    yield folder, "aggregation", "metrics._aggreg_ls", [[(0.5, 1, 1), (0, 0, 1), (1.0, 1, 0)], [(0, 0, 0)], [(0.25, 1, 1)]]
    yield folder, "aggregation", "metrics._aggreg_sa", [[(0, 0), (1, 2), (3, 3), (2, 1), (0, 3)], [(0, 0)], [(2, 2), (2, 1)]]
    ents = [{"entity_text": "Roma", "type": "LOC"}, {"entity_text": "Ada", "type": "PER"}, {"entity_text": "Fiat", "type": "ORG"}]
    docs = [{"entities": ents[:n]} for n in range(4)] + [{"entities": [{"entity_text": "x", "type": "Z"}]}]
    yield folder, "docTo", "utils.ner_doc_to_target", docs
    said = ["Roma$LOC", "Roma$loc, Ada$PER", "Ada$LOC,Fiat", "&&NOENT&&", "", "a$PER,b$PER,c$ORG,d$LOC,Roma$LOC", "$LOC", "Fiat$ORG$x, Roma$LOC,Ada$PER"]
    yield folder, "processResults", "utils.ner_process_results", [[d, [s]] for d in docs for s in said]
    labels = [([0, 3], [0, 1]), ([1], [1]), ([2, 2, 3], [2, 3, 3]), ([3], [3])]
    yield folder, "aggregation", "metrics._aggreg_ner", [labels, labels[1:2], labels[3:]]
    yield folder, "aggregation", "metrics._aggreg_rel", [labels, labels[1:2]]
    docs = [{"relations": r} for r in ([], [["a", "b"]], [["a", "b"], ["c", "d"]], [["a", "b"], ["a", "b"]])]
    yield folder, "docTo", "utils.re_doc_to_target", docs
    said = ["a$b", "a $ b % c$d", "&&NOREL&&", "", "c$d%a$b%e$f%g$h", "a", "a$b%a$b", "x%y%z"]
    yield folder, "processResults", "utils.rel_process_results_v3", [[d, [s]] for d in docs for s in said]
    yield folder, "docTo", "utils.faq_doc_to_target", [{"correct_answer": a} for a in ("A", "D", "E", None)]


def long_bench():
    docs = [{"answers": a, "all_classes": ["a", "ab", "abc", "human", "x"]} for a in (["The red house", "barn"], [], ["abc"], ["ab", "human"], ["a"])]
    said = [" red house. ", "barn barn", "", "zebra", "abc human", "ab", "a x abc"]
    for name in ("qa_f1", "classification"):
        yield "longbench", "processResults", f"metrics.get_{name}_with_score", [[d, [s]] for d in docs for s in said]
    counts = [[{"answers": a}, [s]] for a in (["12"], ["3", "x"], []) for s in ("12 or 13, 12", "3", "none", "", "٣")]
    yield "longbench", "processResults", "metrics.get_count_with_score", counts
    for name, word in (("retrieval", "Paragraph "), ("retrieval_zh", "段落")):
        inputs = [[{"answers": [a]}, [s]] for a in (f"{word}7", f"{word}12 {word}3", "7") for s in (f"{word}7", "7 and 12", "", "12")]
        yield "longbench", "processResults", f"metrics.get_{name}_with_score", inputs


def worked_answers():
    golds = ["7", "\\frac{1}{2}", "x=3", "10", "3.0", "", "1/2", "a/b", "\\sqrt2", "5\\text{ cm}", "1000"]
    said = ["so \\boxed{7}", "\\boxed{x = \\frac12}", "It is $\\frac{1}{2}$ and $3$", "x = 3.", "about 10.", "$10", "\\boxed{3", "\\fbox{7}", "none"]
    said += ["", "$$", "= 1/2", "y=2\\n so x = 3\\n", "\\boxed{a/b}", "3.0", "1e3", "\\boxed{1000.0}", "\\boxed{\\sqrt}", "\\boxed{\\text{ a}\\text{ b}}", "٣", "7th", "$a$\n$7$"]
    yield "agieval", "processResults", "utils.process_results", [[{"answer": g}, [s]] for g in [*golds, None] for s in said]
    for folder in ("hrm8k/default", "hrm8k/en"):
        yield folder, "processResults", "utils.process_results", [[{"answer": g}, [s]] for g in [*golds, 7, 3.5, 1e20] for s in said]
        docs = [{"question": " q ", "original": "\to ", "answer": a} for a in ("7.0", " 3.5 ", 12, 1.5, "x", "nan", "inf", "1e22")]
        for name in ("doc_to_text", "doc_to_text_mmmlu", "doc_to_target"):
            yield folder, "docTo", f"utils.{name}", docs


def french_bench():
    for name in ("exact", "f1"):
        yield "french_bench", "metric", f"utils.{name}", [[[p], [g]] for p in ("La maison rouge!", "", "le", "rouge rouge") for g in ("maison rouge", "", "des", "zèbre")]
    yield "french_bench", "metric", "utils.is_included", [[[p], [g]] for p in ("abc", "") for g in ("b", "", "x")]
    hella = {"ctx_a": "A man [x] sits [title]", "ctx_b": "he  Runs", "activity_label": "Sport", "endings": [" a  b   c ", "[z] d"], "label": "1"}
    yield "french_bench", "processDocs", "utils.process_docs", [[hella]]
    text = " = T = \n the dog 's ( a ) @-@ b , c . "
    yield "french_bench", "docTo", "preprocess_wikitext.wikitext_detokenizer", [{"paragraph": text}]
    yield "french_bench", "processResults", "preprocess_wikitext.process_results", [[{"paragraph": text}, [-2.5]]]


def click_language():
    ids = ["CSAT_korean_22_4", "CSAT_korean_23_34", "CSAT_korean_23_40", "CSAT_korean_20_11", "CSAT_korean_20_5", "TK_1", "TK_9", "Kedu_16_1", "Kedu_12_3"]
    ids += ["PSE_korean_1", "KHB_2"]
    rows = [{"id": i, "question": q, "paragraph": p} for i in ids for q, p in (("대화 q", "맥"), ("q", ""))]
    for name in ("text", "grammar", "function"):
        yield "click/click_lang", "processDocs", f"utils.extract_{name}", [rows, [{"id": "CSAT_korean_20_x", "question": "q", "paragraph": ""}]]
    docs = [{**row, "choices": ["a", "b", "c", "d", "e"], "answer": a} for row in rows[:2] + rows[-2:] for a in ("b", "e", "z")]
    for name in ("get_context", "get_choices", "get_target"):
        yield "click/click_lang", "docTo", f"utils.{name}", docs


def small_exams():
    care = {"question": "q", "op1": "a", "op2": "b", "op3": "c", "op4": "d", "cop": 4}
    for name in ("doc_to_text", "doc_to_target"):
        yield "careqa", "docTo", f"utils.{name}", [care]
    said = ["정답: b", "정답은 C 입니다", "A. 이유", "I think d", "", "정답 E 그리고 정답:a", "cab", "B. or c."]
    yield "kormedmcqa", "filter", "utils.ExtractChoiceFilter", [[{}, [[s, s.lower()] for s in said], [{}] * len(said)]]
    arc = {"question": "q", "choices": {"text": ["a", "b", "c", "d"], "label": ["1", "2", "3", "4"]}, "answerKey": "2"}
    rows = [arc, {**arc, "answerKey": "C"}, {**arc, "choices": {"text": ["a"], "label": ["A"]}}]
    yield "llama3/instruct/arc_challenge", "processDocs", "utils.process_docs", [rows, [{**arc, "answerKey": "9"}]]
    sciq = [{"support": f"s{i}", "question": "q", "correct_answer": "r", "distractor1": "x", "distractor2": f"y{i}", "distractor3": "z"} for i in range(7)]
    for folder in ("arabic_leaderboard_complete/arabic_leaderboard_arabic_mt_sciq", "arabic_leaderboard_light/arabic_leaderboard_arabic_mt_sciq_light"):
        yield folder, "processDocs", "utils.process_docs", [sciq]
    yield "japanese_leaderboard", "processDocs", "ja_leaderboard_jcommonsenseqa.process_docs", [[{f"choice{i}": str(i) for i in range(5)}]]
    yield "japanese_leaderboard", "processDocs", "ja_leaderboard_xwinograd.process_docs", [[{"answer": "2", "sentence1": " a ", "sentence2": "b"}]]
    said = ["答えは 1,200。", "-3", "3.5", "", "12.0.", "1.2.3", "..", "7,"]
    yield "japanese_leaderboard", "processResults", "ja_leaderboard_mgsm.process_results", [[{"answer_number": n}, [s]] for n in (1200, -3, 12, 7) for s in said]
    chats = [{"messages": [{"content": "x\n-سلبي\n-ايجابي\n-ماكينش إحساس"}, {"content": c}]} for c in ("ايجابي", "سلبي", "ماكينش إحساس", "?")]
    for name in ("doc_to_text", "doc_to_target", "doc_to_choice_2", "doc_to_choice_3"):
        yield "darija_bench/darija_sentiment", "docTo", f"utils.{name}", chats
    yield "mutual", "processDocs", "utils.process_docs", [[{"article": "m : it 's `` so '' , is n't it ? \n f : no .", "options": ["a !", "b ;"], "answers": "A"}]]
    lls = [LLS, [(-1.0, False)] * 4, [(-1.0, False), (-1.0, True), (-2.0, False), (-0.5, False)], [(-5.0, True), (-1.0, False), (-2.0, False), (-3.0, False)]]
    yield "mutual", "processResults", "utils.process_results", [[{"answers": a}, x] for a in "ABCDE" for x in lls]


def metabench():
    def shots(count, make):
        return {f"{name}_shot_{i}": value for i in range(1, count + 1) for name, value in make(i).items()}

    choices = {"label": ["A", "B", "C"], "text": ["one", "two", "three"]}
    arc = {"question": "Why é?", "choices": choices, "answerKey": "B", "alltwentyfiveshot_longprompt": "x"}
    arc |= shots(25, lambda i: {"arc_question": f"q{i}", "arc_answerKey": "ABC"[i % 3], "arc_choices": choices, "arc_idx": i})
    gsm = {"question": "How many?", "answer": "#### 3", "allfiveshot_longprompt": "x"}
    gsm |= shots(5, lambda i: {"gsm8k_prompt": f"q{i}", "gsm8k_answer": f"a{i}", "gsm8k_idx": i})
    hella = {"ctx_a": "A man [x] sits [title]", "ctx_b": "he  Runs", "ctx": "c", "activity_label": "Sport", "endings": [" a  b", "[z] d", "e", "f"]}
    hella |= {"label": "2", "alltenshot_longprompt": "x"}
    more = ("ctx", "ind", "source_id", "split", "split_type")
    hella |= shots(10, lambda i: {"hellaswag_ctx_a": f"a{i}", "hellaswag_ctx_b": "b C", "hellaswag_activity_labels": "L", "hellaswag_endings": ["x", " y  [z]"], "hellaswag_label": str(i % 2), **{f"hellaswag_{m}": i for m in more}})
    mmlu = {"question": "q?", "subject": "college_law", "choices": ["w", "x", "y", "z"], "answer": 3, "allfiveshot_longprompt": "x"}
    mmlu |= shots(5, lambda i: {"mmlu_question": f" q{i} ", "mmlu_choices": list("abcd"), "mmlu_answers": i % 4, "mmlu_ind": i})
    truth = {"question": "q?", "mc1_targets": {"choices": ["r", "s", "t"], "labels": [1, 0, 0]}}
    wino = {"sentence": "Ann saw _ .", "option1": "Bob", "option2": "Eve", "answer": "1", "allfiveshot_longprompt": "x"}
    wino |= shots(5, lambda i: {"winogrande_prompt": f"_ is {i} _", "winogrande_answer": str(1 + i % 2), "winogrande_idx": i, "winogrande_option1": "A$&", "winogrande_option2": "B"})
    rows = {"arc": arc, "gsm8k": gsm, "hellaswag": hella, "mmlu": mmlu, "truthfulqa": truth, "winogrande": wino}
    for name, row in rows.items():
        yield "metabench", "processDocs", f"process_docs.process_{name}", [[row]]
        if name != "gsm8k":
            yield "metabench", "processDocs", f"process_docs_permute.process_{name}", [[row] * 4]
    yield "metabench", "processDocs", "process_docs.process_winogrande", [[{**wino, "winogrande_answer_shot_3": "3"}]]
    for module in ("process_docs", "process_docs_permute"):
        for name in ("doc_to_text", "doc_to_target", "doc_to_choice"):
            yield "metabench", "docTo", f"{module}.winogrande_{name}", [{**wino, "sentence": s} for s in ("Ann saw _ .", "none")]


MORE_FAMILIES = {
    "metabench": metabench(),
    "masakha-pos": masakha_pos(),
    "evalita": evalita(),
    "long-bench": long_bench(),
    "worked-answers": worked_answers(),
    "french-bench": french_bench(),
    "click-language": click_language(),
    "small-exams": small_exams(),
    "rouge-summaries": rouge_summaries(),
    "truthful-generation": truthful_generation(),
    "gpqa": gpqa(),
    "iberian-bench": iberian_bench(),
    "norquad": norquad(),
    "bbq": bbq(),
    "drop": drop(),
    "web-questions": web_questions(),
    "wsc273": wsc273(),
    "ethics": ethics(),
    "super-glue-t5": super_glue_t5(),
}
