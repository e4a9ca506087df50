/** The text files of an exported folder: commands, README, and what should come back. */
import type { TaskFile } from '../../contracts/run-settings.ts'
import { torchDtype } from '../../settings/run-config-write.ts'
import { clusterCommands, taskFolder, type ClusterRun } from './commands.ts'
import { expectedFile, expectedText, type ExpectedTask } from './expected.ts'

/** Where lm_eval writes in the folder, as its commands say. */
export const returnedFolder = 'results'
/** Where the browser's own files of the run lie, when it has been run there. */
export const browserFolder = 'browser'

interface FolderParts extends ClusterRun {
  readonly taskFiles: readonly TaskFile[]
  readonly rowFiles: readonly TaskFile[]
  readonly expected: readonly ExpectedTask[]
  /** Tasks whose rows stay where their dataset is. */
  readonly remote: readonly { readonly task: string; readonly dataset: string; readonly commit: string | null }[]
  /** What somebody who runs the folder must know; one sentence each. */
  readonly notes: readonly string[]
}

/** All text files by their paths below the folder. */
export function folderTexts(parts: FolderParts): readonly TaskFile[] {
  const commands = clusterCommands(parts)
  const { settings, expected, taskFiles, rowFiles } = parts
  return [
    { path: 'README.md', text: readme(parts, commands) },
    { path: 'run_hf.sh', text: script(commands.hf) },
    { path: 'run_vllm.sh', text: script(commands.vllm) },
    { path: expectedFile, text: expectedText({ model: settings.model, dtype: settings.dtype, tasks: expected }) },
    ...taskFiles.map(({ path, text }) => ({ path: `${taskFolder}/${path}`, text })),
    ...rowFiles,
  ]
}

/** What torch and vLLM can't repeat of how the browser ran. */
export function dtypeNote(dtype: string | null): string | null {
  if (dtype === null || torchDtype(dtype) !== null) return null
  if (dtype.endsWith('.gguf'))
    return `In the browser the weights of ${dtype} were run as they are stored; lm_eval unpacks the same values to float32 (\`gguf_file\`). vLLM has no such argument and is given the file as its model.`
  return `In the browser the weights were ${dtype}; torch and vLLM load them unquantised, so log-probabilities differ while prompts and hashes agree.`
}

function script(command: string): string {
  return `#!/bin/sh\n# Paths in the task files start here.\ncd "$(dirname "$0")" || exit 1\n${command}\n`
}

function readme({ expected, remote, notes }: FolderParts, commands: { readonly hf: string; readonly vllm: string }): string {
  const docs = expected.reduce((sum, task) => sum + task.docs.length, 0)
  const datasets = remote.map(
    ({ task, dataset, commit }) => `- ${task}: \`${dataset}\`${commit === null ? '' : ` (here at commit \`${commit}\`)`}`,
  )
  return [
    '# An evaluation to run elsewhere',
    '',
    `${expected.length} tasks with ${docs} docs, for lm-evaluation-harness 0.4.13. Start either command in this folder: paths in the task files begin here.`,
    '',
    'On one machine or several GPUs, with torch (`pip install "lm_eval[hf]==0.4.13" accelerate`), as in `run_hf.sh`:',
    '',
    '```sh',
    commands.hf,
    '```',
    '',
    'With vLLM (`pip install "lm_eval[vllm]==0.4.13"`), as in `run_vllm.sh`. `tensor_parallel_size` is the number of GPUs that share one model, `data_parallel_size` the number of copies:',
    '',
    '```sh',
    commands.vllm,
    '```',
    '',
    `Results go to \`${returnedFolder}/\`. Then, where this folder came from:`,
    '',
    '```sh',
    'npm run eval -- import THIS_FOLDER',
    '```',
    '',
    `holds the hash of every doc, prompt and target that came back against \`${expectedFile}\`${' '}and, where the folder has them, the scores against the browser's in \`${browserFolder}/\`.`,
    ...(notes.length === 0 ? [] : ['', '## To know', '', ...notes.map((note) => `- ${note}`)]),
    ...(datasets.length === 0
      ? []
      : [
          '',
          '## Rows that lm_eval fetches',
          '',
          ...datasets,
          '',
          'When hashes of docs differ, the dataset has changed since; `revision` under `dataset_kwargs` of the task file takes a commit.',
        ]),
    '',
  ].join('\n')
}
