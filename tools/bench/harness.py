"""The arm `harness` of `npm run bench`: lm-evaluation-harness's HFLM on torch, fed with token ids.

Reads one JSON object a line on standard input and answers each with one on standard output:
  {"open": FOLDER, "threads": N, "device": "cpu" or "cuda", "dtype": D} -> {"version": "lm_eval …, torch …"}
  {"score": [{"input": ids, "targets": [ids]}]}  -> {"sums": [[nats]], usage}
  {"write": [ids], "newTokens": N}               -> {"written": [ids], usage}
where usage is ms, engineMs (inside the model's forward passes), runs, tokens, rows, bytesReadBack. An error is answered as {"error": text}.
"""
import importlib.metadata
import json
import sys
import time

answers = sys.stdout
# Libraries print to standard output as they please.
sys.stdout = sys.stderr

import torch
from lm_eval.models.huggingface import HFLM


class Arm:
    def __init__(self, folder, threads, device, dtype):
        torch.set_num_threads(threads)
        # What a user gets who says nothing: batches of one. The window must not cut the made prompts, which no model was trained on.
        self.lm = HFLM(pretrained=folder, device=device, dtype=dtype, batch_size=1, max_length=1 << 20)
        self.usage = {}
        self.lm.model.register_forward_pre_hook(self.before, with_kwargs=True)
        self.lm.model.register_forward_hook(self.after)

    def before(self, _model, positional, named):
        self.finish()
        self.started = time.perf_counter()
        ids = positional[0] if positional else named["input_ids"]
        self.usage["tokens"] += ids.numel()
        self.usage["runs"] += 1

    def finish(self):
        # A GPU computes while Python goes on: its time ends when it is done.
        if self.lm.device.type == "cuda":
            torch.cuda.synchronize()

    def after(self, _model, _inputs, outputs):
        self.finish()
        self.usage["engineMs"] += (time.perf_counter() - self.started) * 1000
        logits = outputs.logits
        self.usage["rows"] += logits.shape[0] * logits.shape[1]
        self.usage["bytesReadBack"] += logits.numel() * logits.element_size()

    def measure(self, work):
        self.usage = {"engineMs": 0.0, "runs": 0, "tokens": 0, "rows": 0, "bytesReadBack": 0}
        started = time.perf_counter()
        result = work()
        return {**result, "ms": (time.perf_counter() - started) * 1000, **self.usage}

    def score(self, items):
        requests = []
        for item in items:
            (target,) = item["targets"]
            context = item["input"][: len(item["input"]) - (len(target) - 1)]
            requests.append((("", str(len(requests))), context, target))
        answered = self.lm._loglikelihood_tokens(requests, disable_tqdm=True)
        return {"sums": [[logprob] for logprob, _ in answered]}

    def write(self, prompts, new_tokens):
        # One after the other, as lm_eval does with its default batch size.
        return {"written": [self.write_one(prompt, new_tokens) for prompt in prompts]}

    def write_one(self, prompt, new_tokens):
        context = torch.tensor([prompt], device=self.lm.device)
        length = len(prompt) + new_tokens
        # The text goes on to its full length.
        text = self.lm._model_generate(context, max_length=length, stop=[], attention_mask=torch.ones_like(context), eos_token_id=None)
        return text[0, len(prompt):].tolist()


def main():
    arm = None
    for line in sys.stdin:
        try:
            call = json.loads(line)
            if "open" in call:
                arm = Arm(call["open"], call["threads"], call["device"], call["dtype"])
                versions = [f"{name} {importlib.metadata.version(name)}" for name in ("lm_eval", "torch")]
                answer = {"version": ", ".join(versions)}
            elif "score" in call:
                answer = arm.measure(lambda: arm.score(call["score"]))
            else:
                answer = arm.measure(lambda: arm.write(call["write"], call["newTokens"]))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


main()
