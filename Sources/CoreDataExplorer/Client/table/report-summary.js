import { counted } from "../core/text.js"

/** Puts reports of some seconds into one sentence for screen readers: `3 rows changed, 1 came`. */
export class ReportSummary {
  #counts = { changed: 0, came: 0, went: 0 }
  #timer = 0

  /** @param {function(string): void} say */
  constructor(say) {
    this.say = say
  }

  add(report) {
    this.#counts.changed += report.updated.length + report.moved.length
    this.#counts.came += report.inserted.length
    this.#counts.went += report.deleted.length
    if (!this.#timer) this.#timer = setTimeout(() => this.#tell(), 3000)
  }

  #tell() {
    this.#timer = 0
    const parts = Object.entries(this.#counts).filter(([, count]) => count).map(([what, count]) => `${counted(count, "row")} ${what}`)
    this.#counts = { changed: 0, came: 0, went: 0 }
    if (parts.length) this.say(parts.join(", "))
  }
}
