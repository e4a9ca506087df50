/** All families with ports. */
import type { FunctionFamily } from '../../harness/function-table.ts'
import { drop } from './answers/drop.ts'
import { longBench } from './answers/long-bench.ts'
import { mathAnswers } from './answers/math-answers.ts'
import { minervaFamilies } from './answers/minerva-math.ts'
import { crossLingualQa } from './answers/mlqa.ts'
import { norquad } from './answers/norquad.ts'
import { questionAnswering } from './answers/question-answering.ts'
import { rougeSummaries } from './answers/rouge-summaries.ts'
import { superGlueT5 } from './answers/super-glue-t5.ts'
import { truthfulGeneration } from './answers/truthful-generation.ts'
import { webQuestions } from './answers/web-questions.ts'
import { workedAnswers } from './answers/worked-answers.ts'
import { afriXnli } from './choices/afri-xnli.ts'
import { afroBench } from './choices/afro-bench.ts'
import { arabicLeaderboard } from './choices/arabic-leaderboard.ts'
import { aradice } from './choices/aradice.ts'
import { bbhFilters } from './choices/bbh-filters.ts'
import { bbq } from './choices/bbq.ts'
import { biasQuestions } from './choices/bias-questions.ts'
import { copa } from './choices/copa.ts'
import { ethics } from './choices/ethics.ts'
import { evalita } from './choices/evalita.ts'
import { frenchBench } from './choices/french-bench.ts'
import { hellaswag } from './choices/hellaswag.ts'
import { iberianBench } from './choices/iberian-bench.ts'
import { norwegian } from './choices/norwegian.ts'
import { rolling } from './choices/rolling.ts'
import { storyPrompts } from './choices/story-prompts.ts'
import { winogrande } from './choices/winogrande.ts'
import { wsc273 } from './choices/wsc273.ts'
import { xcopaAndWinograd } from './choices/xcopa.ts'
import { detokenized } from './detokenize.ts'
import { afriMmlu } from './exams/afri-mmlu.ts'
import { aradiceMmlu } from './exams/aradice-mmlu.ts'
import { choicePrompts } from './exams/choice-prompts.ts'
import { clickLanguage } from './exams/click-language.ts'
import { gpqa } from './exams/gpqa.ts'
import { metaEvals } from './exams/meta-evals.ts'
import { metabench } from './exams/metabench.ts'
import { mmluProFamilies } from './exams/mmlu-pro.ts'
import { mmluProx } from './exams/mmlu-prox.ts'
import { mmluTranslations } from './exams/mmlu-translations.ts'
import { moreExams } from './exams/more-exams.ts'
import { okapi } from './exams/okapi.ts'
import { regionalMmlu } from './exams/regional-mmlu.ts'
import { singleColumnFilters } from './exams/single-column-filters.ts'
import { smallExams } from './exams/small-exams.ts'
import { tableExams } from './exams/table-exams.ts'
import { unicodeScores } from './exams/unicode-scores.ts'
import { ifeval } from './ifeval/family.ts'
import { refused } from './refused.ts'

/** A family matches a file whose folder ends with the family's. */
export const families: readonly FunctionFamily[] = [
  ...afriMmlu,
  ...afriXnli,
  ...afroBench,
  ...arabicLeaderboard,
  ...aradice,
  ...aradiceMmlu,
  ...bbhFilters,
  bbq,
  ...biasQuestions,
  ...choicePrompts,
  clickLanguage,
  copa,
  ...crossLingualQa,
  ...detokenized,
  drop,
  ethics,
  evalita,
  frenchBench,
  ...gpqa,
  hellaswag,
  ...iberianBench,
  ...ifeval,
  longBench,
  ...mathAnswers,
  ...metaEvals,
  metabench,
  ...minervaFamilies,
  ...mmluProFamilies,
  ...mmluProx,
  ...mmluTranslations,
  ...moreExams,
  norquad,
  ...norwegian,
  ...okapi,
  ...questionAnswering,
  ...refused,
  ...regionalMmlu,
  ...rolling,
  ...rougeSummaries,
  ...singleColumnFilters,
  ...smallExams,
  ...storyPrompts,
  ...superGlueT5,
  ...tableExams,
  ...truthfulGeneration,
  unicodeScores,
  webQuestions,
  winogrande,
  ...workedAnswers,
  wsc273,
  ...xcopaAndWinograd,
]
