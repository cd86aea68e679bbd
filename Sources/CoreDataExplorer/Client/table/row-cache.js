/** How many rows are kept at most: some pages around what is shown, however long somebody scrolls. */
const capacity = 2000

/**
 * The rows that the client has, by rank.
 *
 * A row that is known to have changed without its new contents is stale: shown as it was, and missing for whoever fetches.
 */
export class RowCache {
  #rows = new Map()

  get size() {
    return this.#rows.size
  }

  /** @returns {Object|undefined} what the protocol calls ROW */
  at(rank) {
    return this.#rows.get(rank)
  }

  clear() {
    this.#rows.clear()
  }

  put(rank, row) {
    this.#rows.set(rank, row)
  }

  /** All rows may hold something else now: they are shown as they were until they are fetched. */
  markStale() {
    for (const [rank, row] of this.#rows) this.#rows.set(rank, { ...row, stale: true })
  }

  /** Forgets rows when there are too many: those far from `near`, the rank that is looked at. */
  trim(near) {
    if (this.#rows.size <= capacity) return
    const byDistance = [...this.#rows.keys()].sort((one, other) => Math.abs(one - near) - Math.abs(other - near))
    for (const rank of byDistance.slice(capacity * 0.75)) this.#rows.delete(rank)
  }

  /** The rank of the first row that meets a condition; null where none does. @param {function(Object): boolean} condition */
  rankWhere(condition) {
    for (const [rank, row] of this.#rows) if (condition(row)) return rank
    return null
  }

  /** Whether a row has to be fetched before it can be shown as it is. */
  isMissing(rank) {
    const row = this.#rows.get(rank)
    return row === undefined || row.stale === true
  }

  /**
   * Brings all rows to where a report says they are, with the contents that it has.
   * @param {import("./rank-change.js").RankChange} change
   * @param {{updated: number[], rows: Object<string, Object>}} report
   */
  apply(change, report) {
    const moved = new Map()
    for (const [rank, row] of this.#rows) {
      const now = change.rankOf(rank)
      if (now === null) continue
      moved.set(now, change.moves.has(rank) ? { ...row, stale: true } : row)
    }
    for (const rank of report.updated) {
      const row = moved.get(rank)
      if (row) moved.set(rank, { ...row, stale: true })
    }
    for (const [rank, row] of Object.entries(report.rows)) moved.set(Number(rank), row)
    this.#rows = moved
  }
}
