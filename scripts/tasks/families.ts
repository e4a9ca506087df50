/** All generated families. */
import { afrimmluTexts } from './afrimmlu.ts'
import { afrixnliLanguageTexts } from './afrixnli-languages.ts'
import { afrixnliTexts } from './afrixnli.ts'
import { bbhTexts } from './bbh.ts'
import { belebeleTexts } from './belebele.ts'
import { gpqaTexts } from './gpqa.ts'
import { gsm8kTexts } from './gsm8k.ts'
import { masakhanewsTexts } from './masakhanews.ts'
import { mathTexts } from './math.ts'
import { mmluProTexts } from './mmlu-pro.ts'
import { mmluTexts } from './mmlu.ts'
import { mmluOriginalTexts } from './mmlu-original.ts'
import { sentimentTexts } from './sentiment.ts'
import { joinTexts, type TaskTexts } from './task-texts.ts'

/** Folders of `public/tasks` that hold generated files and nothing else. */
export const familyFolders: readonly string[] = [
  'afrimmlu',
  'afrixnli',
  'afrobench',
  'bbh',
  'belebele',
  'gpqa',
  'gsm8k',
  'hendrycks_math',
  'minerva_math',
  'mmlu',
  'mmlu_original',
  'mmlu_pro',
]

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
    bbhTexts(),
    gpqaTexts(),
    gsm8kTexts(),
    mathTexts(),
    mmluProTexts(),
  )
}
