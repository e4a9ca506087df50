"""What Python's ONNX Runtime says of the narrow graphs, and what torch says of their weights, for `npm test`.

    python goldens.py --models FOLDER --out ../../tests/goldens/matrix          all of them again
    python goldens.py --models FOLDER --out ../../tests/goldens/matrix --add    those that OUT hasn't got; what it has stays as it is

FOLDER is what make.py wrote with --narrow. OUT gets each graph, packed by gzip, its config.json, and matrix.json: the sequences, and for each graph the log-probability of each
token after those before it. Every sequence is one run over all its tokens but the last, from an empty cache, and from zeros in states of another kind.
"""
import argparse
import base64
import gzip
import json
import pathlib
import random
import shutil

import numpy as np
import onnx
import onnxruntime
import torch
import transformers

from export import SUFFIXES

VOCABULARY = 288
LENGTHS = [2, 3, 9, 17, 33, 34, 65, 66, 130, 200]  # tokens of a sequence, the last of which is only scored
SHARED = 40  # tokens that the second half of the sequences begin with
# Of float32 graphs, nats a token. onnxruntime-genai rounds Gemma's factor of embeddings, the root of the hidden size, to two decimals.
TORCH_TOLERANCE = {("gemma3", "genai"): 2e-2}


def sequences() -> list[list[int]]:
    """One of each length, and then again: now all begin alike, part in two places, and the shorter of two neighbours is often the longer one's beginning."""
    rng = random.Random(20261122)
    start = [rng.randrange(VOCABULARY) for _ in range(SHARED)]
    branch = start + [rng.randrange(VOCABULARY) for _ in range(max(LENGTHS))]
    alone = [[rng.randrange(VOCABULARY) for _ in range(length)] for length in LENGTHS]
    together = []
    for place, length in enumerate(LENGTHS):
        fresh = [rng.randrange(VOCABULARY) for _ in range(length)]
        whole = branch if place % 2 else start + fresh
        together.append(whole[:length])
    return alone + together


def float_activations(graph: onnx.ModelProto) -> onnx.ModelProto:
    """MatMulNBits with float32 activations, which is how Yardstick runs it everywhere (accuracy level 4 rounds them to 8 bits)."""
    for node in graph.graph.node:
        for attribute in node.attribute:
            if node.op_type == "MatMulNBits" and attribute.name == "accuracy_level":
                attribute.i = 1
    return graph


def unsigned_weights(graph: onnx.ModelProto) -> onnx.ModelProto:
    """The same integer products with unsigned weights: 128 more of each, and of its zero point.

    On x86 processors without VNNI, ONNX Runtime adds pairs of products of unsigned activations with signed weights up in 16 bits, where they saturate: a q8 graph
    of optimum was off by up to 2.3 nats a token. Of unsigned weights nothing saturates, so that every machine makes the same goldens.
    """
    weights = {tensor.name: tensor for tensor in graph.graph.initializer}
    names = {name for node in graph.graph.node if node.op_type in ("MatMulInteger", "ConvInteger") for name in (node.input[1], node.input[3])}
    signed = [weights[name] for name in names if name in weights and weights[name].data_type == onnx.TensorProto.INT8]
    for tensor in signed:
        values = onnx.numpy_helper.to_array(tensor).astype(np.int16) + 128
        tensor.CopyFrom(onnx.numpy_helper.from_array(values.astype(np.uint8), tensor.name))
    return graph


def scores_of_graph(file: pathlib.Path, lists: list[list[int]]) -> list[np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(unsigned_weights(float_activations(onnx.load(file))).SerializeToString(), options, providers=["CPUExecutionProvider"])
    return [logprobs(session.run(["logits"], feeds_of(session, tokens[:-1]))[0][0], tokens) for tokens in lists]


def feeds_of(session: onnxruntime.InferenceSession, tokens: list[int]) -> dict[str, np.ndarray]:
    """Inputs of one run over all `tokens`, with nothing before them."""
    length, feeds = len(tokens), {}
    for entry in session.get_inputs():
        if entry.name == "input_ids":
            feeds[entry.name] = np.array([tokens], np.int64)
        elif entry.name == "attention_mask":
            feeds[entry.name] = np.ones((1, length), np.int64)
        elif entry.name == "position_ids":
            feeds[entry.name] = np.arange(length, dtype=np.int64)[None]
        else:
            # Keys and values of no tokens; a convolution's state has the same size always.
            dims = [1, *(dim if isinstance(dim, int) else 0 for dim in entry.shape[1:])]
            feeds[entry.name] = np.zeros(dims, np.float16 if entry.type == "tensor(float16)" else np.float32)
    return feeds


def scores_of_weights(folder: pathlib.Path, lists: list[list[int]]) -> list[np.ndarray]:
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").float().eval()
    with torch.no_grad():
        return [logprobs(model(torch.tensor([tokens[:-1]])).logits[0].numpy(), tokens) for tokens in lists]


def logprobs(logits: np.ndarray, tokens: list[int]) -> np.ndarray:
    rows = logits.astype(np.float64)
    rows = rows - rows.max(-1, keepdims=True)
    return rows[np.arange(len(tokens) - 1), tokens[1:]] - np.log(np.exp(rows).sum(-1))


def apart(one: list[np.ndarray], other: list[np.ndarray]) -> float:
    return max(float(np.abs(a - b).max()) for a, b in zip(one, other))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--add", action="store_true", help="keep what OUT has, and add what it hasn't")
    args = parser.parse_args()
    lists, cells, truths = sequences(), [], {}
    body = {"onnxruntime": onnxruntime.__version__, "torch": torch.__version__, "transformers": transformers.__version__, "sequences": lists}
    if args.add:
        old = json.loads((args.out / "matrix.json").read_text())
        cells = old.pop("cells")
        if old != body:
            raise SystemExit("these versions or sequences aren't those that OUT was made with: make all of it again")
    else:
        shutil.rmtree(args.out, ignore_errors=True)
    known = {(cell["shape"], cell["exporter"], cell["dtype"]) for cell in cells}
    for folder in sorted((args.models / "matrix").glob("*-narrow-*")):
        label, exporter = folder.name.split("-narrow-")
        if label not in truths:
            truths[label] = scores_of_weights(args.models / "torch" / f"{label}-narrow", lists)
        out = args.out / f"{label}-{exporter}"
        out.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "config.json", out / "config.json")
        for dtype, suffix in SUFFIXES.items():
            file = folder / "onnx" / f"model{suffix}.onnx"
            if not file.exists() or (label, exporter, dtype) in known:
                continue
            found = scores_of_graph(file, lists)
            from_torch = apart(found, truths[label])
            print(f"{label} {exporter} {dtype}: from torch {from_torch:.1e}", flush=True)
            if dtype == "fp32" and from_torch > TORCH_TOLERANCE.get((label.split("-")[0], exporter), 1e-4):
                raise SystemExit(f"{file} is not what transformers computes")
            (out / f"model{suffix}.onnx.gz").write_bytes(gzip.compress(file.read_bytes(), 9, mtime=0))
            packed = base64.b64encode(np.concatenate(found).astype("<f4").tobytes()).decode()
            cells.append({"shape": label, "exporter": exporter, "dtype": dtype, "from_torch": float(f"{from_torch:.1e}"), "logprobs": packed})
    (args.out / "matrix.json").write_text(json.dumps({**body, "cells": cells}) + "\n")
    sizes = sum(file.stat().st_size for file in args.out.rglob("*") if file.is_file())
    print(f"{len(cells)} graphs, {sizes:,} bytes")


if __name__ == "__main__":
    main()
