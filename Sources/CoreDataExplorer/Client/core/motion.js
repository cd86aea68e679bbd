const reduced = matchMedia("(prefers-reduced-motion: reduce)")

/** Whether animations may move things; color changes are always allowed. */
export function mayMove() {
  return !reduced.matches
}
