/** Texts of the exports and of the HTML report; loaded with the parts that show them. `{name}` is filled in by `fill`. */
import { language } from './language.svelte.ts'

export const exportTexts = {
  heading: 'More formats',
  hint: 'A run as one file can be opened again here by anybody. CSV cells that a spreadsheet would run as formulas begin with an apostrophe.',
  runFile: 'Run as one file',
  report: 'Report (HTML)',
  markdown: 'Table (Markdown)',
  scoresCsv: 'Scores (CSV)',
  samplesCsv: 'Docs of {task} (CSV)',
  evalResults: '.eval_results (YAML)',
  evalResultsHint: 'For the model’s repository on the Hub; task_id is the dataset’s config: compare it with the dataset’s eval.yaml.',
  cluster: 'Folder for a cluster (zip)',
  clusterHint:
    'The folder for a cluster holds task files, rows and commands for lm_eval with torch or vLLM; what comes back is opened here or with npm run eval -- import.',
  making: 'Making {name}…',
  made: '{name} is in your downloads.',
  gated: 'The rows of {datasets} are gated or private. Files from here hold their scores and hashes, but not their text.',
  withText: 'Include the text of {datasets} all the same',
  withheld: 'Text of gated or private rows is left out.',
  reportClaim: 'Reported by whoever made this file, not verified.',
  reportResults: 'Results',
  reportTasks: 'Scores by task',
  reportGroups: 'Scores by group',
  reportColumns: ['Task', 'Version', 'Filter', 'n-shot', 'Metric', 'Value', 'Stderr', 'Docs', '0 to 1'],
  reportBars: 'Bars show the value ± 1.96 standard errors on a line from 0 to 1.',
  reportWarnings: 'Warnings of the run',
  reportRestsOn: 'What it rests on',
  reportModel: 'Model',
  reportCommit: 'Commit',
  reportLicence: 'Licence',
  reportWeights: 'Weights',
  reportDevice: 'Device',
  reportSelfCheck: 'Self-check',
  reportNats: 'nats a token',
  reportScoring: 'Scoring',
  reportData: 'Data',
  reportSettings: 'Settings',
  reportCommand: 'lm_eval',
  reportMade: 'Made',
  reportMadeBy: '{time} with Yardstick {version} ({build})',
  reportSamples: 'Docs of',
  reportShown: 'The first {shown} of {total}.',
  reportRight: 'right',
  reportWrong: 'wrong',
  reportGold: 'gold',
  reportTarget: 'Target:',
} as const

/** The keys that a translation holds. The report is English everywhere: it leaves the page, for readers of any language. */
export type ExportKey = Exclude<keyof typeof exportTexts, `report${string}`> | 'report'

/** The texts of the exports in the language of the page. */
export function exportPageTexts(): { readonly [key in ExportKey]: string } {
  return { ...exportTexts, ...language.texts?.['exports'] }
}
