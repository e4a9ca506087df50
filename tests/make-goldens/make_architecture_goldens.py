#!/usr/bin/env python3
"""Tiny models of every architecture that src/architectures knows, and transformers' log-probabilities of them, for tests/architectures.

  python make_architecture_goldens.py            writes ../goldens/architectures/models.json
  python make_architecture_goldens.py --only llama,gpt2    prints what these give, writes nothing

A weight isn't stored: it is a function of its name, which weight_of() here and tests/architectures/tiny-models.ts both are. Scores are of float32 and eager
attention, log-softmax in float64. transformers 4.57.6, torch 2.13.0.
"""
import argparse
import base64
import json
import os
import pathlib

os.environ.update(HF_HUB_OFFLINE="1")
import numpy
import torch
import transformers

OUT = pathlib.Path(__file__).parent.parent / "goldens" / "architectures" / "models.json"
LENGTHS = [1, 2, 5, 13, 31, 47, 80, 120]
BASE = dict(vocab_size=211, hidden_size=48, intermediate_size=80, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2,
            max_position_embeddings=160, bos_token_id=1, eos_token_id=2, pad_token_id=0)
LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64)
LINEAR = dict(rope_type="linear", factor=4.0)
GPT2 = dict(vocab_size=211, n_embd=48, n_layer=3, n_head=4, n_positions=160, bos_token_id=1, eos_token_id=2)
NEOX = {key: value for key, value in BASE.items() if key != "num_key_value_heads"}
GEMMA = dict(head_dim=16, query_pre_attn_scalar=20, sliding_window=12)
MOE = dict(num_hidden_layers=4, head_dim=16, num_experts=6, num_experts_per_tok=2, moe_intermediate_size=24)
# name -> (model_type, what differs from BASE, or the whole where the keys are others)
MODELS = {
    "llama": ("llama", dict(tie_word_embeddings=False, rope_scaling=LLAMA3, rope_theta=500000.0)),
    "llama-tied": ("llama", dict(tie_word_embeddings=True, num_key_value_heads=1)),
    "llama-biases": ("llama", dict(attention_bias=True, mlp_bias=True, rms_norm_eps=1e-3)),
    "llama-linear": ("llama", dict(rope_scaling=LINEAR, tie_word_embeddings=True)),
    "llama-head-size": ("llama", dict(head_dim=20, num_key_value_heads=4)),
    "llama-gelu": ("llama", dict(hidden_act="gelu_new")),
    "mistral": ("mistral", dict(sliding_window=12, head_dim=16)),
    "mistral-no-window": ("mistral", dict(sliding_window=None, tie_word_embeddings=True)),
    "qwen2": ("qwen2", dict(tie_word_embeddings=True)),
    "qwen2-window": ("qwen2", dict(use_sliding_window=True, sliding_window=12, max_window_layers=1)),
    "qwen2-linear": ("qwen2", dict(rope_scaling=LINEAR)),
    "qwen3": ("qwen3", dict(head_dim=24, tie_word_embeddings=True)),
    "qwen3-biases": ("qwen3", dict(head_dim=8, attention_bias=True)),
    "qwen3-window": ("qwen3", dict(head_dim=16, use_sliding_window=True, sliding_window=12, layer_types=["sliding_attention", "full_attention", "sliding_attention"])),
    "gemma2": ("gemma2", dict(**GEMMA, final_logit_softcapping=8.0, attn_logit_softcapping=5.0)),
    "gemma2-no-caps": ("gemma2", dict(**GEMMA, final_logit_softcapping=None, attn_logit_softcapping=None, tie_word_embeddings=False, attention_bias=True)),
    "gemma3": ("gemma3_text", dict(**GEMMA, num_hidden_layers=7, sliding_window_pattern=3, rope_local_base_freq=10000.0, rope_theta=1000000.0)),
    "gemma3-scaled": ("gemma3_text", dict(**{**GEMMA, "head_dim": 24}, rope_scaling=LINEAR, layer_types=["full_attention", "sliding_attention", "full_attention"], final_logit_softcapping=6.0)),
    "phi3": ("phi3", dict(partial_rotary_factor=0.5)),
    "phi3-whole": ("phi3", dict(tie_word_embeddings=True, num_key_value_heads=4, sliding_window=12)),
    "phi3-long": ("phi3", dict(original_max_position_embeddings=160, max_position_embeddings=640,
                  rope_scaling=dict(type="longrope", short_factor=[1.0, 1.1, 1.3, 1.6, 2.0, 2.5], long_factor=[1.0, 1.5, 2.5, 4.0, 6.0, 8.0]))),
    "olmo2": ("olmo2", dict(num_key_value_heads=4)),
    "olmo2-grouped": ("olmo2", dict(num_key_value_heads=1, tie_word_embeddings=True, attention_bias=True)),
    "granite": ("granite", dict(embedding_multiplier=3.0, logits_scaling=2.0, residual_multiplier=0.4, attention_multiplier=0.2)),
    "granite-biases": ("granite", dict(embedding_multiplier=2.0, logits_scaling=0.5, residual_multiplier=0.7, attention_multiplier=0.3, attention_bias=True, mlp_bias=True, tie_word_embeddings=True)),
    "smollm3": ("smollm3", dict(num_hidden_layers=4, no_rope_layer_interval=2)),
    "smollm3-window": ("smollm3", dict(num_hidden_layers=4, no_rope_layers=[1, 0, 1, 1], use_sliding_window=True, sliding_window=12, tie_word_embeddings=False, attention_bias=True, mlp_bias=True)),
    "starcoder2": ("starcoder2", dict()),
    "starcoder2-window": ("starcoder2", dict(use_bias=False, sliding_window=12, hidden_act="gelu", tie_word_embeddings=False)),
    "gpt-neox": ("gpt_neox", dict(**NEOX, rotary_pct=0.5)),
    "gpt-neox-serial": ("gpt_neox", dict(**NEOX, rotary_pct=1.0, use_parallel_residual=False, attention_bias=False, tie_word_embeddings=True)),
    "gpt-neox-linear": ("gpt_neox", dict(**NEOX, rotary_pct=0.5, rotary_emb_base=1000, hidden_act="gelu_new", rope_scaling=LINEAR)),
    "gpt2": ("gpt2", GPT2),
    "gpt2-untied": ("gpt2", dict(**GPT2, n_inner=100, activation_function="gelu", tie_word_embeddings=False, scale_attn_weights=False)),
    "lfm2": ("lfm2", dict(num_hidden_layers=4, layer_types=["conv", "full_attention", "conv", "full_attention"], block_auto_adjust_ff_dim=False)),
    "lfm2-adjusted": ("lfm2", dict(num_hidden_layers=4, full_attn_idxs=[2], conv_L_cache=4, conv_bias=True, block_multiple_of=16, block_ffn_dim_multiplier=1.3, tie_word_embeddings=False)),
    "qwen3-moe": ("qwen3_moe", dict(**MOE, norm_topk_prob=True)),
    "qwen3-moe-dense": ("qwen3_moe", dict(**MOE, norm_topk_prob=False, mlp_only_layers=[0], decoder_sparse_step=2, tie_word_embeddings=True, attention_bias=True)),
    "qwen3-moe-window": ("qwen3_moe", dict(**{**MOE, "num_experts_per_tok": 3}, use_sliding_window=True, sliding_window=12)),
    # Heads of 16 values, which the fused kernel of attention takes, and whole blocks of 32.
    "llama-wide": ("llama", dict(hidden_size=64, rope_scaling=LLAMA3)),
    "granite-wide": ("granite", dict(hidden_size=64, embedding_multiplier=3.0, logits_scaling=2.0, residual_multiplier=0.4, attention_multiplier=0.2)),
    "phi3-wide": ("phi3", dict(hidden_size=64, partial_rotary_factor=0.75)),
    "smollm3-wide": ("smollm3", dict(hidden_size=64, num_hidden_layers=4, no_rope_layer_interval=2, use_sliding_window=True, sliding_window=12)),
    "gpt-neox-wide": ("gpt_neox", dict(**{**NEOX, "hidden_size": 64}, rotary_pct=0.25)),
    "gpt2-wide": ("gpt2", dict(**{**GPT2, "n_embd": 64})),
}


