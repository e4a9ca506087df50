/** Everything that the text worker exposes: an evaluation's part of it, and the task page's. */
import type { TaskPreviewApi } from '../rpc/task-preview-api.ts'
import { TaskPreview } from './task-preview.ts'
import { TextEngine } from './text-engine.ts'

export class TextWorker extends TextEngine implements TaskPreviewApi {
  readonly #study = new TaskPreview()
  readonly openRoot: TaskPreviewApi['openRoot'] = (root) => this.#study.openRoot(root)
  readonly giveFiles: TaskPreviewApi['giveFiles'] = (files) => this.#study.giveFiles(files)
  readonly explain: TaskPreviewApi['explain'] = (name, leaf, numFewshot) => this.#study.explain(name, leaf, numFewshot)
  readonly filesBehind: TaskPreviewApi['filesBehind'] = (names, withBundled) => this.#study.filesBehind(names, withBundled)
  readonly openTokenizer: TaskPreviewApi['openTokenizer'] = (files, modelArgs) => this.#study.openTokenizer(files, modelArgs)
  readonly promptTokens: TaskPreviewApi['promptTokens'] = (prompt, isScored) => this.#study.promptTokens(prompt, isScored)
  readonly giveRows: TaskPreviewApi['giveRows'] = (tables) => this.#study.giveRows(tables)
  readonly viewDoc: TaskPreviewApi['viewDoc'] = (docId, settings) => this.#study.viewDoc(docId, settings)
  readonly readConfig: TaskPreviewApi['readConfig'] = (file) => this.#study.readConfig(file)
}
