/**
 * Computes the positions of rows after a report of a fetched results controller.
 *
 * Deletions and the origins of moves are ranks before the report, insertions and the ends of moves are ranks after
 * it; all other rows keep their order. Finding a row's new rank takes O(log m) for a report of m changes, independent
 * of the table's length.
 */
export class RankChange {
  /** @param {{deleted: number[], inserted: number[], moved: [number, number][]}} report */
  constructor(report) {
    this.moves = new Map(report.moved)
    this.deleted = new Set(report.deleted)
    this.taken = [...report.deleted, ...this.moves.keys()].sort(ascending)
    const given = [...report.inserted, ...this.moves.values()].sort(ascending)
    // How many of the remaining rows precede each given rank. Like the given ranks, these numbers are ascending.
    this.aboveGiven = given.map((rank, index) => rank - index)
  }

  /** The new rank of a row; null if the row was deleted. */
  rankOf(rank) {
    if (this.deleted.has(rank)) return null
    const moved = this.moves.get(rank)
    if (moved !== undefined) return moved
    // Begin at the position among the remaining rows, and add one for each row that was inserted before it.
    const place = rank - countBelow(this.taken, rank)
    return place + countBelow(this.aboveGiven, place + 1)
  }

  /** The new rank of a row or, if the row was deleted, of the next row that still exists. */
  nearestRankOf(rank) {
    for (let other = rank; ; other += 1) {
      const now = this.rankOf(other)
      if (now !== null) return now
    }
  }
}

function ascending(one, other) {
  return one - other
}

/** How many of `sorted` are less than `value`. */
export function countBelow(sorted, value) {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle] < value) low = middle + 1
    else high = middle
  }
  return low
}
