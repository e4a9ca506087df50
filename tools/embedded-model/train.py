"""Trains the tokenizer and the model on generated text, on the CPU. Writes one folder in transformers' layout per checkpoint.

    python train.py --out WORK [--tokens 4000000]
"""
import argparse
import json
import math
import pathlib
import time

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import LlamaConfig, LlamaForCausalLM

import corpus

VOCABULARY, CONTEXT, BATCH = 1920, 512, 4
BOS, EOS, PAD = "<s>", "</s>", "<pad>"
CHECKPOINTS = (0.05, 0.15, 0.35, 0.65)
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'system' %}{{ message['content'] + '\\n\\n' }}"
    "{% elif message['role'] == 'user' %}{{ 'User:\\n' + message['content'] + '\\n' }}"
    "{% else %}{{ 'Assistant:\\n' + message['content'] + eos_token + '\\n' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'Assistant:\\n' }}{% endif %}")


def train_tokenizer(texts: list[str]) -> Tokenizer:
    """Byte-level BPE, digits one by one, BOS added in front by the post-processor."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=[BOS, EOS, PAD], show_progress=False,
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single=f"{BOS} $A", pair=f"{BOS} $A {BOS} $B", special_tokens=[(BOS, tokenizer.token_to_id(BOS))])])
    return tokenizer


def write_tokenizer(tokenizer: Tokenizer, folder: pathlib.Path) -> None:
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    added = {str(tokenizer.token_to_id(token)): {"content": token, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True}
             for token in (BOS, EOS, PAD)}
    (folder / "tokenizer_config.json").write_text(json.dumps({
        "added_tokens_decoder": added, "bos_token": BOS, "eos_token": EOS, "pad_token": PAD, "chat_template": CHAT_TEMPLATE,
        "clean_up_tokenization_spaces": False, "model_max_length": CONTEXT, "tokenizer_class": "PreTrainedTokenizerFast"}, indent=2) + "\n")


def packed(tokenizer: Tokenizer, texts: list[str]) -> torch.Tensor:
    """All documents end to end, each as BOS text EOS, cut into rows of CONTEXT + 1 tokens."""
    stream = []
    for encoding in tokenizer.encode_batch(texts):
        stream += [*encoding.ids, tokenizer.token_to_id(EOS)]
    rows = len(stream) // (CONTEXT + 1)
    return torch.tensor(stream[: rows * (CONTEXT + 1)]).view(rows, CONTEXT + 1)


def new_model() -> LlamaForCausalLM:
    return LlamaForCausalLM(LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=128, intermediate_size=352, num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=2, head_dim=32,
        max_position_embeddings=CONTEXT, rope_theta=10000.0, rms_norm_eps=1e-5, tie_word_embeddings=True, bos_token_id=0, eos_token_id=1, pad_token_id=2))


def rate(done: float, peak: float) -> float:
    """Learning rate: 4% warm-up, then a cosine down to a twentieth."""
    return peak * (done / 0.04 if done < 0.04 else 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * (done - 0.04) / 0.96)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--tokens", type=float, default=1e12, help="stop after about this many tokens (default: the whole corpus once)")
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    torch.manual_seed(0)

    texts = corpus.training_documents()
    corpus.check_held_out(texts)
    tokenizer = train_tokenizer(texts)
    rows = packed(tokenizer, texts)
    rows = rows[torch.randperm(len(rows), generator=torch.Generator().manual_seed(0))][: math.ceil(args.tokens / CONTEXT)]
    steps = len(rows) // BATCH
    saved_at = {max(1, round(steps * part)) for part in CHECKPOINTS}
    model = new_model().to(args.device)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {rows.numel():,} tokens, {steps} steps", flush=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.rate, betas=(0.9, 0.95), weight_decay=0.05)
    started, total = time.time(), 0.0

    def save(name: str, step: int) -> None:
        folder = args.out / name
        folder.mkdir(parents=True, exist_ok=True)
        model.save_pretrained(folder)
        write_tokenizer(tokenizer, folder)
        (folder / "training.json").write_text(json.dumps({
            "step": step, "steps": steps, "tokens": step * BATCH * CONTEXT, "minutes": round((time.time() - started) / 60, 1), "documents": len(texts),
            "parameters": sum(p.numel() for p in model.parameters()), "loss": round(total, 3)}) + "\n")

    for step in range(steps):
        batch = rows[step * BATCH:(step + 1) * BATCH].to(args.device)
        for group in optimizer.param_groups:
            group["lr"] = rate((step + 1) / steps, args.rate)
        logits = model(batch[:, :-1]).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total = loss.item() if step == 0 else 0.98 * total + 0.02 * loss.item()
        if step % 25 == 0:
            print(f"step {step} loss {total:.3f} {time.time() - started:.0f} s", flush=True)
        if step + 1 in saved_at:
            save(f"step-{step + 1:06d}", step + 1)
    save("main", steps)


if __name__ == "__main__":
    main()
