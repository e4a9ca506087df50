/** Which form of a model's weights the set-up form takes. */
import type { ModelDescription, ModelForm, ModelFormat } from '../../contracts/models.ts'

/** The forms as the field writes them, the same in every language. */
export const formatNames: { readonly [format in ModelFormat]: string } = { onnx: 'ONNX', safetensors: 'safetensors', gguf: 'GGUF' }

/** The chosen form of a described model, or its first where none is chosen ('' is typed); null where the model has no such form. */
export function takenForm({ forms, format }: Pick<ModelDescription, 'forms' | 'format'>, chosen: ModelFormat | ''): ModelForm | null {
  return forms.find((form) => form.format === (chosen === '' ? format : chosen)) ?? null
}
