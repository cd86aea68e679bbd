import { element } from "../core/element.js"
import { notice } from "../core/notices.js"
import { counted } from "../core/text.js"
import { GridHeader } from "./grid-header.js"
import { GridLine, sectionTitle } from "./grid-line.js"
import { GridMotion } from "./grid-motion.js"
import { Layout } from "./layout.js"
import { ScrollMap } from "./scroll-map.js"

/** The number of lines that are also rendered above and below the visible ones, for scrolling faster than rendering. */
const overscan = 12

/** The distance in pixels after which the lines' container is repositioned, so that positions stay exact. */
const block = 50_000

/** The width of the column with drag handles. */
const handleWidth = 28

/**
 * A table of any length: an ARIA grid that contains only the visible lines.
 *
 * The grid itself has the focus, and `aria-activedescendant` refers to the current cell. The current row belongs to an
 * object: when a report moves the object, the current cell moves with it.
 */
export class Grid {
  /** The row and column for keyboard commands; rank -1 stands for the column titles. */
  current = { rank: 0, column: 0 }
  /** The selected rows by object ID, including rows that are not loaded. */
  selected = new Map()
  /** The object that is shown beside the table, which may not be in the table. @type {{entity: string, id: string}|null} */
  #open = null
  /** Objects with unsaved changes, as `Entity id`. */
  unsaved = new Set()
  /** The ID of the object whose row is being dragged. @type {string|null} */
  dragged = null
  /** The ranks of selected rows by object ID, to notice that a report deletes a selected row that is not loaded. */
  #ranks = new Map()
  #table
  #columns
  #owner
  #map = new ScrollMap()
  #layout = new Layout(0, null)
  #lines = new Map()
  #spare = []
  #motion = new GridMotion()
  #frame = 0
  #rest = 0
  #ownTop = -1
  #shownColumns = []
  /** The initial rank, until the user scrolls. */
  #restored = null

