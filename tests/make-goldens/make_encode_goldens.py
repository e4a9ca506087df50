"""Writes tests/goldens/encode: small tokenizers made here, and what the harness's HFLM encodes with them.

Run: python tests/make-goldens/make_encode_goldens.py   (needs lm_eval 0.4.13, transformers 4.57, tokenizers 0.22)
Every tokenizer is trained on the few sentences below, so the folder holds no one else's vocabulary.
"""

import json
import pathlib
import tempfile
from types import SimpleNamespace

from lm_eval.models.huggingface import HFLM
from lm_eval.models.utils import configure_pad_token, resolve_max_length
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer

from made import keep_record

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens" / "encode"

SENTENCES = [
    "The quick brown fox jumps over the lazy dog, and the dog doesn't mind at all.",
    "Question: What is the capital of France?\nAnswer: Paris\n\nQuestion: What is 2 + 2?\nAnswer: 4",
    "Mji mkuu wa Kenya ni Nairobi. Watoto wanasoma vitabu shuleni kila siku.",
    "Ọmọ náà ń ka ìwé ní ilé ẹ̀kọ́. Báwo ni? Ẹ kú àárọ̀!",
    "የኢትዮጵያ ዋና ከተማ አዲስ አበባ ነው።",
    "naïve café, déjà vu; 12,345.67 € – “quotes” … and 東京 is big. 😀😀 👍🏽",
    "def f(x):\n    return x ** 2  # squares\n\n\tif x > 3:\n\t\tprint(x)\n",
] * 3

STRINGS = [
    "", " ", "  ", "\n", "a", " a", "a ", "The dog", " The dog", "The dog doesn't", "it's I'm we'LL they'VE", "Answer:", "Answer: Paris", "\n\nAnswer:  4  \n",
    "12345 678 90,123.45", "x=1;y=2", "def f(x):\n\t\treturn x\r\n", "tab\there", "multi   spaces    here", "naïve café e\u0301", "Ẹ kú àárọ̀! ọmọ", "ẹ\u0300kọ\u0301", "አዲስ አበባ።", "東京 is big", "😀", "a😀b 👍🏽 👩‍👩‍👧",
    "\u00a0nbsp\u2003em", "zero\u200bwidth", "\ufeffBOM", "ﬁ ligature ＡＢＣ ①", "İstanbul ß ẞ", "<s>", "<s>The dog", "</s>", "a<s>b", " <s> x", "<|endoftext|>The", "<|endoftext|>", "<|user|>hi<|end|>", "<|user|> hi", "hi <|user|>", "<|use", "<extra> word <extra>word", "▁", "a▁b", "a ▁ b", "\x00nul\x1f", "日本語テスト", "العربية مرحبا", "한국어 시험", "क्षत्रिय हिन्दी", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "Ġ Ċ", "...!!!???", "CamelCaseWord HTTPServer", "a\u0085b\u001cc", "2 + 2 = 4", "I'd 'tis 's", "\t\n \n",
]

# What regular expressions and digits of two languages see differently: digits of other scripts, U+FEFF, which is no white space, and U+0085, which is.
SCRIPTS = ["०१२३ ४५६७ ०१२३ ४५६७ १२", "٠١٢٣ ٤٥٦٧ ٠١٢٣", "½½½ ²²² ⅧⅧ", "a \ufeff b \ufeffc \ufeff \ufeff", "x\x85\x85 y \x85z \x85\x85 w"] * 5
MORE_STRINGS = ["०१२३", " ०१२३ ४५६७x१२", "٠١٢٣٤٥٦٧", "½½ ²²9 Ⅷ", " \ufeff", " \ufeffc", "a \ufeff b", "\ufeff\ufeff ", "x\x85\x85", " y \x85z", " \x85\x85 w", "\x85", "a\x85 \ufeff ०\x85", "<|extra_0|>", "the dog<|extra_0|>quick fox"]

