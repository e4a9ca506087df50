/** A log-probability in the unit that the reader chose. */
export const units = ['nats', 'bits', 'log10', 'probability'] as const
export type Unit = (typeof units)[number]

/** `nats` in another unit, three decimals; a probability with two significant digits. */
export function formatIn(nats: number, unit: Unit): string {
  switch (unit) {
    case 'nats':
      return minus(nats.toFixed(3))
    case 'bits':
      return minus((nats / Math.LN2).toFixed(3))
    case 'log10':
      return minus((nats / Math.LN10).toFixed(3))
    case 'probability': {
      const probability = Math.exp(nats)
      return minus(probability >= 0.001 ? probability.toFixed(3) : probability.toExponential(1))
    }
  }
}

function minus(text: string): string {
  return text.replace('-', '−')
}
