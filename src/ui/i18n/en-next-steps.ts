import type { ErrorCode } from '../../base/errors.ts'
import { translated } from './language.svelte.ts'

/**
 * What to do next, for every error code; the error's own message says what happened. A file of its own because no first load needs it.
 */
export const nextSteps: { readonly [code in ErrorCode]: string } = {
  'task/invalid': 'Correct the task file at the place named above, and add it again.',
  'task/unknown': 'Check the spelling, search the task list, or add the file that defines the task.',
  'task/unknown-function':
    'The task needs Python code that Yardstick has no port of. Choose another task, or write the step in the YAML itself.',
  'task/unsupported': 'This kind of task can’t run here. Choose another one.',
  'yaml/invalid': 'Correct the YAML at the line named above, and add it again.',
  'template/invalid': 'Correct the Jinja template in the task file.',
  'template/undefined': 'The template names a field that the data doesn’t have. Compare it with the dataset’s columns.',
  'template/budget': 'The template takes too long. Simplify its loops.',
  'regex/unsupported': 'Rewrite the filter’s pattern without this construct.',
  'regex/timeout': 'The pattern takes too long on this text. Rewrite it without nested repetition.',
  'filter/failed': 'Check the filter’s settings in the task file.',
  'metric/failed': 'Check the metric’s settings in the task file.',
  'fewshot/failed': 'Ask for fewer examples, or check the task’s few-shot split.',
  'dataset/not-found': 'Check the dataset’s name in the task file, and that it is public.',
  'dataset/schema': 'The data lacks a column that the task names. Check the task file against the dataset.',
  'dataset/malformed': 'Correct the data file at the place named above.',
  'dataset/empty': 'Choose another split, or a larger limit.',
  'hub/not-found': 'Check the spelling of the id and the revision; private repositories look the same as missing ones.',
  'hub/gated': 'Open its page, log in and accept its terms, then try again with a token of yours that can read it.',
  'hub/unauthorized': 'If it is private or gated, give a token that can read it; else check the spelling.',
  'hub/rate-limited': 'The Hub asks for a pause. Try again in a few minutes.',
  'hub/unreachable': 'Check the network connection, and try again. What was downloaded is kept.',
  'hub/corrupt': 'The file doesn’t match its checksum. Try again; if it stays so, the repository itself is damaged.',
  'model/not-found': 'Check the spelling of the model id, or choose an included model.',
  'model/no-onnx': 'Choose a model with safetensors, GGUF or ONNX files.',
  'model/no-form': 'Choose one of the forms that the model has.',
  'model/unknown-dtype': 'Choose one of the weights that the model offers.',
  'model/unsupported': 'This architecture can’t be scored here. Choose another model.',
  'model/corrupt': 'Try again; if it stays so, the model’s files are damaged.',
  'model/too-large': 'Choose smaller weights (q4), a smaller model, or a machine with more memory.',
  'local/missing': 'Choose the folder or file again: a browser may read it only as long as the page is open.',
  'address/failed':
    'Try the address in another tab. If it works there, download the file and choose it here: its server doesn’t let other sites read it.',
  'tokenizer/broken': 'The model’s tokenizer can’t be read. Choose another revision or model.',
  'tokenizer/chat-template': 'Switch the chat template off, or choose a model whose template works.',
  'engine/no-webgpu': 'Choose “Automatic” or WebAssembly as the device, or use a browser with WebGPU.',
  'engine/self-check-failed': 'This GPU computes wrong scores for this model. Choose “Automatic” or WebAssembly as the device.',
  'engine/out-of-memory': 'Close other tabs, or choose smaller weights. The run can be resumed.',
  'engine/device-lost': 'The GPU went away. Resume the run; if it happens again, choose WebAssembly.',
  'engine/prompt-too-long': 'Use fewer few-shot examples, or a model with a longer window.',
  'engine/nonfinite': 'The model’s output isn’t a number. Try other weights, or WebAssembly.',
  'engine/failed': 'Try again, or choose another device or other weights.',
  'storage/quota': 'The browser’s storage is full. Delete old runs in the history, then resume this one.',
  'storage/unavailable': 'Storage is switched off, perhaps in a private window. Allow it, or use a normal window.',
  'storage/blocked': 'Close the other tabs of this page, then reload.',
  'storage/newer': 'Reload the page to get the newer version, and export your results there.',
  'storage/corrupt':
    'Stored data can’t be read. Delete this run and start it again, or, if it is the whole database, this site’s data in the browser’s settings.',
  'storage/fenced': 'Another tab has taken this run over. Follow it there.',
  'results/invalid':
    'Choose a results file (results_*.json) with its samples (samples_*.jsonl), or a run that was saved as one file; ask the sender for it again if it was cut or changed.',
  'judge/template':
    'Put {obj_gold} where the reference belongs and {prediction} where the answer does; other names in braces mean nothing.',
  'run/not-found': 'The run isn’t stored in this browser. Look in the history.',
  'run/busy': 'Wait until the other run has ended, or stop it.',
  'run/stopped': 'Resume it whenever you like.',
  'run/plan-changed': 'The model, the data or the task has changed since. Start a new run.',
  'settings/invalid': 'Correct the setting and start again.',
  'worker/died': 'The browser ended the computation, often for lack of memory. Resume the run: what it had is kept.',
  'engine/timeout':
    'The model’s graph may have a loop that never ends, or this machine is too slow for it. Try another dtype or device, or a smaller model.',
  'worker/timeout': 'It took too long and was stopped. Try again with a simpler task file.',
  'worker/message': 'Reload the page; two versions of it may be open.',
  'app/outdated': 'Reload the page to get the new version. Runs, answers and downloads stay.',
  internal: 'This is a fault in Yardstick. Reload the page and resume; please report it if it happens again.',
}

/** What to do next after an error, in the language of the page. */
export function nextStepOf(code: ErrorCode): string {
  return translated('nextSteps', nextSteps)[code]
}
