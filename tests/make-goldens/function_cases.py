"""Made-up rows for `make_function_goldens.py`: per family, (folder, use, `module.function`, list of arguments)."""

PAIRS = [(0, 0), (1, 2), (2, 2), (1, 1), (0, 1), (2, 0), (1, 1)]
WORD_PAIRS = [("Ikeja", "ikeja city"), ("the red bus", "a red bus"), ("no", "yes"), ("Àkàrà, ọ̀gì!", "àkàrà ọ̀gì")]
NLI = {"premise": "The river is wide.", "hypothesis": "It is narrow", "label": 2}
MMLU_ROWS = [{"subject": s, "Subject": s, "question": "q"} for s in ["anatomy", "virology", "anatomy"]]
PRO = {
    "question": "How many legs has a spider?",
    "options": ["six", " eight ", "ten"],
    "answer": "B",
    "category": "biology",
    "cot_content": "A: Let's think step by step. Spiders are arachnids. The answer is (B).",
}
PROX = {
    **{k: PRO[k] for k in ("question", "category")},
    "cot_content": "A: Hebu tufikiria hatua kwa hatua. Nane. Jibu ni (B)",
    **{f"option_{i}": (f" chaguo {i}" if i < 4 else None) for i in range(10)},
}
AFRI = {"subject": "geography", "question": "Where is Kano?", "choices": "['Nigeria', \"Côte d'Ivoire\", 'Mali', 'Chad']"}
MAFAND = [{"translation": {"en": "Good day.", "yor": "Ẹ káàsán."}}, {"translation": {"bam": "I ni ce", "fr": "Bonjour"}}]
SPANS = [
    ("PER: Ade $$ LOC: Lagos", "PER: Ade $ LOC: Ibadan"),
    ("", "ORG: The U.N. $$ DATE: 3 May, 2020"),
    (["PER: Wanjiru ", "LOC: Nairobi. "], "LOC: Nairobi, PER:  the Wanjiru $$ bad"),
]
TRANSLATE = ["african-english", "english-african"]


def afri_mmlu():
    for form in ("direct", "translate"):
        for i in range(1, 6):
            folder = f"afrimmlu/{form}/prompt_{i}"
            yield folder, "docTo", "utils.doc_to_text", [AFRI, {**AFRI, "choices": "['a', 2]"}]
            yield folder, "docTo", "utils.doc_to_choice", [AFRI]
            yield folder, "aggregation", "utils.weighted_f1_score", [PAIRS]


def afri_xnli():
    for form in ("direct", "translate"):
        for i in range(1, 6):
            rows = [{**NLI, "label": label} for label in (0, 1, 2, 7)]
            yield f"afrixnli/{form}/prompt_{i}", "docTo", "utils.doc_to_target", rows
            yield f"afrixnli/{form}/prompt_{i}", "aggregation", "utils.weighted_f1_score", [PAIRS]
        yield f"afrixnli/lai prompt/{form}", "docTo", "utils.doc_to_text", [NLI]
        yield f"afrixnli/lai prompt/{form}", "docTo", "utils.doc_to_target", [NLI]
    for folder in ("en-direct", "translate"):
        yield f"afrixnli/anli prompt/{folder}", "docTo", "utils.doc_to_target", [NLI]
    yield "afrixnli/anli prompt/native-direct", "aggregation", "utils.weighted_f1_score", [PAIRS]


def afro_bench():
    for task in ("sib", "injongointent", "masakhanews", "afrisenti", "uhura-arc-easy", "nollysenti"):
        yield f"afrobench/{task}/prompt_1", "aggregation", "utils.weighted_f1_score", [PAIRS, [("a", "b"), ("a", "a")], []]
    yield "afrobench/afriqa/prompt_2", "aggregation", "utils.f1", [WORD_PAIRS, WORD_PAIRS[:1], []]
    yield "afrobench/masakhaner/prompt_3", "aggregation", "utils.span_f1_agg", [SPANS, SPANS[:1], SPANS[1:]]
    for i, direction in [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1)]:
        folder = f"afrobench/mafand/prompt_{i}/{TRANSLATE[direction]}"
        for name in ("get_target", "get_target_reverse", *(f"create_{kind}_prompt_{j}" for kind in ("text", "reverse") for j in (1, 2, 3))):
            yield folder, "docTo", f"utils.{name}", MAFAND


