/** A chart as a picture file. */
import { EvalError } from '../../base/errors.ts'

/** Pixels of the picture for one of the drawing's: sharp on paper and on dense screens. */
const scale = 2

/** An SVG file's text as PNG; `width` and `height` are its own. Throws `internal` where the browser can't draw it. */
export async function svgToPng(svg: string, width: number, height: number): Promise<Blob> {
  const address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  const image = new Image(width, height)
  image.src = address
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width * scale
  canvas.height = height * scale
  const context = canvas.getContext('2d')
  context?.drawImage(image, 0, 0, canvas.width, canvas.height)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (context === null || blob === null) throw new EvalError('internal', 'The chart can’t be drawn as PNG in this browser; save it as SVG.')
  return blob
}
