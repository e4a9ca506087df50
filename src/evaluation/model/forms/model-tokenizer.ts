/** The tokenizer of a model: of its own repository, of the one that it was made of, or out of its weights' file. */
import { EvalError, isEvalError } from '../../../base/errors.ts'
import type { RepoSnapshot, TokenizerFiles, TokenizerSource } from '../../../contracts/models.ts'
import type { FormFacts, ModelRepo } from './form.ts'
import { readText } from './repo-texts.ts'

const tokenizerPaths = ['tokenizer.json', 'tokenizer_config.json'] as const
const otherPaths = ['special_tokens_map.json', 'chat_template.jinja', 'generation_config.json'] as const

export interface FoundTokenizer {
  readonly tokenizerFiles: TokenizerFiles
  /** Null for the model's own repository. */
  readonly tokenizerSource: TokenizerSource | null
  readonly notes: readonly string[]
}

/** Whether a tokenizer will be found, by the list of files. Throws `tokenizer/broken`. */
export function requireTokenizer({ files, id, commit }: RepoSnapshot, { ownTokenizer }: FormFacts): void {
  if (ownTokenizer !== null || files.some(({ path }) => path === 'tokenizer.json')) return
  throw new EvalError('tokenizer/broken', `${id} has no tokenizer.json at commit ${commit}: the tokenizer can't be built without it.`)
}

/** Throws as `requireTokenizer`, as `OwnTokenizer.build`, and `hub/*`. A base repository that can't be had is told in `notes`. */
export async function findTokenizer(repo: ModelRepo, facts: FormFacts, signal: AbortSignal): Promise<FoundTokenizer> {
  requireTokenizer(repo.snapshot, facts)
  const { ownTokenizer, configText } = facts
  const own = await readTokenizerFiles(repo, configText, signal)
  if (own !== null) return { tokenizerFiles: own, tokenizerSource: null, notes: [] }
  if (ownTokenizer === null) throw new EvalError('internal', 'no tokenizer was found where one is listed')
  const base = await ownTokenizer.baseRepository()
  const notes: string[] = []
  if (base !== null) {
    try {
      const other = await repo.openOther(base, signal)
      const published = await readTokenizerFiles(other, configText, signal)
      const { commit } = other.snapshot
      if (published !== null) return { tokenizerFiles: published, tokenizerSource: { from: 'base repository', id: base, commit }, notes }
    } catch (error) {
      if (!isEvalError(error) || !error.code.startsWith('hub/')) throw error
      notes.push(`The tokenizer of ${base}, of which the model was made, can’t be had (${error.message}).`)
    }
  }
  const { notes: taken, ...built } = ownTokenizer.build()
  return {
    tokenizerFiles: { ...built, specialTokensMap: null, config: configText },
    tokenizerSource: { from: 'weights file' },
    notes: [...notes, 'The tokenizer is built from the GGUF file’s own metadata.', ...taken],
  }
}

/** Null where the repository has no tokenizer.json. */
async function readTokenizerFiles(repo: ModelRepo, config: string, signal: AbortSignal): Promise<TokenizerFiles | null> {
  const [tokenizerJson = null, tokenizerConfig = null] = await Promise.all(tokenizerPaths.map((path) => readText(repo, path, signal)))
  if (tokenizerJson === null) return null
  const [specialTokensMap = null, chatTemplate = null, generationConfig = null] = await Promise.all(
    otherPaths.map((path) => readText(repo, path, signal)),
  )
  return { tokenizerJson, tokenizerConfig: tokenizerConfig ?? '{}', specialTokensMap, chatTemplate, generationConfig, config }
}
