"""The shapes of the matrix: what the published config.json of each model says, and what a narrow version keeps of it.

A narrow version keeps everything that decides which graph an exporter writes (ratio of heads, shared keys and values, head sizes apart from the hidden
size, norms of queries and keys, biases, rope scaling, sliding windows, layers without rotary embedding, tied embeddings) and shrinks what only costs time.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """`config` is what transformers' config class takes; `narrow` what differs in the narrow version. `tokenizer` names a source in tokenizers.py."""
    model: str  # the published model whose config.json this is
    kind: str  # model_type
    config: dict
    narrow: dict
    tokenizer: str
    exporters: tuple[str, ...] = ("optimum", "genai")


NARROW = dict(vocab_size=288, max_position_embeddings=256, bos_token_id=1, eos_token_id=2, pad_token_id=0)


def llama(hidden, inter, layers, heads, kv, **more):
    return dict(hidden_size=hidden, intermediate_size=inter, num_hidden_layers=layers, num_attention_heads=heads, num_key_value_heads=kv, **more)


SMOLLM2 = dict(vocab_size=49152, max_position_embeddings=8192, rope_theta=100000.0, rms_norm_eps=1e-5, tie_word_embeddings=True, bos_token_id=1, eos_token_id=2, pad_token_id=2)
LLAMA32 = dict(vocab_size=128256, max_position_embeddings=131072, rope_theta=500000.0, rms_norm_eps=1e-5, tie_word_embeddings=True, bos_token_id=128000, eos_token_id=128001,
               rope_scaling=dict(rope_type="llama3", factor=32.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8192))
# The window of the narrow version is its original context too: onnxruntime-genai 0.11.4 overlooks original_max_position_embeddings and takes the window for it
# (builders/base.py asks a dict for an attribute), so that its graphs of Llama 3.2 rotate otherwise than transformers does.
NARROW_LLAMA32 = dict(rope_scaling={**LLAMA32["rope_scaling"], "original_max_position_embeddings": NARROW["max_position_embeddings"]})
QWEN25 = dict(vocab_size=151936, max_position_embeddings=32768, rope_theta=1000000.0, rms_norm_eps=1e-6, tie_word_embeddings=True, use_sliding_window=False, sliding_window=32768,
              bos_token_id=151643, eos_token_id=151645)
QWEN3 = dict(vocab_size=151936, max_position_embeddings=40960, head_dim=128, rope_theta=1000000.0, rms_norm_eps=1e-6, tie_word_embeddings=True, use_sliding_window=False,
             sliding_window=None, attention_bias=False, bos_token_id=151643, eos_token_id=151645)
GEMMA3 = dict(vocab_size=262144, max_position_embeddings=32768, head_dim=256, query_pre_attn_scalar=256, sliding_window=512, sliding_window_pattern=6, rope_theta=1000000.0,
              rope_local_base_freq=10000.0, rms_norm_eps=1e-6, hidden_activation="gelu_pytorch_tanh", tie_word_embeddings=True, bos_token_id=2, eos_token_id=1, pad_token_id=0)
# Source: generative-computing/granite-switch, granite4_equivalence.py (GRANITE4_FULLSIZE). It doesn't tell the base of the rotary embedding: the class's own stands for it, which changes
# a table's numbers and no graph. All layers of these models attend.
GRANITE4 = dict(vocab_size=100352, max_position_embeddings=131072, rms_norm_eps=1e-5, embedding_multiplier=12.0, position_embedding_type="rope", num_local_experts=0, num_experts_per_tok=0,
                attention_bias=False, tie_word_embeddings=True, bos_token_id=100257, eos_token_id=100257, pad_token_id=100256)
# Scores of attention are scaled otherwise than by the root of the head size, as in the real ones.
NARROW_GRANITE4 = dict(shared_intermediate_size=96, attention_multiplier=0.5, layer_types=["attention"] * 2)