PAIRS = [
    ("", "The dog"), ("", " The dog"), ("", "<s>The dog"), ("", "<|endoftext|>x"), ("The capital of France is", " Paris"), ("The capital of France is ", "Paris"), ("hello\n", "world"), ("hello \n\t", "world"),
    ("Q: x\nA:\u00a0", "y"), ("The do", "g doesn't"), ("a", "b"), ("Answer:", " A"), ("Answer:", "A"), ("x ", " y"), ("የኢትዮጵያ ዋና", " ከተማ"), ("e", "\u0301"), ("Ẹ kú", " àárọ̀"), ("<s>The dog", " mind"), ("<|endoftext|>The", " dog"),
    ("foo<|user|>", "bar"), ("12", "345"), ("  ", "x"), ("\n", "x"), ("東", "京"), ("😀", "😀"), ("the the the the the the the the the the the the the the the the the", " dog"), ("do", "esn't mind at all, and the dog doesn't mind"),
]

ROLLING = ["", "a", "The quick brown fox jumps over the lazy dog, and the dog doesn't mind at all.", " leading and trailing ", "<s>The dog", "Mji mkuu wa Kenya ni Nairobi. Watoto wanasoma vitabu shuleni kila siku. Ọmọ náà ń ka ìwé."]

LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def byte_level(regex=None, bos=None, normalizer=None, special=("<|endoftext|>",), digits=False, sentences=SENTENCES):
    tok = Tokenizer(models.BPE())
    if normalizer:
        tok.normalizer = normalizer
    if regex:
        tok.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(regex), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    elif digits:
        tok.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    else:
        tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    tok.train_from_iterator(sentences, trainers.BpeTrainer(vocab_size=420, special_tokens=list(special), initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    if bos:
        tok.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), processors.TemplateProcessing(single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, tok.token_to_id(bos))])])
    else:
        tok.post_processor = processors.ByteLevel(trim_offsets=True)
    return tok


def sentencepiece_like(prepend=True, post=True):
    specials = ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)]
    tok = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    steps = [normalizers.Replace(" ", "▁")]
    tok.normalizer = normalizers.Sequence([normalizers.Prepend("▁")] + steps) if prepend else normalizers.Sequence(steps)
    tok.train_from_iterator(SENTENCES, trainers.BpeTrainer(vocab_size=520, special_tokens=specials, show_progress=False, limit_alphabet=60))
    data = json.loads(tok.to_str())
    data["added_tokens"] = data["added_tokens"][:3]
    tok = Tokenizer.from_str(json.dumps(data))
    tok.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()] + ([decoders.Strip(" ", 1, 0)] if prepend else []))
    if post:
        tok.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    return tok


def metaspace():
    tok = Tokenizer(models.BPE(unk_token="<unk>"))
    tok.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="first", split=True)
    tok.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="first")
    tok.train_from_iterator(SENTENCES, trainers.BpeTrainer(vocab_size=400, special_tokens=["<unk>", "<s>", "</s>"], show_progress=False))
    return tok


def unigram():
    tok = Tokenizer(models.Unigram())
    tok.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tok.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tok.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    tok.train_from_iterator(SENTENCES, trainers.UnigramTrainer(vocab_size=300, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>", show_progress=False))
    tok.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 2)])
    return tok


def wordpiece():
    tok = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.normalizer = normalizers.BertNormalizer(lowercase=True)
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tok.decoder = decoders.WordPiece(prefix="##")
    tok.train_from_iterator(SENTENCES, trainers.WordPieceTrainer(vocab_size=400, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False))
    tok.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return tok


def with_added(tok):
    tok.add_special_tokens([AddedToken("<|user|>", normalized=False, special=True), AddedToken("<|end|>", normalized=False, special=True, lstrip=True)])
    tok.add_tokens([AddedToken("<extra>", normalized=False, rstrip=True)])
    return tok


def plain(**specials):
    return {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False, "model_max_length": 64, **specials}


