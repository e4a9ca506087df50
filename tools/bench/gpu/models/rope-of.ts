import type { Rope } from '../../../../src/architectures/architecture.ts'
import { readArchitecture } from '../../../../src/architectures/registry.ts'
import type { ShapeConfig } from './shapes.ts'

/** The rotary embedding of a shape, which all its layers share. Throws RangeError for a shape without one. */
export function ropeOf(config: ShapeConfig): Rope {
  const [first] = readArchitecture(config).layers
  if (first?.mixer.kind !== 'attention' || first.mixer.rope === null) throw new RangeError('a shape without rotary embedding')
  return first.mixer.rope
}