def mmlu_pro():
    rows = [PRO, {**PRO, "category": "computer science"}, {**PRO, "options": [str(i) for i in range(12)]}]
    for folder in ("mmlu_pro", "mmlu-pro-plus"):
        for name in ("doc_to_text", "fewshot_to_text", "fewshot_to_target"):
            yield folder, "docTo", f"utils.{name}", rows
    yield "mmlu-pro-plus", "docTo", "utils.doc_to_text", [{**PRO, "options": ["x"] * 17}]
    for folder in ("mmlu_pro", "mmlu-pro-plus", "llama3/instruct/mmlu_pro", "mmlu_prox/sw"):
        for subject in ("biology", "computer_science", "law"):
            yield folder, "processDocs", f"utils.process_{subject}", [rows]
    yield "llama3/instruct/mmlu_pro", "docTo", "utils.fewshot_to_text", [PRO, {**PRO, "cot_content": " no lead "}]
    for name in ("doc_to_text", "doc_to_choice"):
        yield "leaderboard/mmlu_pro", "docTo", f"utils.{name}", rows
    for language in "en ja zh ko fr de es pt zu sw wo yo th ar hi bn mr ne af te ur ru id vi cs hu it sr uk".split():
        for name in ("doc_to_text", "fewshot_to_text"):
            yield f"mmlu_prox/{language}", "docTo", f"utils.{name}", [PROX]


def mmlu_translations():
    for name in ("anatomy", "virology", "sociology"):
        yield "global_mmlu/full/sw", "processDocs", f"utils.process_{name}", [MMLU_ROWS]
        rows = [{"Subject": s} for s in ["anatomy", "virology_test.csv_sw-KE.csv", "anatomy_test-x", "anatomy_test", "sociology"]]
        yield "openai-mmmlu/default", "processDocs", f"utils.process_{name}", [rows]
        for language in ("de", "es", "fr", "hi", "it", "pt", "th"):
            rows = [{"subtask_name": f"mmlu_{language}_chat.{s}"} for s in ("virology", "anatomy")]
            yield f"llama3/instruct/mmlu_{language}", "processDocs", f"utils.process_docs_{name}", [rows]
    groups = ["Business", "Humanities", "Medical", "Other", "STEM", "Social Sciences"]
    for name in ("business", "humanities", "medical", "other", "stem", "social_sciences"):
        yield "global_mmlu/default/yo", "processDocs", f"utils.process_{name}", [[{"subject_category": g} for g in groups]]
    domains = "Applied Science|Arts & Humanities|Business & Commerce|Driving License|General knowledge|Health oriented education"
    domains = (domains + "|Marine License|Medical License|Professional certification|STEM|Social Science").split("|")
    for domain in domains:
        name = domain.lower().replace(" & ", "_").replace(" ", "_")
        yield "include/default/Albanian", "processDocs", f"utils.process_{name}", [[{"domain": d, "n": 1} for d in domains]]


def single_column_filters():
    kinds = "race_color socio gender age religion disability orientation nationality appearance autre".split()
    values = "race-color socioeconomic gender age religion disability sexual-orientation nationality physical-appearance autre age-2"
    for kind in kinds:
        yield "crows_pairs", "processDocs", f"utils.filter_{kind}", [[{"bias_type": v} for v in values.split()]]
    yield "crows_pairs", "docTo", "utils.doc_to_choice", [{"sent_more": "a", "sent_less": "b"}]
    results = [[(-3.5, False), (-1.25, True)], [(-1.0, True), (-2.0, False)], [(-1.0, True), (-1.0, True)]]
    yield "crows_pairs", "processResults", "utils.process_results", [[{}, r] for r in results]
    for kind in ("male", "female", "neutral"):
        yield "winogender", "processDocs", f"utils.filter_{kind}", [[{"gender": g} for g in ("male", "neutral", "female", "male")]]
    for kind in ("ao3_english", "arxiv_cs", "github_cpp", "wikipedia_nonenglish"):
        rows = [{"category": c} for c in ("ao3_english", "arxiv_cs", "github_cpp", "wikipedia_nonenglish", "x")]
        yield "uncheatable_eval", "processDocs", f"uncheatable_eval_utils.filter_{kind}", [rows]
    yield "noreval/noropenbookqa", "processDocs", "utils.filter_dataset", [[{"fact": ""}, {"fact": "x"}]]
    rows = [{"multiple_choice_targets": ["a"]}, {"multiple_choice_targets": []}]
    yield "bigbench", "processDocs", "utils.filter_multiple_choice", [rows]
    rows = [{"answer": a, "candidates": c} for a, c in [(0, list("abcd")), (4, list("abcd")), (1, [""] * 4), (None, list("abcd"))]]
    yield "eus_exams", "processDocs", "utils.process_docs", [rows]