EOT = "<|endoftext|>"
SP = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
CASES = {
    "gpt2": (byte_level(), {"tokenizer_class": "GPT2Tokenizer", "bos_token": EOT, "eos_token": EOT, "unk_token": EOT, "model_max_length": 1024}, {"model_type": "gpt2", "n_positions": 16}, {}),
    "gpt2-bare-config": (byte_level(), {}, {"model_type": "gpt2", "n_positions": 16}, {}),
    "smollm-digits": (with_added(byte_level(digits=True)), {"tokenizer_class": "GPT2Tokenizer", "bos_token": EOT, "eos_token": "<|end|>", "pad_token": "<|end|>"}, {"model_type": "llama", "max_position_embeddings": 12}, {}),
    "gpt2-scripts": (byte_level(sentences=SCRIPTS), plain(bos_token=EOT, eos_token=EOT), {"model_type": "gpt2", "n_positions": 16}, {}),
    "smollm-scripts": (byte_level(digits=True, sentences=SCRIPTS), plain(bos_token=EOT, eos_token=EOT), {"model_type": "llama", "max_position_embeddings": 12}, {}),
    "named-specials": (byte_level(), plain(bos_token=EOT, eos_token=EOT, additional_special_tokens=["<|extra_0|>", "dog"], extra_special_tokens={"image_token": "quick"}), {"model_type": "llama", "max_position_embeddings": 12}, {}),
    "llama3": (with_added(byte_level(LLAMA3, bos="<|endoftext|>")), plain(bos_token=EOT, eos_token="<|end|>"), {"model_type": "llama", "max_position_embeddings": 20}, {}),
    "llama3-no-bos": (with_added(byte_level(LLAMA3, bos="<|endoftext|>")), plain(bos_token=EOT, eos_token="<|end|>"), {"model_type": "llama", "max_position_embeddings": 20}, {"add_bos_token": False}),
    "qwen2": (with_added(byte_level(QWEN2, normalizer=normalizers.NFC())), {"tokenizer_class": "Qwen2Tokenizer", "bos_token": None, "eos_token": "<|end|>", "add_bos_token": False}, {"model_type": "qwen2", "max_position_embeddings": 16}, {}),
    "qwen2-add-bos": (with_added(byte_level(QWEN2, normalizer=normalizers.NFC())), {"tokenizer_class": "Qwen2Tokenizer", "bos_token": None, "eos_token": "<|end|>", "add_bos_token": False}, {"model_type": "qwen2", "max_position_embeddings": 16}, {"add_bos_token": True, "prefix_token_id": 7, "max_length": 9}),
    "neox": (byte_level(), {"tokenizer_class": "GPTNeoXTokenizer", "bos_token": EOT, "eos_token": EOT, "unk_token": EOT}, {"model_type": "gpt_neox", "max_position_embeddings": 16}, {}),
    "neox-add-bos": (byte_level(), {"tokenizer_class": "GPTNeoXTokenizer", "bos_token": EOT, "eos_token": EOT, "unk_token": EOT}, {"model_type": "gpt_neox", "max_position_embeddings": 16}, {"add_bos_token": True}),
    "llama2": (sentencepiece_like(), {"tokenizer_class": "LlamaTokenizer", **SP, "legacy": False}, {"model_type": "llama", "max_position_embeddings": 16}, {}),
    "llama2-class-adds-bos": (sentencepiece_like(post=False), {"tokenizer_class": "LlamaTokenizer", **SP, "add_eos_token": True}, {"model_type": "llama", "max_position_embeddings": 16}, {}),
    "llama2-no-bos": (sentencepiece_like(), {"tokenizer_class": "LlamaTokenizer", **SP, "add_bos_token": False}, {"model_type": "llama", "max_position_embeddings": 16}, {}),
    "gemma": (sentencepiece_like(prepend=False, post=False), {"tokenizer_class": "GemmaTokenizer", **SP}, {"model_type": "gemma", "text_config": {"max_position_embeddings": 16}}, {}),
    "metaspace": (metaspace(), plain(**SP), {"model_type": "falcon"}, {}),
    "unigram-eos": (unigram(), plain(**SP), {"model_type": "falcon", "n_ctx": 10}, {}),
    "wordpiece": (wordpiece(), plain(bos_token="[CLS]", eos_token="[SEP]", unk_token="[UNK]", pad_token="[PAD]"), {"model_type": "falcon"}, {}),
}


def attempt(function, *args):
    try:
        return function(*args)
    except (AssertionError, IndexError) as error:
        return {"error": type(error).__name__}


