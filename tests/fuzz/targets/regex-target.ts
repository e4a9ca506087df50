/** Python's regular expressions: grown from their grammar, and damaged; compiled, and every method tried on short texts. */
import { makeMultiChoiceFilter, makeRegexFilter } from '../../../src/harness/filters/regex-filters.ts'
import { compilePython, escapePython, type PythonRegexFlag } from '../../../src/python/regex/compile.ts'
import { mutate } from '../mutations.ts'
import type { Random } from '../random.ts'
import { textInput, type FuzzTarget } from '../target.ts'

type Names = readonly [string, ...string[]]

const atoms: Names = [
  'a',
  'b',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '\\b',
  '^',
  '$',
  '\\A',
  '\\Z',
  '[a-c]',
  '[^a]',
  '[\\w.]',
  '[]a]',
  '[^]]',
  '\\.',
  '\\1',
  '\\2',
  '(?P=n)',
  'é',
  '😀',
  '\\u00e9',
  '\\x61',
  '\\N{DIGIT ONE}',
  '\\\\',
  '\\n',
  '\\0',
  '\\377',
  '[a-',
  '[z-a]',
  '(?#c)',
  '[[:alpha:]]',
  '[a&&b]',
  '[a--b]',
  '{',
  '}',
  '\\p{L}',
  '-?\\d+',
  '#### (\\-?[0-9\\.\\,]+)',
]
const quantifiers: Names = [
  '*',
  '+',
  '?',
  '*?',
  '+?',
  '??',
  '*+',
  '++',
  '?+',
  '{2}',
  '{0,3}',
  '{,2}',
  '{1,}',
  '{2,1}',
  '{1,2}?',
  '{1,2}+',
  '**',
  '{x}',
  '{99999999999}',
]
const groups: Names = [
  '(',
  '(?:',
  '(?P<n>',
  '(?=',
  '(?!',
  '(?<=',
  '(?<!',
  '(?>',
  '(?i:',
  '(?-i:',
  '(?x: ',
  '(?s)',
  '(?P<m>',
  '(?(1)',
  '(?a:',
  '(?L:',
  '(?u:',
  '(?<x>',
]
const flags: readonly [PythonRegexFlag, ...PythonRegexFlag[]] = ['IGNORECASE', 'MULTILINE', 'DOTALL', 'VERBOSE', 'ASCII', 'UNICODE']
const seeds: Names = [
  '#### (\\-?[0-9\\.\\,]+)',
  '(-?[$0-9.,]{2,})|(-?[0-9]+)',
  '(?i)(?:the )?answer is \\(?([A-J])\\)?',
  '(?<=the answer is )(.*?)(?=\\.|$)',
  '(?P<year>\\d{4})-(?P<month>\\d{2})',
  '\\b(?:A|B|C|D)\\b[^.]*',
  '^\\s*([A-D])[.)]?\\s',
  '(\\d+)(?!.*\\d)',
]
const tokens: Names = [...atoms, ...quantifiers, ...groups, '|', ')', '(?', '\\', '[', ']'] as unknown as Names
const texts: Names = [
  '',
  'a',
  'ab',
  'aab b',
  'The answer is (B).',
  '#### 1,234',
  'a\nb\n',
  'é😀é',
  'ABC',
  '2024-01-31',
  '\u2028a',
  'aaaaaaaaa',
  '\ud83d',
  'x = 5; y = 7',
]
const replacements: Names = ['', 'x', '\\1', '\\g<0>', '\\g<n>', '\\g<9>', '\\\\', '$&', '\\n', '\\q', '<\\g<1>>']

function pattern(random: Random, room: number): string {
  const parts = Array.from({ length: 1 + random.below(4) }, () => {
    const atom =
      room > 0 && random.chance(35)
        ? `${random.pick(groups)}${pattern(random, room - 1)}${random.chance(97) ? ')' : ''}`
        : random.pick(atoms)
    return random.chance(35) ? atom + random.pick(quantifiers) : atom
  })
  const whole = parts.join('')
  return random.chance(20) ? `${whole}|${room > 0 ? pattern(random, room - 1) : random.pick(atoms)}` : whole
}

function make(random: Random): string {
  if (random.chance(3))
    return random.pick(['(', '(?:', '[', 'a|', 'a*', '(a)', '(?=', '(?<=', '\\', '(?i:', '[[']).repeat(1 + random.below(3000))
  if (random.chance(25)) {
    const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
    return new TextDecoder().decode(mutate(random, encode(random.pick(seeds)), tokens, encode(random.pick(seeds))))
  }
  return pattern(random, random.below(4))
}

interface Case {
  readonly pattern: string
  readonly flags: readonly PythonRegexFlag[]
  readonly text: string
  readonly replacement: string
  readonly count: number
}

export const regexTarget: FuzzTarget<Case> = {
  make(random) {
    const one = {
      pattern: make(random),
      flags: random.chance(30) ? [random.pick(flags)] : [],
      text: random.pick(texts),
      replacement: random.pick(replacements),
      count: random.below(3),
    }
    return textInput(one, 'regex.json', JSON.stringify(one))
  },
  run({ pattern: source, flags: given, text, replacement, count }) {
    const regex = compilePython(source, given)
    for (const match of [regex.search(text), regex.match(text), regex.fullmatch(text)]) {
      if (match !== null && text.slice(match.start, match.end) !== match.groups[0]) return 'a match that is not the text between its ends'
    }
    if (regex.fullmatch(text) !== null && regex.match(text) === null) return 'matches the whole, but not the start'
    const escaped = compilePython(escapePython(text))
    if (escaped.fullmatch(text) === null && !/[\ud800-\udfff]/.test(text)) return 'an escaped text that does not match itself'
    // Those that report groups refuse patterns whose groups can't be told; the filters do the same by their own ways.
    const found = regex.finditer(text)
    if (found.some((match, at) => match.start < (found[at - 1]?.end ?? 0))) return 'matches that overlap'
    regex.findall(text)
    regex.split(text)
    regex.sub(replacement, text, count)
    makeRegexFilter(new Map([['regex_pattern', source]]))([[text]], [new Map()])
    makeMultiChoiceFilter(new Map([['regex_pattern', source]]))([[text]], [new Map([['choices', ['a', text]]])])
    return null
  },
}
