/** What a GGUF file's quantisation is called, which is its dtype here: Q4_K_M, Q8_0, F16. */
import type { GgufValue } from '../../weights/gguf/values.ts'
import { namesOfParts } from '../../weights/gguf/split.ts'

/** `general.file_type` by number. Source: gguf 0.19, `LlamaFileType`. */
const fileTypes: ReadonlyMap<number, string> = new Map([
  [0, 'F32'],
  [1, 'F16'],
  [2, 'Q4_0'],
  [3, 'Q4_1'],
  [7, 'Q8_0'],
  [8, 'Q5_0'],
  [9, 'Q5_1'],
  [10, 'Q2_K'],
  [11, 'Q3_K_S'],
  [12, 'Q3_K_M'],
  [13, 'Q3_K_L'],
  [14, 'Q4_K_S'],
  [15, 'Q4_K_M'],
  [16, 'Q5_K_S'],
  [17, 'Q5_K_M'],
  [18, 'Q6_K'],
  [19, 'IQ2_XXS'],
  [20, 'IQ2_XS'],
  [21, 'Q2_K_S'],
  [22, 'IQ3_XS'],
  [23, 'IQ3_XXS'],
  [24, 'IQ1_S'],
  [25, 'IQ4_NL'],
  [26, 'IQ3_S'],
  [27, 'IQ3_M'],
  [28, 'IQ2_S'],
  [29, 'IQ2_M'],
  [30, 'IQ4_XS'],
  [31, 'IQ1_M'],
  [32, 'BF16'],
  [36, 'TQ1_0'],
  [37, 'TQ2_0'],
  [38, 'MXFP4_MOE'],
  [39, 'NVFP4'],
  [40, 'Q1_0'],
])

// UD: Unsloth's files, some of whose layers have other types than the name says.
const inName = /(?:^|[-._])((?:UD-)?(?:I?Q[1-8](?:_[0-9A-Z]+)*|TQ[12]_0|B?F16|FP16|F32|FP32|MXFP4(?:_MOE)?|NVFP4))(?=$|[-.])/gi

/** By the file's name, with the last such word in it, as repositories tell their files apart; null where it says none. */
export function quantisationInName(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const stem = (namesOfParts(name) === null ? name : name.replace(/-\d{5}-of-\d{5}(?=\.gguf$)/, '')).replace(/\.gguf$/, '')
  const found = [...stem.matchAll(inName)].at(-1)?.[1]
  return found === undefined ? null : found.toUpperCase().replace(/^FP/, 'F')
}

/** By the metadata; null where they don't say, or a number that isn't known. */
export function quantisationInMetadata(metadata: ReadonlyMap<string, GgufValue>): string | null {
  const type = metadata.get('general.file_type')
  return typeof type === 'number' ? (fileTypes.get(type) ?? null) : null
}
