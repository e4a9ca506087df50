"""What lm_eval 0.4.13 makes of Meta's recipe on made-up rows: prompts, targets, filtered answers and scores, replies being given.

    python tests/make-goldens/make_meta_goldens.py     from the root of the repository; writes tests/goldens/meta/harness.json

The task files are the bundled ones, with their data set replaced by the rows below (joined beforehand, as the recipe does) and without the
note about joins; the helpers are written here after the recipe's README, on top of lm_eval's own for MATH and IFEval.
"""
import json
import re
import tempfile
from pathlib import Path

from lm_eval import evaluator
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager
from lm_eval.tasks.leaderboard.math.utils import is_equiv

from made import keep_record

HELPERS = '''
def doc_to_text(doc):
    return doc["input_final_prompts"][0]

COLUMNS = ["input_question", "input_correct_responses", "input_final_prompts", "is_correct", "input_question_hash", "input_choice_list",
           "output_prediction_text", "subtask_name"]

def process(dataset, answer):
    dataset = dataset.select_columns([name for name in COLUMNS if name in dataset.column_names])
    dataset = dataset.rename_column("is_correct", "previously_is_correct")
    return dataset.map(lambda doc: {"problem": doc["input_question"], answer: doc["input_correct_responses"][0]})
'''
CHOICES = HELPERS + '''
def process_docs(dataset):
    return process(dataset, "gold")
'''
BBH = HELPERS + '''
def process_docs(dataset):
    return process(dataset, "answer")
'''
PER_OPTION = CHOICES + '''
def doc_to_text(doc):
    prompts = doc["input_final_prompts"]
    return prompts[0][:-2] if len(prompts) > 1 else prompts[0]
'''
MATH = '''
from lm_eval.tasks.leaderboard.math.utils import is_equiv, last_boxed_only_string, normalize_final_answer, remove_boxed

def doc_to_text(doc):
    return doc["input_final_prompts"][0]

def process_docs(dataset):
    dataset = dataset.select_columns(["input_question", "input_correct_responses", "input_final_prompts", "is_correct", "solution",
                                      "output_prediction_text"])
    dataset = dataset.rename_column("is_correct", "previously_is_correct")
    return dataset.map(lambda doc: {
        "problem": doc["input_question"],
        "answer": normalize_final_answer(remove_boxed(last_boxed_only_string(doc["solution"]))),
        "meta_target": doc["input_correct_responses"],
    })

def process_results(doc, results):
    boxed = last_boxed_only_string(results[0])
    if not boxed:
        return {"exact_match": 0}
    answer = normalize_final_answer(remove_boxed(boxed))
    return {"exact_match": int(answer.strip() == doc["answer"].strip() or bool(is_equiv(answer, doc["answer"])))}
'''
IFEVAL = 'from lm_eval.tasks.leaderboard.ifeval.utils import agg_inst_level_acc, process_results\n'
IFEVAL_DOCS = '''
import json

def process_docs(dataset):
    def one(doc):
        return {"input_question": json.loads(doc["input_question"])["dialog"][0]["body"], "prompt": doc["input_final_prompts"][0]}
    dataset = dataset.map(one).rename_column("is_correct", "previously_is_correct")
    return dataset.select_columns(["input_question", "prompt", "previously_is_correct", "instruction_id_list", "kwargs",
                                   "output_prediction_text", "key"])
'''
HEAD = "<|start_header_id|>user<|end_header_id|>\n\n"
TAIL = "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"


def row(question, answer, reply, was, tail=TAIL, prompts=None, **more):
    rendered = HEAD + question + tail
    prompts = [rendered] if prompts is None else [f"{rendered}Answer: {letter}" for letter in prompts]
    sent = prompts[0][:-2] if len(prompts) > 1 else prompts[0]
    return {"row": {"input_question": question, "input_correct_responses": [answer], "input_final_prompts": prompts, "is_correct": was,
                    "input_question_hash": f"{len(question):064x}", "output_prediction_text": [reply[::-1]], **more},
            "prompt": sent, "reply": reply}


def choice(question, answer, reply, was, subtask, **more):
    return row(question, answer, reply, was, input_choice_list={"A": "yes", "B": "no", "C": "maybe"}, subtask_name=subtask, **more)


def letters(style):
    return [choice("Is 1 odd?", "A", style.format("B") + " No, wait. " + style.format("A"), True, "math"),
            choice("Is 2 odd?\nA. yes B. no", "B", style.format("B"), False, "math"),
            choice("Ist Öl nass? 🙂", "C", "I can't say.", True, "physics"),
            choice("Which?", "A", style.format("B"), False, "law"),
            choice("Who?", "B", style.format("B").upper(), True, "law")]


def joined(question, solution, reply, was, target):
    return row(question, target, reply, was, solution=solution)


BOXED = "Therefore, the final answer is: $\\boxed{%s}$. I hope it is correct."
MATHS = [joined("Which interval?", "So $\\boxed{[0,1)}$.", BOXED % "[0,1)", True, "[0,1)"),
         joined("Root?", "It is \\[\\boxed{6\\sqrt{7}}.\\]", BOXED % "6 \\sqrt7", True, "1.59e+1"),
         joined("Half?", "$\\boxed{\\frac{1}{2}}$", BOXED % "\\dfrac{1}{2}", False, "0.5"),
         joined("Thousands?", "$\\boxed{10,\\!000\\text{ dollars}}$", BOXED % "10000", True, "10000"),
         joined("Nested?", "$\\boxed{\\frac{\\sqrt{3}}{2}}$", "first \\boxed{2}, then " + BOXED % "\\frac{\\sqrt{3}}{2}", True, "0.866"),
         joined("Nothing?", "$\\boxed{4}$", "The final answer is 4. I hope it is correct.", True, "4"),
         joined("Wrong?", "$x=\\boxed{x=5}$", BOXED % "6", False, "5"),
         joined("Side?", "$\\boxed{x=5}$", BOXED % "y = 5", False, "5"),
         joined("Words?", "$\\boxed{\\text{Tuesday}}$", BOXED % "Tuesday", True, "Tuesday"),
         joined("Angle?", "$\\boxed{60^\\circ}$", BOXED % "60", False, "60")]