def arabic_leaderboard():
    plain = {"query": "ما هو؟", "label": "1", "sol1": "أ ب", "sol2": "ج", "__few_shots": False}
    table = {"subject": "abu_dhabi law", "question": "س؟", "A": "1", "B": "2", "C": "3", "D": None, "answer": "C"}
    rows = {
        "alghafa": [plain, {**plain, "label": " 0 "}],
        "arabic_exams": [table],
        "arabic_mmlu": [table, {**table, "answer": "Z"}],
        "arabic_mt_arc_easy": [plain],
        "arabic_mt_boolq": [{"question": "q", "passage": "p", "answer": a} for a in (True, False)],
        "arabic_mt_copa": [{"premise": "p", "choice1": "a", "choice2": "b", "question": q, "label": 1} for q in ("cause", "effect")],
        "arabic_mt_hellaswag": [{"ctx": "a [b] c [d]", "endings": "['x [y] z', \"w's\"]", "label": "1"}],
        "arabic_mt_toxigen": [{"text": "t", "toxicity_ai": a, "toxicity_human": 2.5} for a in (3.0, 3.5)],
        "avca": [{"question": "q", "answer": a} for a in ("صح", "خطأ")],
    }
    for name, docs in rows.items():
        yield f"arabic_leaderboard_complete/arabic_leaderboard_{name}", "processDocs", "utils.process_docs", [docs]
        yield f"arabic_leaderboard_light/arabic_leaderboard_{name}_light", "processDocs", "utils.process_docs", [docs]
    yield "arabic_leaderboard_light/arabic_leaderboard_avca_light", "processDocs", "utils.process_docs", [[{"question": "q", "answer": "?"}]]


ARABIC = {
    "Level": "High",
    "Country": "Egypt",
    "Subject": "History",
    "context": "سياق",
    "question": "سؤال",
    "options": {"A": "1", "B": "2", "C": None, "D": "4", "E": None},
    "Answer Key": "B",
}


def aradice():
    bare = {**ARABIC, "Level": None, "Country": None, "context": "", "options": {k: k for k in "ABCDE"}}
    for dialect in ("EGY", "LEV"):
        folder = f"aradice/ArabicMMLU/{dialect}"
        rows = [[ARABIC, bare], [{**ARABIC, "Subject": "Chess"}], [{**ARABIC, "Answer Key": "F"}]]
        rows += [[{**ARABIC, "Subject": s} for s in ("Law", "Math", "Political Science", "Civics")]]
        yield folder, "processDocs", "utils.process_docs", rows
        yield folder, "aggregation", "metrics.micro_f1_score", [PAIRS, [(0, -100), (1, 1)]]
    for dialect in ("EGY", "ENG", "LEV", "MSA"):
        rows = [{"question": q, "answer": "true"} for q in (" هل؟ ", "is it ?", "no mark")] + [{"question": "q", "answer": "false"}]
        yield f"aradice/boolq/{dialect}", "processDocs", "utils.process_docs", [rows, [{"question": "q", "answer": False}]]
        yield f"aradice/boolq/{dialect}", "aggregation", "metrics.micro_f1_score", [PAIRS]
    stem = {"stem": " what? ", "choices": [{"label": "A", "text": "x"}, {"label": "B", "text": "y"}]}
    for name in ("doc_to_text", "doc_to_target", "doc_to_choice"):
        docs = [{"question": stem, "answerKey": " B"}, {"question": stem, "answerKey": "C"}]
        yield "aradice/openbookqa", "docTo", f"utils.{name}", docs
    options = {"Option A": "a", "Option B": "b", "Option C": None}
    yield "aradice/cultural-benchmark", "processDocs", "utils.process_docs", [[options]]
    for folder in ("piqa", "truthfulqa_mcq", "winogrande", "openbookqa", "cultural-benchmark"):
        yield f"aradice/{folder}", "aggregation", "metrics.micro_f1_score", [PAIRS]


def bbh_filters():
    mapping = {"regex_pattern_to_value": {"\\b(yes|true)\\b": "Yes", "no+": "No", "maybe": ""}, "ignore_case": True}
    texts = [["It is YES, no"], ["nooo way"], ["unsure"], ["maybe"], ["true. no. yes"]]
    docs = [{"input": ""}] * 5
    number = {"regex_pattern": "([-0-9]+)"}
    words = "I have 12, or thirteen|three hundred and forty five|no digits at all|twenty-one|two million three thousand|eighteen, four|ten and ten"
    words = [[text] for text in words.split("|")]
    sort_docs = [{"input": "Sort: List: pear apple fig"}, {"input": "no list"}, {"input": "List: a.c b"}]
    choice = {"input": "Which?\nOptions:\n(A) red hat\n(B) Blue cap\n(C) red\n"}
    pick = {"regex_pattern": "(\\([A-Z]\\))", "ignore_case": True, "ignore_punctuation": True, "group_select": 0}
    said = [["It is (B)."], ["the BLUE, cap!"], ["answer: C"], ["none"], ["a red hat"], ["red"]]
    for form in ("zeroshot", "cot_zeroshot"):
        folder = f"bbh/{form}"
        yield folder, "filter", "utils.MapRegexFilter", [(mapping, texts, docs), ({**mapping, "group_select": -1}, texts, docs)]
        yield folder, "filter", "utils.MapRegexFilter", [({**mapping, "group_select": 1}, texts, docs)]
        yield folder, "filter", "utils.MapRegexFilter", [({**mapping, "regexes_to_ignore": ["y", "o"], "fallback": "?"}, texts, docs)]
        yield folder, "filter", "utils.NumberParseRegexFilter", [(number, words, [{}] * 7), ({}, [["#### 1,234"]], [{}])]
        yield folder, "filter", "utils.NumberParseRegexFilter", [({**number, "group_select": -1}, words[:1], [{}])]
        yield folder, "filter", "utils.NumberParseRegexFilter", [(number, [["a thousand million"]], [{}]), (number, [["four trillion"]], [{}])]
        answers = [["apple, fig, pear and fig"], ["x"], ["b abc a.c"]]
        yield folder, "filter", "utils.WordSortFilter", [({}, answers[:1], sort_docs[:1]), ({}, answers, sort_docs), ({}, answers[2:], sort_docs[2:])]
        yield folder, "filter", "utils.MultiChoiceRegexFilter", [(pick, said, [choice] * 6), ({**pick, "group_select": -1}, said, [choice] * 6)]


