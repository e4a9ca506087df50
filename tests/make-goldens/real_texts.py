"""Texts of our own making that tokenizers are tried with: many scripts, orders of marks, unassigned code points, blanks, emoji, code, prompts, hostile ones.

`make(seed, count)` gives the same texts for a seed on every machine: only `random.Random` decides.
"""

import random
import unicodedata

SENTENCES = [
    "The quick brown fox doesn't jump over the lazy dog; it'll wait, as I'VE said.", "Où est le garçon naïf ? À Noël, il mange une crème brûlée — n'est-ce pas ?",
    "Größe, Füße und Straße: ÄÖÜ äöü ß ẞ.", "Příliš žluťoučký kůň úpěl ďábelské ódy.", "Zażółć gęślą jaźń.", "Đây là một câu tiếng Việt: những người bạn tốt ở thành phố.",
    "Ọmọ náà ń ka ìwé ní ilé ẹ̀kọ́. Báwo ni? Ẹ kú àárọ̀!", "O dabọ, ọrẹ́ mi; ṣé o ti jẹun?", "Mji mkuu wa Kenya ni Nairobi. Watoto wanasoma vitabu shuleni kila siku.",
    "Ŋutɔ la gblɔ be yeɖe kuku.", "İstanbul'da ışıklar söndü, şimdi gece.", "Быстрая лиса прыгает через ленивую собаку, а ёж спит.", "Їжак і ґанок.", "Η γρήγορη αλεπού πηδάει πάνω από το σκυλί· ᾄδω.",
    "العربية لغةٌ جميلةٌ، والسلامُ عليكم ورحمةُ الله.", "این یک جملهٔ فارسی است؛ می‌روم.", "יוֹם טוֹב! מַה שְׁלוֹמְךָ הַיּוֹם?", "क्षत्रिय हिन्दी में लिखता है। १२३ रुपये!", "আমি বাংলায় গান গাই। ৪৫৬ টাকা।",
    "நான் தமிழில் எழுதுகிறேன்; கொள்கை.", "ನಾನು ಕನ್ನಡದಲ್ಲಿ ಬರೆಯುತ್ತೇನೆ.", "ഞാൻ മലയാളത്തിൽ എഴുതുന്നു.", "ਮੈਂ ਪੰਜਾਬੀ ਲਿਖਦਾ ਹਾਂ।", "මම සිංහලෙන් ලියමි. ක්‍ෂ ශ්‍රී", "ภาษาไทยไม่มีช่องว่างระหว่างคำ น้ำ ๑๒๓", "ພາສາລາວ ບໍ່ມີຍະຫວ່າງ ພຣ຺ະ ໑໒໓",
    "ភាសាខ្មែរ ស្ត្រី ១២៣", "မြန်မာစာ ရေးသားခြင်း ၁၂၃ ။", "བོད་ཡིག་འདི་ཡིན། ༡༢༣ རྫོགས་སོ༎", "我昨天去了北京的故宫，非常漂亮！价格是１２元。", "他說：「這是繁體中文。」𠮷野家 龘", "今日は良い天気ですね。カタカナとﾊﾝｶｸ、がぎぐ・が。",
    "한국어 문장입니다. 뷁 쀍 ㅋㅋㅋ 12시.", "የኢትዮጵያ ዋና ከተማ አዲስ አበባ ነው። ፩፪፫", "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ꮳꮃꭹ.", "ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ᠌ ᠠ᠎ᠠ", "ქართული ენა ᲥᲐᲠᲗᲣᲚᲘ.", "Հայերեն լեզու և այբուբեն։", "ߒߞߏ ߓߍ߬ ߞߊ߲߬", "ⵜⴰⵎⴰⵣⵉⵖⵜ ⵏ ⵍⵎⵖⵔⵉⴱ", "𞤀𞤣𞤤𞤢𞤥 𞤆𞤵𞤤𞤢𞤪", "ꦧꦱꦗꦮ ᬩᬲᬩᬮᬶ", "ᜊᜌ᜔ᜊᜌᜒᜈ᜔", "𝓜𝓪𝓽𝓱 𝔹𝕠𝕝𝕕 ｆｕｌｌｗｉｄｔｈ ⅷ ½ ² ₂ ① ㊙ ﬁ ǅ", "☃ ♥️ → ≠ ∑∫√ ∀x∈ℝ: ½·x² ≤ €3 £4 ₦5 ₹6 ¥7",
]