SHAPES = {
    "smollm2-135m": Shape("HuggingFaceTB/SmolLM2-135M-Instruct", "llama", llama(576, 1536, 30, 9, 3, **SMOLLM2), llama(32, 64, 2, 9, 3, head_dim=16, **NARROW), "smollm2"),
    "smollm2-360m": Shape("HuggingFaceTB/SmolLM2-360M-Instruct", "llama", llama(960, 2560, 32, 15, 5, **SMOLLM2), llama(32, 64, 2, 15, 5, head_dim=16, **NARROW), "smollm2"),
    # Six layers, since onnxruntime-genai takes every sixth for one without a window whatever config.json says; prompts of the goldens reach past the window.
    "gemma3-270m": Shape("google/gemma-3-270m-it", "gemma3_text", llama(640, 2048, 18, 4, 1, **GEMMA3),
                         llama(32, 64, 6, 4, 1, head_dim=16, query_pre_attn_scalar=16, sliding_window=24, **NARROW), "gemma3"),
    "qwen2.5-0.5b": Shape("Qwen/Qwen2.5-0.5B-Instruct", "qwen2", llama(896, 4864, 24, 14, 2, **QWEN25), llama(32, 64, 2, 14, 2, head_dim=16, **NARROW), "qwen3"),
    "qwen3-0.6b": Shape("Qwen/Qwen3-0.6B", "qwen3", llama(1024, 3072, 28, 16, 8, **QWEN3), llama(32, 64, 2, 4, 2, head_dim=16, **NARROW), "qwen3"),
    "llama3.2-1b": Shape("meta-llama/Llama-3.2-1B-Instruct", "llama", llama(2048, 8192, 16, 32, 8, head_dim=64, **LLAMA32), llama(32, 64, 2, 8, 2, head_dim=16, **NARROW, **NARROW_LLAMA32), "llama3_1"),
    "smollm3-3b": Shape("HuggingFaceTB/SmolLM3-3B", "smollm3",
                        llama(2048, 11008, 36, 16, 4, vocab_size=128256, max_position_embeddings=65536, rope_theta=5000000.0, rms_norm_eps=1e-6, tie_word_embeddings=True,
                              no_rope_layer_interval=4, bos_token_id=128000, eos_token_id=128012, pad_token_id=128004),
                        # Every second layer without rotary embedding instead of every fourth.
                        llama(32, 64, 2, 4, 1, head_dim=16, no_rope_layer_interval=2, **NARROW), "llama3_1",
                        # onnxruntime-genai 0.11.4 rotates layers without rotary embedding by an input that it doesn't declare: no runtime opens its graphs.
                        exporters=("optimum",)),
    "gemma3-1b": Shape("google/gemma-3-1b-it", "gemma3_text", llama(1152, 6912, 26, 4, 1, **GEMMA3),
                       llama(48, 96, 6, 4, 1, head_dim=16, query_pre_attn_scalar=16, sliding_window=16, **NARROW), "gemma3"),
    "qwen2.5-1.5b": Shape("Qwen/Qwen2.5-1.5B-Instruct", "qwen2", llama(1536, 8960, 28, 12, 2, **QWEN25), llama(32, 64, 2, 12, 2, head_dim=16, **NARROW), "qwen3"),
    "qwen3-1.7b": Shape("Qwen/Qwen3-1.7B", "qwen3", llama(2048, 6144, 28, 16, 8, **QWEN3), llama(64, 64, 2, 8, 4, head_dim=16, **NARROW), "qwen3"),
    "llama3.2-3b": Shape("meta-llama/Llama-3.2-3B-Instruct", "llama", llama(3072, 8192, 28, 24, 8, head_dim=128, **LLAMA32), llama(48, 64, 2, 6, 2, head_dim=32, **NARROW, **NARROW_LLAMA32), "llama3_1"),
    "granite4-350m": Shape("ibm-granite/granite-4.0-350m", "granitemoehybrid",
                           llama(1024, 2048, 28, 16, 4, shared_intermediate_size=2048, layer_types=["attention"] * 28, residual_multiplier=0.263, attention_multiplier=0.015625, logits_scaling=4.0,
                                 **GRANITE4), llama(64, 96, 2, 4, 1, **NARROW, **NARROW_GRANITE4), "granite"),
    "granite4-1b": Shape("ibm-granite/granite-4.0-1b", "granitemoehybrid",
                         llama(2048, 4096, 40, 16, 4, shared_intermediate_size=4096, layer_types=["attention"] * 40, residual_multiplier=0.22, attention_multiplier=0.0078125, logits_scaling=8.0,
                               **GRANITE4), llama(128, 96, 2, 8, 2, **NARROW, **NARROW_GRANITE4), "granite"),
    # Neither exporter knows the architecture: export.py's own tracing makes the graph, with the inputs and outputs of the published ones.
    "lfm2-350m": Shape("LiquidAI/LFM2-350M", "lfm2",
                       llama(1024, 6656, 16, 16, 8, vocab_size=65536, max_position_embeddings=128000, rope_theta=1000000.0, norm_eps=1e-5, conv_L_cache=3, conv_bias=False, block_multiple_of=256,
                             block_ffn_dim_multiplier=1.0, block_auto_adjust_ff_dim=True, full_attn_idxs=[2, 5, 8, 10, 12, 14], bos_token_id=1, eos_token_id=7, pad_token_id=0),
                       llama(64, 96, 3, 4, 2, block_multiple_of=32, full_attn_idxs=[1], **NARROW), "lfm2", exporters=("torch",)),
}


def narrow_config(shape: Shape) -> dict:
    """The published config with the narrow version's changes."""
    return {**shape.config, **shape.narrow}
