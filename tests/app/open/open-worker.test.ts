import { describe, expect, test } from 'vitest'
import { openInWorker, type OpenWorkerApi } from '../../../src/app/open/open-worker.ts'
import { connectWorker } from '../../../src/rpc/handle.ts'
import { makeFakeWorker } from '../../rpc/fake-worker.ts'

const files = ['a.jsonl', 'b.jsonl'].map((name) => ({ name, file: new Blob(['x']) }))

function worker(api: OpenWorkerApi) {
  const { worker: fake, listen, isTerminated } = makeFakeWorker()
  listen(api)
  return { start: () => connectWorker<OpenWorkerApi>(fake, 'open'), isTerminated }
}

describe('the worker that opens files', () => {
  test('is ended when it computes on and on without reading, and the files are named', async () => {
    const { start, isTerminated } = worker({ open: () => new Promise(() => undefined) })
    await expect(openInWorker(files, 1, start, 40)).rejects.toMatchObject({
      code: 'worker/timeout',
      message: expect.stringMatching(/^Opening a\.jsonl, b\.jsonl was given up: nothing came of it for 0\.04 s\.$/) as unknown,
    })
    expect(isTerminated()).toBe(true)
  })

  test('has its time anew whenever it has read something, and is ended when it has answered', async () => {
    const { start, isTerminated } = worker({
      open: async (_files, _first, onRead) => {
        for (let at = 0; at < 10; at++) {
          await new Promise((resolve) => setTimeout(resolve, 30))
          onRead()
        }
        return []
      },
    })
    expect(await openInWorker(files, 1, start, 200)).toEqual([])
    expect(isTerminated()).toBe(true)
  })
})
