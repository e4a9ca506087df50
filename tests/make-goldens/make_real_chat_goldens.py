"""Writes tests/goldens/real-tokenizers/chats.json.gz: conversations as the harness makes them, through the chat templates of tokenizers that people have.

Run: npm run tokenizers && python tests/make-goldens/make_real_chat_goldens.py   (needs lm_eval 0.4.13, transformers 4.57.6, jinja2 3.1)
Rendered by HFLM.apply_chat_template on 29 February 2024, 07:05:09. Llama 2's and gpt-oss's packages have no template: they get those of below, which
are ours and use what the long templates of today's models use. The templates of the packages themselves aren't in the golden.
"""

import datetime
import gzip
import json
import pathlib
import random
import sys

import transformers.utils.chat_template_utils as chat_template_utils
from transformers import AutoTokenizer

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from make_encode_goldens import harness
from make_real_tokenizer_goldens import NAMES, ROOT, VERSION, short
from real_texts import ANSWERS, ASKED, CODE, SENTENCES, SPECIALS

OUT = ROOT / "tests" / "goldens" / "real-tokenizers" / "chats.json.gz"
SEED, CHATS = 2, 260

# Channels, a clock, macros that call macros, namespaces, and a look ahead, as gpt-oss's template has them.
CHANNELS = r"""
{#- A template of many parts. #}
{%- macro render_type(spec, depth=0) -%}
    {%- if spec is string -%}
        {{- spec }}
    {%- elif spec is mapping -%}
        {{- "{" }}
        {%- for key, value in spec.items() %}
            {{- "\n" + "  " * (depth + 1) + key + ": " }}{{ render_type(value, depth + 1) }}{{ "," if not loop.last else "" }}
        {%- endfor %}
        {{- "\n" + "  " * depth + "}" }}
    {%- elif spec is iterable -%}
        {%- for one in spec -%}{{ render_type(one, depth) }}{%- if not loop.last -%}{{ " | " }}{%- endif -%}{%- endfor -%}
    {%- else -%}
        {{- spec | tojson }}
    {%- endif -%}
{%- endmacro -%}
{%- macro build_system_message() -%}
    {%- if model_identity is not defined %}
        {%- set model_identity = "You are a model." %}
    {%- endif %}
    {{- model_identity + "\n" }}
    {{- "Knowledge cutoff: 2024-06\n" }}
    {{- "Current date: " + strftime_now("%Y-%m-%d") + "\n\n" }}
    {%- if reasoning_effort is not defined %}
        {%- set reasoning_effort = "medium" %}
    {%- endif %}
    {{- "Reasoning: " + reasoning_effort + "\n\n" }}
    {%- if tools -%}{{- "# Tools\n" }}{%- endif -%}
    {{- "# Channels: " ~ ["analysis", "commentary", "final"] | join(", ") ~ ". " ~ render_type({"a": "string", "b": ["number", "null", 1.0], "c": {"d": true}}) }}
{%- endmacro -%}
{{- "<|start|>system<|message|>" }}{{- build_system_message() }}{{- "<|end|>" }}
{%- set developer_message = "" %}
{%- if messages[0].role == "developer" or messages[0].role == "system" %}
    {%- set developer_message = messages[0].content %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{%- if developer_message or tools %}
    {{- "<|start|>developer<|message|># Instructions\n\n" + developer_message + "\n\n<|end|>" }}
{%- endif %}
{%- set last_tool_call = namespace(name=none) %}
{%- for message in loop_messages -%}
    {%- if message.role == 'assistant' -%}
        {%- if "content" in message %}
            {%- if "<|channel|>analysis<|message|>" in message.content or "<|channel|>final<|message|>" in message.content %}
                {{- raise_exception("You have passed a message containing <|channel|> tags in the content field.") }}
            {%- endif %}
        {%- endif %}
        {%- if "tool_calls" in message %}
            {{- message.tool_calls[0].function.name }}
        {%- elif loop.last and not add_generation_prompt %}
            {%- if "thinking" in message %}{{- "<|start|>assistant<|channel|>analysis<|message|>" + message.thinking + "<|end|>" }}{%- endif %}
            {{- "<|start|>assistant<|channel|>final<|message|>" + message.content + "<|return|>" }}
        {%- else %}
            {%- set ahead = namespace(found=false) %}
            {%- for later in loop_messages[loop.index:] %}
                {%- if later.role == 'assistant' and "tool_calls" not in later %}{%- set ahead.found = true %}{%- endif %}
            {%- endfor %}
            {{- "<|start|>assistant<|channel|>" ~ ("final" if not ahead.found else "commentary") ~ "<|message|>" + message.content + "<|end|>" }}
            {%- set last_tool_call.name = none %}
        {%- endif %}
    {%- elif message.role == 'tool' -%}
        {%- if last_tool_call.name is none %}{{- raise_exception("Message has tool role, but there was no previous assistant message with a tool call!") }}{%- endif %}
    {%- elif message.role == 'user' -%}
        {{- "<|start|>user<|message|>" + message.content + "<|end|>" }}
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
<|start|>assistant
{%- endif -%}
"""

