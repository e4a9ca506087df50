/** The parameters of the sentence splitter Punkt (Kiss and Strunk 2006), as NLTK's `punkt_tab` has them. */

/** Everything learnt from text, words in lower case. */
export interface PunktModel {
  readonly abbreviations: ReadonlySet<string>
  /** Words that often begin sentences. */
  readonly starters: ReadonlySet<string>
  /** Pairs around a period that does not end a sentence, with a tab between. */
  readonly collocations: ReadonlySet<string>
  /** Where a word was seen, in which case: the flags below. */
  readonly contexts: ReadonlyMap<string, number>
}

/** Flags of `contexts`. */
export const seenInsideUpper = 1 << 2
export const seenFirstLower = 1 << 4
export const seenUpper = (1 << 1) | (1 << 2) | (1 << 3)
export const seenLower = (1 << 4) | (1 << 5) | (1 << 6)

/** The file that `tools/tasks/make_ifeval_data.py` writes: lists with line ends between, and the words of each combination of flags. */
interface PunktFile {
  readonly abbreviations: string
  readonly starters: string
  readonly collocations: string
  readonly contexts: { readonly [flags: string]: string }
}

export function readPunktModel(file: PunktFile): PunktModel {
  const contexts = new Map<string, number>()
  for (const [flags, words] of Object.entries(file.contexts)) for (const word of words.split('\n')) contexts.set(word, Number(flags))
  return {
    abbreviations: new Set(file.abbreviations.split('\n')),
    starters: new Set(file.starters.split('\n')),
    collocations: new Set(file.collocations.split('\n')),
    contexts,
  }
}
