const reduced = matchMedia("(prefers-reduced-motion: reduce)")

/** Whether things may move on the page; colours may always change. */
export function mayMove() {
  return !reduced.matches
}
