/** Everything that the text worker exposes: an evaluation's part of it, and the task page's. */
import type { TaskStudyApi } from '../rpc/task-study-api.ts'
import { TaskStudy } from './task-study.ts'
import { TextEngine } from './text-engine.ts'

export class TextWorker extends TextEngine implements TaskStudyApi {
  readonly #study = new TaskStudy()
  readonly openRoot: TaskStudyApi['openRoot'] = (root) => this.#study.openRoot(root)
  readonly giveFiles: TaskStudyApi['giveFiles'] = (files) => this.#study.giveFiles(files)
  readonly explain: TaskStudyApi['explain'] = (name, leaf, numFewshot) => this.#study.explain(name, leaf, numFewshot)
  readonly filesBehind: TaskStudyApi['filesBehind'] = (names, withBundled) => this.#study.filesBehind(names, withBundled)
  readonly openTokenizer: TaskStudyApi['openTokenizer'] = (files, modelArgs) => this.#study.openTokenizer(files, modelArgs)
  readonly promptTokens: TaskStudyApi['promptTokens'] = (prompt, isScored) => this.#study.promptTokens(prompt, isScored)
  readonly giveRows: TaskStudyApi['giveRows'] = (tables) => this.#study.giveRows(tables)
  readonly viewDoc: TaskStudyApi['viewDoc'] = (docId, settings) => this.#study.viewDoc(docId, settings)
  readonly readConfig: TaskStudyApi['readConfig'] = (file) => this.#study.readConfig(file)
}
