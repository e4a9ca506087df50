/** Helpers of lm_eval 0.4.13 that can't be ported, because they score by models, planners or services of their own. */
import type { FunctionFamily } from '../../harness/function-table.ts'

const bertScore = 'scores by BERTScore, a model of its own, which does not run here'
const planner = 'runs a planner, which does not run here'

const all = (names: readonly string[], reason: string): { readonly [name: string]: string } =>
  Object.fromEntries(names.map((name) => [`utils.${name}`, reason]))

export const refused: readonly FunctionFamily[] = [
  ...['darija_translation', 'darija_transliteration', 'darija_summarization'].map((task) => ({
    folder: `darija_bench/${task}`,
    refused: all(['bert', 'darijabert', 'mbert', 'arabert', 'bertbase', 'camembert', 'arabizibert'], bertScore),
  })),
  { folder: 'noreval/norsumm', refused: all(['process_results'], bertScore) },
  ...['gen_2shot', 'gen_2shot_with_pddl'].map((task) => ({
    folder: `acpbench/${task}`,
    refused: { 'acp_utils.process_acp_results': planner },
  })),
  {
    folder: 'realtoxicityprompts',
    refused: { 'metric.toxicity_perspective_api': 'asks a service on the network, which this program never does' },
  },
  { folder: 'pisa', refused: all(['pisa_process_results_llm_judged'], 'asks a service on the network, which this program never does') },
]
