import { describe, expect, it } from 'vitest'
import type { AppState } from '../../../src/app/app-state.svelte.ts'
import { CheckpointQueue } from '../../../src/app/compare/checkpoint-queue.svelte.ts'
import type { EmbeddedModel } from '../../../src/app/setup/embedded.ts'

const embedded = { id: 'made/model', revisions: ['step100', 'step200', 'main'], defaultTasks: ['made_task'] } as unknown as EmbeddedModel

function openQueue(): CheckpointQueue {
  return new CheckpointQueue({ client: { listModels: () => Promise.resolve([embedded]) } } as unknown as AppState)
}

describe('the fields of a queue over checkpoints', () => {
  it('are filled in with the embedded model’s', async () => {
    const queue = openQueue()
    await queue.offer()
    expect(queue.fields).toMatchObject({ model: 'made/model', revisions: 'step100, step200, main', tasks: 'made_task' })
  })

  it('are left to whoever is in one of them already, though nothing is typed yet', async () => {
    const queue = openQueue()
    const offered = queue.offer()
    queue.isTouched = true
    await offered
    expect(queue.fields).toMatchObject({ model: '', revisions: '', tasks: '' })
  })
})
