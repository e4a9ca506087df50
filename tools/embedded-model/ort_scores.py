"""Scores requests with ONNX Runtime on the CPU: one whole-sequence run each, log-softmax in float64."""
import json
import pathlib

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

GRAPHS = {"fp32": "model.onnx", "q8": "model_quantized.onnx", "q4": "model_q4.onnx"}
TOLERANCE = 1e-4
PER_TASK = 3  # documents of every task in the stored files; they have four requests each


class Graph:
    """One ONNX file with its tokenizer."""

    def __init__(self, folder: pathlib.Path, file: str):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(folder / "onnx" / file), options, providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        config = json.loads((folder / "config.json").read_text())
        self.past = (1, config["num_key_value_heads"], 0, config["head_dim"])

    def logits(self, ids: list[int]) -> np.ndarray:
        feeds = {}
        for entry in self.session.get_inputs():
            if entry.name == "input_ids":
                feeds[entry.name] = np.array([ids], np.int64)
            elif entry.name == "attention_mask":
                feeds[entry.name] = np.ones((1, len(ids)), np.int64)
            elif entry.name == "position_ids":
                feeds[entry.name] = np.arange(len(ids), dtype=np.int64)[None]
            else:
                feeds[entry.name] = np.zeros(self.past, np.float32)
        return self.session.run(["logits"], feeds)[0][0]

    def pair(self, context: str, continuation: str) -> tuple[list[int], list[int]]:
        """The harness's split: white space at the context's end moves over, the whole is cut at the context's token count."""
        spaces = len(context) - len(context.rstrip())
        if spaces:
            context, continuation = context[:-spaces], context[-spaces:] + continuation
        whole, start = self.tokenizer.encode(context + continuation).ids, len(self.tokenizer.encode(context).ids)
        return whole[:start], whole[start:]

    def score(self, context: list[int], continuation: list[int]) -> tuple[float, bool]:
        whole = context + continuation
        rows = self.logits(whole[:-1])[len(context) - 1:].astype(np.float64)
        shifted = rows - rows.max(-1, keepdims=True)
        logprobs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
        return float(sum(logprobs[i, token] for i, token in enumerate(continuation))), bool((rows.argmax(-1) == continuation).all())


def accuracy(graph: Graph, samples: dict) -> dict[str, float]:
    """acc and acc_norm of a graph over all documents of a harness run."""
    right = {"acc": 0, "acc_norm": 0}
    rows = [row for task in samples.values() for row in task]
    for row in rows:
        totals = np.array([graph.score(*graph.pair(*call))[0] for call in row["arguments"]])
        lengths = np.array([len(choice) for choice in row["doc"]["choices"]])
        right["acc"] += int(totals.argmax() == row["doc"]["answer"])
        right["acc_norm"] += int((totals / lengths).argmax() == row["doc"]["answer"])
    return {name: count / len(rows) for name, count in right.items()}


def write_all(hub: pathlib.Path, out: pathlib.Path, runs: dict, requests: dict) -> tuple[bool, dict]:
    """Writes one file per graph; returns whether the fp32 graphs agree with the harness, and every graph's accuracy."""
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.json"):
        old.unlink()
    fixed = [(task, row["doc_id"], index, *call) for run in ("all", "letters") for task, rows in runs[run]["samples"].items()
             for row in rows[:PER_TASK] for index, call in enumerate(row["arguments"])]
    fine, reference, measured = True, None, {}
    for model in json.loads((hub / "embedded.json").read_text())["models"]:
        commit = json.loads((hub / "api/models" / model["id"] / "revision/main").read_text())["sha"]
        for dtype in model["dtypes"]:
            graph = Graph(hub / model["id"] / "resolve" / commit, GRAPHS[dtype])
            rows = []
            for task, doc, index, context, continuation in fixed:
                first, second = graph.pair(context, continuation)
                total, greedy = graph.score(first, second)
                rows.append({"task": task, "doc_id": doc, "idx": index, "context": first, "continuation": second, "logprob": total, "greedy": greedy})
            lines = ",\n".join(json.dumps(row) for row in rows)
            (out / f"{model['id'].split('/')[1]}_{dtype}.json").write_text(
                f'{{"model": "{model["id"]}", "dtype": "{dtype}", "onnxruntime": "{onnxruntime.__version__}", "requests": [\n{lines}\n]}}\n')
            reference = reference or rows
            apart = [abs(a["logprob"] - b["logprob"]) for a, b in zip(rows, reference)]
            measured[f"{model['id']} {dtype}"] = found = accuracy(graph, runs["all"]["samples"])
            print(f"{model['id']} {dtype}: acc {found['acc']:.3f}, acc_norm {found['acc_norm']:.3f}; from pico fp32, mean {np.mean(apart):.5f}, largest {max(apart):.5f}", flush=True)
            if dtype == "fp32":
                for run, calls in requests.items():
                    worst = max(abs(graph.score(*graph.pair(*call))[0] - float(response[0])) for call, response in calls)
                    print(f"{model['id']} fp32 against the harness, run {run}: {len(calls)} requests, largest difference {worst:.2e}", flush=True)
                    fine = fine and worst < TOLERANCE
    return fine, measured
