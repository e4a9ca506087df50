/** What is said where a repository has its weights in several forms. */
import type { ModelDescription, ModelFormat } from '../../../contracts/models.ts'

const names: { readonly [format in ModelFormat]: string } = { onnx: 'ONNX files', safetensors: 'safetensors', gguf: 'GGUF files' }

/** One sentence on which form was taken and which are there too, or null where there is one alone. */
export function otherFormsNote({ format, forms }: Pick<ModelDescription, 'format' | 'forms'>): string | null {
  const others = forms.filter((form) => form.format !== format)
  if (others.length === 0) return null
  const listed = others.map((form) => `${names[form.format]} (--model_format ${form.format})`)
  return `Weights: the repository’s ${names[format]} are taken; it has ${listed.join(' and ')} too.`
}