BLOCKS = [
    (0x20, 0x7E), (0xA0, 0xFF), (0x100, 0x24F), (0x250, 0x2FF), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x52F), (0x531, 0x58F), (0x591, 0x5F4), (0x600, 0x6FF), (0x700, 0x74F), (0x780, 0x7BF), (0x7C0, 0x7FF), (0x840, 0x8FF), (0x900, 0x97F), (0x980, 0x9FF), (0xA00, 0xA7F), (0xA80, 0xAFF), (0xB00, 0xB7F), (0xB80, 0xBFF),
    (0xC00, 0xC7F), (0xC80, 0xCFF), (0xD00, 0xD7F), (0xD80, 0xDFF), (0xE00, 0xE5B), (0xE80, 0xEDF), (0xF00, 0xFDA), (0x1000, 0x109F), (0x10A0, 0x10FF), (0x1100, 0x11FF), (0x1200, 0x139F), (0x13A0, 0x13FF), (0x1400, 0x167F), (0x1680, 0x16FF), (0x1700, 0x177F), (0x1780, 0x17FF), (0x1800, 0x18AF), (0x1900, 0x1AAF), (0x1AB0, 0x1AFF), (0x1B00, 0x1CFF),
    (0x1D00, 0x1DFF), (0x1E00, 0x1EFF), (0x1F00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x20FF), (0x2100, 0x23FF), (0x2460, 0x27BF), (0x27C0, 0x2BFF), (0x2C00, 0x2DFF), (0x2E00, 0x2E7F), (0x2E80, 0x2FDF), (0x3000, 0x30FF), (0x3100, 0x33FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xA4CF), (0xA4D0, 0xA6FF), (0xA700, 0xA7FF), (0xA800, 0xABFF), (0xAC00, 0xD7A3),
    (0xD7B0, 0xD7FB), (0xF900, 0xFAFF), (0xFB00, 0xFDFF), (0xFE00, 0xFE0F), (0xFE10, 0xFE6F), (0xFE70, 0xFEFF), (0xFF00, 0xFFEF), (0x10000, 0x100FF), (0x10280, 0x103FF), (0x10400, 0x104FF), (0x10800, 0x10FFF), (0x11000, 0x112FF), (0x11300, 0x117FF), (0x11800, 0x11FFF), (0x12000, 0x1254F), (0x13000, 0x1345F), (0x16800, 0x16FFF), (0x17000, 0x18DFF), (0x1AFF0, 0x1B2FF), (0x1CC00, 0x1CEFF),
    (0x1D000, 0x1D3FF), (0x1D400, 0x1D7FF), (0x1D800, 0x1DFFF), (0x1E000, 0x1E7FF), (0x1E800, 0x1E9FF), (0x1EC70, 0x1EEFF), (0x1F000, 0x1F2FF), (0x1F300, 0x1F5FF), (0x1F600, 0x1F64F), (0x1F680, 0x1FAFF), (0x1FB00, 0x1FBFF), (0x20000, 0x2A6DF), (0x2A700, 0x2EE5D), (0x2F800, 0x2FA1D), (0x30000, 0x3347F),
]
# Marks of many combining classes, written out so that Python's own Unicode version doesn't decide; some are younger than others.
MARKS = [0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x30A, 0x30B, 0x30C, 0x313, 0x315, 0x31B, 0x321, 0x323, 0x324, 0x325, 0x327, 0x328, 0x32D, 0x330, 0x331, 0x334, 0x335, 0x338, 0x342, 0x344, 0x345, 0x34F, 0x35C, 0x360, 0x362, 0x483, 0x591, 0x5B0, 0x5B4, 0x5B7, 0x5B8, 0x5BC, 0x5BF, 0x5C1, 0x5C2, 0x610, 0x64B, 0x64E, 0x651, 0x652, 0x653, 0x654, 0x655, 0x670, 0x711,
         0x7EB, 0x7FD, 0x8CA, 0x8D3, 0x8E4, 0x93C, 0x94D, 0x951, 0x9BC, 0x9BE, 0x9D7, 0x9FE, 0xA3C, 0xB3E, 0xBBE, 0xC3C, 0xC55, 0xC56, 0xCC2, 0xCD5, 0xD3E, 0xDCA, 0xDCF, 0xDDF, 0xE38, 0xE3A, 0xE48, 0xE49, 0xEB8, 0xEBA, 0xEC8, 0xF39, 0xF71, 0xF72, 0xF74, 0xF80, 0xF82, 0x102E, 0x1037, 0x1039, 0x135D, 0x1714, 0x17D2, 0x18A9, 0x1A60, 0x1AB0, 0x1ABF, 0x1AC5, 0x1ACF, 0x1AE0, 0x1B34, 0x1B35,
         0x1BAB, 0x1CD0, 0x1DC0, 0x1DCD, 0x1DF6, 0x1DFA, 0x20D0, 0x20D2, 0x20E3, 0x2CEF, 0x302A, 0x302E, 0x3099, 0x309A, 0xA66F, 0xA67C, 0xA806, 0xA82C, 0xA9B3, 0xFB1E, 0xFE20, 0x101FD, 0x10A0D, 0x10D24, 0x10D69, 0x10EAB, 0x10EFA, 0x10EFD, 0x11046, 0x11070, 0x110BA, 0x11133, 0x1133B, 0x113B8, 0x113CE, 0x113D2, 0x11357, 0x114BD, 0x1193D, 0x11930, 0x11943, 0x11F41, 0x16121, 0x16F6, 0x16FF0, 0x1D165, 0x1D16E, 0x1E08F, 0x1E130, 0x1E2AE, 0x1E4EC, 0x1E5EE, 0x1E6E3, 0x1E8D0, 0x1E94A]