def hashes(name: str, count: int) -> numpy.ndarray:
    """`count` numbers of 32 bits: FNV-1a of the name, then of each place the finisher of MurmurHash3."""
    seed = 0x811C9DC5
    for byte in name.encode():
        seed = (seed ^ byte) * 0x01000193 & 0xFFFFFFFF
    mask = numpy.uint64(0xFFFFFFFF)
    h = (numpy.arange(count, dtype=numpy.uint64) * numpy.uint64(0x9E3779B9) + numpy.uint64(seed)) & mask
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, None)):
        h ^= h >> numpy.uint64(shift)
        if factor is not None:
            h = h * numpy.uint64(factor) & mask
    return h


def weight_of(name: str, shape: list[int], base: float, scale: float) -> numpy.ndarray:
    """Float32 values between base - scale and base + scale."""
    uniform = hashes(name, int(numpy.prod(shape))).astype(numpy.float64) / 2**31 - 1
    return (base + scale * uniform).astype(numpy.float32).reshape(shape)


def spread_of(name: str, shape: list[int], kind: str) -> tuple[float, float]:
    """Base and scale: by fan-in, norms around one, biases and tables plainly visible."""
    norm = name.endswith("weight") and len(shape) == 1
    if norm:
        return (0.0 if kind.startswith("gemma") else 1.0), 0.5
    if len(shape) == 1:
        return 0.0, 0.4
    if any(part in name for part in ("embed", "wte", "wpe")):
        return 0.0, 0.8
    if len(shape) == 3:
        return 0.0, 1.0
    fan_in = shape[0] if kind == "gpt2" and not name.startswith("lm_head") else shape[1]
    return 0.0, round(2.2 / fan_in**0.5, 6)


