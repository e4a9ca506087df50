/** Models and tasks to choose from, and what is known about the chosen model. */
import { toEvalError, type EvalError } from '../../base/errors.ts'
import type { TaskListing } from '../../contracts/listings.ts'
import type { ModelDescription } from '../../contracts/models.ts'
import type { TaskFile } from '../../contracts/run-settings.ts'
import type { RunClient } from '../run-client.ts'
import type { EmbeddedModel } from './embedded.ts'
import type { SuggestedModel } from './suggested-models.ts'

export type Loading<T> =
  | { readonly state: 'none' }
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly error: EvalError }

/** A description together with what was asked for, since the answer may arrive after another question. */
interface Described {
  readonly id: string
  readonly revision: string
  readonly description: Loading<ModelDescription>
}

export class Catalogue {
  models: Loading<readonly EmbeddedModel[]> = $state.raw({ state: 'none' })
  suggested: Loading<readonly SuggestedModel[]> = $state.raw({ state: 'none' })
  tasks: Loading<readonly TaskListing[]> = $state.raw({ state: 'none' })
  /** Problems of the files that the user gave; a task file that can't be read is no reason to lose the others. */
  problems: readonly { readonly file: string; readonly message: string }[] = $state.raw([])
  described: Described | null = $state.raw(null)
  readonly #client: RunClient
  /** How often tasks were asked for: of two answers under way the later question's counts, whichever comes last. */
  #asked = 0

  constructor(client: RunClient) {
    this.#client = client
  }

  async loadModels(): Promise<void> {
    this.models = { state: 'loading' }
    this.models = await settled(this.#client.listModels())
  }

  /** Lists the models to begin with. Without the list the page is no less usable. */
  async loadSuggested(): Promise<void> {
    this.suggested = { state: 'loading' }
    this.suggested = await settled(this.#client.listSuggestedModels())
  }

  /** Lists the bundled tasks and those of `files`; names found in `files` come back as the result. */
  async loadTasks(files: readonly TaskFile[]): Promise<readonly string[]> {
    this.#asked += 1
    const asked = this.#asked
    if (this.tasks.state !== 'ready') this.tasks = { state: 'loading' }
    const listed = await settled(this.#client.listTasks(files))
    if (asked !== this.#asked) return listed.state === 'ready' ? namesFrom(listed.value.tasks, files) : []
    if (listed.state === 'failed' && files.length > 0 && this.tasks.state === 'ready') {
      this.problems = [{ file: files.map((file) => file.path).join(', '), message: listed.error.message }]
      return []
    }
    if (listed.state !== 'ready') {
      this.tasks = listed
      return []
    }
    this.tasks = { state: 'ready', value: listed.value.tasks }
    this.problems = listed.value.problems.filter(({ file }) => files.some(({ path }) => file.endsWith(path)))
    return namesFrom(listed.value.tasks, files)
  }

  async describe(id: string, revision: string): Promise<void> {
    if (this.described?.id === id && this.described.revision === revision && this.described.description.state !== 'failed') return
    this.described = { id, revision, description: { state: 'loading' } }
    const description = await settled(this.#client.describeModel(id, revision, null))
    if (this.described.id === id && this.described.revision === revision) this.described = { id, revision, description }
  }

  /** The description of exactly this model, while it loads or when it is known. */
  descriptionOf(id: string, revision: string): Loading<ModelDescription> {
    return this.described?.id === id && this.described.revision === revision ? this.described.description : { state: 'none' }
  }
}

/** True when the user's own files define this task. */
export function isFrom(task: TaskListing, files: readonly TaskFile[]): boolean {
  return (
    task.root !== 'bundled' &&
    task.root !== 'folder' &&
    files.some((file) => task.file === file.path || task.file.endsWith(`/${file.path}`))
  )
}

function namesFrom(tasks: readonly TaskListing[], files: readonly TaskFile[]): readonly string[] {
  return tasks.filter((task) => isFrom(task, files)).map((task) => task.name)
}

async function settled<T>(promise: Promise<T>): Promise<Loading<T>> {
  try {
    return { state: 'ready', value: await promise }
  } catch (error) {
    return { state: 'failed', error: toEvalError(error) }
  }
}