BASES = "aeioudxAEIOUnsyzẹọịụạậợǵ\u0428\u0415\u05d0\u05e9\u0627\u0644\u0648\u0915\u0921\u0995\u0b95\u0e01\u0e99\u0eab\u0f40\u1000\u1100\u1161\u11a8가\u304b\u30cf\u1b05\u0dd9\u09c7\u0bc6\u1025\U0001d157\U00011131\U00011935\U00016d67"
BLANKS = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u180e\u2000\u2001\u2002\u2003\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
CONTROLS = "".join(map(chr, [*range(0, 9), 0x0E, 0x1B, 0x7F, 0x80, 0x84, 0x86, 0x9F, 0xAD])) + "\u061c\u200c\u200d\u200e\u200f\u202a\u202e\u2066\u2069\ufff9\ufffc\ufffd\U000e0001\U000e0041"
EMOJI = ["😀", "👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇰🇪", "🇳🇬🇿🇦", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "❤️", "❤", "☎︎", "1️⃣", "#️⃣", "👨🏿‍🚀", "🧑‍🤝‍🧑", "🫠", "🫨", "🫩", "🫪", "🪿", "🐦‍🔥", "🇦", "🏽", "\u200d", "\ufe0f", "\ufe0e", "©️", "™", "🀄", "🃏", "🤷🏾‍♀️"]
SPECIALS = ["<s>", "</s>", "<unk>", "<bos>", "<eos>", "<pad>", "<mask>", "<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<image_soft_token>", "[multimodal]", "<unused0>", "<unused99>", "<2mass>", "<table>", "</h1>", "<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>",
            "<|reserved_special_token_0|>", "<|python_tag|>", "<|finetune_right_pad_id|>", "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|vision_start|>", "<|image_pad|>", "<|fim_prefix|>", "<tool_call>", "</tool_call>", "<tool_response>", "<think>", "</think>", "<|startoftext|>", "<|return|>", "<|start|>", "<|end|>", "<|message|>",
            "<|channel|>", "<|constrain|>", "<|call|>", "<|reserved_200000|>", "<|endofprompt|>", "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜▁pad▁｜>", "<｜User｜>", "<｜Assistant｜>", "<｜tool▁calls▁begin｜>", "<｜place▁holder▁no▁0｜>", "<|EOT|>", "<｜fim▁hole｜>", "\n\n", "\n\n\n", "▁▁", "\t\t", "  "]
