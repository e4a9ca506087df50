"""Writes tests/goldens/chat/chat.json: conversations through templates written here, as transformers' apply_chat_template renders them.

Run: python tests/make-goldens/make_chat_goldens.py   (needs transformers 4.57, jinja2 3.1)
The harness's retry without the system message is applied as lm_eval 0.4.13 HFLM.apply_chat_template does.
"""

import json
import pathlib

import jinja2
from transformers.utils.chat_template_utils import render_jinja_template

from made import keep_record

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens" / "chat" / "chat.json"
TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "</s>"}

TEMPLATES = {
    "chatml": "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
    "default-system": "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nYou are helpful<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] | trim + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
    "indented": "{{ bos_token }}\n{%- for m in messages %}\n    {% if m.role == 'user' %}\n        {{- '[INST] ' ~ m.content ~ ' [/INST]' }}\n    {% elif m.role == 'assistant' %}\n        {{ m.content | trim }}{{ eos_token }}\n    {% else %}\n  <<{{ m.content }}>>\n    {% endif %}\n{% endfor %}\nend\n",
    "no-system": "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}{% if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}{% if add_generation_prompt %}{{'<start_of_turn>model\n'}}{% endif %}",
    "namespace-slices": "{%- set ns = namespace(system='', n=0) %}{%- if messages[0].role == 'system' %}{%- set ns.system = messages[0]['content'].strip() %}{%- set loop_messages = messages[1:] %}{%- else %}{%- set loop_messages = messages %}{%- endif %}{{- bos_token }}{%- for m in loop_messages %}{%- set ns.n = ns.n + 1 %}{%- set content = m.content.split('</think>')[-1].lstrip('\\n') if '</think>' in m.content else m.content %}{{- '<|' ~ m.role|upper ~ ':' ~ ns.n ~ '|>' ~ (ns.system ~ '\\n' if loop.first and ns.system else '') ~ content ~ ('</s>' if not loop.last else '') }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|A|>' }}{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think></think>' }}{%- endif %}{%- endif %}",
    "macro-json-tools": "{% macro turn(m, tag='x') -%}\n<{{ tag }}>{{ m | tojson }}</{{ tag }}>\n{%- endmacro %}\n{% if tools is not none and tools %}TOOLS{% endif %}{% for m in messages | selectattr('role', 'ne', 'system') %}{{ turn(m, tag=m.role) }}{% if not loop.last %}, {% endif %}{% endfor %}{% for m in messages[::-1] %}{% if loop.index > 1 %}{% break %}{% endif %}|{{ m['content'][:3] }}|{% endfor %}{{ messages | map(attribute='role') | join('+') }}{{ undefined_name }}{{ messages | length }}",
    "generation-block": "{% for m in messages %}\n{% if m.role == 'assistant' %}\n{% generation %}\n{{ m.content }}{% endgeneration %}\n\n{% else %}\n{{ m.role }}: {{ m.content }}\n{% endif %}\n{% endfor %}",
    "content-kinds": "{% for m in messages %}{% if m.content is string %}S:{{ m.content }}{% elif m.content is iterable %}I{% endif %}{% if 'tool_calls' in m %}T{% endif %}{% if m.get('name') %}N{% endif %}{{ loop.previtem.role if loop.previtem is defined else '-' }};{% endfor %}{% if date_string is not defined %}{% set date_string = '26 Jul 2024' %}{% endif %}{{ date_string }}",
}

SYSTEM, USER, ASSISTANT = {"role": "system", "content": "Be brief. "}, {"role": "user", "content": "Q: 2 + 2?\nA:"}, {"role": "assistant", "content": " four\n"}
CHATS = {
    "user": [USER],
    "system": [SYSTEM, USER],
    "multiturn": [SYSTEM, USER, ASSISTANT, {"role": "user", "content": "ọmọ 😀 \"q\" <b>"}],
    "prefix": [USER, {"role": "assistant", "content": "The answer is"}],
    "prefix-spaced": [SYSTEM, USER, {"role": "assistant", "content": "The answer is  "}],
    "think": [USER, {"role": "assistant", "content": "<think>x</think>\n\nfour"}, USER],
}


def render(template, chat, open_end, extra):
    def call(messages):
        rendered, _ = render_jinja_template([messages], chat_template=template, continue_final_message=open_end, add_generation_prompt=not open_end, **TOKENS, **extra)
        return rendered[0]

    try:
        try:
            return call(chat)
        except jinja2.exceptions.TemplateError:
            return call([m for m in chat if m["role"] != "system"])
    except (jinja2.exceptions.TemplateError, ValueError, IndexError) as error:
        return {"error": type(error).__name__}


def main():
    OUT.parent.mkdir(parents=True, exist_ok=True)
    cases = []
    for template_name, template in TEMPLATES.items():
        for chat_name, chat in CHATS.items():
            for extra in ({}, {"enable_thinking": False}):
                if extra and template_name != "namespace-slices":
                    continue
                open_end = chat_name.startswith("prefix")
                cases.append({"id": f"{template_name}/{chat_name}{'/args' if extra else ''}", "template": template, "messages": chat, "continueFinalMessage": open_end, "templateArgs": extra,
                              "expected": render(template, chat, open_end, extra)})
    OUT.write_text(json.dumps({"tokens": TOKENS, "cases": cases}, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    keep_record(__file__, [OUT], ["transformers", "jinja2"])
    print(len(cases))


if __name__ == "__main__":
    main()
