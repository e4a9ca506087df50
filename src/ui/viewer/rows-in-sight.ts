interface ListBox {
  /** Pixels above the box's upper edge. */
  readonly scrolled: number
  /** Of the box, in pixels. */
  readonly height: number
  readonly rowHeight: number
  readonly count: number
  /** Rows more on either side. */
  readonly spare: number
}

/** The rows of a list of equal heights that a scrolled box shows: from `first` up to, not including, `last`. */
export function rowsInSight({ scrolled, height, rowHeight, count, spare }: ListBox): { readonly first: number; readonly last: number } {
  const first = Math.max(0, Math.min(count, Math.floor(scrolled / rowHeight) - spare))
  const last = Math.max(first, Math.min(count, Math.ceil((scrolled + height) / rowHeight) + spare))
  return { first, last }
}
