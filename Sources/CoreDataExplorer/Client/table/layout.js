/**
 * Maps lines to rows and section headers; a section's header precedes its rows. All lines have the same height, so
 * that the position of a line does not depend on others.
 */
export class Layout {
  /** @param {number} total the number of rows @param {import("./section-list.js").SectionList|null} sections */
  constructor(total, sections) {
    this.total = total
    this.sections = sections
  }

  /** The number of lines. */
  get length() {
    return this.total + (this.sections?.length ?? 0)
  }

  /** The line of a row. */
  lineOf(rank) {
    return this.sections?.length ? rank + this.sections.indexOf(rank) + 1 : rank
  }

  /** The line of a section's header. */
  lineOfSection(index) {
    return this.sections.sections[index].start + index
  }

  /** The content of a line: `{rank}` or `{section}`, an index. */
  at(line) {
    if (!this.sections?.length) return { rank: line }
    const { sections } = this.sections
    let low = 0
    let high = sections.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (sections[middle].start + middle <= line) low = middle
      else high = middle - 1
    }
    return sections[low].start + low === line ? { section: low } : { rank: line - low - 1 }
  }

  /** The rank of the row on a line; for a header, that of the next row. */
  rankAt(line) {
    const shown = this.at(Math.max(0, Math.min(line, this.length - 1)))
    return shown.rank ?? this.sections.sections[shown.section].start
  }
}
