import { element } from "../core/element.js"
import { cellKind, cellText, columnText, isNumeric } from "../core/cells.js"
import { counted, visibleText } from "../core/text.js"

let made = 0

/**
 * The element of one line. Elements are reused for other lines, because creating them would slow down scrolling.
 */
export class GridLine {
  /** @type {Object|null|undefined} the shown row; null for a row that has not been loaded */
  row
  line = -1
  #cells = []
  #texts = []
  #isHeader = false

  constructor() {
    made += 1
    this.id = `line${made}`
    this.element = element("div", { role: "row", className: "line" })
  }

  cellId(index) {
    return `${this.id}-${index}`
  }

  cell(index) {
    return this.#cells[index]
  }

  /** Places the line `y` pixels below the top of its container. */
  place(line, y) {
    if (this.line !== line) {
      this.line = line
      // The line of column titles is the first.
      this.element.setAttribute("aria-rowindex", line + 2)
    }
    if (this.y !== y) {
      this.y = y
      this.element.style.transform = `translateY(${y}px)`
    }
  }

  /**
   * Shows a row.
   * @returns {number[]} the indexes of cells whose text changed, if the line showed the same object before
   */
  showRow(row, columns, hasHandle) {
    if (this.#isHeader || this.#cells.length !== columns.length || this.columns !== columns) {
      this.#build(columns, hasHandle)
    }
    // A line that was made for other columns shows all cells for the first time.
    const isSame = !this.fresh && this.row && row && this.row.id === row.id
    const changed = []
    if (this.row === row && !this.fresh) return changed
    this.fresh = false
    this.row = row
    this.element.classList.toggle("waiting", !row)
    columns.forEach((column, index) => {
      const value = row ? row.cells[index] : null
      const text = row ? cellText(value) : ""
      const kind = row ? cellKind(value) : "none"
      if (text === this.#texts[index]?.text && kind === this.#texts[index]?.kind) return
      this.#texts[index] = { text, kind }
      const cell = this.#cells[index]
      const shown = kind === "nil" ? "" : columnText(text, kind)
      cell.textContent = shown
      if (kind === "date" && shown !== text) cell.title = text
      else cell.removeAttribute("title")
      cell.className = `cell ${kind}${isNumeric(column.type) ? " right" : ""}`
      if (isSame) changed.push(index)
    })
    return changed
  }

  /** Shows a section header. */
  showSection(section) {
    if (!this.#isHeader) {
      this.#isHeader = true
      this.columns = null
      this.element.className = "line section"
      this.element.removeAttribute("aria-selected")
    }
    this.row = undefined
    this.#cells = [element("div", { role: "gridcell", className: "section-title", id: this.cellId(0) }, ...sectionTitle(section))]
    this.element.replaceChildren(...this.#cells)
  }

  #build(columns, hasHandle) {
    this.#isHeader = false
    this.columns = columns
    this.fresh = true
    this.element.className = "line"
    this.#texts = []
    this.#cells = columns.map((column, index) =>
      element("div", { role: "gridcell", className: "cell", id: this.cellId(index), "aria-colindex": index + 1 }))
    this.element.replaceChildren(
      ...(hasHandle ? [element("div", { className: "handle", role: "presentation", "aria-hidden": "true" }, "⠿")] : []), ...this.#cells)
  }
}

/** A section's name and number of rows. */
export function sectionTitle(section, count = section.count) {
  return [
    element("span", { className: "section-name" }, visibleText(section.name, 200) || `(nil or "")`),
    element("span", { className: "section-count" }, counted(count, "row")),
  ]
}