def choice_prompts():
    four = {"options": ["w", "x", "y", "z"], "question": "q?"}
    for label in ("b", " d\n", "e"):
        doc = {**four, "context": "c", "label": label}
        yield "logiqa", "docTo", "utils_logiqa.doc_to_text", [doc]
        yield "logiqa", "docTo", "utils_logiqa.doc_to_target", [doc]
    yield "logiqa2", "docTo", "utils_logiqa2.doc_to_text", [{**four, "text": "t"}, {**four, "text": "t", "options": ["a", "b", "c", "d", "e"]}]
    yield "medmcqa", "docTo", "utils_medmcqa.doc_to_text", [{"question": "q", "opa": "1", "opb": "2", "opc": "3", "opd": "4"}]
    medqa = {"sent1": "s", **{f"ending{i}": f"e{i}" for i in range(4)}, "label": 2}
    yield "medqa", "docTo", "preprocess_medqa.doc_to_text", [medqa]
    yield "medqa", "docTo", "preprocess_medqa.doc_to_target", [medqa]
    yield "pubmedqa", "docTo", "preprocess_pubmedqa.doc_to_text", [{"CONTEXTS": ["a", "b"], "QUESTION": "q"}]
    eus = [{"context": "k", "question": "g", "candidates": c} for c in (["a", "b", "c"], ["a"], ["a", "b", "c", "d"])]
    for folder, names in (("eus_reading", ("doc_to_text_context", "doc_to_choice")), ("eus_trivia", ("doc_to_text", "doc_to_choice"))):
        for name in names:
            yield folder, "docTo", f"utils.{name}", eus
    indic = {"question_text": "q", **{f"option_{c}": c * 2 for c in "abcd"}, "correct_answer": "c"}
    for name in ("doc_to_text", "doc_to_choice", "doc_to_target"):
        yield "indicparam", "docTo", f"utils.{name}", [indic, {**indic, "correct_answer": "x"}]
    subjects = "Bodo|Dogri|Gujarati_surya|Konkani|Maithili|Marathi|Nepali|Oriya|Rajasthani|Sanskrit|Sanskrit Mix|Santali".split("|")
    for name in "bodo dogri gujarati konkani maithili marathi nepali oriya rajasthani sanskrit sanskrit_mix santali".split():
        yield "indicparam", "processDocs", f"utils.process_docs_{name}", [[{"subject": s} for s in subjects]]
    glia = {"question": "q", "options": {"A": "x", "B": "y"}, "answer_idx": "B"}
    for name in ("doc_to_text", "doc_to_target"):
        yield "glianorex", "docTo", f"preprocess_glianorex.{name}", [glia]
    for name in ("filter_english", "filter_french"):
        yield "glianorex", "processDocs", f"preprocess_glianorex.{name}", [[{"language": lang} for lang in ("en", "fr_FR", "en-US", "de")]]
    ids = ["CSAT_law_1", "KHB_2", "PSAT_3", "x_Economy_1", "geography", "politics", "popular_1", "society_History", "tradition"]
    click = {"paragraph": "", "question": "q", "choices": list("vwxyz"), "answer": "z", "id": "CSAT_1"}
    for name in "economy geography history law politics kpop society tradition".split():
        yield "click/click_cul", "processDocs", f"utils.extract_{name}", [[{"id": i} for i in ids]]
    for name in ("get_context", "get_choices", "get_target"):
        yield "click/click_cul", "docTo", f"utils.{name}", [click, {**click, "paragraph": "p"}, {**click, "id": "KHB_1"}]
    musr = {"narrative": "n", "question": "q", "choices": "['a', 2]"}
    for name in ("doc_to_text", "doc_to_choice"):
        yield "leaderboard/musr", "docTo", f"utils.{name}", [musr]
    options = "a ) rs . 5400 , b ) 12 , c ) 1 , 000 , d ) none , e ) e , of these"
    yield "mathqa", "docTo", "utils.doc_to_choice", [{"options": options}, {"options": ""}]
    yield "glue/mnli", "docTo", "utils.doc_to_text", [{"premise": "p", "hypothesis": h} for h in (" h ", "h.", "h. ")]
    korean = {"question": " 원인 ", "premise": "p", "alternative_1": "a", "alternative_2": "b", "label": 1, "sentence": "s"}
    korean = {**korean, "context_1": "c1", "context_2": "c2", "word": "w"}
    for name in ("copa_doc_to_text", "copa_doc_to_target", "copa_doc_to_choice", "sentineg_doc_to_text", "wic_doc_to_text"):
        yield "kobest", "docTo", f"utils.{name}", [korean, {**korean, "question": "결과", "label": 0}, {**korean, "question": "?"}]
    hella = {"context": "c", **{f"ending_{i}": f"e{i}" for i in range(1, 5)}, "label": 2}
    yield "kobest", "processDocs", "utils.hellaswag_process_doc", [[hella]]
    yield "kobest", "aggregation", "utils.macro_f1_score", [PAIRS, PAIRS[:2], [(5, 5)]]


