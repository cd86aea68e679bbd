import { button, element } from "../core/element.js"
import { isNumeric } from "../core/cells.js"
import { visibleText } from "../core/text.js"
import { sortKeys } from "./sort-order.js"

/** The column titles: a click sorts, dragging the right edge changes the width, dragging the title moves the column. */
export class GridHeader {
  #columns
  #owner
  #cells = []
  #dragged = null

  /** @param {import("./columns.js").Columns} columns @param {Object} owner see `Grid` */
  constructor(columns, owner) {
    this.#columns = columns
    this.#owner = owner
    this.element = element("div", { role: "row", className: "line titles", "aria-rowindex": 1, hidden: true })
  }

  cellAt(index) {
    return this.#cells[index]
  }

  /** @param {Object[]} columns @param {string} sort the sort order as in the address @param {number} handle width before the first column */
  show(columns, sort, handle) {
    const order = sortKeys(sort)
    this.element.hidden = columns.length === 0
    this.#cells = columns.map((column, index) => this.#cell(column, index, order))
    this.element.replaceChildren(
      ...(handle ? [element("div", { className: "handle", role: "presentation", "aria-hidden": "true" })] : []), ...this.#cells)
  }

  #cell(column, index, order) {
    const place = order.findIndex((one) => one.key === column.key)
    const sorted = order[place]
    const sign = sorted ? (sorted.descending ? "▼" : "▲") + (order.length > 1 ? place + 1 : "") : ""
    const cell = element(
      "div",
      {
        role: "columnheader", className: `cell title${isNumeric(column.type) ? " right" : ""}`, id: `title-${index}`,
        "aria-colindex": index + 1, title: `${column.key}: ${column.type}`, draggable: true,
        "aria-sort": sorted ? (sorted.descending ? "descending" : "ascending") : "none",
        onclick: (event) => {
          if (column.sortable && !event.target.closest("button, .edge")) this.#owner.sortBy(column, event.shiftKey)
        },
        oncontextmenu: (event) => {
          event.preventDefault()
          this.#owner.columnMenu(column, cell)
        },
        ondragstart: (event) => {
          this.#dragged = column
          event.dataTransfer.effectAllowed = "move"
          event.dataTransfer.setData("text/plain", column.key)
        },
        ondragover: (event) => {
          if (!this.#dragged || this.#dragged === column) return
          event.preventDefault()
          cell.classList.add("target")
        },
        ondragleave: () => cell.classList.remove("target"),
        ondrop: (event) => {
          event.preventDefault()
          cell.classList.remove("target")
          if (this.#dragged) this.#owner.moveColumn(this.#dragged, index)
        },
        ondragend: () => { this.#dragged = null },
      },
      element("span", { className: "name" }, visibleText(column.title, 80)),
      sign && element("span", { className: "sign", "aria-hidden": "true" }, sign),
      button("⋮", () => this.#owner.columnMenu(column, cell), { label: `Column ${column.title}`, className: "more", tabIndex: -1 }),
      element("span", {
        className: "edge", "aria-hidden": "true", draggable: false,
        onpointerdown: (event) => this.#resize(event, column),
        ondblclick: (event) => {
          event.stopPropagation()
          this.#columns.resetWidth(column)
          this.#owner.widthsChanged()
        },
      }))
    return cell
  }

  /** Changes a column's width. */
  resizeBy(column, pixels) {
    this.#columns.setWidth(column, this.#columns.widthOf(column) + pixels)
    this.#owner.widthsChanged()
  }

  #resize(event, column) {
    event.preventDefault()
    event.stopPropagation()
    const edge = event.currentTarget
    const cell = edge.parentElement
    cell.draggable = false
    edge.setPointerCapture(event.pointerId)
    const { clientX: start } = event
    const width = this.#columns.widthOf(column)
    const move = (now) => {
      this.#columns.setWidth(column, width + now.clientX - start)
      this.#owner.widthsChanged()
    }
    edge.addEventListener("pointermove", move)
    edge.addEventListener("lostpointercapture", () => {
      edge.removeEventListener("pointermove", move)
      cell.draggable = true
    }, { once: true })
  }
}
