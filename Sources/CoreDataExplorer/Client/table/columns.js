import { isNarrow } from "../core/narrow.js"
import { remember, remembered } from "../core/settings.js"

/** The default widths of columns by type, in pixels. */
const widths = {
  Boolean: 84, "Integer 16": 96, "Integer 32": 110, "Integer 64": 160, Decimal: 120, Double: 110, Float: 100, Date: 170,
  UUID: 290, Binary: 100, "To Many": 96, "To One": 170,
}
const usual = isNarrow() ? 130 : 180
export const narrowest = 48
const widest = 1200

/** The maximum width that a column gets because of its title. */
const widestByTitle = isNarrow() ? 160 : 230

/** The widths of titles including a sort indicator, by text. */
const titleWidths = new Map()
const pen = document.createElement("canvas").getContext("2d")

function titleWidth(title) {
  if (!titleWidths.has(title)) {
    pen.font = `600 13px ${getComputedStyle(document.body).fontFamily}`
    titleWidths.set(title, Math.ceil(pen.measureText(title).width) + 42)
  }
  return titleWidths.get(title)
}

/** The columns of a table and their widths, which are remembered for each store and entity. */
export class Columns {
  #name
  #widths

  /** @param {string} storePath @param {string} entity */
  constructor(storePath, entity) {
    this.#name = `widths ${storePath} ${entity}`
    this.#widths = remembered(this.#name, {})
    /** @type {{key: string, title: string, type: string, sortable: boolean}[]} */
    this.all = []
  }

  widthOf(column) {
    return this.#widths[column.key] ?? Math.max(widths[column.type] ?? usual, Math.min(titleWidth(column.title), widestByTitle))
  }

  setWidth(column, width) {
    this.#widths[column.key] = Math.round(Math.max(narrowest, Math.min(width, widest)))
    remember(this.#name, this.#widths)
  }

  /** Resets a column to its default width. */
  resetWidth(column) {
    delete this.#widths[column.key]
    remember(this.#name, this.#widths)
  }

  /** The value of `grid-template-columns`; `before` contains the widths of columns without data. */
  template(...before) {
    return [...before, ...this.all.map((column) => this.widthOf(column))].map((width) => `${width}px`).join(" ")
  }

  total(...before) {
    return [...before, ...this.all.map((column) => this.widthOf(column))].reduce((sum, width) => sum + width, 0)
  }
}