NONE = {"keywords": None, "relation": None, "num_words": None}


def instruction(key, question, ids, kwargs, reply, was):
    made = row(question, "", reply, was)
    made["row"]["input_question"] = json.dumps({"dialog": [{"body": question, "attachments": [], "system": None}], "is_last": True})
    made["row"].update(key=key, instruction_id_list=ids, kwargs=[{**NONE, **one} for one in kwargs])
    return made


IFEVALS = [instruction(7, "Write of tea without commas.", ["punctuation:no_comma"], [{}], "Tea is green and good.", True),
           instruction(9, "Is it true? Name tea, in under 5 words.", ["keywords:existence", "length_constraints:number_words"],
                       [{"keywords": ["tea"]}, {"relation": "less than", "num_words": 5}], "I love tea, and coffee too, on most days.", False),
           instruction(12, "Answer in lower case; null and void.", ["change_case:english_lowercase"], [{}],
                       "*this is what I say in english to you all.*", True)]

TASKS = {
    "mmlu_pro/meta_mmlu_pro_instruct.yaml": (CHOICES, letters("The best answer is {}.")),
    "mmlu_pro/meta_mmlu_pro_pretrain.yaml": (CHOICES, letters("The answer is ({}).")),
    "bbh/meta_bbh.yaml": (BBH, [
        row("not True is", "False", "not True is False. So the answer is false. The answer is True.", True, "\nA:", subtask_name="boolean"),
        row("( ( )", ") ]", "So the answer is ) ].", False, "\nA:", subtask_name="dyck"),
        row("Count.", "7", "seven", True, "\nA:", subtask_name="counting"),
        row("Option?", "(B)", "So the answer is (B).", True, "\nA:", subtask_name="options")]),
    "gpqa_cot/meta_gpqa_cot.yaml": (CHOICES, letters("The best answer is {}")),
    "gpqa/meta_gpqa.yaml": (PER_OPTION, letters("The best answer is {}") + [choice("Prefix?", "D", "  (D) since it is so", True, "law")]),
    "mmlu/meta_mmlu.yaml": (PER_OPTION, [
        choice("Per option?", "B", " B", True, "law", tail="\n", prompts="ABCD"),
        choice("And here?", "C", " A\n\nNext", False, "law", tail="\n", prompts="ABCD"),
        choice("One prompt, ending in Answer: B", "A", "A.", True, "math", tail="")]),
    "math_hard/meta_math_hard.yaml": (MATH, MATHS),
    "math/meta_math.yaml": (MATH, MATHS[:3]),
    "ifeval/meta_ifeval.yaml": (IFEVAL, IFEVALS),
}


class Replies(LM):
    """Says to each prompt what it was told to say."""

    def __init__(self, replies):
        super().__init__()
        self.replies = replies

    def generate_until(self, requests, disable_tqdm=False):
        return [self.replies[request.args[0]] for request in requests]

    def loglikelihood(self, requests):
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


def evaluate(path, helpers, made):
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "rows.jsonl").write_text("".join(json.dumps(one["row"]) + "\n" for one in made))
        text = (Path("public/tasks/meta") / path).read_text()
        text = re.sub(r"^dataset_(path|name): .*\n|^dataset_kwargs:\n(  .*\n)*", "", text, flags=re.M)
        text += f"dataset_path: json\ndataset_kwargs:\n  data_files:\n    latest: {place / 'rows.jsonl'}\n"
        (place / "task.yaml").write_text(text)
        (place / "utils.py").write_text(helpers)
        (place / "meta_utils.py").write_text(IFEVAL_DOCS)
        results = evaluator.simple_evaluate(
            model=Replies({one["prompt"]: one["reply"] for one in made}), tasks=[re.search(r"^task: (.*)$", text, re.M)[1]],
            task_manager=TaskManager(include_path=folder, include_defaults=False), bootstrap_iters=0)
    (name, samples), = results["samples"].items()
    metrics = [key for key in results["results"][name] if "," in key and "_stderr" not in key]
    return name, {
        "rows": [one["row"] for one in made],
        "replies": [one["reply"] for one in made],
        "samples": [{"doc_id": one["doc_id"], "filter": one["filter"], "doc_hash": one["doc_hash"], "target": one["target"],
                     "prompt": one["arguments"][0][0] if isinstance(one["arguments"], list) else one["arguments"]["gen_args_0"]["arg_0"],
                     "columns": list(one["doc"]), "filtered": one["filtered_resps"],
                     "values": {metric: one[metric] for metric in one["metrics"]}} for one in samples],
        "results": {key: results["results"][name][key] for key in metrics},
    }


# The first calls load the grammar, which the harness's alarm may cut off.
for _ in range(3):
    is_equiv("\\frac{1}{2}", "x")

golden = dict(evaluate(path, helpers, made) for path, (helpers, made) in TASKS.items())
target = Path("tests/goldens/meta/harness.json")
target.write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n")
keep_record(__file__, [target], ["lm_eval", "datasets", "math-verify", "sympy", "nltk", "langdetect"])
for name, task in golden.items():
    print(name, task["results"])
