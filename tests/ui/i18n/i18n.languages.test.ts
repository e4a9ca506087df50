import { describe, expect, test } from 'vitest'
import { aboutTexts } from '../../../src/ui/i18n/en-about.ts'
import { compareTexts } from '../../../src/ui/i18n/en-compare.ts'
import { exportTexts } from '../../../src/ui/i18n/en-exports.ts'
import { formTexts } from '../../../src/ui/i18n/en-forms.ts'
import { inputTexts } from '../../../src/ui/i18n/en-inputs.ts'
import { judgeTexts } from '../../../src/ui/i18n/en-judge.ts'
import { labTexts } from '../../../src/ui/i18n/en-lab.ts'
import { nextSteps } from '../../../src/ui/i18n/en-next-steps.ts'
import { openTexts } from '../../../src/ui/i18n/en-open.ts'
import { optionTexts } from '../../../src/ui/i18n/en-options.ts'
import { ownTexts } from '../../../src/ui/i18n/en-own-results.ts'
import { queueTexts } from '../../../src/ui/i18n/en-queue.ts'
import { runTexts } from '../../../src/ui/i18n/en-run.ts'
import { shareTexts } from '../../../src/ui/i18n/en-share.ts'
import { storageTexts } from '../../../src/ui/i18n/en-storage.ts'
import { lintTexts, taskTexts } from '../../../src/ui/i18n/en-task.ts'
import { viewerTexts } from '../../../src/ui/i18n/en-viewer.ts'
import { whileTexts } from '../../../src/ui/i18n/en-while.ts'
import { en } from '../../../src/ui/i18n/en.ts'
import fr from '../../../src/ui/i18n/fr.json'
import sw from '../../../src/ui/i18n/sw.json'
import zh from '../../../src/ui/i18n/zh.json'

/** The report's texts are English everywhere. */
const inExports = Object.keys(zh.exports)
const english = {
  main: { ...en, ...formTexts, ...inputTexts, ...runTexts },
  about: aboutTexts,
  compare: compareTexts,
  lab: labTexts,
  open: openTexts,
  options: optionTexts,
  storage: storageTexts,
  exports: Object.fromEntries(Object.entries(exportTexts).filter(([key]) => inExports.includes(key))),
  share: shareTexts,
  judge: judgeTexts,
  own: ownTexts,
  queue: queueTexts,
  task: taskTexts,
  viewer: viewerTexts,
  while: whileTexts,
  lint: lintTexts,
  nextSteps,
}

/** Every text by its path. */
function textsOf(value: object, path = ''): readonly (readonly [string, string])[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    typeof inner === 'string' ? [[`${path}${key}`, inner] as const] : textsOf(Object(inner) as object, `${path}${key} › `),
  )
}
const fields = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()

describe.each([
  ['fr', fr],
  ['sw', sw],
  ['zh', zh],
] as const)('the translation %s', (_name, translation) => {
  const own = new Map(textsOf(translation))

  test('E: multilingual reader: has every text, and no other', () => {
    expect([...own.keys()].sort()).toEqual(
      textsOf(english)
        .map(([path]) => path)
        .sort(),
    )
    expect([...own].filter(([, text]) => text.trim() === '')).toEqual([])
  })

  test('keeps the names that are filled in', () => {
    const broken = textsOf(english).filter(([path, text]) => fields(own.get(path) ?? '').join() !== fields(text).join())
    expect(broken.map(([path]) => path)).toEqual([])
  })

  test('says it in its own words, but for names', () => {
    const same = textsOf(english).filter(([path, text]) => own.get(path) === text && /[a-z]{3} [a-z]{3}/i.test(text))
    expect(same).toEqual([])
  })
})
