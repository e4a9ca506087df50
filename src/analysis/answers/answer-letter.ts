/** Which option a free reply names, by how surely it does; for reading replies that no task's filter was written for. */

/**
 * How the letter was found, from the surest: `stated` (“the answer is B”, “Answer: B”, `\boxed{B}`), `alone` (the reply is the letter),
 * `leading` (“B. by way of …”), `mentioned` (the only letter of an option that stands alone anywhere).
 */
type ExtractionTier = 'stated' | 'alone' | 'leading' | 'mentioned'

interface ExtractedLetter {
  readonly letter: string
  readonly tier: ExtractionTier
}

/**
 * The option that a reply names, among the first `options` letters; null when it names none. Of several statements the last counts. Marks of
 * emphasis are ignored, so that neither `**A**nswer: B` nor `Answer: B` is read as A.
 */
export function extractLetter(reply: string, options: number): ExtractedLetter | null {
  const last = String.fromCodePoint(64 + Math.min(Math.max(options, 1), 26))
  const text = reply.replace(/\*+|__+|`+/g, '').trim()
  // After a letter no other one may follow, or “Answer: Both” would name B.
  const letter = `\\(?([A-${last}])\\)?(?![\\p{L}\\p{N}'’])`
  const stated = new RegExp(
    `(?:answer|option|choice)(?:\\s+is)?\\s*(?::|=|is)?\\s*(?:option\\s+)?${letter}|\\\\boxed\\{(?:\\\\text\\{)?\\(?([A-${last}])\\)?\\}`,
    'giu',
  )
  const found = [...text.matchAll(stated)].flatMap((match) => match[1] ?? match[2] ?? [])
  // “i” flags the words; the letter itself must be a capital: “the answer is a matter of taste” names nothing.
  const capital = found.filter((one) => one === one.toUpperCase()).at(-1)
  if (capital !== undefined) return { letter: capital, tier: 'stated' }
  const alone = new RegExp(`^\\(?([A-${last}])\\)?[.!]?$`, 'u').exec(text)?.[1]
  if (alone !== undefined) return { letter: alone, tier: 'alone' }
  const leading = new RegExp(`^(?:\\(([A-${last}])\\)|([A-${last}])[.):])\\s`, 'u').exec(text)
  const first = leading?.[1] ?? leading?.[2]
  if (first !== undefined) return { letter: first, tier: 'leading' }
  // “A” and “I” are words of English, before a word in small letters.
  const alones = [...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])([A-${last}])(?![\\p{L}\\p{N}'’])(?<![AI](?=\\s+\\p{Ll}))`, 'gu'))]
  const [mentioned, ...others] = new Set(alones.flatMap((match) => match[1] ?? []))
  return mentioned === undefined || others.length > 0 ? null : { letter: mentioned, tier: 'mentioned' }
}