def mlqa():
    rows = [{"context": "c", "question": "q", "answers": {"text": ["a", "b"], "answer_start": [0, 1]}}]
    yield "mlqa", "processDocs", "utils.process_docs", [rows]
    said = {
        "en": (["The big house", "a house"], " the House! "),
        "es": (["La casa grande", "unos libros"], "casa"),
        "hi": (["नया घर", "पुराना"], "नया शहर।"),
        "vi": (["những ngôi nhà của tôi"], "ngôi nhà"),
        "de": (["Das alte Haus des Mannes"], "ein Haus, alte"),
        "ar": (["البيت الكبير", "بيت"], "البيت"),
        "zh": (["北京大学 2 号", "上海"], "北京，大学2号"),
    }
    for language, (answers, prediction) in said.items():
        inputs = [[{"answers": answers}, [p]] for p in (prediction, "", answers[0], "nothing alike")]
        yield "mlqa", "processResults", f"utils.process_results_{language}", inputs
    yield "mlqa", "processResults", "utils.process_results_en", [[{"answers": []}, ["x"]]]
    names = dict(ar="arabic", bn="bengali", en="english", fi="finnish", id="indonesian", ko="korean", ru="russian", sw="swahili", te="telugu")
    rows = [{"id": f"{n}-1", "title": "t", "context": "c", "question": "q", "answers": {"text": [n], "answer_start": [0]}} for n in names.values()]
    for language in names:
        yield "tydiqa", "processDocs", f"utils.process_docs_{language}", [rows]
        inputs = [[{"answers": ["The old mji, wa البيت", "дом"]}, [p]] for p in ("the mji wa", "البيت дом.", "")]
        yield "tydiqa", "processResults", f"utils.process_results_{language}", inputs


def okapi():
    hella = {"ctx_a": "A man [x] sits [title]", "ctx_b": "he  Runs", "activity_label": "Sport", "endings": [" a  b   c ", "[z] d"], "label": "1"}
    for folder in ("hellaswag", "okapi/hellaswag_multilingual"):
        yield folder, "processDocs", "utils.process_docs", [[hella]]
    arc = {"id": "x/1", "instruction": " why [title] so ", **{f"option_{c}": c.upper() for c in "abcd"}, "option_e": None, "answer": "C"}
    yield "okapi/arc_multilingual", "processDocs", "utils.process_docs", [[arc, {**arc, "option_e": "e"}], [{**arc, "answer": "F"}]]
    truth = {"question": " q [note]  r", "mc1_targets_choices": ["a"], "mc2_targets_choices": ["a", "b"], "mc2_targets_labels": [1, 0]}
    yield "okapi/truthfulqa_multilingual", "processDocs", "utils.process_docs", [[truth, {**truth, "question": None}]]
    inputs = [({"mc2_targets": {"labels": labels}}, lls) for labels, lls in [
        ([1, 0, 1], [(-1.5, True), (-2.25, False), (-7.0, False)]),
        ([0, 0], [(-1.5, True), (-2.25, False)]),
        ([1] * 9 + [0], [(-0.1 * i, False) for i in range(10)]),
        ([1], [(-1.5, True), (-2.25, False)]),
    ]]
    yield "truthfulqa-multi", "processResults", "utils.process_results_mc2", inputs
    for folder in ("okapi/truthfulqa_multilingual", "truthfulqa"):
        yield folder, "processResults", "utils.process_results_mc2", inputs


