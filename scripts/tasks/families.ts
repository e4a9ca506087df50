/** All generated families. */
import { afrimmluTexts } from './afrimmlu.ts'
import { afrixnliLanguageTexts } from './afrixnli-languages.ts'
import { afrixnliTexts } from './afrixnli.ts'
import { belebeleTexts } from './belebele.ts'
import { masakhanewsTexts } from './masakhanews.ts'
import { mmluTexts } from './mmlu.ts'
import { mmluOriginalTexts } from './mmlu-original.ts'
import { sentimentTexts } from './sentiment.ts'
import { joinTexts, type TaskTexts } from './task-texts.ts'

/** Folders of `public/tasks` that hold generated files and nothing else. */
export const familyFolders: readonly string[] = ['afrimmlu', 'afrixnli', 'afrobench', 'belebele', 'mmlu', 'mmlu_original']

/** Every generated file by its path below `public/tasks`. */
export function familyTexts(): TaskTexts {
  return joinTexts(
    mmluTexts(),
    mmluOriginalTexts(),
    afrimmluTexts(),
    afrixnliTexts(),
    afrixnliLanguageTexts(),
    belebeleTexts(),
    masakhanewsTexts(),
    sentimentTexts(),
  )
}
