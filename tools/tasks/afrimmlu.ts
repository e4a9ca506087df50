/** AfriMMLU, asked in the language itself. The prompts are the port `src/ports/functions/exams/afri-mmlu.ts`. */
import { promptFamilyTexts, sameNames, weightedF1AndAcc } from './african.ts'
import { quote, type TaskTexts } from './task-texts.ts'

export function afrimmluTexts(): TaskTexts {
  return promptFamilyTexts({
    folder: 'afrimmlu/direct',
    title: 'AfriMMLU',
    group: 'afrimmlu-irokobench',
    groupVersion: '2',
    tagOf: (prompt) => `afrimmlu_tasks_prompt_${prompt}`,
    tagOfAll: 'afrimmlu_tasks',
    taskOf: (language, prompt) => `afrimmlu_direct_${language}_prompt_${prompt}`,
    languages: sameNames('amh eng ewe fra hau ibo kin lin lug orm sna sot swa twi wol xho yor zul'),
    common: `dataset_path: masakhane/afrimmlu
validation_split: validation
test_split: test
fewshot_split: validation
output_type: multiple_choice
doc_to_target: "{{['A', 'B', 'C', 'D'].index(answer)}}"
should_decontaminate: true
doc_to_decontamination_query: ${quote('Question: {{question}}\nAnswer:')}
metadata:
  version: 1.0
`,
    promptLines: () => `doc_to_text: !function utils.doc_to_text
doc_to_choice: !function utils.doc_to_choice
${weightedF1AndAcc({ ignoresSigns: true })}`,
  })
}
