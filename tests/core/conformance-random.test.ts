/** Corpus E: CPython's generator. */
import { describe, expect, it } from 'vitest'
import { PyRandom } from '../../src/core/python/random.ts'
import { toJson, toNumber, type PyValue, str } from '../../src/core/python/value.ts'
import { get, list, readCorpus } from './corpus.ts'

const range = (n: number): number[] => Array.from({ length: n }, (_, index) => index)
const times = <T>(count: number, make: () => T): T[] => range(count).map(make)

function draw(input: PyValue): unknown {
  const random = new PyRandom(BigInt(str(get(input, 'seed'))))
  const number = (key: string): number => toNumber(get(input, key)) ?? NaN
  switch (get(input, 'function')) {
    case 'random':
      return times(number('count'), () => random.random())
    case 'random_after':
      times(number('skip'), () => random.random())
      return times(number('count'), () => random.random())
    case 'getrandbits':
      return list(get(input, 'bits')).map((bits) => String(random.getrandbits(toNumber(bits) ?? NaN)))
    case 'randrange':
      return list(get(input, 'stops')).map((stop) => random.randrange(toNumber(stop) ?? NaN))
    case 'sample':
      return times(number('draws'), () => random.sample(range(number('n')), number('k')))
    case 'choices':
      return times(number('draws'), () => random.choices(range(number('n')), number('k')))
    case 'shuffle':
      return times(number('draws'), () => shuffled(random, number('n')))
    case 'mixed':
      return list(get(input, 'steps')).map((step) => mixedStep(random, str(step)))
    default:
      throw new Error(`unknown function ${str(get(input, 'function'))}`)
  }
}

function shuffled(random: PyRandom, n: number): number[] {
  const items = range(n)
  random.shuffle(items)
  return items
}

function mixedStep(random: PyRandom, step: string): unknown {
  const [first = 0, second = 0] = (step.match(/-?\d+/g) ?? []).map(Number)
  switch (step.split('(')[0]) {
    case 'random':
      return random.random()
    case 'sample':
      return random.sample(range(first), second)
    case 'choices':
      return random.choices(range(first), second)
    case 'getrandbits':
      return Number(random.getrandbits(first))
    case 'shuffle':
      return shuffled(random, first)
    case 'randint':
      return random.randrange(first, second + 1)
    case 'choice':
      return random.choice(range(first))
    case 'uniform':
      return first + (second - first) * random.random()
    default:
      throw new Error(`unknown step ${step}`)
  }
}

const cases = readCorpus('E_pyrandom.jsonl')

describe.skipIf(cases.length === 0)('the conformance corpus E', () => {
  it.each(cases)('%s', (_id, row) => {
    expect(draw(get(row, 'input'))).toEqual(toJson(get(row, 'expected', 'value')))
  })
})
