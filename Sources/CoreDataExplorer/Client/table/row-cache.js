/** The maximum number of cached rows: some pages around the visible part. */
const capacity = 2000

/**
 * The loaded rows, by rank.
 *
 * A row is stale if it has changed and its new contents are not known yet: its old contents are shown, and it counts
 * as missing when rows are fetched.
 */
export class RowCache {
  #rows = new Map()

  get size() {
    return this.#rows.size
  }

  /** @returns {Object|undefined} "a row" in the protocol */
  at(rank) {
    return this.#rows.get(rank)
  }

  clear() {
    this.#rows.clear()
  }

  put(rank, row) {
    this.#rows.set(rank, row)
  }

  /** Marks all rows as stale: they are shown unchanged until they are fetched. */
  markStale() {
    for (const [rank, row] of this.#rows) this.#rows.set(rank, { ...row, stale: true })
  }

  /** Removes rows if there are too many: those far from the rank `near`. */
  trim(near) {
    if (this.#rows.size <= capacity) return
    const byDistance = [...this.#rows.keys()].sort((one, other) => Math.abs(one - near) - Math.abs(other - near))
    for (const rank of byDistance.slice(capacity * 0.75)) this.#rows.delete(rank)
  }

  /** The rank of a row that meets a condition; null if there is none. @param {function(Object): boolean} condition */
  rankWhere(condition) {
    for (const [rank, row] of this.#rows) if (condition(row)) return rank
    return null
  }

  /** Whether a row has to be fetched to show its current contents. */
  isMissing(rank) {
    const row = this.#rows.get(rank)
    return row === undefined || row.stale === true
  }

  /**
   * Moves all rows to their positions after a report, and applies the contents in the report.
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
