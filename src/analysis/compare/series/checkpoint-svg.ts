/** A checkpoint curve as an SVG file of its own: lines with 95% bars over the training step, colours that colour-blind people tell apart. */
import type { CheckpointSeries } from './checkpoints.ts'
import { errorBarPlot } from './error-bar-plot.ts'

/** Okabe and Ito's palette, without yellow and black. */
export const chartColours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00'] as const
/** The drawing's size in pixels. */
export const chartBox = { width: 720, height: 420, margin: 60 } as const

/** The file's text. Points without a step are left out; two or more series share the axes. */
export function checkpointSvg(title: string, series: readonly CheckpointSeries[]): string {
  const { lines, domain } = errorBarPlot(series, chartBox)
  const { width, height, margin } = chartBox
  const [right, bottom] = [width - margin, height - margin]
  const label = (x: number, y: number, anchor: string, text: string): string =>
    `<text x="${x}" y="${y}" text-anchor="${anchor}">${escapeXml(text)}</text>`
  const drawn = lines.flatMap(({ label: name, marks, polyline }, index) => {
    const colour = chartColours[index % chartColours.length] ?? chartColours[0]
    return [
      `<g stroke="${colour}" fill="none" stroke-width="2"><title>${escapeXml(name)}</title>`,
      `<polyline points="${polyline}"/>`,
      ...marks.map(({ x, barTop, barBottom }) => `<line x1="${x}" y1="${barTop}" x2="${x}" y2="${barBottom}"/>`),
      ...marks.map(
        ({ x, y, revision }) => `<circle cx="${x}" cy="${y}" r="4" fill="${colour}"><title>${escapeXml(revision)}</title></circle>`,
      ),
      '</g>',
      `<rect x="${margin + 8}" y="${margin + 4 + 18 * index}" width="12" height="12" fill="${colour}"/>`,
      label(margin + 26, margin + 14 + 18 * index, 'start', name),
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    label(width / 2, margin / 2, 'middle', title),
    `<path d="M${margin} ${margin}V${bottom}H${right}" fill="none" stroke="#444444"/>`,
    label(margin, bottom + 18, 'middle', String(domain.steps[0])),
    label(right, bottom + 18, 'middle', String(domain.steps[1])),
    label(width / 2, bottom + 36, 'middle', 'training step'),
    label(margin - 6, bottom + 4, 'end', domain.scores[0].toFixed(3)),
    label(margin - 6, margin + 4, 'end', domain.scores[1].toFixed(3)),
    ...drawn,
    '</svg>',
    '',
  ].join('\n')
}

/** Control characters, which XML has no way to write, become blanks. */
function escapeXml(text: string): string {
  return text
    .replace(/\p{Cc}/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
