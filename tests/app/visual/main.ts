/** The page over the fake client, for looking at it: `?state=live|broken|empty` chooses what the client does. */
import { EvalError } from '../../../src/core/errors.ts'
import { mountApp } from '../../../src/ui/mount.ts'
import { createFakeClient, historyRows, manySamples, type FakeOptions } from '../fake-client.ts'

const states: { readonly [name: string]: FakeOptions } = {
  live: { stepMs: 60, freezeAt: 17 },
  quick: { stepMs: 1 },
  broken: {
    startError: new EvalError(
      'model/no-onnx',
      'wanted ONNX files under onnx/ in "org/plain-model" at commit 4f1c2ab, found only model.safetensors',
    ),
  },
  limited: {
    searchError: new EvalError('hub/rate-limited', 'huggingface.co allows no more requests for now. Try again in 3000 s.', {
      details: { retryAfterSeconds: 3000 },
    }),
  },
  empty: { rows: [] },
  large: { samples: manySamples(14_000) },
}
const state = new URLSearchParams(location.search).get('state') ?? ''

mountApp(createFakeClient({ rows: historyRows(), ...states[state] }), document.body)