def question_answering():
    lls = [(-4.0, False), (-3.0, False), (-9.0, False)]
    agi = [[{"gold": g, "choices": ["aaaa", "b", "c" * 20]}, lls] for g in ([1], [2], [0, 2])]
    yield "agieval", "processResults", "utils.process_results_mcqa", agi
    qa = [[{"answers": {"text": ["The red house"]}}, [p]] for p in ("red house.", "a red red barn", "", "the", "zebra")]
    yield "xquad", "processResults", "utils.process_results_qa", qa + [[{"answers": {"text": ["the"]}}, ["a"]]]
    story = {
        "story": "Once.",
        "questions": {"input_text": ["Who?", "Why?"]},
        "answers": {"input_text": ["Ann", "the rain"]},
        "additional_answers": {"0": {"input_text": ["x", "The Rain"]}, "1": {"input_text": ["x", "rain fell"]}},
    }
    plain = {**story, "additional_answers": None}
    for name in ("doc_to_text", "doc_to_target"):
        yield "coqa", "docTo", f"utils.{name}", [story, plain]
    yield "coqa", "processResults", "utils.process_results", [[d, [p]] for d in (story, plain) for p in (" The rain\nQ:", "rain fell", "", "sun")]
    row = {"passage": " One.\n@highlight\nTwo\n@highlight\nThree ", "query": "It is @placeholder, @placeholder", "entities": ["b", "Ab", "b", "é"]}
    row = {**row, "answers": ["é", "b b"]}
    yield "super_glue/record", "processDocs", "util.process_docs", [[row]]
    for name in ("doc_to_text", "doc_to_target", "doc_to_choice"):
        yield "super_glue/record", "docTo", f"util.{name}", [row]
    yield "super_glue/record", "processResults", "util.process_results", [[row, [(x, False) for x in lls]] for lls in ([-1.0, -2.0, -3.0, -4.0], [-3.0, -2.0, -2.0, -1.0])]
    yield "super_glue/cb", "aggregation", "aggregate.cb_multi_fi", [PAIRS, PAIRS[:1], [(2, 1), (1, 1)]]


def regional_mmlu():
    doc = {"subject_darija": "s", "egy_subject": "e", "question": "q", "context": "", "choices": ["x", "y", "z"], "subject": "Law"}
    for folder in ("darijammlu", "egymmlu", "greekmmlu"):
        docs = [doc, {**doc, "context": "c", "subject": "Chess"}, {**doc, "choices": list("abcdef")}]
        for name in ("doc_to_text", "doc_to_choice"):
            yield folder, "docTo", f"utils.{name}", docs
    doc = {"Level": "Univ", "Country": "Jordan", "Subject": "Math", "Context": "", "Question": "q", **{f"Option {i}": str(i) for i in range(1, 5)}}
    doc = {**doc, "Option 5": None}
    other = {**doc, "Level": None, "Country": "", "Context": "c", "Option 2": ""}
    for name in ("doc_to_text", "doc_to_choice"):
        yield "arabicmmlu", "docTo", f"utils.{name}", [doc, other, {**doc, "Level": "?"}]


def rolling():
    text = " = Title = \n ( the dog 's ) \" a b \" ' c ' [ 1 @,@ 000 ] { x } well @-@ known ; so : N = = x , y . Boys ' 5 ° C ! \n é = = = "
    edge = "/' 3/ (  ) 'a 'b"
    for folder, module, name, column in (
        ("wikitext", "preprocess_wikitext", "wikitext_detokenizer", "page"),
        ("c4", "preprocess_c4", "c4_detokenizer", "text"),
    ):
        yield folder, "docTo", f"{module}.{name}", [{column: text}, {column: edge}, {column: ""}]
        yield folder, "processResults", f"{module}.process_results", [[{column: text}, [-12.5]], [{column: "é b"}, [-3.0]]]
    yield "paloma", "docTo", "paloma_utils.doc_to_target", [{"text": "a"}, {"text": None}]


def table_exams():
    row = {"question": "q", **{c: c.lower() for c in "ABCD"}, "answer": "D"}
    yield "tmmluplus/default", "processDocs", "utils.process_docs", [[row], [{**row, "answer": "E"}]]
    more = [{**row, "E": "e", "F": None, "answer": "E"}, {**row, "E": None, "F": "f", "answer": "F"}]
    yield "tmlu/default", "processDocs", "utils.process_docs", [[row], more, [{**row, "E": None, "answer": "E"}]]
    sr = {"choice1": "a", "choice2": None, "choice3": "", "choice4": " d ", "answer": " B ", "question": "q"}
    for form in ("answer_only", "question_and_answer", "question_only"):
        yield f"mmlusr/{form}", "processDocs", "utils.process_docs", [[sr, {**sr, "answer": None}]]


def xcopa():
    docs = [{"premise": " P one. ", "question": q, "choice1": "Ab", "choice2": "Élan"} for q in ("cause", "effect")]
    for language in "et ht it id qu sw zh ta th tr vi".split():
        yield "xcopa", "docTo", f"utils.doc_to_text_{language}", docs + [{**docs[0], "question": "?"}]
    yield "copal_id", "docTo", "utils.doc_to_text_id", docs
    for folder in ("xcopa", "copal_id"):
        yield folder, "docTo", "utils.doc_to_choice", docs + [{**docs[0], "choice1": ""}]
    gap = {"sentence": "Ann saw _ and left _ .", "option1": "Bob", "option2": "Eve", "answer": "2"}
    for folder, module in (("xwinograd", "utils"), ("aradice/winogrande", "utils"), ("winogrande", "preprocess_winogrande")):
        for name in ("doc_to_text", "doc_to_target", "doc_to_choice"):
            yield folder, "docTo", f"{module}.{name}", [gap, {**gap, "answer": "3"}, {**gap, "sentence": "none"}]


