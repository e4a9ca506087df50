/** Task files: YAML in all its forms, read, indexed, resolved and built over a few rows. */
import { buildTask } from '../../../src/harness/requests/task.ts'
import { buildRegistry } from '../../../src/harness/tasks/registry.ts'
import { readTaskConfig } from '../../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../../src/ports/functions/functions.ts'
import { mutate } from '../mutations.ts'
import type { Random } from '../random.ts'
import { isRefusal, textInput, type FuzzTarget } from '../target.ts'

const seeds = [
  `task: one\ndataset_path: json\ntest_split: test\noutput_type: multiple_choice\ndoc_to_text: "{{q}}\\nAnswer:"\ndoc_to_choice: ["a", "b"]\ndoc_to_target: 1\nmetric_list:\n  - metric: acc\n    aggregation: mean\n    higher_is_better: true\nmetadata:\n  version: 1.0\n`,
  `task: two\ntag: [x, y]\ndataset_path: json\ntest_split: test\nfewshot_split: test\nnum_fewshot: 1\noutput_type: generate_until\ndoc_to_text: 'Q: {{q}}'\ndoc_to_target: "{{a}}"\ngeneration_kwargs: {until: ["\\n"], do_sample: false, max_gen_toks: 32}\nfilter_list:\n  - name: strict\n    filter:\n      - function: regex\n        regex_pattern: "(-?[0-9]+)"\n      - {function: take_first}\nmetric_list: [{metric: exact_match, aggregation: mean, higher_is_better: yes, ignore_case: true}]\n`,
  `group: all\ngroup_alias: "All of them"\ntask:\n  - one\n  - task: two\n    num_fewshot: 0\n  - group: inner\n    task: [three]\naggregate_metric_list:\n  - metric: acc\n    weight_by_size: false\n`,
  `base: &base\n  output_type: loglikelihood\n  test_split: test\n<<: *base\ntask: three\ninclude: one.yaml\ndoc_to_text: |-\n  {% for x in l %}\n  {{ x }}\n  {% endfor %}\ndoc_to_target: !function utils.target\n`,
  `? [complex, key]\n: - !!str 5\n  - !!int "7"\n  - 0o17\n  - 1_000\n  - 0x1F\n  - 190:20:30\n  - .inf\n  - 2001-12-14t21:59:43.10-05:00\n  - ~\n  - !!binary aGk=\n  - >+\n    folded\n    text\n\n`,
] as const

const tokens: readonly [string, ...string[]] = [
  ...([
    ': ',
    '- ',
    '\n',
    '\n  ',
    '\n    ',
    '{',
    '}',
    '[',
    ']',
    ', ',
    '&a ',
    '*a',
    '<<: ',
    '<<: *a',
    '<<: [*a, *a]',
    '!function x.y',
    '!!',
    '!',
    '? ',
    '| ',
    '>-\n',
  ] as const),
  ...[
    '"',
    "'",
    '#',
    '%YAML 1.1\n---\n',
    '---\n',
    '...\n',
    '\t',
    '\u0085',
    '\ufeff',
    '\u0000',
    '~',
    'null',
    '.nan',
    '1e400',
    '-.inf',
    '0b11',
    '12:30:45',
    '=',
    'yes',
  ],
  ...[
    'include: two.yaml\n',
    'task: one\n',
    'group: all\n',
    'tag: all\n',
    '__proto__: 1\n',
    '[[[[[[[[',
    '{{{{',
    '{? {? ',
    '- - - - ',
    '{{ q }}',
    '{% if %}',
    'process_docs: !function a.b\n',
  ],
]

const rows = {
  columns: [
    { name: 'q', type: 'string' },
    { name: 'a', type: 'string' },
    { name: 'l', type: { list: 'int64' } },
  ],
  rows: [
    ['What?', '7', [1, 2]],
    ['Who?', 'b', []],
  ],
} as const

/** A tree of what YAML has, in one of its styles. */
function tree(random: Random, room: number): string {
  const scalar = (): string => random.pick(['a', '5', '"x"', "'y'", '~', 'true', '*a', '&a b', '1.0', '!function m.f', '|\n    t', ''])
  if (room === 0 || random.chance(30)) return scalar()
  const items = Array.from({ length: random.below(4) }, () => tree(random, room - 1))
  if (random.chance(50)) return `${random.chance(20) ? '&a ' : ''}[${items.join(', ')}]`
  return `{${items.map((item) => `${random.chance(15) ? '<<' : random.pick(['k', 'task', 'include', '? x', '5'])}: ${item}`).join(', ')}}`
}

/** Things that grow: anchors of anchors, merges of merges, and nesting. */
function growth(random: Random): string {
  const levels = 1 + random.below(30)
  const width = 1 + random.below(12)
  const all = (name: string): string => Array.from({ length: width }, () => `*${name}`).join(', ')
  switch (random.below(5)) {
    case 0:
      return Array.from({ length: levels }, (_, at) => `k${at}: &a${at} [${at === 0 ? '1' : all(`a${at - 1}`)}]`).join('\n')
    case 1:
      return Array.from({ length: levels }, (_, at) => `k${at}: &a${at} {${at === 0 ? 'x: 1' : `<<: [${all(`a${at - 1}`)}]`}}`).join('\n')
    case 2: {
      const depth = random.chance(3) ? 2000 : random.below(120)
      return random.pick(['[', '{a: ', '- ', '? ', '"', '{? '] as const).repeat(depth)
    }
    case 3:
      return Array.from({ length: random.below(400) }, (_, at) => `${' '.repeat(at)}k:`).join('\n')
    default:
      return `a: &a\n  b: *a\n<<: *a\n`
  }
}

function make(random: Random): string {
  if (random.chance(15)) return growth(random)
  const text = random.chance(20) ? `task: one\nx: ${tree(random, 4)}\n` : random.pick(seeds)
  if (random.chance(8)) return text
  const encode = (value: string): Uint8Array => new TextEncoder().encode(value)
  return new TextDecoder().decode(mutate(random, encode(text), tokens, encode(random.pick(seeds))))
}

/** Files as an untrusted folder holds them: the one at hand beside those that it may name. */
export const yamlTarget: FuzzTarget<readonly string[]> = {
  make(random) {
    const text = make(random)
    return textInput([text, random.pick(seeds), random.pick(seeds)], 'task.yaml', text)
  },
  run(texts) {
    const files = texts.map((text, at) => ({ path: ['one.yaml', 'two.yaml', 'sub/three.yaml'][at] ?? '', text }))
    const registry = buildRegistry([{ name: 'folder', files }])
    for (const { error } of registry.problems) if (!isRefusal(error)) throw error
    registry.list()
    const problems: Error[] = registry.problems.map(({ error }) => error)
    let built = 0
    for (const name of registry.entries.keys()) {
      try {
        for (const { config, file } of registry.resolve([name]).tasks) {
          const task = buildTask(
            readTaskConfig(config, file),
            { test: rows, train: rows, validation: rows },
            { functions: functionTable(), limits: { steps: 20_000, bytes: 2 ** 23 } },
          )
          for (const doc of task.evalDocs) task.docToText(doc)
          built++
        }
      } catch (error) {
        if (!(error instanceof Error) || !isRefusal(error)) throw error
        problems.push(error)
      }
    }
    // Read is what came to a prompt; the first problem stands for the rest.
    const [first] = problems
    if (first !== undefined && built === 0) throw first
    return null
  },
}
