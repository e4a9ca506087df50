/** Answers compared as lm_eval 0.4.13 compares them; `tests/make-goldens/make_math_goldens.py` made the pairs. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isSameFormula, normalizeFinalAnswer, type Recipe } from '../../../src/ports/functions/answers/minerva-answers.ts'
import { parseAnswer, verifyAnswer } from '../../../src/ports/math-verify/verify.ts'

type Pair = readonly [kind: string, gold: string, answer: string, minerva: 0 | 1, leaderboard: 0 | 1, verified: 0 | 1]
// The file's shape is the script's.
const pairs = JSON.parse(readFileSync(new URL('../../goldens/math/pairs.json', import.meta.url), 'utf8')) as readonly Pair[]

/** Prints the pairs judged otherwise, and gives the share of the others. */
function agreement(name: string, judge: (pair: Pair) => boolean, wanted: (pair: Pair) => 0 | 1): number {
  const others = pairs.filter((pair) => judge(pair) !== (wanted(pair) === 1))
  console.log(`${name}: ${pairs.length - others.length} of ${pairs.length} pairs agree`)
  for (const [kind, gold, answer] of others) console.log(`  ${kind}: gold ${gold} | answer ${answer}`)
  return 1 - others.length / pairs.length
}

function isSame(recipe: Recipe, gold: string, answer: string): boolean {
  const [left, right] = [normalizeFinalAnswer(answer, recipe), normalizeFinalAnswer(gold, recipe)]
  return left === right || isSameFormula(left, right)
}

describe('made-up pairs of answers', () => {
  it('are more than 500 of 40 kinds, equal ones and others', () => {
    expect(pairs.length).toBeGreaterThan(500)
    expect(new Set(pairs.map(([kind]) => kind)).size).toBeGreaterThan(40)
    expect(pairs.filter((pair) => pair[3] === 0).length).toBeGreaterThan(100)
  })
  it("are judged as minerva_math's is_equiv judges them", () => {
    expect(
      agreement(
        'minerva_math',
        ([, gold, answer]) => isSame('minerva', gold, answer),
        (pair) => pair[3],
      ),
    ).toBeGreaterThanOrEqual(0.99)
  })
  it("are judged as leaderboard_math's original comparison judges them", () => {
    expect(
      agreement(
        'leaderboard_math',
        ([, gold, answer]) => isSame('leaderboard', gold, answer),
        (pair) => pair[4],
      ),
    ).toBeGreaterThanOrEqual(0.99)
  })
  it('are judged as math_verify judges them in a solution and a reply', () => {
    const judge = ([, gold, answer]: Pair): boolean =>
      verifyAnswer(
        parseAnswer(`Therefore, the answer is $\\boxed{${gold}}$.`),
        parseAnswer(`Final Answer: The final answer is $${answer}$. I hope it is correct.`),
      )
    expect(agreement('math_verify', judge, (pair) => pair[5])).toBeGreaterThanOrEqual(0.99)
  })
})
