/** All generated families. */
import { afrimgsmTexts } from './afrimgsm.ts'
import { afrimmluTexts } from './afrimmlu.ts'
import { afriqaTexts } from './afriqa.ts'
import { afrixnliLanguageTexts } from './afrixnli-languages.ts'
import { afrixnliTexts } from './afrixnli.ts'
import { bbhTexts } from './bbh.ts'
import { belebeleTexts } from './belebele.ts'
import { gpqaTexts } from './gpqa.ts'
import { gsm8kTexts } from './gsm8k.ts'
import { masakhanerTexts } from './masakhaner.ts'
import { masakhanewsTexts } from './masakhanews.ts'
import { mathTexts } from './math.ts'
import { mmluOriginalTexts } from './mmlu-original.ts'
import { mmluProTexts } from './mmlu-pro.ts'
import { mmluTexts } from './mmlu.ts'
import { sentimentTexts } from './sentiment.ts'
import { joinTexts, type TaskTexts } from './task-texts.ts'
import { unicodeTexts } from './unicode.ts'
import { xlsumTexts } from './xlsum.ts'

/** Folders of `public/tasks` that hold generated files and nothing else. */
export const familyFolders: readonly string[] = [
  'afrimgsm',
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
  'unicode',
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
    afrimgsmTexts(),
    afriqaTexts(),
    masakhanerTexts(),
    xlsumTexts(),
    unicodeTexts(),
  )
}
