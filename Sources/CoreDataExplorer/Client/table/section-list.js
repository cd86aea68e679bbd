/** The maximum number of sections that the server sends. */
const most = 10_000

/**
 * The sections of a table, called `sections` in the protocol, kept up to date by reports.
 *
 * A table without sections has no such list. A server sends a limited number of sections. The rows of later sections
 * are counted as rows of the last section in the list.
 */
export class SectionList {
  /** The number of rows of later sections, which are counted as rows of the last section in the list. */
  #rest = 0

  /** @param {{name: string, indexTitle: string, start: number, count: number}[]} sections @param {number} total of all rows */
  constructor(sections, total) {
    this.sections = sections.map((section) => ({ ...section }))
    this.#count(total)
  }

  get length() {
    return this.sections.length
  }

  /** The index of the section that contains a rank. */
  indexOf(rank) {
    let low = 0
    let high = this.sections.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.sections[middle].start <= rank) low = middle
      else high = middle - 1
    }
    return low
  }

  /**
   * @param {{deleted: number[], inserted: {at: number, name: string, indexTitle: string}[]}} changes
   * @param {[number, number][]} counts the sections whose count changed, by their new index
   * @param {number} total
   */
  apply(changes, counts, total) {
    if (this.sections.length) this.sections.at(-1).count -= this.#rest
    const gone = new Set(changes.deleted)
    if (gone.size) this.sections = this.sections.filter((_, index) => !gone.has(index))
    for (const { at, name, indexTitle } of [...changes.inserted].sort((one, other) => one.at - other.at)) {
      // A section at a larger index follows one that is not in the list.
      if (at <= this.sections.length) this.sections.splice(at, 0, { name, indexTitle, start: 0, count: 0 })
    }
    this.sections.splice(most)
    for (const [index, count] of counts) if (this.sections[index]) this.sections[index].count = count
    this.#count(total)
  }

  #count(total) {
    let start = 0
    for (const section of this.sections) {
      section.start = start
      start += section.count
    }
    this.#rest = Math.max(0, total - start)
    if (this.sections.length) this.sections.at(-1).count += this.#rest
  }
}