def bias_questions():
    doc = {"label": 1, "context_condition": "ambig", "question_type": "pro-stereo", "question_polarity": "neg", "stereotyped_groups": ["g", "h"]}
    doc = {**doc, "answer_info": {"ans0": ["x", "k, g"], "ans1": ["y", "other"], "ans2": ["unknown"]}}
    docs = [{**doc, **change} for change in ({}, {"question_polarity": "nonneg"}, {"context_condition": "disambig"}, {"label": 2})]
    docs += [{**doc, "context_condition": "disambig", "question_type": "anti-stereo"}]
    picks = [[(-1.0 if i == pick else -2.0, False) for i in range(5)] for pick in (0, 1, 4)]
    fours = [(1, 0, 1, 0), (0, 1, 0, 0), (1, 0, 0, 0)]
    for folder in ("esbbq", "cabbq"):
        yield folder, "processResults", "utils.process_results", [[d, p] for d in docs for p in picks]
        for kind in ("ambig", "disambig"):
            yield folder, "aggregation", f"utils.acc_{kind}_agg", [[(1, 1), (0, 1), (0, 0)], []]
        yield folder, "aggregation", "utils.bias_score_ambig_agg", [[(1, 1, 0), (1, 0, 1), (1, 1, 0)], [(0, 0, 0)]]
        yield folder, "aggregation", "utils.bias_score_disambig_agg", [fours, fours[:1]]


def detokenize():
    one = "( It 's \" good \" , is n't it ) ."
    rows = [{"sentence1": one, "sentence2": "Ünder the sea ."}, {"sentence1": "", "sentence2": "b"}, {"sentence1": "a;", "sentence2": "B"}]
    yield "paws-x", "processDocs", "utils.process_docs_paraphrases", [rows + [{"sentence1": None, "sentence2": "x"}]]
    wsc = {"text": "Ann  saw Bea because she did n't hide .", "span1_text": "Ann", "span2_text": "she", "span2_index": 4}
    yield "super_glue/wsc", "docTo", "preprocess_wsc.default_doc_to_text", [wsc, {**wsc, "text": "Ann saw Bea because she did n't hide ."}]


def math_answers():
    pairs = [("\\frac12", "1/2"), ("x=5", "5"), ("abc=5", "5"), ("\\sqrt3", "\\sqrt{3}"), (".5", "\\frac{1}{2}"), ("1/x", "1/ x")]
    pairs += [("1/x", "1/x"), ("\\tfrac{3}4", "\\dfrac 34"), ("90^\\circ", "90^{\\circ}"), ("5\\text{ cm}", "5"), ("50\\%", "50")]
    pairs += [("\\frac", "\\frac"), ("a\\frac1", "a\\frac{1}"), ("\\sqrt", "\\sqrt{}"), ("+1/2", "1/2"), ("-1/2", "\\frac{-1}{2}"), ("", " ")]
    pairs += [("\\left(1, 2\\right)", "(1,2)"), ("3\\text{ a}\\text{ b}", "3"), ("\\frac1{72}", "\\frac{1}{72}"), ("x = -.5", "-0.5"), ("1 000\\$", "1000")]
    docs = [{"problem": "p", "level": "1", "solution": f"so $\\boxed{{{gold}}}$."} for _, gold in pairs if gold.strip()]
    yield "hendrycks_math", "processDocs", "utils.process_docs", [docs]
    solutions = ["\\boxed 5$ x", "\\fbox{3}", "none", "\\boxed{1", "\\boxed{a{b}c} then \\boxed{d}", "\\boxedx{1}"]
    yield "hendrycks_math", "processDocs", "utils.process_docs", [[{"problem": "p", "solution": s}] for s in solutions]
    for said, gold in pairs:
        for text in (said, f"It is ${said}$ so", f"$1$ and ${said}$"):
            yield "hendrycks_math", "processResults", "utils.process_results", [[{"solution": f"\\boxed{{{gold}}}"}, [text]]]
        boxed = [said, f"so $\\boxed{{{said}}}$", f"\\fbox{{{said}}} $7$", f"\\boxed {said}$."]
        yield "aime", "processResults", "utils.process_results", [[{"ID": 1, "Answer": gold}, [text]] for text in boxed]
    yield "aime", "processResults", "utils.process_results", [[{"answer": 27}, ["\\boxed{027}"]], [{"answer": 27}, ["27"]], [{"x": 1}, ["27"]]]


