import { expect, test } from 'vitest'
import { provenanceOf } from '../../src/evaluation/provenance.ts'
import { runManifest } from '../app/builders.ts'

test('a result says that an ONNX file was measured, not the original weights', () => {
  const manifest = runManifest('r')
  const files = [
    { path: 'config.json', bytes: 1, sha256: 'a'.repeat(64) },
    { path: 'onnx/model_q4.onnx', bytes: 2, sha256: 'b'.repeat(64) },
    { path: 'onnx/model_q4.onnx_data', bytes: 3, sha256: 'c'.repeat(64) },
  ]
  expect(provenanceOf({ ...manifest, model: { ...manifest.model, files } })).toMatchObject({
    model_format: 'onnx',
    measured: 'Measured: the ONNX file onnx/model_q4.onnx, not the repository’s original weights.',
  })
  expect(provenanceOf({ ...manifest, model: { ...manifest.model, files: [] } })['measured']).toBe(
    'Measured: the ONNX file, not the repository’s original weights.',
  )
})