CODE = ["def f(x):\n    return x ** 2  # squares\n", "for (let i = 0; i < n; i++) {\n\tout.push(`${a[i]}\\n`);\n}", "#include <stdio.h>\r\nint main(void) { return 0; }\r\n", "SELECT * FROM t WHERE a = 'it''s' AND b <> 3;", "$\\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$", "\\begin{align*}\n x &= \\sum_{i=1}^{n} i^2 \\\\\n\\end{align*}", "\\boxed{\\text{Yes, } x \\in [0, 1)}",
        "https://example.org/a/b?c=d&e=%20f#g", "ftp://user:pw@host.example:8080/~x/%F0%9F%98%80", "name@example.com", '{"key": [1, 2.5e-3, null, true], "s": "a\\u00e9\\n"}', "<div class=\"a b\">&nbsp;&lt;x&gt;</div><!-- c -->", "| a | b |\n|---|:-:|\n| 1 | 2 |", "- [x] **bold** _it_ `code`\n\n```py\nx = 1\n```", "C:\\Users\\x\\file.txt", "git commit -m \"x\" && echo $HOME", "0x1F 0b101 1_000_000 3.14f 6.02e23 1/2 50% -7 +8",
        "CamelCaseWord HTTPServer snake_case kebab-case SHOUTING iPhone McDonald's O'Neill's", "a==b!=c<=d>=e&&f||g->h::i...j??k?.l", "/* ---- */ // ==== ////// ######## ********", "x'S x'T x'RE x'VE x'M x'LL x'D 'S'T ’s ’ll"]
SUBJECTS = ["abstract algebra", "anatomy", "world history", "college physics", "moral scenarios", "lugha ya Kiswahili", "ìtàn Yorùbá"]
ASKED = ["Find the degree of Q(sqrt(2), sqrt(3)) over Q.", "Which of the following is true of mitosis?", "Natalia sold 48 clips in April and half as many in May. How many did she sell?", "Mji mkuu wa Tanzania ni upi?", "Kí ni olú ìlú Nàìjíríà?", "A train goes 60 km/h for 2.5 hours; how far is that?", "Janet’s ducks lay 16 eggs per day. She sells them at $2 each."]
ANSWERS = ["0", "4", "2", "All of the above", "72 clips", "Dodoma", "Àbújá", "$18", "150 km", "None", "x = -1/2", "1,234.50"]


def words(r, limit):
    """Words and parts of sentences in any languages."""
    out = []
    for _ in range(r.randint(1, limit)):
        sentence = r.choice(SENTENCES)
        if r.random() < 0.3:
            out.append(sentence)
        elif r.random() < 0.7:
            parts = sentence.split(" ")
            start = r.randrange(len(parts))
            out.append(" ".join(parts[start:start + r.randint(1, 4)]))
        else:
            start = r.randrange(len(sentence))
            out.append(sentence[start:start + r.randint(1, 8)])
    return r.choice([" ", " ", " ", "", "\n", ", ", "  "]).join(out)


def letters(r, _=0):
    """Any code points of one to three blocks, assigned or not."""
    out = []
    for _ in range(r.randint(1, 3)):
        low, high = r.choice(BLOCKS)
        out += [chr(r.randint(low, high)) + (" " if r.random() < 0.1 else "") for _ in range(r.randint(1, 14))]
    return "".join(out)


