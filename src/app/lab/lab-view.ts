/** What the lab shows, as its address says it: a link, a reload and a QR code give the same view. */
import { lessonSteps, type LessonStep } from '../../analysis/lab/lesson.ts'
import { lengthUnits, norms, type LengthUnit, type Norm } from '../../analysis/lab/norms.ts'
import { styles, type Style } from '../../analysis/lab/styles.ts'
import { units, type Unit } from '../../analysis/lab/units.ts'
import { formatHash, type Query } from '../router.svelte.ts'

export interface LabView {
  /** Name of a set of the recording; empty for its first. */
  readonly set: string
  /** Place of the doc in its set. */
  readonly doc: number
  readonly style: Style
  readonly norm: Norm
  readonly unit: Unit
  /** The length penalty's exponent, 0 to 1 in hundredths, and what it counts. */
  readonly alpha: number
  readonly by: LengthUnit
  /** The lesson's step; null outside it. */
  readonly step: LessonStep | null
  /** Before a class: large, with the answers hidden until they are shown. */
  readonly isClass: boolean
  readonly isRevealed: boolean
}

export const firstView: LabView = {
  set: '',
  doc: 0,
  style: 'continuation',
  norm: 'acc',
  unit: 'nats',
  alpha: 0,
  by: 'characters',
  step: null,
  isClass: false,
  isRevealed: false,
}

/** Reads `#/lab?…`. What is missing or makes no sense is as in `firstView`; whether set and doc exist, the recording knows. */
export function readLabView(query: Query): LabView {
  const doc = Number(query['doc'] ?? 1)
  const alpha = Number(query['alpha'] ?? 0)
  return {
    set: query['set'] ?? '',
    doc: Number.isSafeInteger(doc) && doc > 0 ? doc - 1 : 0,
    style: oneOf(styles, query['style']) ?? firstView.style,
    norm: oneOf(norms, query['norm']) ?? firstView.norm,
    unit: oneOf(units, query['unit']) ?? firstView.unit,
    alpha: alpha >= 0 && alpha <= 1 ? Math.round(alpha * 100) / 100 : 0,
    by: oneOf(lengthUnits, query['by']) ?? firstView.by,
    step: oneOf(lessonSteps, query['step']) ?? null,
    isClass: query['class'] === '1',
    isRevealed: query['revealed'] === '1',
  }
}

/** The hash of a view; what is as in `firstView` is left out, docs count from 1. */
export function labHash(view: LabView): string {
  const unless = (value: string, usual: string) => (value === usual ? '' : value)
  return formatHash('/lab', {
    set: view.set,
    doc: unless(String(view.doc + 1), '1'),
    style: unless(view.style, firstView.style),
    norm: unless(view.norm, firstView.norm),
    unit: unless(view.unit, firstView.unit),
    alpha: unless(String(view.alpha), '0'),
    by: unless(view.by, firstView.by),
    step: view.step ?? '',
    class: view.isClass ? '1' : '',
    revealed: view.isRevealed ? '1' : '',
  })
}

function oneOf<Name extends string>(names: readonly Name[], wanted: string | undefined): Name | undefined {
  return names.find((name) => name === wanted)
}
