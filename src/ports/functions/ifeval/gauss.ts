import type { PyRandom } from '../../../python/random.ts'

/** `random.gauss(0, 1)`, CPython 3.11, Lib/random.py: draws come in pairs. */
export function gauss(random: PyRandom): () => number {
  let kept: number | null = null
  return () => {
    if (kept !== null) {
      const second = kept
      kept = null
      return second
    }
    const angle = random.random() * 2 * Math.PI
    const radius = Math.sqrt(-2 * Math.log(1 - random.random()))
    kept = Math.sin(angle) * radius
    return Math.cos(angle) * radius
  }
}
