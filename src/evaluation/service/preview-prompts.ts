/** The requests of the first docs, without a model. */
import { append } from '../../base/arrays.ts'
import type { LeafTask } from '../../contracts/built-task.ts'
import type { PromptPreview } from '../../contracts/requests.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import type { TextWorkerApi } from '../../rpc/text-api.ts'
import type { RunInputs } from '../inputs/run-inputs.ts'
import { taskMetadata } from './task-metadata.ts'

/** `docs` of each task. The tokenizer is fetched only for a chat template. Throws what tasks, rows and templates throw. */
export async function previewPrompts(
  settings: RunSettings,
  docs: number,
  text: TextWorkerApi,
  inputs: RunInputs,
): Promise<readonly PromptPreview[]> {
  const { signal } = new AbortController()
  await inputs.loadTasks(text, settings.taskFiles, taskMetadata(settings))
  if (settings.applyChatTemplate !== false) {
    const model = await inputs.resolveModel(settings, signal)
    await text.loadTokenizer(model.tokenizerFiles, settings.modelArgs)
  }
  return inputs.withData(async (data) => {
    const previews: PromptPreview[] = []
    for (const leaf of await text.resolve(settings.tasks, settings.numFewshot)) {
      const maxRows = rowsForPreview(leaf, settings, docs)
      const { tables } = await data.load(leaf.dataset, leaf.splits, settings, () => undefined, signal, maxRows)
      append(previews, await text.preview(leaf.name, tables, settings, docs))
    }
    return previews
  })
}

/** How many rows of each split the first `docs` prompts need; null = all. */
function rowsForPreview({ name, needsAllRows }: LeafTask, { limit, samples }: RunSettings, docs: number): number | null {
  if (needsAllRows || samples?.[name] !== undefined) return null
  return Math.max(1, limit === null || limit < 1 ? docs : Math.min(limit, docs))
}
