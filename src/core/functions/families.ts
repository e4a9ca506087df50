/** All families with ports. */
import { afriMmlu } from './afri-mmlu.ts'
import { afriXnli } from './afri-xnli.ts'
import { afroBench } from './afro-bench.ts'
import { arabicLeaderboard } from './arabic-leaderboard.ts'
import { aradiceMmlu } from './aradice-mmlu.ts'
import { aradice } from './aradice.ts'
import { bbhFilters } from './bbh-filters.ts'
import { biasQuestions } from './bias-questions.ts'
import { choicePrompts } from './choice-prompts.ts'
import { copa } from './copa.ts'
import { detokenized } from './detokenize.ts'
import type { FunctionFamily } from './function-types.ts'
import { hellaswag } from './hellaswag.ts'
import { mathAnswers } from './math-answers.ts'
import { crossLingualQa } from './mlqa.ts'
import { mmluProFamilies } from './mmlu-pro.ts'
import { mmluProx } from './mmlu-prox.ts'
import { mmluTranslations } from './mmlu-translations.ts'
import { moreExams } from './more-exams.ts'
import { norwegian } from './norwegian.ts'
import { okapi } from './okapi.ts'
import { questionAnswering } from './question-answering.ts'
import { regionalMmlu } from './regional-mmlu.ts'
import { rolling } from './rolling.ts'
import { singleColumnFilters } from './single-column-filters.ts'
import { storyPrompts } from './story-prompts.ts'
import { tableExams } from './table-exams.ts'
import { winogrande } from './winogrande.ts'
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
  ...biasQuestions,
  ...choicePrompts,
  copa,
  ...crossLingualQa,
  ...detokenized,
  hellaswag,
  ...mathAnswers,
  ...mmluProFamilies,
  ...mmluProx,
  ...mmluTranslations,
  ...moreExams,
  ...norwegian,
  ...okapi,
  ...questionAnswering,
  ...regionalMmlu,
  ...rolling,
  ...singleColumnFilters,
  ...storyPrompts,
  ...tableExams,
  winogrande,
  ...xcopaAndWinograd,
]
