/** All families with ports. */
import { afriMmlu } from './afri-mmlu.ts'
import { afriXnli } from './afri-xnli.ts'
import { afroBench } from './afro-bench.ts'
import { arabicLeaderboard } from './arabic-leaderboard.ts'
import { aradice } from './aradice.ts'
import { aradiceMmlu } from './aradice-mmlu.ts'
import { bbhFilters } from './bbh-filters.ts'
import { bbq } from './bbq.ts'
import { biasQuestions } from './bias-questions.ts'
import { choicePrompts } from './choice-prompts.ts'
import { clickLanguage } from './click-language.ts'
import { copa } from './copa.ts'
import { detokenized } from './detokenize.ts'
import { drop } from './drop.ts'
import { ethics } from './ethics.ts'
import { evalita } from './evalita.ts'
import { frenchBench } from './french-bench.ts'
import type { FunctionFamily } from './function-types.ts'
import { gpqa } from './gpqa.ts'
import { hellaswag } from './hellaswag.ts'
import { iberianBench } from './iberian-bench.ts'
import { ifeval } from './ifeval/family.ts'
import { longBench } from './long-bench.ts'
import { mathAnswers } from './math-answers.ts'
import { metaEvals } from './meta-evals.ts'
import { metabench } from './metabench.ts'
import { minervaFamilies } from './minerva-math.ts'
import { crossLingualQa } from './mlqa.ts'
import { mmluProFamilies } from './mmlu-pro.ts'
import { mmluProx } from './mmlu-prox.ts'
import { mmluTranslations } from './mmlu-translations.ts'
import { moreExams } from './more-exams.ts'
import { norquad } from './norquad.ts'
import { norwegian } from './norwegian.ts'
import { okapi } from './okapi.ts'
import { questionAnswering } from './question-answering.ts'
import { refused } from './refused.ts'
import { regionalMmlu } from './regional-mmlu.ts'
import { rolling } from './rolling.ts'
import { rougeSummaries } from './rouge-summaries.ts'
import { singleColumnFilters } from './single-column-filters.ts'
import { smallExams } from './small-exams.ts'
import { storyPrompts } from './story-prompts.ts'
import { superGlueT5 } from './super-glue-t5.ts'
import { tableExams } from './table-exams.ts'
import { truthfulGeneration } from './truthful-generation.ts'
import { unicodeScores } from './unicode-scores.ts'
import { webQuestions } from './web-questions.ts'
import { winogrande } from './winogrande.ts'
import { workedAnswers } from './worked-answers.ts'
import { wsc273 } from './wsc273.ts'
import { xcopaAndWinograd } from './xcopa.ts'

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
