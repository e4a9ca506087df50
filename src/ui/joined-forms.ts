/** Letters that join, kept joined where each token stands in a box of its own. */

/** Of scripts whose letters change their form beside others. */
const joining = String.raw`[\p{scx=Arabic}\p{scx=Syriac}\p{scx=Nko}\p{scx=Adlam}\p{scx=Mongolian}]`
const ends = new RegExp(`${joining}$`, 'u')
const begins = new RegExp(`^${joining}`, 'u')
const joiner = '\u200d'

/** What stands before and after the token at `at`, unseen, so that its first and last letter look as they do in the word. */
export function joinersAround(texts: readonly string[], at: number): readonly [before: string, after: string] {
  const joins = (left: number) => ends.test(texts[left] ?? '') && begins.test(texts[left + 1] ?? '')
  return [joins(at - 1) ? joiner : '', joins(at) ? joiner : '']
}
