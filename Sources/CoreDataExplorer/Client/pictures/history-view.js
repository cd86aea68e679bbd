import { addressOf } from "../core/address.js"
import { read } from "../core/api.js"
import { valueText } from "../core/cells.js"
import { button, element, fill } from "../core/element.js"
import { Pace } from "../core/pace.js"
import { counted, dateText, visibleText } from "../core/text.js"
import { historyLine } from "./history-line.js"

/** How many transactions are fetched at a time. */
const page = 50

/** The minimum interval between two requests for new transactions, in milliseconds. */
const interval = 1000

/** The number of colors for authors, which are assigned in order of appearance. */
const hues = 6

/** The page `/history`: transactions with their authors and times, newest first. */
export class HistoryView {
  #ended = new AbortController()
  #authors = new Map()
  #transactions = []
  #last = null
  #days = new Map()
  #pace = new Pace(() => this.#follow(), interval)

  /** @param {import("../main.js").Application} app */
  constructor(app) {
    this.app = app
    this.picture = element("div")
    this.list = element("ol", { className: "timeline" })
    this.more = button("Earlier", () => this.#load(), { hidden: true })
    this.remark = element("p", { className: "pale", role: "status" })
    this.element = element(
      "section", { className: "page", "aria-labelledby": "history-title" },
      element("header", { className: "bar" }, button("‹", () => app.go({ page: "overview" }), { label: "Entities", className: "back quiet" }), element("h1", { id: "history-title" }, "History"), element("span", { className: "space" }), button("Refresh", () => this.#again())),
      this.picture, this.list, this.remark, this.more)
    this.#load()
  }

  close() {
    this.#ended.abort()
    this.#pace.end()
  }

  /** Handles changed objects: there may be a new transaction. Changes come in bursts. */
  objectsChanged() {
    this.#pace.want()
  }

  /** Adds new transactions above the others. */
  async #follow() {
    try {
      const { transactions } = await read("/api/history", { limit: String(page) }, this.#ended.signal)
      // Older transactions are being read. The new ones are added when that has ended.
      if (this.more.disabled) {
        this.#pace.want()
        return
      }
      const newest = this.#transactions[0]?.id ?? 0
      const added = transactions.filter(({ id }) => id > newest)
      if (added.length === 0) return
      // After a full page, there may be more new transactions between these and the ones in the list.
      if (added.length === page || this.#transactions.length === 0) this.#again()
      else {
        for (const transaction of added.toReversed()) this.#add(transaction, true)
        this.#transactions.unshift(...added)
        this.#draw()
      }
    } catch {
      // The next notification tries again.
    }
  }

  #draw() {
    fill(this.picture, this.#transactions.length > 1 && historyLine(this.#transactions, (author) => this.#hue(author), (id) => this.#show(id)))
  }

  #again() {
    if (this.more.disabled) return
    fill(this.list)
    this.#transactions = []
    this.#last = null
    this.#days.clear()
    this.#load()
  }

  async #load() {
    this.more.disabled = true
    try {
      const { transactions, more } = await read("/api/history", { before: this.#last, limit: String(page) }, this.#ended.signal)
      for (const transaction of transactions) this.#add(transaction)
      this.#transactions.push(...transactions)
      this.#draw()
      this.#last = transactions.at(-1)?.id ?? this.#last
      this.more.hidden = !more
      this.remark.textContent = this.#last === null ? "The history is empty." : more ? "" : "This is the beginning of the history."
    } catch (error) {
      if (error.name !== "AbortError") this.remark.textContent = error.message
    }
    this.more.disabled = false
  }

  #hue(author) {
    if (!this.#authors.has(author)) this.#authors.set(author, this.#authors.size % hues)
    return this.#authors.get(author)
  }

  /** Scrolls to a transaction in the list. */
  #show(id) {
    const line = this.list.querySelector(`[data-number="${id}"]`)
    line?.scrollIntoView({ block: "center" })
    line?.focus({ preventScroll: true })
  }

  /** @param {Object} transaction @param {boolean} [isNewest] whether to add it above all others instead of below */
  #add(transaction, isNewest = false) {
    const date = dateText(transaction.date)
    const day = date.slice(0, 10)
    if (!this.#days.has(day)) {
      const title = element("li", { className: "day" }, element("h2", {}, day))
      this.#days.set(day, title)
      this.list[isNewest ? "prepend" : "append"](title)
    }
    const author = transaction.author ?? ""
    const where = [transaction.context, transaction.process, transaction.bundle].filter(Boolean).map((one) => visibleText(one, 60)).join(" · ")
    const rest = transaction.total - transaction.changes.length
    const line = element(
      "li", { className: `transaction hue${this.#hue(author)}`, tabIndex: -1, "data-number": String(transaction.id) },
      element(
        "p", { className: "head" }, element("time", { dateTime: transaction.date }, date.slice(11, 23)), " ",
        author ? element("b", {}, visibleText(author, 60)) : element("span", { className: "pale" }, "no author"), element("small", {}, ` ${where} · number ${transaction.id}`)),
      element("ul", {}, ...transaction.changes.map((change) => this.#change(change))),
      rest > 0 && element("p", { className: "pale" }, `and ${counted(rest, "more change", "more changes")}`))
    if (isNewest) this.#days.get(day).after(line)
    else this.list.append(line)
  }

  #change(change) {
    const name = `${change.entity} ${change.id}`
    const tombstone = change.tombstone && Object.entries(change.tombstone).map(([key, value]) => `${key}: ${valueText(value, 80)}`).join(", ")
    return element(
      "li", { className: change.kind },
      element("span", { className: "kind" }, { insert: "new", update: "changed", delete: "deleted" }[change.kind] ?? change.kind), " ",
      change.kind === "delete" ? name : element("a", { href: addressOf({ page: "object", table: { entity: change.entity }, object: change }) }, name),
      change.keys.length > 0 && element("small", {}, ` ${change.keys.map((key) => visibleText(key, 60)).join(", ")}`),
      tombstone && element("small", {}, ` ${visibleText(tombstone)}`))
  }
}
