/** `models.json`: small models of the Hub that are known to hold ONNX files, for people who know none. Loaded when first needed. */
import * as v from 'valibot'
import { check } from '../../rpc/checks.ts'

/** What was true of a model when the list was made; what the Hub says on looking it up goes before it. */
export interface SuggestedModel {
  readonly id: string
  readonly title: string
  readonly family: string
  /** As the model's name says it, such as "135M". */
  readonly parameters: string
  /** Null where the repository states none. */
  readonly license: string | null
  /** The weights to begin with; null = the model's default. */
  readonly dtype: string | null
  /** About what the files of `dtype` take, in bytes; null when not known. */
  readonly bytes: number | null
  /** One or two sentences. */
  readonly note: string
  /** Its row in the matrix of real models' graphs (docs/models.md), which the tests run. */
  readonly shape: string
}

const filled = v.pipe(v.string(), v.trim(), v.minLength(1))

const modelSchema: v.GenericSchema<unknown, SuggestedModel> = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^[\w.-]+\/[\w.-]+$/)),
  title: filled,
  family: filled,
  parameters: v.pipe(v.string(), v.regex(/^\d+(\.\d+)?[MB]$/)),
  license: v.nullable(filled),
  dtype: v.nullable(filled),
  bytes: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1))),
  note: filled,
  shape: filled,
})

const fileSchema = v.strictObject({ models: v.pipe(v.array(modelSchema), v.minLength(1)) })

/** The models of `models.json` in its order. Throws `hub/corrupt` with the key at fault. */
export function readSuggestedModels(json: unknown): readonly SuggestedModel[] {
  return check(fileSchema, json, 'models.json', 'hub/corrupt').models
}
