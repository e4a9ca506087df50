#!/usr/bin/env python3
"""Tiny models as GGUF files in llama.cpp's layout, and their log-probabilities by transformers.

  python make_gguf_model_goldens.py            writes ../goldens/gguf/NAME.gguf and models.json
  python make_gguf_model_goldens.py --only llama,gpt2    prints what these give, writes nothing

The layout is that of llama.cpp's convert_hf_to_gguf.py (conversion/ in the llama-cpp-python 0.3.36 that was read); tensors' names are those of gguf's own tables. Where transformers loads an architecture from a GGUF
file as the file means it (`loads`), the scores are of `from_pretrained(gguf_file=...)`, which is what `lm_eval --model hf --model_args gguf_file=` does. Otherwise they are of the original model with the file's own
values put back: transformers leaves out Llama 3's factors of frequencies, Phi-3's too, and knows no Granite, SmolLM3, OLMo 2 or GPT-NeoX. transformers 4.57.6, torch 2.13.0, gguf 0.19.0; float32, log-softmax in float64.
"""
import argparse
import base64
import json
import os
import pathlib
import tempfile

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error", TQDM_DISABLE="1")
import gguf
import numpy
import torch
import transformers
from gguf import GGMLQuantizationType as Type, quants
from make_architecture_goldens import hashes, spread_of, weight_of

OUT = pathlib.Path(__file__).parent.parent / "goldens" / "gguf"
LENGTHS = [1, 2, 7, 23, 40]
VOCABULARY = 96
SMALL = dict(vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64,
             bos_token_id=1, eos_token_id=2, pad_token_id=0)
LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16)
LINEAR = dict(rope_type="linear", factor=4.0)
GEMMA = dict(head_dim=8, query_pre_attn_scalar=8, sliding_window=8)
NEOX = {key: value for key, value in SMALL.items() if key != "num_key_value_heads"}
LONG = dict(type="longrope", short_factor=[1.0, 1.3, 1.6, 2.2], long_factor=[1.0, 2.0, 4.0, 8.0])
K_TYPES = [Type.Q4_K, Type.Q6_K, Type.Q5_K, Type.Q3_K, Type.Q2_K, Type.IQ4_XS, Type.IQ3_S, Type.IQ2_XXS, Type.IQ1_M, Type.TQ2_0]
# name -> (llama.cpp's architecture, model_type, what differs from SMALL, types of matrices by turns, transformers loads the file as it is meant)
MODELS = {
    "llama": ("llama", "llama", dict(rope_theta=5000.0, tie_word_embeddings=False), [Type.F32], True),
    "llama-blocks": ("llama", "llama", dict(tie_word_embeddings=False), [Type.Q8_0, Type.Q4_0], True),
    "llama3-tied": ("llama", "llama", dict(rope_scaling=LLAMA3, rope_theta=500000.0, tie_word_embeddings=True), [Type.Q8_0], False),
    "llama-biases": ("llama", "llama", dict(attention_bias=True, mlp_bias=True, head_dim=16, rope_scaling=LINEAR), [Type.F16], False),
    "llama-k": ("llama", "llama", dict(hidden_size=256, intermediate_size=256, num_attention_heads=16, num_key_value_heads=2, num_hidden_layers=2, tie_word_embeddings=True), K_TYPES, True),
    "qwen2": ("qwen2", "qwen2", dict(tie_word_embeddings=True), [Type.Q4_0, Type.Q5_0], True),
    "qwen3": ("qwen3", "qwen3", dict(head_dim=128, num_attention_heads=2, num_key_value_heads=1, tie_word_embeddings=False), [Type.Q8_0, Type.Q4_1], True),
    "qwen3moe": ("qwen3moe", "qwen3_moe", dict(head_dim=16, num_experts=6, num_experts_per_tok=2, moe_intermediate_size=32, norm_topk_prob=True, tie_word_embeddings=False), [Type.Q4_0, Type.Q8_0], False),
    "gemma2": ("gemma2", "gemma2", dict(**GEMMA, final_logit_softcapping=8.0, attn_logit_softcapping=None), [Type.BF16], False),
    "gemma3": ("gemma3", "gemma3_text", dict(head_dim=256, query_pre_attn_scalar=256, num_attention_heads=1, num_key_value_heads=1, sliding_window=8, rope_theta=1000000.0), [Type.Q8_0, Type.Q5_1], True),
    "gemma3-layers": ("gemma3", "gemma3_text", dict(**GEMMA, num_hidden_layers=7, rope_scaling=LINEAR, rope_theta=1000000.0, final_logit_softcapping=6.0), [Type.F16, Type.Q8_0], False),
    "phi3": ("phi3", "phi3", dict(tie_word_embeddings=False), [Type.Q4_0, Type.Q8_0, Type.F16], True),
    "phi3-long": ("phi3", "phi3", dict(original_max_position_embeddings=64, max_position_embeddings=256, rope_scaling=LONG, sliding_window=12), [Type.F32], False),
    "phi3-partial": ("phi3", "phi3", dict(partial_rotary_factor=0.75), [Type.Q8_0], False),
    "olmo2": ("olmo2", "olmo2", dict(tie_word_embeddings=False), [Type.Q8_0, Type.F16], False),
    "granite": ("granite", "granite", dict(embedding_multiplier=3.0, logits_scaling=2.0, residual_multiplier=0.4, attention_multiplier=0.2, tie_word_embeddings=True), [Type.Q4_0], False),
    "smollm3": ("smollm3", "smollm3", dict(num_hidden_layers=4, no_rope_layer_interval=4, tie_word_embeddings=True), [Type.Q4_0, Type.Q8_0], False),
    "starcoder2": ("starcoder2", "starcoder2", dict(tie_word_embeddings=True), [Type.Q8_0], True),
    "gptneox": ("gptneox", "gpt_neox", dict(rotary_pct=0.5, tie_word_embeddings=False), [Type.F16, Type.Q8_0], False),
    "gptneox-serial": ("gptneox", "gpt_neox", dict(rotary_pct=1.0, use_parallel_residual=False, tie_word_embeddings=False), [Type.Q4_0], False),
    "gpt2": ("gpt2", "gpt2", dict(vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=4, n_positions=1024, bos_token_id=1, eos_token_id=2), [Type.Q4_0, Type.Q8_0], True),
    "lfm2": ("lfm2", "lfm2", dict(num_hidden_layers=4, layer_types=["conv", "full_attention", "conv", "full_attention"], block_auto_adjust_ff_dim=False, rope_theta=1000000.0), [Type.Q8_0, Type.F16], True),
}


def made_model(kind: str, changes: dict, name: str):
    settings = changes if kind == "gpt2" else {**(NEOX if kind == "gpt_neox" else SMALL), **changes}
    config = transformers.AutoConfig.for_model(kind, **settings)
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").float().eval()
    with torch.no_grad():
        for tensor, weight in model.named_parameters():
            base, scale = spread_of(tensor, list(weight.shape), kind)
            weight.copy_(torch.from_numpy(weight_of(f"{name} {tensor}", list(weight.shape), base, scale)))
    return config, model


