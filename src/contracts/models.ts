/** Models as a repository offers them. */

export interface RepoFile {
  readonly path: string
  readonly bytes: number
  /** Git blob SHA-1 (hex) as the Hub lists it; null when unknown. */
  readonly oid: string | null
  /** SHA-256 of the content (hex) for large files; null when the Hub gives none. */
  readonly sha256: string | null
}

/** A repository at one commit. */
export interface RepoSnapshot {
  readonly kind: 'model' | 'dataset'
  readonly id: string
  readonly requestedRevision: string
  readonly commit: string
  readonly files: readonly RepoFile[]
  readonly license: string | null
  /** Gated or private, as the Hub says; absent = neither, or not known. */
  readonly isRestricted?: true
}

/** Forms that a repository's weights come in, in the order in which one is taken where nobody says which. */
export const modelFormats = ['onnx', 'safetensors', 'gguf'] as const

export type ModelFormat = (typeof modelFormats)[number]

/** One dtype that a model repository really offers. */
export interface DtypeOption {
  readonly dtype: string
  readonly file: string
  readonly externalFiles: readonly string[]
  readonly bytes: number
  /** Null when it can run here; else one sentence saying why it can't. */
  readonly refusal: string | null
}

/** A repository's weights in one form. */
export interface ModelForm {
  readonly format: ModelFormat
  /** Empty where `refusal` says why this form can't be read. */
  readonly dtypes: readonly DtypeOption[]
  readonly defaultDtype: string | null
  /** Null, or one sentence on why none of its dtypes is offered. */
  readonly refusal: string | null
}

export interface ModelDescription {
  readonly id: string
  readonly revision: string
  readonly commit: string
  readonly license: string | null
  readonly architecture: string
  readonly maxLength: number
  /** The form that is taken, whose dtypes `dtypes` are. */
  readonly format: ModelFormat
  /** All forms that the repository has, the taken one among them, in the order of `modelFormats`. */
  readonly forms: readonly ModelForm[]
  readonly dtypes: readonly DtypeOption[]
  readonly defaultDtype: string | null
}

/** A model that a search of the Hub found; sizes come with its `ModelDescription`. */
export interface ModelHit {
  readonly id: string
  /** In the last 30 days; null when the Hub doesn't say. */
  readonly downloads: number | null
  readonly likes: number | null
  readonly license: string | null
  /** True when its files are given only to those who accepted its terms. */
  readonly isGated: boolean
  /** ISO 8601. */
  readonly updatedAt: string | null
  /** Forms whose files are there and can be read here; empty for a model that can't be run. */
  readonly formats: readonly ModelFormat[]
  /** Of its ONNX files. */
  readonly dtypes: readonly string[]
}

/** Branches and tags of a model in its Hub's order: names that can stand as a revision. */
export interface ModelRefs {
  readonly branches: readonly string[]
  readonly tags: readonly string[]
}

export interface TokenizerFacts {
  readonly sha256: string
  readonly bos: readonly [string, number] | null
  readonly eos: readonly [string, number] | null
  readonly pad: readonly [string, number] | null
  readonly chatTemplate: string | null
  readonly maxLength: number
}

/** Where the tokenizer comes from, where the model's own repository has none: the repository that the weights' file or the model card names, or that file's own metadata. */
export type TokenizerSource =
  | { readonly from: 'base repository'; readonly id: string; readonly commit: string }
  | { readonly from: 'weights file' }

/** The texts of a model repository that the tokenizer is built from. */
export interface TokenizerFiles {
  readonly tokenizerJson: string
  readonly tokenizerConfig: string
  readonly specialTokensMap: string | null
  readonly chatTemplate: string | null
  readonly generationConfig: string | null
  readonly config: string
}
