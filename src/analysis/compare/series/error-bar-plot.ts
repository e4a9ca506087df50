/** Where the lines, points and bars of a plot of checkpoints lie; a page, an SVG file and a test draw from the same numbers. */
import { maxOf, minOf } from '../../../base/arrays.ts'
import type { CheckpointSeries } from './checkpoints.ts'

interface PlotBox {
  readonly width: number
  readonly height: number
  /** Room for axes on each side. */
  readonly margin: number
}

interface PlotMark {
  readonly revision: string
  readonly x: number
  readonly y: number
  /** The bar's upper and lower end in the plot, upper first. */
  readonly barTop: number
  readonly barBottom: number
}

interface PlotLine {
  readonly label: string
  readonly marks: readonly PlotMark[]
  /** The `points` of an SVG polyline. */
  readonly polyline: string
}

interface ErrorBarPlot {
  readonly lines: readonly PlotLine[]
  /** Steps and scores at the plot's edges. */
  readonly domain: { readonly steps: readonly [number, number]; readonly scores: readonly [number, number] }
}

/**
 * Lays series out in a box, all on the same axes: x by step (points without a step are left out), y from the lowest bar to the highest.
 * Coordinates are rounded to hundredths, y grows downwards.
 */
export function errorBarPlot(series: readonly CheckpointSeries[], { width, height, margin }: PlotBox): ErrorBarPlot {
  const known = series.map(({ metric, filter, points }) => ({
    label: filter === 'none' ? metric : `${metric}, ${filter}`,
    points: points.flatMap((point) => (point.step === null ? [] : [{ ...point, step: point.step }])),
  }))
  const all = known.flatMap(({ points }) => points)
  const steps = edges(all.map(({ step }) => step))
  const scores = edges(all.flatMap(({ low, high }) => [low, high]))
  const scale = (value: number, [from, to]: readonly [number, number], room: number): number =>
    to === from ? room / 2 : ((value - from) / (to - from)) * room
  const xOf = (step: number): number => round(margin + scale(step, steps, width - 2 * margin))
  const yOf = (score: number): number => round(height - margin - scale(score, scores, height - 2 * margin))
  return {
    lines: known.map(({ label, points }) => {
      const marks = points.map(({ revision, step, value, low, high }) => ({
        revision,
        x: xOf(step),
        y: yOf(value),
        barTop: yOf(high),
        barBottom: yOf(low),
      }))
      return { label, marks, polyline: marks.map(({ x, y }) => `${x},${y}`).join(' ') }
    }),
    domain: { steps, scores },
  }
}

function edges(values: readonly number[]): readonly [number, number] {
  return values.length === 0 ? [0, 1] : [minOf(values), maxOf(values)]
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