def marks(r):
    """Marks in every order behind letters that compose with some of them."""
    return "".join(r.choice(BASES) + "".join(chr(r.choice(MARKS)) for _ in range(r.randint(0, 5))) + (" " if r.random() < 0.1 else "") for _ in range(r.randint(1, 8)))


def unassigned(r):
    """Private use, noncharacters, unassigned, and characters that newer versions of Unicode have, between others."""
    def one():
        kind = r.randrange(6)
        if kind == 0:
            return r.choice([0xE000, 0xF8FF, 0xF0000, 0x10FFFD, 0xE123]) + 0
        if kind == 1:
            return r.choice([0xFFFE, 0xFFFF, 0xFDD0, 0x1FFFE, 0x10FFFF])
        if kind == 2:
            return r.choice([0x378, 0x530, 0x557, 0x88F, 0xC5C, 0xCDC, 0x1ACF, 0x1AE0, 0x1C89, 0x1C8A, 0x20C0, 0x20C1, 0x2B96, 0x2FEF, 0x31E4, 0xA7CB, 0xA7CE, 0xA7D2, 0xA7DA, 0xA7F1, 0xFBC3, 0x105C9, 0x10940, 0x10D40, 0x10D6F, 0x10EC2, 0x10ED0, 0x11380, 0x113D4, 0x11B60, 0x11BC0, 0x11DB0, 0x11DE0, 0x13460, 0x16100, 0x16D40, 0x16EA0, 0x16FF2, 0x187F8, 0x18CFF, 0x18D80, 0x1CC00, 0x1CCD6, 0x1CCFA, 0x1CEBA, 0x1E5D0, 0x1E6C0, 0x1F6D8, 0x1F8B2, 0x1F8D0, 0x1FA54, 0x1FA8E, 0x1FACD, 0x1FAEA, 0x1FBFA, 0x2B73A, 0x2CEA2, 0x2EBF0, 0x323B0, 0x33479])
        if kind == 3:
            return r.choice([n for n in (r.randrange(0x110000) for _ in range(9)) if not 0xD800 <= n <= 0xDFFF])
        return ord(r.choice("aZ é9. \n-ọ我"))
    return "".join(chr(one()) for _ in range(r.randint(1, 14)))


def blanks(r):
    """Blanks and control characters of all kinds, alone, in runs, and beside words."""
    out = ""
    for _ in range(r.randint(1, 10)):
        out += r.choice(["a", "The", "x.", "9", ":", "né", "", ""]) + r.choice(BLANKS + CONTROLS if r.random() < 0.8 else " \n") * r.choice([1, 1, 1, 2, 3, 5, 17])
    return out


def emoji(r):
    return "".join(r.choice(EMOJI) + r.choice(["", "", " ", "a", "\n"]) for _ in range(r.randint(1, 8)))


def code(r):
    text = r.choice(["", "\n", " ", "\n\n", "\t"]).join(r.choice(CODE) for _ in range(r.randint(1, 3)))
    return text if r.random() < 0.6 else text.replace("\n", "\r\n").replace("    ", "\t" * r.randint(1, 3))


def numbers(r):
    digits = r.choice(["0123456789"] * 6 + ["٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "๐๑๒๓๔๕๖๗๘๙", "０１２３４５６７８９", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗", "½²Ⅷ〇㊿٣9"])
    return "".join("".join(r.choice(digits) for _ in range(r.randint(1, r.choice([3, 5, 20])))) + r.choice(["", " ", ",", ".", "%", "\n", "x", "²", "-"]) for _ in range(r.randint(1, 8)))


