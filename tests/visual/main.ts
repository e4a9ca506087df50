/** The page over the fake client, for looking at it: `?state=live|broken|empty` chooses what the client does. */
import { EvalError } from '../../src/base/errors.ts'
import { mountApp } from '../../src/ui/mount.ts'
import { createFakeClient, historyRows, manySamples, type FakeOptions } from '../app/fake-client.ts'

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
  stored: {
    files: [
      { path: 'config.json', bytes: 714, kept: 714 },
      { path: 'onnx/model_q4.onnx', bytes: 180_000_000, kept: 180_000_000 },
      { path: 'onnx/model.onnx_data', bytes: 540_000_000, kept: 120_000_000 },
    ].map(({ path, bytes, kept }) => ({
      key: `sha256-${path}`,
      bytes,
      bytesKept: kept,
      isComplete: kept === bytes,
      uses: [
        { kind: 'model' as const, id: 'HuggingFaceTB/SmolLM2-135M-Instruct', commit: '12fd25f77366fa6b3b4b768ec3050bf629380bac', path },
      ],
    })),
  },
  large: { samples: manySamples(14_000) },
}
const state = new URLSearchParams(location.search).get('state') ?? ''

mountApp(createFakeClient({ rows: historyRows(), ...states[state] }), document.body)