def harness(tokenizer, config, args):
    lm = HFLM.__new__(HFLM)
    lm.backend = "causal"
    lm.tokenizer = configure_pad_token(tokenizer)
    lm.add_bos_token = args.get("add_bos_token")
    lm.custom_prefix_token_id = args.get("prefix_token_id")
    text = SimpleNamespace(**config.get("text_config", config))
    lm._max_length = args.get("max_length") or resolve_max_length(text, tokenizer)
    lm.logits_cache = lm.enable_thinking = False
    lm._rank, lm._world_size = 0, 1
    lm.batch_size_per_gpu, lm.batch_schedule, lm.max_batch_size = 1, 1, 1
    return lm


def scored(lm, pairs):
    """The truncation of HFLM._loglikelihood_tokens, with its assertions."""
    pieces = []
    for _, context, continuation in pairs:
        assert len(context) > 0 and len(continuation) > 0 and len(continuation) <= lm.max_length
        pieces.append([(context + continuation)[-(lm.max_length + 1):][:-1], continuation])
    return pieces


def capture(lm, method, args):
    pieces = []

    def take(requests, **_):
        pieces.extend(scored(lm, requests))
        return [(0.0, False)] * len(requests)

    lm._loglikelihood_tokens = take
    lm.cache_hook = SimpleNamespace(add_partial=lambda *a: None)
    method([SimpleNamespace(args=args)], disable_tqdm=True)
    return pieces


def capture_pair(lm, context, continuation):
    """The ids that a pair is split into, as JSON; "refused" where one part has none, which the harness can't score."""
    requests = []

    def take(taken, **_):
        requests.extend(taken)
        return [(0.0, False)] * len(taken)

    lm._loglikelihood_tokens = take
    lm.cache_hook = SimpleNamespace(add_partial=lambda *a: None)
    try:
        lm.loglikelihood([SimpleNamespace(args=(context, continuation))], disable_tqdm=True)
    except IndexError:
        return "refused"
    [(_, before, after)] = requests
    return json.dumps([before, after], separators=(",", ":")) if before and after else "refused"


def token(text, ident):
    return None if text is None else [text, ident]


def main():
    for old in OUT.glob("*"):
        old.unlink()
    OUT.mkdir(parents=True, exist_ok=True)
    for name, (tok, tokenizer_config, config, args) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "tokenizer.json").write_text(tok.to_str(), encoding="utf-8")
            (path / "tokenizer_config.json").write_text(json.dumps(tokenizer_config), encoding="utf-8")
            (path / "config.json").write_text(json.dumps(config), encoding="utf-8")
            loader = {"add_bos_token": args["add_bos_token"]} if "add_bos_token" in args else {}
            tokenizer = AutoTokenizer.from_pretrained(folder, use_fast=True, **loader)
        lm = harness(tokenizer, config, args)
        strings = STRINGS + (MORE_STRINGS if name.endswith("scripts") or name == "named-specials" else [])
        encoded = [lm.tok_encode(s) for s in strings]
        golden = {
            "model_args": args,
            "facts": {"bos": token(tokenizer.bos_token, tokenizer.bos_token_id), "eos": token(tokenizer.eos_token, tokenizer.eos_token_id), "pad": token(tokenizer.pad_token, tokenizer.pad_token_id),
                      "unk": token(tokenizer.unk_token, tokenizer.unk_token_id), "prefix_token_id": lm.prefix_token_id, "max_length": lm.max_length},
            "strings": [{"text": s, "default": ids, "plain": lm.tok_encode(s, add_special_tokens=False), "decoded": tokenizer.decode(ids), "skipped": tokenizer.decode(ids, skip_special_tokens=True)} for s, ids in zip(strings, encoded)],
            "pairs": [{"context": c, "continuation": d, "pieces": attempt(capture, lm, lm.loglikelihood, (c, d))} for c, d in PAIRS],
            "rolling": [{"text": s, "pieces": attempt(capture, lm, lm.loglikelihood_rolling, (s,))} for s in ROLLING],
        }
        files = {"tokenizerJson": json.dumps(json.loads(tok.to_str()), ensure_ascii=False), "tokenizerConfig": json.dumps(tokenizer_config), "config": json.dumps(config)}
        text = json.dumps({"files": files, **golden}, ensure_ascii=False, separators=(",", ":"))
        (OUT / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        keep_record(__file__, [OUT / f"{name}.json"], ["lm_eval", "transformers", "tokenizers"])
        print(name, len(text))


if __name__ == "__main__":
    main()
