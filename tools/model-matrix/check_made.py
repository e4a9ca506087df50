"""Holds the log-likelihoods of a samples file against torch with the weights that Yardstick makes of a checkpoint, request by request.

    python check_made.py --model FOLDER --dtype q4 samples_arc_easy_*.jsonl

FOLDER has safetensors. For q4 and q8 each matrix of a layer and the head is rounded to blocks of 32 by onnxruntime's own quantiser and multiplied out again; a tied embedding is read from
those blocks too, another one has blocks of 8 bits. All sums are torch's, in float32. `--dtype fp32` takes the weights as they are. Exit code 1 where a request differs by more than
--tolerance nats.
"""
import argparse
import json
import pathlib
import resource
import sys
import time

import numpy as np
import torch
import transformers
from onnxruntime.capi._pybind_state import quantize_matmul_4bits, quantize_matmul_8bits
from tokenizers import Tokenizer

from check_samples import encode_pair

BLOCK = 32


def rounded(weight: torch.Tensor, bits: int) -> torch.Tensor:
    """The values that blocks of a [rows, columns] weight stand for."""
    rows, columns = weight.shape
    blocks = -(-columns // BLOCK)
    packed = np.zeros((rows, blocks, BLOCK * bits // 8), np.uint8)
    scales = np.zeros(rows * blocks, np.float32)
    zero_points = np.zeros(rows * -(-blocks * bits // 8), np.uint8)
    quantise = quantize_matmul_4bits if bits == 4 else quantize_matmul_8bits
    quantise(packed, np.ascontiguousarray(weight.numpy().T), scales, zero_points, BLOCK, rows, columns, True)
    values = np.stack([packed & 15, packed >> 4], -1).reshape(rows, blocks, BLOCK) if bits == 4 else packed
    values = (values.astype(np.float32) - 2 ** (bits - 1)) * scales.reshape(rows, blocks, 1)
    return torch.from_numpy(values.reshape(rows, -1)[:, :columns])


@torch.no_grad()
def as_made(model: torch.nn.Module, dtype: str) -> None:
    bits = {"q4": 4, "q8": 8}[dtype]
    head, embedding = model.get_output_embeddings(), model.get_input_embeddings()
    is_tied = head.weight is embedding.weight
    for module in model.modules():
        if isinstance(module, torch.nn.Linear):
            module.weight = torch.nn.Parameter(rounded(module.weight.detach(), bits), requires_grad=False)
    embedding.weight = head.weight if is_tied else torch.nn.Parameter(rounded(embedding.weight.detach(), 8), requires_grad=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", type=pathlib.Path)
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--dtype", default="q4", choices=["fp32", "q8", "q4"])
    parser.add_argument("--tolerance", type=float, default=1e-3)
    args = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(args.model / "tokenizer.json"))
    model = transformers.AutoModelForCausalLM.from_pretrained(args.model, dtype=torch.float32).eval()
    if args.dtype != "fp32":
        as_made(model, args.dtype)
    started, differences, probabilities = time.time(), [], []
    for line in args.samples.read_text().splitlines():
        sample = json.loads(line)
        for request, response in zip(sample["arguments"].values(), sample["resps"]):
            start, target = encode_pair(tokenizer, request["arg_0"], request["arg_1"])
            with torch.no_grad():
                hidden = model.get_decoder()(torch.tensor([(start + target)[:-1]])).last_hidden_state[0, -len(target):]
                scores = model.get_output_embeddings()(hidden).double().log_softmax(-1)
            chosen = scores[range(len(target)), target]
            found = response[0][0] if isinstance(response[0], list) else response[0]
            differences.append(abs(float(chosen.sum()) - float(found)))
            probabilities += scores.max(-1).values.exp().tolist()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{len(differences)} requests: largest difference {max(differences):.1e} nats, mean {np.mean(differences):.1e}; the likeliest token has {np.mean(probabilities):.2f} on average; "
          f"{time.time() - started:.0f} s, {peak:.1f} GiB")
    sys.exit(0 if differences and max(differences) <= args.tolerance else 1)


if __name__ == "__main__":
    main()
