/** The commands that an exported folder is run with: lm_eval 0.4.13 over Hugging Face's accelerate, and over vLLM. */
import type { Json } from '../../base/errors.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import { lmEvalCommand } from '../../settings/lm-eval-command.ts'
import { harnessModelArgs } from '../../settings/run-config-write.ts'

/** GPUs that share one model, and copies of the model that share the docs. */
export interface Parallelism {
  readonly tensor: number
  readonly data: number
}

export interface ClusterRun {
  readonly settings: RunSettings
  /** What `--tasks` names. */
  readonly tasks: readonly string[]
  /** What lm_eval loads, from the exported folder: an id on the Hub with its commit, or a folder. */
  readonly model: { readonly path: string; readonly commit: string | null }
  readonly parallelism: Parallelism
}

/** Folder of the task files, below the exported one. */
export const taskFolder = 'tasks'

/** Both commands, for a shell in the exported folder. */
export function clusterCommands(run: ClusterRun): { readonly hf: string; readonly vllm: string } {
  const { settings, tasks, model, parallelism } = run
  const revision = model.commit ?? 'main'
  const modelArgs: { readonly [key: string]: Json } = harnessModelArgs({ ...settings, model: model.path, revision })
  const asked = { ...settings, tasks }
  return {
    hf: lmEvalCommand(asked, taskFolder, {
      // Without a number of processes accelerate takes every GPU that it sees.
      launcher: parallelism.data > 1 ? `accelerate launch --num_processes ${parallelism.data} -m lm_eval` : 'accelerate launch -m lm_eval',
      model: 'hf',
      modelArgs: parallelism.tensor > 1 ? { ...modelArgs, parallelize: true } : modelArgs,
      more: [['batch_size', '8']],
    }),
    vllm: lmEvalCommand(asked, taskFolder, {
      launcher: 'lm_eval',
      model: 'vllm',
      modelArgs: { ...forVllm(modelArgs), tensor_parallel_size: parallelism.tensor, data_parallel_size: parallelism.data },
      more: [['batch_size', 'auto']],
    }),
  }
}

/** vLLM knows no `gguf_file`: a file of a folder or of a repository is its model. */
function forVllm({ gguf_file: file, ...modelArgs }: { readonly [key: string]: Json }): { readonly [key: string]: Json } {
  const { pretrained } = modelArgs
  return typeof file === 'string' && typeof pretrained === 'string' ? { ...modelArgs, pretrained: `${pretrained}/${file}` } : modelArgs
}
