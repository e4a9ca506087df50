/** NLTK's Porter stemmer with its extensions, which `rouge_score` uses. Source: NLTK 3.9, `nltk/stem/porter.py`. */

const irregular: ReadonlyMap<string, string> = new Map([
  ['sky', 'sky'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['news', 'news'],
  ['innings', 'inning'],
  ['inning', 'inning'],
  ['outings', 'outing'],
  ['outing', 'outing'],
  ['cannings', 'canning'],
  ['canning', 'canning'],
  ['howe', 'howe'],
  ['proceed', 'proceed'],
  ['exceed', 'exceed'],
  ['succeed', 'succeed'],
])

/** The stem of a lower-case word of ASCII letters and digits. */
export function porterStem(word: string): string {
  const known = irregular.get(word)
  if (known !== undefined) return known
  if (word.length <= 2) return word
  return [plurals, pastAndProgressive, finalY, doubleSuffixes, fullSuffixes, lastSuffixes, finalE, finalDoubleL].reduce(
    (stem, step) => step(stem),
    word,
  )
}

/** True for each letter that is a consonant; a y is one unless it follows one. */
function consonants(word: string): readonly boolean[] {
  const flags: boolean[] = []
  for (const letter of word) flags.push(letter === 'y' ? flags.at(-1) !== true : !'aeiou'.includes(letter))
  return flags
}

/** How often a consonant follows a vowel. */
function measure(stem: string): number {
  const flags = consonants(stem)
  return flags.filter((isConsonant, i) => isConsonant && flags[i - 1] === false).length
}

const hasMeasure = (stem: string): boolean => measure(stem) > 0
const hasVowel = (stem: string): boolean => consonants(stem).includes(false)

/** The stem ends consonant, vowel, consonant, the last none of w, x, y; or it is a vowel and a consonant. */
function endsShort(word: string): boolean {
  const flags = consonants(word)
  const [before, middle, last] = [flags.at(-3), flags.at(-2), flags.at(-1)]
  if (word.length === 2) return middle === false && last === true
  return word.length >= 3 && before === true && middle === false && last === true && !/[wxy]$/.test(word)
}

/** `[suffix, replacement, test of what is left]`. */
type Rule = readonly [suffix: string, replacement: string, applies?: (stem: string) => boolean]

/** The first rule whose suffix fits decides, whether or not its test passes. */
function applyFirst(word: string, rules: readonly Rule[]): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix))
  if (rule === undefined) return word
  const [suffix, replacement, applies] = rule
  const stem = word.slice(0, word.length - suffix.length)
  return applies === undefined || applies(stem) ? stem + replacement : word
}

function plurals(word: string): string {
  if (word.endsWith('ies') && word.length === 4) return `${word.slice(0, -3)}ie`
  return applyFirst(word, [
    ['sses', 'ss'],
    ['ies', 'i'],
    ['ss', 'ss'],
    ['s', ''],
  ])
}

function pastAndProgressive(word: string): string {
  if (word.endsWith('ied')) return word.slice(0, -3) + (word.length === 4 ? 'ie' : 'i')
  if (word.endsWith('eed')) return hasMeasure(word.slice(0, -3)) ? word.slice(0, -1) : word
  const suffix = ['ed', 'ing'].find((one) => word.endsWith(one) && hasVowel(word.slice(0, -one.length)))
  if (suffix === undefined) return word
  const stem = word.slice(0, -suffix.length)
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`
  const last = stem.slice(-1)
  const isDouble = stem.length >= 2 && stem.at(-2) === last && consonants(stem).at(-1) === true
  if (isDouble) return 'lsz'.includes(last) ? stem : stem.slice(0, -1)
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem
}

function finalY(word: string): string {
  return applyFirst(word, [['y', 'i', (stem) => stem.length > 1 && consonants(stem).at(-1) === true]])
}

function doubleSuffixes(word: string): string {
  if (word.endsWith('alli') && hasMeasure(word.slice(0, -4))) return doubleSuffixes(word.slice(0, -2))
  return applyFirst(word, [
    ['ational', 'ate', hasMeasure],
    ['tional', 'tion', hasMeasure],
    ['enci', 'ence', hasMeasure],
    ['anci', 'ance', hasMeasure],
    ['izer', 'ize', hasMeasure],
    ['bli', 'ble', hasMeasure],
    ['alli', 'al', hasMeasure],
    ['entli', 'ent', hasMeasure],
    ['eli', 'e', hasMeasure],
    ['ousli', 'ous', hasMeasure],
    ['ization', 'ize', hasMeasure],
    ['ation', 'ate', hasMeasure],
    ['ator', 'ate', hasMeasure],
    ['alism', 'al', hasMeasure],
    ['iveness', 'ive', hasMeasure],
    ['fulness', 'ful', hasMeasure],
    ['ousness', 'ous', hasMeasure],
    ['aliti', 'al', hasMeasure],
    ['iviti', 'ive', hasMeasure],
    ['biliti', 'ble', hasMeasure],
    ['fulli', 'ful', hasMeasure],
    ['logi', 'log', () => hasMeasure(word.slice(0, -3))],
  ])
}

function fullSuffixes(word: string): string {
  return applyFirst(word, [
    ['icate', 'ic', hasMeasure],
    ['ative', '', hasMeasure],
    ['alize', 'al', hasMeasure],
    ['iciti', 'ic', hasMeasure],
    ['ical', 'ic', hasMeasure],
    ['ful', '', hasMeasure],
    ['ness', '', hasMeasure],
  ])
}

const longStems = 'al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize'.split(' ')

function lastSuffixes(word: string): string {
  return applyFirst(
    word,
    longStems.map((suffix): Rule => [suffix, '', (stem) => measure(stem) > 1 && (suffix !== 'ion' || /[st]$/.test(stem))]),
  )
}

function finalE(word: string): string {
  return applyFirst(word, [['e', '', (stem) => measure(stem) > 1 || (measure(stem) === 1 && !endsShort(stem))]])
}

function finalDoubleL(word: string): string {
  return applyFirst(word, [['ll', 'l', () => measure(word.slice(0, -1)) > 1]])
}