def rows_of(arch: str, tensor: str, config, rows: int) -> numpy.ndarray:
    """Which of transformers' rows stands at each place of llama.cpp's."""
    place = numpy.arange(rows)
    heads = getattr(config, "num_attention_heads", None)
    if arch in ("llama", "granite", "smollm3") and (".q_proj." in tensor or ".k_proj." in tensor):
        count = heads if ".q_proj." in tensor else config.num_key_value_heads
        return place.reshape(count, 2, rows // count // 2).swapaxes(1, 2).reshape(rows)
    if arch == "gptneox" and "query_key_value" in tensor:
        return place.reshape(heads, 3, rows // heads // 3).swapaxes(0, 1).reshape(rows)
    return place


def random_blocks(kind: Type, shape: list[int], name: str) -> numpy.ndarray:
    """Blocks of a type that gguf can't quantise to: random but for their scales, which make values of about 0.1."""
    values, size = gguf.GGML_QUANT_SIZES[kind]
    rows, blocks = shape[0], shape[1] // values
    raw = (hashes(name, rows * blocks * size) & numpy.uint64(255)).astype(numpy.uint8).reshape(rows, blocks, size)

    def half(at: int, value: float) -> None:
        raw[:, :, at:at + 2] = numpy.frombuffer(numpy.float16(value).tobytes(), numpy.uint8)

    where = {Type.Q4_K: [(0, 4e-4), (2, 3e-3)], Type.Q5_K: [(0, 2e-4), (2, 3e-3)], Type.Q2_K: [(80, 6e-3), (82, 9e-3)], Type.Q3_K: [(108, 1e-3)], Type.Q6_K: [(208, 5e-5)],
             Type.IQ4_XS: [(0, 5e-5)], Type.IQ3_S: [(0, 5e-4)], Type.IQ2_XXS: [(0, 1e-3)], Type.TQ2_0: [(64, 0.1)]}
    for at, value in where.get(kind, []):
        half(at, value)
    if kind == Type.IQ1_M:  # Its scale is in the upper halves of its last four words.
        bits = numpy.frombuffer(numpy.float16(6e-3).tobytes(), numpy.uint16)[0]
        for part in range(4):
            raw[:, :, 49 + 2 * part] = (raw[:, :, 49 + 2 * part] & 15) | (((int(bits) >> (4 * part)) & 15) << 4)
    return raw.reshape(rows, blocks * size)


def stored(kind: Type, values: numpy.ndarray, name: str) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The bytes in the file, and the values that they stand for."""
    if kind == Type.F32:
        return values, values
    if kind == Type.F16:
        return values.astype(numpy.float16), values.astype(numpy.float16).astype(numpy.float32)
    matrix = values.reshape(-1, values.shape[-1])
    packed = random_blocks(kind, list(matrix.shape), name) if kind in K_TYPES and kind != Type.TQ2_0 else quants.quantize(matrix, kind)
    return packed.reshape(*values.shape[:-1], -1), quants.dequantize(packed, kind).reshape(values.shape)


@torch.no_grad()
def write(name: str, path: pathlib.Path):
    """Writes the file, and gives the model with the file's own values."""
    arch, kind, changes, types, _ = MODELS[name]
    config, model = made_model(kind, changes, name)
    writer = gguf.GGUFWriter(path, arch)
    add_metadata(writer, arch, config)
    names = gguf.get_tensor_name_map(next(key for key, value in gguf.MODEL_ARCH_NAMES.items() if value == arch), config.num_hidden_layers)
    experts: dict[str, list] = {}
    matrices = 0
    for tensor, weight in model.named_parameters():
        stem, suffix = tensor.rsplit(".", 1)
        values = weight.numpy().copy()
        if ".experts." in tensor:
            before, after = stem.split(".experts.")
            experts.setdefault(f"{before}.experts.{after.split('.', 1)[1]}", []).append(weight)
            continue
        turned = arch == "gpt2" and values.ndim == 2 and any(part in stem for part in ("c_attn", "c_proj", "c_fc"))
        if turned:
            values = values.T.copy()
        shift = 1.0 if arch.startswith("gemma") and stem.endswith("norm") else 0.0
        if values.ndim == 3:
            values = values.squeeze(1)
        order = rows_of(arch, tensor, config, values.shape[0])
        plain = values.ndim == 1 or "conv.conv" in stem
        own = Type.F32 if plain else types[matrices % len(types)]
        matrices += 0 if plain else 1
        bytes_, known = stored(own, values[order] + numpy.float32(shift), f"{name} {tensor}")
        writer.add_tensor(f"{names.get_name(stem)}.{suffix}", bytes_, raw_dtype=own)
        back = numpy.empty_like(values)
        back[order] = known - numpy.float32(shift)
        weight.copy_(torch.from_numpy(back.T.copy() if turned else back).reshape(weight.shape))
    for stem, weights in experts.items():
        own = types[matrices % len(types)]
        matrices += 1
        bytes_, known = stored(own, numpy.stack([one.numpy() for one in weights]), f"{name} {stem}")
        writer.add_tensor(f"{names.get_name(stem)}.weight", bytes_, raw_dtype=own)
        for one, value in zip(weights, known):
            one.copy_(torch.from_numpy(value))
    add_factors(writer, config)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return model


def add_metadata(writer, arch: str, config) -> None:
    """As convert_hf_to_gguf.py's set_gguf_parameters."""
    scaling = getattr(config, "rope_scaling", None) or {}
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_size = getattr(config, "head_dim", None) or hidden // heads
    writer.add_type("model")
    writer.add_name(f"tiny {arch}")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(hidden)
    writer.add_head_count(heads)
    writer.add_feed_forward_length(getattr(config, "intermediate_size", None) or 4 * hidden)
    if arch == "lfm2":
        writer.add_head_count_kv([config.num_key_value_heads if kind == "full_attention" else 0 for kind in config.layer_types])
        writer.add_shortconv_l_cache(config.conv_L_cache)
    elif arch not in ("gptneox", "gpt2"):
        writer.add_head_count_kv(config.num_key_value_heads)
    if arch in ("gptneox", "gpt2", "starcoder2"):
        writer.add_layer_norm_eps(getattr(config, "norm_epsilon", None) or getattr(config, "layer_norm_eps", None) or config.layer_norm_epsilon)
    else:
        writer.add_layer_norm_rms_eps(config.norm_eps if arch == "lfm2" else config.rms_norm_eps)
    if arch not in ("gptneox", "gpt2", "gemma2"):
        writer.add_rope_freq_base(config.rope_theta)
    if arch in ("gemma2", "gemma3", "qwen3", "qwen3moe") or (arch == "llama" and head_size != hidden // heads):
        writer.add_key_length(head_size)
        writer.add_value_length(head_size)
    if arch in ("llama", "granite", "smollm3"):
        writer.add_rope_dimension_count(head_size)
    if arch in ("llama", "granite", "smollm3", "lfm2"):
        writer.add_vocab_size(config.vocab_size)
    if scaling.get("rope_type") == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(scaling["factor"])
    if arch == "gemma2":
        writer.add_attn_logit_softcapping(50.0)
    if getattr(config, "final_logit_softcapping", None):
        writer.add_final_logit_softcapping(config.final_logit_softcapping)
    if arch in ("gemma2", "gemma3"):
        writer.add_sliding_window(config.sliding_window)
    if arch == "phi3":
        writer.add_rope_scaling_orig_ctx_len(config.original_max_position_embeddings)
        writer.add_rope_dimension_count(int(getattr(config, "partial_rotary_factor", 1.0) * hidden) // heads)
        writer.add_sliding_window(config.sliding_window or 0)
    if arch == "gptneox":
        writer.add_rope_dimension_count(int(config.rotary_pct * (hidden // heads)))
        writer.add_parallel_residual(config.use_parallel_residual)
    if arch == "granite":
        writer.add_attention_scale(config.attention_multiplier)
        writer.add_embedding_scale(config.embedding_multiplier)
        writer.add_residual_scale(config.residual_multiplier)
        writer.add_logit_scale(config.logits_scaling)
    if arch == "qwen3moe":
        writer.add_expert_count(config.num_experts)
        writer.add_expert_used_count(config.num_experts_per_tok)
        writer.add_expert_feed_forward_length(config.moe_intermediate_size)
    if "short_factor" in scaling:
        stretch = config.max_position_embeddings / config.original_max_position_embeddings
        writer.add_rope_scaling_attn_factors((1 + numpy.log(stretch) / numpy.log(config.original_max_position_embeddings)) ** 0.5)
    writer.add_tokenizer_model("gpt2")
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_pad_token_id(0)
    writer.add_token_list([f"t{token}" for token in range(config.vocab_size)])


def add_factors(writer, config) -> None:
    scaling = getattr(config, "rope_scaling", None) or {}
    if scaling.get("rope_type") == "llama3":
        size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        factors = []
        for one in 1.0 / config.rope_theta ** (torch.arange(0, size, 2, dtype=torch.float32) / size):
            wavelength, positions = 2 * numpy.pi / one.item(), scaling["original_max_position_embeddings"]
            smooth = (positions / wavelength - scaling["low_freq_factor"]) / (scaling["high_freq_factor"] - scaling["low_freq_factor"])
            factors.append(1 / ((1 - min(1, max(0, smooth))) / scaling["factor"] + min(1, max(0, smooth))))
        writer.add_tensor("rope_freqs.weight", numpy.array(factors, numpy.float32))
    if "short_factor" in scaling:
        writer.add_tensor("rope_factors_long.weight", numpy.array(scaling["long_factor"], numpy.float32))
        writer.add_tensor("rope_factors_short.weight", numpy.array(scaling["short_factor"], numpy.float32))


def tokens_of(place: int, length: int) -> list[int]:
    own, shared = hashes(f"sequence {place}", length + 1) % VOCABULARY, hashes("shared", length + 1) % VOCABULARY
    begin = min(10, length // 2) if place % 2 else 0
    return [int(shared[i] if i < begin else own[i]) for i in range(length + 1)]


@torch.no_grad()
def scores_of(model) -> numpy.ndarray:
    scores = []
    for place, length in enumerate(LENGTHS):
        tokens = tokens_of(place, length)
        logits = model(torch.tensor([tokens[:-1]])).logits[0].double()
        scores.append(torch.log_softmax(logits, -1)[torch.arange(length), torch.tensor(tokens[1:])].float().numpy())
    return numpy.concatenate(scores)


def score(name: str, folder: pathlib.Path) -> dict:
    path = folder / f"{name}.gguf"
    scores = scores_of(write(name, path))
    loads = MODELS[name][4]
    if loads:
        loaded = transformers.AutoModelForCausalLM.from_pretrained(folder, gguf_file=path.name, attn_implementation="eager", dtype=torch.float32).eval()
        by_file = scores_of(loaded)
        apart = float(numpy.abs(by_file - scores).max())
        print(name, "transformers' file against the original:", apart)
        assert apart < 1e-4
        scores = by_file
    print(name, "mean", round(float(scores.mean()), 3), "spread", round(float(scores.std()), 3), path.stat().st_size, "bytes")
    return dict(name=name, scoredBy="transformers, gguf_file" if loads else "transformers, the original with the file's values", logprobs=base64.b64encode(scores.tobytes()).decode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    torch.set_num_threads(1)
    if args.only:
        with tempfile.TemporaryDirectory() as folder:
            for name in args.only.split(","):
                score(name, pathlib.Path(folder))
        return
    OUT.mkdir(parents=True, exist_ok=True)
    models = [score(name, OUT) for name in MODELS]
    made = dict(by="tests/make-goldens/make_gguf_model_goldens.py", transformers=transformers.__version__, torch=torch.__version__, gguf="0.19.0", numpy=numpy.__version__)
    lines = ",\n".join(json.dumps(model) for model in models)
    sequences = [tokens_of(place, length) for place, length in enumerate(LENGTHS)]
    (OUT / "models.json").write_text(f'{{"made": {json.dumps(made)},\n"sequences": {json.dumps(sequences)},\n"models": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
