/** Revisions ticked from what a model's Hub lists. The list is only asked for at the user's word; what is ticked stands in the text field. */
import { byStep, stepOf } from '../../analysis/compare/series/checkpoints.ts'
import { readRevisions } from '../../analysis/compare/series/revision-list.ts'
import { toEvalError, type EvalError } from '../../base/errors.ts'
import type { RunClient } from '../run-client.ts'

export class RevisionChoice {
  /** `absent`: the Hub gives no such list, or knows no such model. */
  state: 'none' | 'loading' | 'ready' | 'absent' | 'failed' = $state.raw('none')
  /** By training step, those that name none last. */
  names: readonly string[] = $state.raw([])
  error: EvalError | null = $state.raw(null)
  /** Whose they are. */
  model: string = $state.raw('')
  readonly #client: Pick<RunClient, 'listModels' | 'listRefs'>

  constructor(client: Pick<RunClient, 'listModels' | 'listRefs'>) {
    this.#client = client
  }

  /** Asks what revisions the model has: of a model that comes with the page nobody, else its Hub. */
  async list(model: string): Promise<void> {
    this.model = model
    this.state = 'loading'
    this.error = null
    try {
      const bundled = (await this.#client.listModels()).find(({ id }) => id === model)
      const { branches, tags } = bundled === undefined ? await this.#client.listRefs(model) : { branches: bundled.revisions, tags: [] }
      if (this.model !== model) return
      this.names = [...branches, ...tags.filter((name) => !branches.includes(name))]
        .map((revision) => ({ revision, step: stepOf(revision) }))
        .sort(byStep)
        .map(({ revision }) => revision)
      this.state = 'ready'
    } catch (error) {
      if (this.model !== model) return
      this.error = toEvalError(error)
      this.state = this.error.code === 'hub/not-found' ? 'absent' : 'failed'
    }
  }
}

/** The revisions that a typed list names; none while it can't be read. */
export function namedIn(text: string): readonly string[] {
  try {
    return readRevisions(text)
  } catch {
    return []
  }
}

/** The typed list with `names` in it or out of it. Patterns stay as they are typed unless one of theirs goes. */
export function withRevisions(text: string, names: readonly string[], isIn: boolean): string {
  const named = namedIn(text)
  const typed = text.split(/[\s,]+/).filter((part) => part !== '')
  if (isIn) return [...typed, ...names.filter((name) => !named.includes(name))].join(', ')
  return typed
    .flatMap((part) =>
      namedIn(part).some((name) => names.includes(name)) ? namedIn(part).filter((name) => !names.includes(name)) : [part],
    )
    .join(', ')
}
