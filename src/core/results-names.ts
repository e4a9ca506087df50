/** Names of result files. lm_eval 0.4.13, `EvaluationTracker` and `lm_eval.utils`. */

/** The run's date as it stands in file names: local ISO time, `:` as `-`, with microseconds unless they are 0. */
export function formatDateId(date: Date, microseconds = date.getMilliseconds() * 1000): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  const time = `${two(date.getHours())}-${two(date.getMinutes())}-${two(date.getSeconds())}`
  return `${day}T${time}${microseconds === 0 ? '' : `.${String(microseconds).padStart(6, '0')}`}`
}

/** The model's name as a folder: every run of `" < > : / \ | ? * [ ]` becomes two underscores. */
export function sanitizeModelName(name: string): string {
  return name.replace(/["<>:/|\\?*[\]]+/g, '__')
}

/** Where results and samples go below `outputPath`, which is a folder, or a file name ending in `.json`. */
export function resultPaths(
  outputPath: string,
  model: string,
  dateId: string,
): { readonly results: string; samples(task: string): string } {
  const isFile = /[^/]\.json$/.test(outputPath)
  const folder = isFile ? outputPath.replace(/[^/]*$/, '') : `${outputPath.replace(/\/+$/, '')}/${sanitizeModelName(model)}/`
  const results = isFile ? outputPath.replace(/\.json$/, `_${dateId}.json`) : `${folder}results_${dateId}.json`
  return { results, samples: (task) => `${folder}samples_${task}_${dateId}.jsonl` }
}
