import { read } from "../core/api.js"
import { button, element, fill, graphic } from "../core/element.js"
import { isNarrow } from "../core/narrow.js"
import { Pace } from "../core/pace.js"
import { counted, countText, visibleText } from "../core/text.js"
import { both } from "../filter/literal.js"

const size = { width: 360, height: 180, left: 4, bottom: 18 }

/** The minimum interval between two counts, in milliseconds. */
const interval = 1000

/** The distribution of a column's values among the filtered rows, beside the table; a click filters further. */
export class ChartView {
  #ended = new AbortController()
  #pace = new Pace(() => this.#load(), interval)
  #shown = ""

  /** @param {import("../main.js").Application} app @param {import("../core/address.js").Place} place */
  constructor(app, place) {
    this.app = app
    this.place = place
    this.content = element("div", { className: "object-content" }, element("p", { className: "pale" }, "Counting…"))
    this.heading = element(isNarrow() ? "h1" : "h2", { id: "chart-title", tabIndex: -1 }, place.chart)
    this.element = element(
      "section", { className: "object-view", "aria-labelledby": "chart-title" },
      element(
        "header", { className: "bar" }, button("‹", () => app.closeDetail(), { label: "Back to the table", className: "back quiet" }),
        this.heading, element("span", { className: "space" }), button("✕", () => app.closeDetail(), { label: "Close", className: "quiet close" })),
      this.content)
    this.#pace.want(0)
  }

  close() {
    this.#ended.abort()
    this.#pace.end()
  }

  /** Counts again after a short time, because changes come in bursts. */
  refresh() {
    this.#pace.want()
  }

  /** Handles changed objects, which may be among the counted ones. */
  objectsChanged({ objects, many }) {
    const { model } = this.app
    const { entity } = this.place.table
    const counted = [...model.concrete(entity).map((one) => one.name), ...model.entitiesOn(entity, this.place.chart)]
    if (many || counted.some((name) => name in objects)) this.refresh()
  }

  focus() {
    this.heading.focus({ preventScroll: true })
  }

  async #load() {
    const { table: { entity, where }, chart } = this.place
    try {
      this.#show(await read("/api/histogram", { entity, key: chart, where }, this.#ended.signal))
    } catch (error) {
      this.#shown = ""
      if (error.name !== "AbortError") fill(this.content, element("p", { className: "remark", role: "alert" }, visibleText(error.message, 300)))
    }
  }

  #show(histogram) {
    // If nothing has changed, keep the elements, so that the focus stays on a bar.
    const text = JSON.stringify(histogram)
    if (text === this.#shown) return
    this.#shown = text
    const focused = [...this.content.querySelectorAll(".bins button")].indexOf(document.activeElement)
    const { kind, by, total, empty, bins, more } = histogram
    const isRanges = ["number", "date", "members"].includes(kind)
    const remarks = [
      counted(total, "row"), kind === "members" && "by the number of members", by && `by ${by}`, empty > 0 && `${countText(empty)} nil`,
      more && `the ${bins.length} most frequent values`,
    ]
    fill(
      this.content,
      element("p", { className: "pale" }, remarks.filter(Boolean).join(", ")),
      bins.length === 0 ? element("p", {}, "No values.") : isRanges && this.#columns(bins),
      bins.length > 0 && this.#list(bins))
    this.content.querySelectorAll(".bins button")[focused]?.focus()
  }

  /** Draws ranges of numbers, dates or numbers of members as columns, which share the width of the picture. */
  #columns(bins) {
    const most = Math.max(...bins.map((bin) => bin.count), 1)
    const width = (size.width - size.left * 2) / bins.length
    const height = size.height - size.bottom - 8
    const bars = bins.map((bin, index) => graphic(
      "g", { class: "bin", onclick: () => this.#filter(bin) },
      graphic("title", {}, `${binLabel(bin)}: ${countText(bin.count)}`),
      graphic("rect", { class: "ground", x: size.left + index * width, y: 0, width, height: size.height - size.bottom }),
      graphic("rect", { class: "bar", x: size.left + index * width + 0.5, width: Math.max(0.5, width - 1), y: size.height - size.bottom - (bin.count / most) * height, height: (bin.count / most) * height })))
    const label = (bin, x, anchor) => graphic("text", { x, y: size.height - 4, "text-anchor": anchor }, binLabel(bin))
    return graphic(
      "svg", { class: "chart", viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": `${this.place.chart}: ${counted(bins.length, "range")}, the largest with ${counted(most, "row")}; the list below shows all of them` },
      ...bars, label(bins[0], size.left, "start"), label(bins.at(-1), size.width - size.left, "end"))
  }

  #list(bins) {
    const most = Math.max(...bins.map((bin) => bin.count), 1)
    return element("ul", { className: "bins" }, ...bins.map((bin) => {
      const bar = element("span", { className: "amount", "aria-hidden": "true" })
      bar.style.width = `${(bin.count / most) * 100}%`
      return element("li", {}, element("button", { type: "button", onclick: () => this.#filter(bin), title: visibleText(bin.where, 200) }, bar, element("span", { className: "name" }, binLabel(bin) || '""'), element("span", { className: "count" }, countText(bin.count))))
    }))
  }

  #filter(bin) {
    const { table, chart } = this.place
    this.app.go({ page: "table", table: { ...table, where: both(table.where, bin.where) }, chart, at: 0 })
  }
}

function binLabel(bin) {
  return visibleText(String(bin.label ?? bin.from), 60)
}
