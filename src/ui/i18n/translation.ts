/**
 * What a translation holds: every text of the page, by the English file that it stands for. A missing key is a type error. `fr.json`, `sw.json` and
 * `zh.json` were made by machine; nobody who grew up with these languages has read them yet (decision 0048).
 */
import type { ErrorCode } from '../../base/errors.ts'
import type { LintCode } from '../../harness/requests/prompt-lint.ts'
import type { aboutTexts } from './en-about.ts'
import type { compareTexts } from './en-compare.ts'
import type { ExportKey } from './en-exports.ts'
import type { formTexts } from './en-forms.ts'
import type { inputTexts } from './en-inputs.ts'
import type { judgeTexts } from './en-judge.ts'
import type { labTexts } from './en-lab.ts'
import type { openTexts } from './en-open.ts'
import type { optionTexts } from './en-options.ts'
import type { ownTexts } from './en-own-results.ts'
import type { queueTexts } from './en-queue.ts'
import type { runTexts } from './en-run.ts'
import type { shareTexts } from './en-share.ts'
import type { storageTexts } from './en-storage.ts'
import type { taskTexts } from './en-task.ts'
import type { viewerTexts } from './en-viewer.ts'
import type { whileTexts } from './en-while.ts'
import type { en } from './en.ts'

type Texts<English> = { readonly [key in keyof English]: string }

export interface Translation {
  readonly main: Texts<typeof en & typeof formTexts & typeof inputTexts & typeof runTexts>
  readonly about: Texts<typeof aboutTexts>
  readonly compare: Texts<typeof compareTexts>
  readonly lab: Texts<typeof labTexts>
  readonly open: Texts<typeof openTexts>
  readonly options: Texts<typeof optionTexts>
  readonly storage: Texts<typeof storageTexts>
  readonly exports: { readonly [key in ExportKey]: string }
  readonly share: Texts<typeof shareTexts>
  readonly judge: Texts<typeof judgeTexts>
  readonly own: Texts<typeof ownTexts>
  readonly queue: Texts<typeof queueTexts>
  readonly task: Texts<typeof taskTexts>
  readonly viewer: Texts<typeof viewerTexts>
  readonly while: Texts<typeof whileTexts>
  readonly lint: { readonly [code in LintCode]: { readonly what: string; readonly why: string } }
  readonly nextSteps: { readonly [code in ErrorCode]: string }
}
