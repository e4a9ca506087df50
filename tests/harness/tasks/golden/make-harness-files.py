"""Writes harness-files.json: the requests that lm-evaluation-harness 0.4.13 builds from its own task files over made-up rows.

Run with a Python that has lm_eval 0.4.13: python make-harness-files.py
"""
import json
import logging
from pathlib import Path

import datasets

logging.disable(logging.CRITICAL)

# Task: its splits, and rows that every one of them has.
ROWS = {
'arc_easy':('test train validation',[{'id':'a','question':'Which gas do plants take in?','choices':{'text':['oxygen','carbon dioxide','helium','neon'],'label':['A','B','C','D']},'answerKey':'B'},{'id':'b','question':'What is 2+2?','choices':{'text':['3','4','5'],'label':['1','2','3']},'answerKey':'2'}]),
'hellaswag':('train validation',[{'ind':4,'activity_label':'Removing ice','ctx_a':'Then, a man writes [header] over snow.','ctx_b':'then','ctx':'x','endings':[' [title] runs.','he  walks [substeps] fast.','É sits','ok'],'source_id':'s','split':'val','split_type':'i','label':'2'},{'ind':5,'activity_label':'Baking','ctx_a':'A cake','ctx_b':'THE OVEN','ctx':'y','endings':['a','b','c','d'],'source_id':'t','split':'val','split_type':'i','label':'0'},{'ind':6,'activity_label':'Baking 2','ctx_a':'A cake 2','ctx_b':'','ctx':'y','endings':['a','b','c','d'],'source_id':'t','split':'val','split_type':'i','label':'3'}]),
'piqa':('train validation',[{'goal':'Boil water','sol1':'Use a kettle','sol2':'Use a sieve','label':0},{'goal':'Dry hair','sol1':'Use a sponge','sol2':'Use a towel','label':1},{'goal':'Cut bread','sol1':'Use a knife','sol2':'Use a spoon','label':0}]),
'sciq':('train validation test',[{'question':'What orbits?','distractor3':'rock','distractor1':'star','distractor2':'comet','correct_answer':'planet','support':' Planets orbit. '},{'question':'Q2?','distractor3':'c','distractor1':'a','distractor2':'b','correct_answer':'d','support':''}]),
'openbookqa':('train validation test',[{'id':'1','question_stem':'The sun is a','choices':{'text':['star','rock','fish','tree'],'label':['A','B','C','D']},'answerKey':'A'},{'id':'2','question_stem':'Ice is','choices':{'text':['hot','cold','loud','red'],'label':['A','B','C','D']},'answerKey':' B'}]),
'lambada_openai':('test',[{'text':'She gave the book to her mother'},{'text':"He said to Anna that he'd seen Anna"}]),
'winogrande':('train validation',[{'sentence':'The cup fell off the shelf because _ was round.','option1':'the cup','option2':'the shelf','answer':'1'},{'sentence':'Ann thanked Bea as _ had helped.','option1':'Ann','option2':'Bea','answer':'2'},{'sentence':'A _ b.','option1':'x','option2':'y','answer':'2'}]),
'copa':('train validation',[{'premise':'The man fell.','choice1':'He slipped.','choice2':'He ran.','question':'cause','idx':0,'label':0},{'premise':'It rained. ','choice1':'The ground got wet.','choice2':'Énorme.','question':'effect','idx':1,'label':1}]),
}

current = ""


def load_made_up(path, name=None, **kwargs):
    splits, rows = ROWS[current]
    return datasets.DatasetDict({split: datasets.Dataset.from_list(rows) for split in splits.split()})


datasets.load_dataset = load_made_up

from lm_eval.tasks import TaskManager  # noqa: E402  (after the patch)

manager = TaskManager()
cases = []
for current in ROWS:
    task = manager.load(current)["tasks"][current]
    for shots in (0, 1):
        task.set_config("num_fewshot", shots)
        task.set_fewshot_seed(1234)
        task.build_all_requests(limit=3)
        cases.append(
            {
                "task": current,
                "file": str(task.config.metadata["config_source"]).split("lm_eval/tasks/")[-1],
                "shots": shots,
                "requests": [[i.doc_id, i.request_type, *i.arguments] for i in task.instances],
            }
        )

data = {name: {"splits": splits.split(), "rows": rows} for name, (splits, rows) in ROWS.items()}
target = Path(__file__).with_name("harness-files.json")
target.write_text(json.dumps({"lm_eval": "0.4.13", "data": data, "cases": cases}, ensure_ascii=False, indent=1) + "\n")
