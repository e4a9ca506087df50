/** The repository that a GGUF file's model was made of: its tokenizer is the one that the model was published with. */
import type { ModelRepo } from './form.ts'
import { readText } from './repo-texts.ts'

const repositoryId = /^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/
const longestCard = 2 ** 20

/** Its id: by the header (`general.base_model.0.repo_url`, or the repository that it was converted of), else by the model card's front matter (`base_model`); null where neither names one. */
export async function baseRepository(repo: ModelRepo, metadata: ReadonlyMap<string, unknown>, signal: AbortSignal): Promise<string | null> {
  for (const key of ['general.base_model.0.repo_url', 'general.source.huggingface.repository', 'general.source.repo_url']) {
    const id = idOf(metadata.get(key))
    if (id !== null) return id
  }
  const card = repo.snapshot.files.find(({ path }) => path === 'README.md')
  if (card === undefined || card.bytes > longestCard) return null
  return idOf(baseInCard(await readText(repo, card.path, signal)))
}

/** `base_model: owner/name`, or the first of a list. */
function baseInCard(card: string | null): string | null {
  const [, front = ''] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(card ?? '') ?? []
  const [, value = ''] = /^base_model:[ \t]*(?:\r?\n[ \t]*-[ \t]*)?["']?([^\s"'#]+)/m.exec(front) ?? []
  return value === '' ? null : value
}

/** Of an id, or of an address on the Hub. */
function idOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const id = value.replace(/^https:\/\/huggingface\.co\//, '').replace(/\/$/, '')
  return repositoryId.test(id) ? id : null
}
