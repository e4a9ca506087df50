/** What the checks of IFEval look up: models and words of other packages, kept out of the first load. */
import { EvalError } from '../../../base/errors.ts'
import { LanguageDetector } from './language-detector.ts'
import { readPunktModel, type PunktModel } from './punkt-model.ts'

interface IfevalData {
  /** NLTK's `punkt_tab` for English, Apache-2.0. */
  readonly punkt: PunktModel
  /** langdetect 1.0.9 with its 55 profiles, Apache-2.0. */
  readonly languages: LanguageDetector
  /** `instructions_util.WORD_LIST`, with which the harness fills in keywords. */
  readonly words: readonly string[]
}

let loaded: IfevalData | null = null

/** Loads the data once, about 1 MB over the network. */
export async function loadIfevalData(): Promise<void> {
  if (loaded !== null) return
  const [punkt, languages, words] = await Promise.all([
    import('./data/punkt-english.json'),
    import('./data/languages.json'),
    import('./data/words.json'),
  ])
  loaded = { punkt: readPunktModel(punkt.default), languages: new LanguageDetector(languages.default), words: words.default.split(' ') }
}

/** The data. Throws `internal` before `loadIfevalData` has ended. */
export function ifevalData(): IfevalData {
  if (loaded !== null) return loaded
  throw new EvalError('internal', "IFEval's checks were asked for before their data was loaded.")
}
