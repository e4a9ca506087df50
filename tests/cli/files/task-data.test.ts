import { describe, expect, it } from 'vitest'
import { EvalError } from '../../../src/base/errors.ts'
import type { Session } from '../../../src/cli/browser/session.ts'
import { checkDataFiles, explainMissing } from '../../../src/cli/files/task-data.ts'
import type { LocalInputs } from '../../../src/cli/commands/settings.ts'
import type { TaskListing } from '../../../src/contracts/listings.ts'

const listing = (name: string, file: string, members: readonly string[] = []) => ({ name, file, members }) as unknown as TaskListing
const session = {
  call: () =>
    Promise.resolve({
      tasks: [listing('fine', 'fine.yaml'), listing('nowhere', 'sub/nowhere.yaml'), listing('group', 'group.yaml', ['nowhere'])],
      problems: [],
    }),
} as unknown as Session
const missing = [{ path: 'no.jsonl', tried: ['/caller/no.jsonl', '/tasks/no.jsonl'], taskFile: 'base.yaml' }]
const inputs = {
  taskFiles: [
    { path: 'fine.yaml', text: 'task: fine' },
    { path: 'sub/nowhere.yaml', text: 'task: nowhere\ninclude: ../base.yaml' },
    { path: 'base.yaml', text: 'dataset_kwargs: {data_files: {test: no.jsonl}}' },
    { path: 'group.yaml', text: 'group: group\ntask: [nowhere]' },
  ],
  missing,
} as unknown as LocalInputs
const both = 'base.yaml names the data file no.jsonl, which is in neither place: /caller/no.jsonl nor /tasks/no.jsonl'

describe('a data file that is nowhere', () => {
  it.each(['nowhere', 'group', 'no*'])('ends a run of a task that needs it, with both places: %s', async (wanted) => {
    await expect(checkDataFiles(session, [wanted], inputs)).rejects.toThrow(both)
  })

  it('does no harm to other tasks', async () => {
    await expect(checkDataFiles(session, ['fine'], inputs)).resolves.toBeUndefined()
  })

  it('is named where an error is about it', () => {
    expect(explainMissing(new EvalError('hub/not-found', 'no.jsonl is not there'), missing)).toMatchObject({ message: both })
    const other = new EvalError('hub/not-found', 'rows.jsonl is not there')
    expect(explainMissing(other, missing)).toBe(other)
  })
})
