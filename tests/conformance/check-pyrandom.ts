/** Corpus E: CPython's generator. */
import { PyRandom } from '../../src/python/random.ts'
import { pyFloat, str, toNumber, type PyDict, type PyValue } from '../../src/python/value.ts'
import { findDifference } from './compare.ts'
import { expectedError, judge } from './outcome.ts'
import { get, list, number, texts } from './values.ts'

/** What differs from Python's draws, or null. */
export function checkPyrandom(input: PyDict, expected: PyDict): string | null {
  return judge(
    () => draw(input),
    expectedError(expected),
    (found) => findDifference(found, list(get(expected, 'value'))),
  )
}

const range = (n: number): number[] => Array.from({ length: n }, (_, index) => index)
const times = <T>(count: number, make: () => T): T[] => range(count).map(make)

function draw(input: PyDict): PyValue {
  const random = new PyRandom(BigInt(str(get(input, 'seed'))))
  const of = (key: string): number => number(input, key)
  switch (get(input, 'function')) {
    case 'random':
      return times(of('count'), () => pyFloat(random.random()))
    case 'random_after':
      for (let skipped = 0; skipped < of('skip'); skipped++) random.random()
      return times(of('count'), () => pyFloat(random.random()))
    case 'getrandbits':
      return list(get(input, 'bits')).map((bits) => String(random.getrandbits(toNumber(bits) ?? NaN)))
    case 'randrange':
      return list(get(input, 'stops')).map((stop) => random.randrange(toNumber(stop) ?? NaN))
    case 'sample':
      return times(of('draws'), () => random.sample(range(of('n')), of('k')))
    case 'choices':
      return times(of('draws'), () => random.choices(range(of('n')), of('k')))
    case 'shuffle':
      return times(of('draws'), () => shuffled(random, of('n')))
    case 'mixed':
      return texts(get(input, 'steps')).map((step) => mixedStep(random, step))
    default:
      throw new Error(`unknown function ${str(get(input, 'function'))}`)
  }
}

function shuffled(random: PyRandom, n: number): number[] {
  const items = range(n)
  random.shuffle(items)
  return items
}

function mixedStep(random: PyRandom, step: string): PyValue {
  const [first = 0, second = 0] = (step.match(/-?\d+/g) ?? []).map(Number)
  switch (step.split('(')[0]) {
    case 'random':
      return pyFloat(random.random())
    case 'sample':
      return random.sample(range(first), second)
    case 'choices':
      return random.choices(range(first), second)
    case 'getrandbits':
      return random.getrandbits(first)
    case 'shuffle':
      return shuffled(random, first)
    case 'randint':
      return first + random.randrange(second - first + 1)
    case 'choice':
      return random.choice(range(first))
    case 'uniform':
      return pyFloat(first + (second - first) * random.random())
    default:
      throw new Error(`unknown step ${step}`)
  }
}
