/** The small text files of a model repository. */
import { EvalError } from '../../../base/errors.ts'
import type { ModelRepo } from './form.ts'

/** A file's text; null where the repository has no such file. */
export async function readText(repo: ModelRepo, path: string, signal: AbortSignal): Promise<string | null> {
  const file = repo.snapshot.files.find((one) => one.path === path)
  if (file === undefined) return null
  return new TextDecoder().decode(await repo.fetch(file, () => undefined, signal))
}

/** The text of config.json. Throws `model/corrupt` where there is none. */
export async function readConfigText(repo: ModelRepo, signal: AbortSignal): Promise<string> {
  const text = await readText(repo, 'config.json', signal)
  if (text !== null) return text
  throw new EvalError('model/corrupt', `${repo.snapshot.id} has no config.json at commit ${repo.snapshot.commit}.`)
}
