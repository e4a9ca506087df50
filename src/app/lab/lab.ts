/** The lab's recorded run, fetched from the page's own files and checked. */
import * as v from 'valibot'
import type { Recording } from '../../analysis/lab/recorded.ts'
import { EvalError } from '../../base/errors.ts'

const numbers = v.array(v.pipe(v.number(), v.finite()))

const asked = {
  prompt: v.string(),
  choices: v.array(
    v.object({
      continuation: v.string(),
      text: v.string(),
      tokens: v.array(v.string()),
      logprobs: numbers,
      unconditional: v.number(),
    }),
  ),
}

const recordingSchema = v.object({
  model: v.string(),
  commit: v.string(),
  dtype: v.string(),
  sets: v.array(
    v.object({
      name: v.string(),
      language: v.string(),
      docs: v.array(v.object({ docId: v.number(), gold: v.number(), ...asked, letters: v.nullable(v.object(asked)) })),
    }),
  ),
})

let kept: Promise<Recording> | null = null

/** The recording, fetched once a page: asked for early, the lab opens with the network off. A failure is forgotten, so that asking again tries again. */
export async function loadRecording(): Promise<Recording> {
  kept ??= readRecording().catch((error: unknown) => {
    kept = null
    throw error
  })
  return await kept
}

/** Reads `lab/recorded.json` beside the page. Throws `app/outdated` when it isn't there or isn't a recording. */
async function readRecording(): Promise<Recording> {
  const response = await fetch(new URL('lab/recorded.json', document.baseURI))
  const parsed = response.ok ? v.safeParse(recordingSchema, await response.json()) : null
  if (parsed?.success !== true) {
    throw new EvalError(
      'app/outdated',
      `Wanted the lab's recorded run at lab/recorded.json, found ${response.ok ? 'another file' : `HTTP ${response.status}`}.`,
    )
  }
  return parsed.output
}