def tokens_of(place: int, length: int) -> list[int]:
    """`length` tokens and one more that is scored; half of the sequences begin alike."""
    own = hashes(f"sequence {place}", length + 1) % 211
    shared = hashes("shared", length + 1) % 211
    begin = min(20, length // 2) if place % 2 else 0
    return [int(shared[i] if i < begin else own[i]) for i in range(length + 1)]


@torch.no_grad()
def score(name: str) -> dict:
    kind, changes = MODELS[name]
    settings = dict(changes) if kind in ("gpt2", "gpt_neox") else {**BASE, **changes}
    config = transformers.AutoConfig.for_model(kind, **settings)
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").float().eval()
    tensors = []
    for tensor, weight in model.named_parameters():
        shape = list(weight.shape)
        base, scale = spread_of(tensor, shape, kind)
        weight.copy_(torch.from_numpy(weight_of(tensor, shape, base, scale)))
        tensors.append([tensor, shape, base, scale])
    config.architectures = [type(model).__name__]
    scores = []
    for place, length in enumerate(LENGTHS):
        tokens = tokens_of(place, length)
        logits = model(torch.tensor([tokens[:-1]])).logits[0].double()
        scores.append(torch.log_softmax(logits, -1)[torch.arange(length), torch.tensor(tokens[1:])].float().numpy())
    joined = numpy.concatenate(scores)
    print(name, "mean", round(float(joined.mean()), 3), "spread", round(float(joined.std()), 3))
    return dict(name=name, config=json.loads(config.to_json_string()), tensors=tensors, logprobs=base64.b64encode(joined.tobytes()).decode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    torch.set_num_threads(1)
    chosen = args.only.split(",") if args.only else list(MODELS)
    models = [score(name) for name in chosen]
    if args.only:
        return
    made = dict(by="tests/make-goldens/make_architecture_goldens.py", transformers=transformers.__version__, torch=torch.__version__, numpy=numpy.__version__)
    sequences = [tokens_of(place, length) for place, length in enumerate(LENGTHS)]
    OUT.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(model) for model in models)
    OUT.write_text(f'{{"made": {json.dumps(made)},\n"sequences": {json.dumps(sequences)},\n"models": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
