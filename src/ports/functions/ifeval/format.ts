/** IFEval's `detectable_format:` instructions. lm_eval 0.4.13, `ifeval/instructions.py`. */
import { compilePython, compileWhenUsed } from '../../../python/regex/compile.ts'
import { lstrip, rstrip, strip } from '../../../python/string.ts'
import { countOf, plain, textOf, type Instruction, type Instructions } from './instruction.ts'

const starBullet = compileWhenUsed(String.raw`^\s*\*[^\*].*$`, ['MULTILINE'])
const dashBullet = compileWhenUsed(String.raw`^\s*-.*$`, ['MULTILINE'])

const bullets: Instruction = {
  parameters: ['num_bullets'],
  build(kwargs, draws) {
    const wanted = countOf(kwargs, 'num_bullets', draws, 1, 5)
    return (response) => starBullet.finditer(response).length + dashBullet.finditer(response).length === wanted
  },
}

const options = ['My answer is yes.', 'My answer is no.', 'My answer is maybe.']
const starred = /\*[^\n*]*\*/g
const doublyStarred = /\*\*[^\n*]*\*\*/g

/** Text between stars; between double stars it counts once more. */
const highlights: Instruction = {
  parameters: ['num_highlights'],
  build(kwargs, draws) {
    const least = countOf(kwargs, 'num_highlights', draws, 1, 4)
    return (response) => {
      const single = (response.match(starred) ?? []).filter((part) => strip(strip(part, '*')) !== '')
      const double = (response.match(doublyStarred) ?? []).filter((part) => strip(part.slice(2, -2)) !== '')
      return single.length + double.length >= least
    }
  },
}

/** The marker is a pattern. */
const sections: Instruction = {
  parameters: ['section_spliter', 'num_sections'],
  build(kwargs, draws) {
    const given = textOf(kwargs, 'section_spliter')
    const marker = given === null ? draws.one(['Section', 'SECTION']) : strip(given)
    const least = countOf(kwargs, 'num_sections', draws, 1, 5)
    const pattern = compilePython(String.raw`\s?${marker}\s?\d+\s?`)
    return (response) => pattern.split(response).length - 1 >= least
  },
}

/** Also in a fence; Python reads `NaN` and `Infinity` as numbers. */
function isJson(response: string): boolean {
  const opened = ['```json', '```Json', '```JSON', '```'].reduce(
    (rest, fence) => (rest.startsWith(fence) ? rest.slice(fence.length) : rest),
    strip(response),
  )
  const text = strip(opened.endsWith('```') ? opened.slice(0, -3) : opened)
  try {
    JSON.parse(text.replace(/"(?:[^"\\]|\\[^])*"|NaN|-?Infinity/g, (part) => (part.startsWith('"') ? part : ' 0 ')))
    return true
  } catch {
    return false
  }
}

const angled = /<<[^\n]+>>/g

function hasTitle(response: string): boolean {
  return (response.match(angled) ?? []).some((title) => strip(rstrip(lstrip(title, '<'), '>')) !== '')
}

export const formatInstructions: Instructions = {
  'detectable_format:number_bullet_lists': bullets,
  'detectable_format:constrained_response': plain((response) => options.some((option) => strip(response).includes(option))),
  'detectable_format:number_highlighted_sections': highlights,
  'detectable_format:multiple_sections': sections,
  'detectable_format:json_format': plain(isJson),
  'detectable_format:title': plain(hasTitle),
}