  /**
   * @param {import("./live-table.js").LiveTable} table
   * @param {import("./columns.js").Columns} columns
   * @param {Object} owner handles actions on rows and columns: `openRow(row, column)`, `currentChanged(row)`,
   * `scrolled(rank)`, `sectionShown(index)`, `sortBy`, `columnMenu`, `widthsChanged()`, `moveColumn`,
   * `selectionChanged()`; and `isSame(row, object)`, whether a row belongs to an object
   * @param {{label: string, at: number}} options
   */
  constructor(table, columns, owner, { label, at }) {
    this.#table = table
    this.#columns = columns
    this.#owner = owner
    this.#restored = at
    this.header = new GridHeader(columns, owner)
    this.stickySection = element("div", { className: "line section sticky", "aria-hidden": "true", hidden: true })
    this.lines = element("div", { className: "lines", role: "presentation" })
    this.body = element("div", { className: "grid-body", role: "rowgroup" }, this.lines)
    this.head = element("div", { className: "grid-head", role: "rowgroup" }, this.header.element, this.stickySection)
    this.element = element(
      "div",
      {
        className: "grid", role: "grid", tabIndex: 0, "aria-label": label, "aria-multiselectable": "true", "aria-readonly": "true",
        onscroll: () => this.#scrolled(),
        onclick: (event) => this.#clicked(event),
        ondblclick: () => this.openCurrent(),
        onfocus: () => this.#mark(),
      },
      this.head, this.body)
    this.resizing = new ResizeObserver(() => this.render())
    this.resizing.observe(this.element)
    table.addEventListener("ready", (event) => this.#ready(event.detail))
    table.addEventListener("before-report", (event) => this.#beforeReport(event.detail))
    table.addEventListener("report", (event) => this.#report(event.detail))
    table.addEventListener("rows", () => this.schedule())
  }

  close() {
    this.resizing.disconnect()
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#rest)
  }

  /** The row of the current cell, if it is loaded. */
  get currentRow() {
    return this.current.rank < 0 ? undefined : this.#table.rowAt(this.current.rank)
  }

  get currentColumn() {
    return this.#shownColumns[this.current.column]
  }

  get columns() {
    return this.#shownColumns
  }

  get rowHeight() {
    return this.#rowHeight
  }
  #rowHeight = 30

  /** The number of visible lines. */
  get linesSeen() {
    return Math.max(1, Math.floor(this.#windowHeight / this.#rowHeight) - (this.#table.sections ? 1 : 0))
  }

  get #windowHeight() {
    return Math.max(0, this.element.clientHeight - this.head.offsetHeight)
  }

  /** The rank of the first visible row. */
  get firstRank() {
    if (!this.#layout.length) return 0
    const line = Math.ceil(this.#map.position / this.#rowHeight - 0.01)
    return this.#layout.rankAt(Math.min(line + (this.#layout.sections && this.#map.position > 0 ? 1 : 0), this.#layout.length - 1))
  }

  /** Renders in the next frame. */
  schedule() {
    if (!this.#frame) this.#frame = requestAnimationFrame(() => { this.#frame = 0; this.render() })
  }

  #ready({ isReload, wasLive }) {
    const first = this.#restored ?? this.firstRank
    // Rows may have moved since the last report. Rendering records the new ranks of visible rows.
    this.#ranks.clear()
    this.#shownColumns = this.#columns.all = this.#table.columns
    this.#layout = new Layout(this.#table.total, this.#table.sections)
    this.header.show(this.#shownColumns, this.#table.query.sort, this.#table.reorderable ? handleWidth : 0)
    this.#measure()
    // Sections are known only after all rows are counted. They add lines, so the first row may be at another position.
    if (!isReload || !wasLive) this.scrollToRank(first)
    if (this.#table.isLive) this.#restored = null
    this.current.rank = Math.min(this.current.rank, this.#table.total - 1)
    this.current.column = Math.min(this.current.column, Math.max(0, this.#shownColumns.length - 1))
    if (!isReload) this.#followOpen()
    this.render()
    if (isReload) this.#deselectMissing()
  }

  /** Whether selected rows may have left the table without a report that shows it. */
  #isUnsure = false
  #isChecking = false

  /** Deselects rows that are no longer in the table, which the server determines. */
  async #deselectMissing() {
    this.#isUnsure = true
    // One request at a time. If another change follows, the request is repeated.
    if (this.#isChecking) return
    this.#isChecking = true
    try {
      while (this.#isUnsure && this.selected.size) {
        this.#isUnsure = false
        const ids = [...this.selected.keys()]
        const members = await this.#table.members(ids)
        const missing = ids.filter((id) => !members.has(id) && this.#deselect(id))
        if (!missing.length) continue
        this.render()
        this.#owner.selectionChanged()
      }
    } catch {
      // The table was closed, or the next report repeats the request.
      this.#isUnsure = true
    } finally {
      this.#isChecking = false
    }
  }

  /** Applies the current column widths. */
  applyWidths() {
    const handle = this.#table.reorderable ? [handleWidth] : []
    this.element.style.setProperty("--columns", this.#columns.template(...handle))
    const width = `${this.#columns.total(...handle)}px`
    this.body.style.width = width
    this.head.style.width = width
  }

  #measure() {
    this.#rowHeight = Number.parseFloat(getComputedStyle(this.element).getPropertyValue("--row")) || 30
    this.applyWidths()
    this.element.setAttribute("aria-rowcount", this.#layout.length + 1)
    this.element.setAttribute("aria-colcount", this.#shownColumns.length)
  }

  // Scrolling

  #scrolled() {
    const top = this.element.scrollTop
    if (Math.abs(top - this.#ownTop) < 1) {
      this.#ownTop = -1
      this.schedule()
      return
    }
    this.#ownTop = -1
    this.#restored = null
    this.#map.scrolled(top)
    // Render immediately: the browser scrolls in this frame, so a scheduled rendering would be one frame late.
    this.render()
    clearTimeout(this.#rest)
    this.#rest = setTimeout(() => this.#rested(), 160)
  }

  #rested() {
    this.#putTop(this.#map.settle())
    this.render()
    this.#owner.scrolled(this.firstRank)
  }

  #putTop(top) {
    if (Math.abs(this.element.scrollTop - top) >= 1) {
      this.element.scrollTop = top
      this.#ownTop = this.element.scrollTop
    }
    this.#map.landed(this.element.scrollTop)
  }

  /** Scrolls a row to the top. */
  scrollToRank(rank) {
    if (!this.#layout.length) return
    this.#resize()
    const line = this.#layout.lineOf(Math.max(0, Math.min(rank, this.#table.total - 1)))
    // The line above the row is covered by the header of its section, which stays at the top.
    const above = this.#layout.sections ? 1 : 0
    this.#putTop(this.#map.go((line - above) * this.#rowHeight))
    this.render()
  }

  /** Scrolls to a section header. */
  scrollToSection(index) {
    this.#resize()
    this.#putTop(this.#map.go(this.#layout.lineOfSection(index) * this.#rowHeight))
    this.render()
    this.#owner.scrolled(this.firstRank)
  }

  #reveal(rank) {
    const line = this.#layout.lineOf(rank)
    const upper = (line - (this.#layout.sections ? 1 : 0)) * this.#rowHeight
    const lower = (line + 1) * this.#rowHeight - this.#windowHeight
    const { position } = this.#map
    if (upper < position) this.#putTop(this.#map.go(upper))
    else if (lower > position) this.#putTop(this.#map.go(lower))
    const cell = this.header.cellAt(this.current.column)
    if (!cell) return
    const left = cell.offsetLeft
    if (left < this.element.scrollLeft) this.element.scrollLeft = left
    else if (left + cell.offsetWidth > this.element.scrollLeft + this.element.clientWidth) {
      this.element.scrollLeft = Math.min(left, left + cell.offsetWidth - this.element.clientWidth)
    }
  }

  // Reports

  #placeOf(line) {
    return line.line * this.#rowHeight - this.#map.position
  }

  *#linesById() {
    for (const line of this.#lines.values()) if (line.row) yield [line.row.id, line]
  }

  #anchor = null

  #beforeReport({ report, change }) {
    const gone = report.deleted.map((rank) => this.#table.rowAt(rank)?.id).filter(Boolean)
    this.#motion.before(this.#linesById(), (line) => this.#placeOf(line), gone)
    if (gone.length < report.deleted.length) this.#isUnsure = true
    this.#followSelected(gone, change)
    const first = this.firstRank
    // Keep the scroll position, except at the top, where new rows become visible.
    this.#anchor = this.#map.position > 0 && this.#table.total > 0
      ? { rank: first, distance: this.#layout.lineOf(first) * this.#rowHeight - this.#map.position } : null
  }

  /**
   * Deselects the rows that a report deletes, and applies it to the ranks of the other selected rows.
   * @param {string[]} gone the IDs of deleted rows that are loaded; others are known by their ranks
   */
  #followSelected(gone, change) {
    const { size } = this.selected
    gone.forEach((id) => this.#deselect(id))
    for (const [id, rank] of this.#ranks) {
      const now = change.rankOf(rank)
      if (now !== null) this.#ranks.set(id, now)
      else this.#deselect(id)
    }
    if (this.selected.size !== size) this.#owner.selectionChanged()
    // A selected row that was not loaded since the last reload has no rank, so the report does not show whether it is gone.
    if (this.#isUnsure && [...this.selected.keys()].some((id) => !this.#ranks.has(id))) this.#deselectMissing()
  }

  #report({ report, change }) {
    this.#layout = new Layout(this.#table.total, this.#table.sections)
    const inserted = report.inserted.map((rank) => this.#table.rowAt(rank)?.id).filter(Boolean)
    this.#motion.inserted(inserted)
    if (this.current.rank >= 0) {
      this.current.rank = Math.min(change.nearestRankOf(this.current.rank), this.#table.total - 1)
    }
    if (this.#anchor && this.#table.total > 0) {
      // If the anchor row moved away, the view does not follow it, but keeps the next row that did not move.
      let { rank } = this.#anchor
      while (change.moves.has(rank)) rank += 1
      const line = this.#layout.lineOf(Math.min(change.nearestRankOf(rank), this.#table.total - 1))
      this.#resize()
      this.#putTop(this.#map.go(line * this.#rowHeight - this.#anchor.distance))
    }
    this.element.setAttribute("aria-rowcount", this.#layout.length + 1)
    this.schedule()
  }

  // Rendering

  #resize() {
    this.#map.resize(this.#layout.length * this.#rowHeight, this.#windowHeight)
    const height = `${this.#map.height}px`
    if (this.body.style.height !== height) this.body.style.height = height
  }

  /** Renders the lines that belong on the page. */
  render() {
    if (!this.#table.isReady) return
    this.#resize()
    const { position, shift } = this.#map
    const first = Math.max(0, Math.floor(position / this.#rowHeight) - overscan)
    const end = Math.min(this.#layout.length, Math.ceil((position + this.#windowHeight) / this.#rowHeight) + overscan)
    const base = Math.floor(position / block) * block
    this.lines.style.top = `${base + shift}px`

    // Elements stay with their objects, so that they can be animated; other objects reuse the remaining elements.
    const wanted = new Map()
    for (let line = first; line < end; line += 1) {
      const shown = this.#layout.at(line)
      const row = shown.rank === undefined ? undefined : this.#table.rowAt(shown.rank)
      wanted.set(row ? `row ${row.id}` : shown.rank === undefined ? `section ${shown.section}` : `waiting ${line}`, { line, shown, row })
    }
    for (const [key, line] of this.#lines) {
      if (!wanted.has(key)) {
        this.#lines.delete(key)
        this.#spare.push(line)
      }
    }
    const fresh = []
    for (const [key, { line, shown, row }] of wanted) {
      let shownLine = this.#lines.get(key)
      if (!shownLine) {
        shownLine = this.#spare.pop()
        if (!shownLine) {
          shownLine = new GridLine()
          fresh.push(shownLine.element)
        }
        shownLine.element.getAnimations().forEach((animation) => animation.cancel())
        this.#lines.set(key, shownLine)
      }
      if (shown.rank === undefined) {
        shownLine.showSection(this.#layout.sections.sections[shown.section])
      } else {
        const changed = shownLine.showRow(row ?? null, this.#shownColumns, this.#table.reorderable !== null)
        changed.forEach((index) => GridMotion.flash(shownLine.cell(index)))
        shownLine.rank = shown.rank
        this.#markState(shownLine, row)
      }
      shownLine.place(line, line * this.#rowHeight - base)
    }
    if (fresh.length) this.lines.append(...fresh)
    for (const spare of this.#spare) spare.element.remove()
    this.#spare.length = 0

    this.#motion.after(
      this.#linesById(), (line) => this.#placeOf(line), this.lines, (place) => place + position - base, this.#windowHeight)
    this.#stick()
    this.#mark()
    if (this.#table.total) this.#table.want(this.#layout.rankAt(first), this.#layout.rankAt(end - 1) + 1)
  }

  /** Shows the state of a line's row. A row that is not loaded has no state, but the line may have shown a row before. */
  #markState(line, row) {
    const { classList } = line.element
    const isSelected = row !== undefined && this.selected.has(row.id)
    if (isSelected) this.#ranks.set(row.id, line.rank)
    line.element.setAttribute("aria-selected", isSelected)
    classList.toggle("open", this.#owner.isSame(row, this.#open))
    classList.toggle("unsaved", row !== undefined && this.unsaved.has(`${row.entity} ${row.id}`))
    classList.toggle("dragged", row !== undefined && row.id === this.dragged)
  }

  /** Keeps the header of the first visible section at the top until the header of the next section pushes it out. */
  #stick() {
    const { sections } = this.#layout
    const isSticky = Boolean(sections?.length)
    this.stickySection.hidden = !isSticky
    if (!isSticky) return
    const line = Math.floor(this.#map.position / this.#rowHeight)
    const shown = this.#layout.at(Math.min(line, this.#layout.length - 1))
    const index = shown.section ?? sections.indexOf(shown.rank)
    const section = sections.sections[index]
    const key = `${index} ${section.name} ${section.count}`
    if (this.stickySection.dataset.key !== key) {
      this.stickySection.dataset.key = key
      this.stickySection.replaceChildren(element("div", { className: "section-title" }, ...sectionTitle(section)))
    }
    const next = index + 1 < sections.length
      ? this.#layout.lineOfSection(index + 1) * this.#rowHeight - this.#map.position : Infinity
    this.stickySection.style.transform = `translateY(${Math.min(0, next - this.#rowHeight)}px)`
    this.#owner.sectionShown?.(index)
  }

  #marked = null

  #mark() {
    this.#marked?.classList.remove("current")
    this.#marked?.parentElement?.classList.remove("current-line")
    const cell = this.current.rank < 0 ? this.header.cellAt(this.current.column) : this.#currentCell()
    this.#marked = cell ?? null
    if (cell) {
      cell.classList.add("current")
      cell.parentElement.classList.add("current-line")
      this.element.setAttribute("aria-activedescendant", cell.id)
    } else {
      this.element.removeAttribute("aria-activedescendant")
    }
  }

  #currentCell() {
    const row = this.#table.rowAt(this.current.rank)
    const line = row && this.#lines.get(`row ${row.id}`)
    return line?.cell(this.current.column)
  }

  // The current cell and the selection

  /** Makes a cell current and scrolls it into view. */
  goTo(rank, column = this.current.column) {
    if (!this.#table.total) return
    this.current.column = Math.max(0, Math.min(column, this.#shownColumns.length - 1))
    this.current.rank = Math.max(-1, Math.min(rank, this.#table.total - 1))
    this.#reveal(Math.max(0, this.current.rank))
    this.render()
    this.#owner.currentChanged(this.currentRow)
    clearTimeout(this.#rest)
    this.#rest = setTimeout(() => this.#rested(), 160)
  }

  /** Marks the row of an object, and makes it current if it is loaded. @param {{entity: string, id: string}|null} object */
  showOpen(object) {
    if (this.#open?.id === object?.id && this.#open?.entity === object?.entity) return
    this.#open = object
    this.#followOpen()
    this.schedule()
  }

  /** Makes the row of the object that is shown beside the table current, if the row is loaded. */
  #followOpen() {
    if (!this.#open || this.current.rank < 0 || this.#owner.isSame(this.currentRow, this.#open)) return
    const rank = this.#table.rankWhere((row) => this.#owner.isSame(row, this.#open))
    if (rank !== null) this.current.rank = rank
  }

  openCurrent() {
    if (this.currentRow) this.#owner.openRow(this.currentRow, this.currentColumn)
  }

  /** Toggles the selection of a row; the default is the current row. */
  toggleSelected(row = this.currentRow) {
    if (!row) return
    if (!this.#deselect(row.id)) this.selected.set(row.id, row)
    this.render()
    this.#owner.selectionChanged()
  }

  #deselect(id) {
    this.#ranks.delete(id)
    return this.selected.delete(id)
  }

  clearSelection() {
    this.selected.clear()
    this.#ranks.clear()
    this.render()
    this.#owner.selectionChanged()
  }

  /** The line that contains an event's target; null if the target is outside of the lines. */
  lineAt(target) {
    const found = target instanceof Element ? target.closest(".line") : null
    if (!found) return null
    for (const line of this.#lines.values()) if (line.element === found) return line
    return null
  }

  #clicked(event) {
    const line = this.lineAt(event.target)
    if (!line?.row) return
    const cell = event.target.closest("[aria-colindex]")
    const column = cell ? Number(cell.getAttribute("aria-colindex")) - 1 : this.current.column
    const before = this.current.rank
    this.goTo(line.rank, column)
    if (event.ctrlKey || event.metaKey) this.toggleSelected(line.row)
    else if (event.shiftKey) this.#selectBetween(before, line.rank)
    else this.#owner.openRow(line.row, this.currentColumn)
  }

  #selectBetween(one, other) {
    let missing = 0
    for (let rank = Math.min(one, other); rank <= Math.max(one, other); rank += 1) {
      const row = this.#table.rowAt(rank)
      if (row) {
        this.selected.set(row.id, row)
        this.#ranks.set(row.id, rank)
      } else missing += 1
    }
    if (missing) notice(`${counted(missing, "row")} between these two ${missing === 1 ? "is" : "are"} not loaded yet and not selected. To change or delete all rows of a filter, use the menu More.`)
    this.render()
    this.#owner.selectionChanged()
  }
}