def more_exams():
    row = {"context": "c", "question": "q", **{f"option#{i}": f"o{i}" for i in range(1, 6)}, "gold": 3}
    yield "csatqa", "processDocs", "utils.process_docs", [[row, row]]
    options = {"arabic_keys": ["أ", "ب", "ج"], "english_keys": ["A", "B", "C"], "text": [" x ", "y", "z "]}
    doc = {"country": "Egypt", "region": "Nile Valley", "first_statement": " s ", "options": options}
    doc = {**doc, "answer_key": {"arabic_answer_key": "ج", "english_answer_key": "C"}}
    for name in ("doc_to_text", "doc_to_choice", "doc_to_target"):
        yield "arab_culture", "docTo", f"utils_mcq.{name}", [doc, {**doc, "country": None}]
        yield "arab_culture_completion", "docTo", f"utils_completion.{name}", [doc]


def norwegian():
    said = ["Ut på tur!", "ut, aldri sur", "", "nei"]
    for folder, form in (("nob", "nb"), ("nno", "nn")):
        module = "lm_eval.tasks.noreval.noridiom.utils"
        rows = [{"language": lang, "n": i} for i, lang in enumerate(("nob", "nno", "nob"))]
        yield f"noreval/noridiom/{folder}", "processDocs", f"{module}.filter_dataset_{form}", [rows]
        docs = [{"accepted_completions": c} for c in (["ut på tur", "aldri sur"], ["!"], ["nei"])]
        yield f"noreval/noridiom/{folder}", "processResults", f"{module}.process_results", [[d, [p]] for d in docs for p in said]
    yield "noreval/norec", "aggregation", "utils.multi_f1", [PAIRS, PAIRS[:3]]
    quiz = {"question": "hvem?", "choices": {"label": ["A", "B", "C"], "text": ["x", "y", "z"]}}
    two = {"question": "hvem?", "choices": {"label": ["A", "B"], "text": ["x", "y"]}}
    truth = {"question": "hva?", "mc1_targets": {"choices": ["x", "y"]}}
    for folder, form in (("nob", "nb"), ("nno", "nn")):
        for i in range(5):
            yield f"noreval/nrk_quiz_qa/{folder}", "docTo", f"utils.p{i}_{form}", [quiz, two]
            yield f"noreval/nortruthfulqa/multiple_choice/{folder}", "docTo", f"utils.p{i}_{form}", [truth]


def story_prompts():
    yield "arithmetic", "processDocs", "utils.process_docs", [[{"context": "Q: 1\n\n\n\nA: ", "completion": " 2"}]]
    moral = {"norm": "be KIND.", "situation": "éve sits", "intention": "x", "moral_action": "a", "immoral_action": "b", "label": 1}
    for folder in ("moral_stories", "histoires_morales"):
        yield folder, "processDocs", "utils.process_docs", [[moral]]
    hella = {"activity_label": "a", "ctx": "c", "endings": ["x", "y"], "label": "1"}
    for folder in ("darijahellaswag", "egyhellaswag"):
        yield folder, "processDocs", "utils.process_docs", [[hella]]
    problems = [
        {"question": "It is  _  .", "answer": "C", "options": list("wxyz")},
        {"question": "Who?", "answer": "A", "options": ["w's", "x", "y", "z"]},
        {"question": "Last _ ?", "answer": "B", "options": list("wxyz")},
    ]
    docs = [{"article": "Text.", "problems": repr(problems)}, {"article": "Text.", "problems": repr(problems[:1])}]
    for name in ("doc_to_text", "doc_to_target", "doc_to_choice"):
        yield "race", "docTo", f"preprocess_race.{name}", docs + [{"article": "x", "problems": "[]"}]
    yield "toxigen", "docTo", "utils.doc_to_target", [{"toxicity_ai": a, "toxicity_human": 3.0} for a in (2.5, 2.6)]


FAMILIES = {
    "bias-questions": list(bias_questions()),
    "detokenize": list(detokenize()),
    "math-answers": list(math_answers()),
    "more-exams": list(more_exams()),
    "norwegian": list(norwegian()),
    "story-prompts": list(story_prompts()),
    "arabic-leaderboard": list(arabic_leaderboard()),
    "aradice": list(aradice()),
    "bbh-filters": list(bbh_filters()),
    "choice-prompts": list(choice_prompts()),
    "mlqa": list(mlqa()),
    "okapi": list(okapi()),
    "question-answering": list(question_answering()),
    "regional-mmlu": list(regional_mmlu()),
    "rolling": list(rolling()),
    "table-exams": list(table_exams()),
    "xcopa": list(xcopa()),
    "afri-mmlu": list(afri_mmlu()),
    "afri-xnli": list(afri_xnli()),
    "afro-bench": list(afro_bench()),
    "mmlu-pro": list(mmlu_pro()),
    "mmlu-translations": list(mmlu_translations()),
    "single-column-filters": list(single_column_filters()),
}
