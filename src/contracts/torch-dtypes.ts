/**
 * Torch's names of dtypes, as the harness takes them, and the dtypes here that stand for each, in the order in which they are tried. Browsers have no bfloat16: float32 holds each of its values
 * exactly, float16 neither all of them nor their range.
 */
export const torchDtypes: { readonly [torch in string]?: readonly string[] } = {
  float32: ['fp32'],
  float: ['fp32'],
  float16: ['fp16', 'fp32'],
  half: ['fp16', 'fp32'],
  bfloat16: ['fp32', 'fp16'],
}
