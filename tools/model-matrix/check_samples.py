"""Holds the log-likelihoods of a samples file against Python's ONNX Runtime on the same graph, request by request.

    python check_samples.py --model FOLDER --dtype q4 samples_arc_easy_*.jsonl

FOLDER is what make.py wrote. 4-bit products have float32 activations, as Yardstick runs them; with --as-exported they have what the graph asks for, which rounds
activations to 8 bits in graphs of onnxruntime-genai's builder for CPUs. Contexts and continuations are tokenized as lm_eval 0.4.13 does (api/model.py, TemplateLM._encode_pair), each sequence is one
run over all its tokens but the last, from an empty cache. Exit code 1 where a request differs by more than --tolerance nats.
"""
import argparse
import json
import pathlib
import resource
import sys
import time

import numpy as np
import onnx
import onnxruntime
from tokenizers import Tokenizer

from export import SUFFIXES
from goldens import feeds_of, float_activations


def encode_pair(tokenizer: Tokenizer, context: str, continuation: str) -> tuple[list[int], list[int]]:
    spaces = len(context) - len(context.rstrip())
    if spaces:
        context, continuation = context[:-spaces], context[-spaces:] + continuation
    whole = tokenizer.encode(context + continuation).ids
    start = tokenizer.encode(context).ids
    return start, whole[len(start):]


def open_session(file: pathlib.Path, as_exported: bool) -> onnxruntime.InferenceSession:
    """The graph's weights stay in the files beside it."""
    graph = onnx.load(file, load_external_data=False)
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(file.parent))
    bytes_ = (graph if as_exported else float_activations(graph)).SerializeToString()
    return onnxruntime.InferenceSession(bytes_, options, providers=["CPUExecutionProvider"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", type=pathlib.Path)
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--dtype", default="q4")
    parser.add_argument("--tolerance", type=float, default=1e-2)
    parser.add_argument("--as-exported", action="store_true")
    args = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(args.model / "tokenizer.json"))
    session = open_session(args.model / "onnx" / f"model{SUFFIXES[args.dtype]}.onnx", args.as_exported)
    started, count, largest, total = time.time(), 0, 0.0, 0.0
    for line in args.samples.read_text().splitlines():
        sample = json.loads(line)
        for request, response in zip(sample["arguments"].values(), sample["resps"]):
            start, target = encode_pair(tokenizer, request["arg_0"], request["arg_1"])
            tokens = (start + target)[:-1]
            logits = session.run(["logits"], feeds_of(session, tokens))[0][0].astype(np.float64)[-len(target):]
            scores = logits - logits.max(-1, keepdims=True)
            scores -= np.log(np.exp(scores).sum(-1, keepdims=True))
            wanted = float(sum(scores[row, token] for row, token in enumerate(target)))
            found = response[0][0] if isinstance(response[0], list) else response[0]
            difference = abs(wanted - float(found))
            count, largest, total = count + 1, max(largest, difference), total + difference
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{count} requests: largest difference {largest:.1e} nats, mean {total / max(1, count):.1e}; {time.time() - started:.0f} s, {peak:.1f} GiB")
    sys.exit(0 if count > 0 and largest <= args.tolerance else 1)


if __name__ == "__main__":
    main()