# Roles that must alternate, a date that an argument may replace, and a loop from the end, as Llama's and Qwen's have them.
DATED = r"""{{- bos_token }}
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}
        {%- set date_string = "26 Jul 2024" %}
    {%- endif %}
{%- endif %}
{%- if not tools is defined %}{%- set tools = none %}{%- endif %}

{#- The system message goes first, if there is one. #}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "[SYS]\nToday Date: " + date_string + "\n" ~ strftime_now("%A, %-d %B %y %H:%M:%S %p %j %%") + "\n" }}
{%- if tools is not none %}{{- "Environment: ipython\n" }}{%- endif %}
{{- system_message }}
{{- "[/SYS]" }}
{%- set ns = namespace(multi_step=true, last=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step = false %}
        {%- set ns.last = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
    {%- endif %}
    {%- set content = message.content.split('</think>')[-1].lstrip('\n') if loop.index0 < ns.last else message.content %}
    {{- '<' + message['role'].upper() ~ ':' ~ loop.index ~ '>\n' + content.rstrip() + '\n' }}
    {{- loop.previtem.role[:1] if loop.previtem is defined else '-' }}{{ loop.cycle('a', 'b') }}
{% endfor %}
{%- if add_generation_prompt %}
    {{- '<ASSISTANT>\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\n\n</think>\n\n' }}{%- endif %}
{%- endif %}
"""
OWN = {"gptoss": CHANNELS, "llama2": DATED}
ARGS = [{}, {}, {}, {"enable_thinking": False}, {"enable_thinking": True}, {"date_string": "26 Jul 2024"}, {"reasoning_effort": "high", "model_identity": "You are brief."}, {"thinking": True}]


class Clock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2024, 2, 29, 7, 5, 9)


def content(r):
    text = r.choice([lambda: r.choice(ASKED), lambda: r.choice(SENTENCES), lambda: r.choice(CODE), lambda: r.choice(ANSWERS), lambda: f"Question: {r.choice(ASKED)}\nAnswer:", lambda: r.choice(ASKED) + "".join(f"\n{a}. {r.choice(ANSWERS)}" for a in "ABCD") + "\nAnswer:"])()
    if r.random() < 0.12:
        text += r.choice(SPECIALS) + r.choice(["", " x"])
    if r.random() < 0.15:
        text = r.choice([" ", "\n", "\n\n", "\t", "\xa0", ""]) + text + r.choice([" ", "\n", "  \n ", "\u3000", ""])
    return text if r.random() > 0.03 else r.choice(["", " ", "\n"])


def answer(r):
    text = content(r)
    if r.random() < 0.15:
        text = r.choice(["<think>\nHm, {}.\n</think>\n\n", "<think>{}</think>", "{}</think>\n"]).format(r.choice(ANSWERS)) + text
    return text


def conversation(r):
    """As the harness builds them, now and then with turns in a wrong order."""
    chat = [{"role": "system", "content": content(r)}] if r.random() < 0.4 else []
    for _ in range(r.choice([0, 0, 1, 2, 5])):
        chat += [{"role": "user", "content": content(r)}, {"role": "assistant", "content": answer(r)}]
    chat.append({"role": "user", "content": content(r)})
    if r.random() < 0.05:
        chat.append({"role": "user", "content": "<tool_response>" + content(r) + "</tool_response>"})
    if is_open := r.random() < 0.3:
        chat.append({"role": "assistant", "content": r.choice(["The answer is", "The best answer is ", "A", "Let's think.\n", answer(r) + "x"])})
    return {"messages": chat, "opens": not is_open, "args": r.choice(ARGS)}


def rendered(lm, chat):
    lm.chat_template_args = chat["args"]
    try:
        text = lm.apply_chat_template(chat["messages"], add_generation_prompt=chat["opens"])
    except Exception as error:
        return {"error": type(error).__name__}
    return [text, short(json.dumps(lm.tok_encode(text), separators=(",", ":")))]


def main():
    chat_template_utils.datetime = Clock
    r = random.Random(SEED)
    chats = [conversation(r) for _ in range(CHATS)]
    expected = {}
    for name in NAMES:
        tokenizer = AutoTokenizer.from_pretrained(ROOT / ".cache" / "tokenizers" / f"{name}-{VERSION}", use_fast=True)
        if name in OWN:
            tokenizer.chat_template = OWN[name]
        lm = harness(tokenizer, {"max_position_embeddings": 100_000}, {})
        expected[name] = [rendered(lm, chat) for chat in chats]
        print(name, sum("error" in one for one in expected[name] if isinstance(one, dict)), "refused", flush=True)
    golden = {"made_by": "tests/make-goldens/make_real_chat_goldens.py, lm_eval 0.4.13, transformers 4.57.6", "templates": OWN, "chats": chats, "expected": expected}
    OUT.write_bytes(gzip.compress(json.dumps(golden, ensure_ascii=False, separators=(",", ":")).encode(), 9, mtime=0))
    print(OUT.stat().st_size)


if __name__ == "__main__":
    main()
