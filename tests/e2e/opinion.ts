/** What tests ask of a second opinion by transformers.js. */
import type { Page } from '@playwright/test'
import type { SecondOpinion } from '../../src/contracts/second-opinion.ts'
import { callDriver, expect, isSummary } from './fixtures.ts'

export const isOpinion = (value: unknown): value is SecondOpinion => typeof value === 'object' && value !== null && 'maxAbsDiff' in value

/** Asks for a second opinion on eight docs of a finished run in float32: both stacks agree, and the results keep it. */
export async function expectAgreement(page: Page, runId: string, model: string, device: 'wasm' | 'webgpu'): Promise<void> {
  const opinion = await callDriver(page, 'secondOpinion', [runId, 8], isOpinion)
  console.log(`${model} ${device}: ${JSON.stringify(opinion)}`)
  expect(opinion).toMatchObject({ docs: 8, agrees: true, tolerance: 1e-3, picksDiffering: [], device })
  expect(opinion.requests).toBeGreaterThan(16)
  expect(opinion.maxAbsDiff).toBeLessThan(1e-3)
  expect(opinion.stack).toMatch(/^transformers\.js 4\.\d+\.\d+ on onnxruntime-web 1\.30\.0 \((plain|jspi)\)$/)
  const { resultsFile, resultsText } = await callDriver(page, 'loadResults', [runId], isSummary)
  expect(resultsFile['yardstick']).toMatchObject({ second_opinion: { agrees: true, docs: 8 } })
  expect(JSON.parse(resultsText)).toMatchObject({ yardstick: { second_opinion: { max_abs_diff: opinion.maxAbsDiff } } })
}