def specials(r):
    """Texts of special tokens, whole and broken, in front of, inside, and behind other text."""
    out = []
    for _ in range(r.randint(1, 5)):
        token = r.choice(SPECIALS)
        if r.random() < 0.2:
            token = token[:r.randint(1, len(token))]
        if r.random() < 0.1:
            token = token.upper()
        out.append(r.choice(["", "", " ", "\n", "The dog", "ọmọ ", "9", " x "]) + token + r.choice(["", "", " ", "\n", "hi", " hi", "\u0301"]))
    return "".join(out)


def prompt(r):
    """A prompt as MMLU or GSM8K have them, with no to three examples."""
    parts = []
    is_choice = r.random() < 0.5
    if is_choice:
        parts.append(f"The following are multiple choice questions (with answers) about {r.choice(SUBJECTS)}.\n\n")
    for shot in range(r.randint(1, 3)):
        question = r.choice(ASKED)
        if is_choice:
            parts.append(question + "".join(f"\n{letter}. {r.choice(ANSWERS)}" for letter in "ABCD") + "\nAnswer:" + r.choice([" A\n\n", " B\n\n", " D\n\n"]))
        else:
            parts.append(f"Question: {question}\nAnswer: {r.randint(1, 99)} + {r.randint(1, 9999)} = <<{r.randint(1, 99)}+{r.randint(1, 9999)}={r.randint(1, 9999)}>>{r.randint(1, 9999)}.\n#### {r.randint(1, 9999)}\n\n")
    return "".join(parts)[:-r.choice([1, 2, 3, 9])]


def hostile(r):
    kind = r.randrange(8)
    if kind == 0:
        return r.choice("a0 \n.-=*é我😀\u0301▁\xa0#") * r.choice([2, 3, 7, 31, 64, 255, 256, 257, 1000])
    if kind == 1:
        return "".join(r.choice(["▁", "Ġ", "Ċ", "<0x0A>", "<0xE2>", "##", "@@", "\ufeff", " ", "a", "Ã©", "â", "�"]) for _ in range(r.randint(1, 12)))
    if kind == 2:
        return "".join(chr(r.randrange(0x21, 0x7F)) for _ in range(r.randint(1, 60)))
    if kind == 3:
        return unicodedata.normalize(r.choice(["NFD", "NFC"]), words(random.Random(r.random()), 2)) + r.choice(["", "\u0344", "\u212b", "\u2126", "\uf900", "\ufb1d", "\u0958"])
    if kind == 4:
        return "".join(r.choice("'s't're've'm'll'd’S’T ſK\u212a\u0130ıİ") for _ in range(r.randint(1, 20)))
    if kind == 5:
        return "".join(r.choice(["ᄀ", "ᅡ", "ᆨ", "가", "각", "ㄱ", "ᄒ", "ᅵ", "ᇂ", "\u115f", "\u1160", "\ua960", "\ud7b0", "\ud7cb"]) for _ in range(r.randint(1, 16)))
    if kind == 6:
        return words(r, 2) + r.choice(BLANKS) * r.randint(0, 3) + letters(r) + specials(r)
    return r.choice(["", " ", "  ", "\n", "\n\n", "\t", "\0", "\ufeff", "\u200d", "'", "\"", "\\", "<", "<|", "|>", "▁", "Ġ"])


KINDS = [(words, 4200), (letters, 3600), (marks, 2000), (unassigned, 1600), (blanks, 1500), (emoji, 1000), (code, 1100), (numbers, 1000), (specials, 1700), (prompt, 700), (hostile, 1600)]


def make(seed, count):
    """`count` texts without lone surrogates, in an order that mixes the kinds."""
    r = random.Random(seed)
    kinds, weights = zip(*KINDS)
    texts = []
    for _ in range(count):
        kind = r.choices(kinds, weights)[0]
        text = kind(r, 6) if kind is words else kind(r)
        if r.random() < 0.1:
            text = r.choice([" ", "\n", "<s>", "<bos>", "<|begin_of_text|>", "<|im_end|>", "<|endoftext|>", "<|startoftext|>", "<｜begin▁of▁sentence｜>"]) + text
        texts.append("".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text))
    return texts
