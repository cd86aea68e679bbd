import { counted } from "../core/text.js"

/** Summarizes the reports of three seconds in one sentence for screen readers: `3 rows changed, 1 row added`. */
export class ReportSummary {
  #counts = { changed: 0, added: 0, deleted: 0 }
  #timer = 0

  /** @param {function(string): void} say */
  constructor(say) {
    this.say = say
  }

  add(report) {
    this.#counts.changed += report.updated.length + report.moved.length
    this.#counts.added += report.inserted.length
    this.#counts.deleted += report.deleted.length
    if (!this.#timer) this.#timer = setTimeout(() => this.#announce(), 3000)
  }

  #announce() {
    this.#timer = 0
    const parts = Object.entries(this.#counts).filter(([, count]) => count).map(([what, count]) => `${counted(count, "row")} ${what}`)
    this.#counts = { changed: 0, added: 0, deleted: 0 }
    if (parts.length) this.say(parts.join(", "))
  }
}
