/** The original MMLU program's 57 subjects over `cais/mmlu`, and MMLU's letter and continuation tasks grouped as its authors group them. */
import { mmluSubjects } from '../../src/ports/original-mmlu/mmlu-categories.ts'
import {
  hendrycksGroupText,
  originalRecipes,
  originalTaskText,
  originalTemplate,
} from '../../src/ports/original-mmlu/original-mmlu-tasks.ts'
import type { TaskTexts } from './task-texts.ts'

export function mmluOriginalTexts(): TaskTexts {
  const texts = new Map<string, string>([['mmlu_original/_original', originalTemplate('hub')]])
  for (const recipe of originalRecipes) {
    for (const subject of mmluSubjects)
      texts.set(
        `mmlu_original/${recipe}/${recipe}_${subject}.yaml`,
        originalTaskText({ recipe, subject, template: '../_original', files: null }),
      )
    texts.set(
      `mmlu_original/${recipe}.yaml`,
      hendrycksGroupText('The original MMLU program: 57 subjects in 17 subcategories and 4 categories.', {
        group: recipe,
        alias: null,
        taskOf: (subject) => `${recipe}_${subject}`,
        subjects: mmluSubjects,
      }),
    )
  }
  for (const suffix of ['', '_continuation']) {
    const style = suffix === '' ? 'letters' : 'continuation'
    texts.set(
      `mmlu_original/mmlu_hendrycks${suffix}.yaml`,
      hendrycksGroupText(`MMLU, ${style}, the harness's tasks in the benchmark authors' 17 subcategories and 4 categories.`, {
        group: `mmlu_hendrycks${suffix}`,
        alias: `mmlu (${style}, hendrycks' categories)`,
        taskOf: (subject) => `mmlu_${subject}${suffix}`,
        subjects: mmluSubjects,
      }),
    )
  }
  return texts
}
