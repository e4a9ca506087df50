/** IFEval's `detectable_content:` instructions. lm_eval 0.4.13, `ifeval/instructions.py`. */
import { compilePython, compileWhenUsed } from '../../../python/regex/compile.ts'
import { lower, strip } from '../../../python/string.ts'
import { countOf, textOf, type Instruction, type Instructions } from './instruction.ts'

const bracketed = compileWhenUsed(String.raw`\[.*?\]`)

const placeholders: Instruction = {
  parameters: ['num_placeholders'],
  build(kwargs, draws) {
    const least = countOf(kwargs, 'num_placeholders', draws, 1, 4)
    return (response) => bracketed.finditer(response).length >= least
  },
}

/** Any other marker is a pattern, looked for in small letters. */
const postscript: Instruction = {
  parameters: ['postscript_marker'],
  build(kwargs, draws) {
    const given = textOf(kwargs, 'postscript_marker')
    const marker = given === null ? draws.one(['P.S.', 'P.P.S']) : strip(given)
    const pattern = compilePython(postscriptPattern(marker), ['MULTILINE'])
    return (response) => pattern.search(lower(response)) !== null
  },
}

function postscriptPattern(marker: string): string {
  if (marker === 'P.P.S') return String.raw`\s*p\.\s?p\.\s?s.*$`
  return marker === 'P.S.' ? String.raw`\s*p\.\s?s\..*$` : String.raw`\s*${lower(marker)}.*$`
}

export const contentInstructions: Instructions = {
  'detectable_content:number_placeholders': placeholders,
  'detectable_content:postscript': postscript,
}
