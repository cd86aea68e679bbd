import { isSameTable, tableParameters } from "../core/address.js"
import { announce } from "../core/announcements.js"
import { path, query, read } from "../core/api.js"
import { button, element, fill } from "../core/element.js"
import { openMenu } from "../core/menu.js"
import { isNarrow } from "../core/narrow.js"
import { notice } from "../core/notices.js"
import { counted, countText, timeText, visibleText } from "../core/text.js"
import { FilterBar } from "../filter/filter-bar.js"
import { chooseColumns } from "./column-chooser.js"
import { openColumnMenu } from "./column-menu.js"
import { Columns } from "./columns.js"
import { Grid } from "./grid.js"
import { listenToKeys } from "./grid-keys.js"
import { IndexBar } from "./index-bar.js"
import { LiveTable } from "./live-table.js"
import { RowDrag } from "./row-drag.js"
import { sortAfterClick, sortKeys } from "./sort-order.js"
import { ReportSummary } from "./report-summary.js"
import { tableActions } from "./table-actions.js"

/** The table in the middle: its title, the filter, the grid with its index bar, and the status of the rows. */
export class TableView {
  #app
  /** The place whose rows are shown. */
  #place
  /** The place that was requested last. It is the shown place, unless its rows are still being loaded. */
  #wanted
  #grid = null
  #live = null
  /** The grid, the rows and the place that replace the current ones when the first rows are loaded. */
  #next = null
  #summary = new ReportSummary(announce)

  /** @param {import("../main.js").Application} app @param {import("../core/address.js").Place} place */
  constructor(app, place) {
    this.#app = app
    const { entity } = place.table
    this.entity = entity
    this.title = element("h1", { id: "table-title", tabIndex: -1 }, entity)
    this.total = element("span", { className: "total" })
    this.filter = new FilterBar(app.model, entity, (where) => this.change({ where }))
    this.remark = element("div", { className: "remark", role: "alert", hidden: true })
    this.progress = element("div", { className: "progress", role: "progressbar", "aria-label": "Loading", hidden: true })
    this.index = new IndexBar((section) => this.#grid.scrollToSection(section))
    this.holder = element("div", { className: "grid-holder" })
    this.status = element("div", { className: "status" })
    this.selectionBar = element("div", { className: "selection", hidden: true })
    this.element = element(
      "section", { className: "table-view", "aria-labelledby": "table-title" },
      element(
        "header", { className: "bar" },
        button("‹", () => app.go({ page: "overview" }), { label: "Entities", className: "back quiet" }),
        this.title, this.total, element("span", { className: "space" }),
        app.model.isWritable && button("New", () => app.editor.insert(entity), { title: "New object (n)" }),
        button("Columns", () => this.chooseColumns(), { className: "roomy" }),
        button("Sections", (event) => this.sectionMenu(event.currentTarget), { "aria-haspopup": "menu", className: "roomy" }),
        button("More", (event) => openMenu(event.currentTarget, tableActions(this, app), "More"), { "aria-haspopup": "menu" })),
      this.filter.element, this.remark, this.progress, this.selectionBar, this.holder, this.status)
    this.#show(place)
  }

  close() {
    this.#dropNext()
    this.#live?.close()
    this.#grid?.close()
    clearTimeout(this.#waiting)
    clearTimeout(this.#refreshing)
  }

  #refreshing = 0

  /**
   * Handles changed objects: if columns show values of such objects, the visible rows are fetched again after a short
   * time, because changes come in bursts.
   */
  objectsChanged({ objects, many }) {
    if (this.#refreshing) return
    const { model } = this.#app
    const shown = this.columns.flatMap((column) => model.entitiesOn(this.entity, column.key))
    if (many ? shown.length === 0 : !shown.some((entity) => entity in objects)) return
    this.#refreshing = setTimeout(() => { this.#refreshing = 0; this.#live.refresh() }, 250)
  }

  /** The query of the shown rows. @type {import("../core/address.js").TableQuery} */
  get query() {
    return this.#place.table
  }

  get columns() {
    return this.#grid.columns
  }

  get grid() {
    return this.#grid
  }

  get live() {
    return this.#live
  }

  /** Shows another place of the same entity. */
  update(place) {
    if (!isSameTable(place.table, this.#wanted.table)) {
      this.#show(place)
      return
    }
    this.#wanted = place
    if (this.#next) this.#next.place = place
    else this.#place = place
  }

  focus() {
    this.#grid?.element.focus({ preventScroll: true })
  }

  /** Changes the query: the address changes, and with it what is shown. */
  change(changes) {
    this.#app.go({ ...this.#wanted, page: "table", object: undefined, at: 0, table: { ...this.#wanted.table, ...changes } })
  }

  /** Marks the unsaved rows. */
  markUnsaved() {
    this.#grid.unsaved = this.#app.editor.unsaved
    this.#grid.schedule()
  }

  /** Marks the row of the object that is shown beside the table. */
  markOpen(object) {
    this.#grid?.showOpen(object ?? null)
    this.#next?.grid.showOpen(object ?? null)
  }

  /** Whether a row belongs to an object. */
  isSame(row, object) {
    return this.#app.model.isSame(row, object)
  }

  showChart(key) {
    this.#app.go({ ...this.#wanted, page: "table", object: undefined, chart: key })
  }

  /** Loads the rows of a place. The current rows are kept until the first new rows are loaded, which may fail. */
  #show(place) {
    this.#dropNext()
    this.#wanted = place
    this.filter.show(place.table.where)
    this.#remark("")
    const { count } = this.#app.model.entity(this.entity)
    const live = new LiveTable(place.table, place.at ?? 0, place.table.where ? null : count ?? null)
    // Add this listener before the grid adds its own, because the grid must be on the page before it measures itself.
    live.addEventListener("ready", () => {
      if (this.#next?.live === live) this.#adopt()
    })
    const columns = new Columns(this.#app.model.store.path, this.entity)
    const grid = new Grid(live, columns, this, { label: `${this.entity} objects`, at: place.at ?? 0 })
    grid.current.rank = place.at ?? 0
    grid.showOpen(place.object ?? null)
    grid.unsaved = this.#app.editor.unsaved
    listenToKeys(grid, this)
    new RowDrag(grid, live, (row, to) => this.#app.editor.move(this.query, row, to))
    live.addEventListener("ready", ({ detail }) => {
      this.#ready()
      // The object beside the table may also have changed while the connection was lost.
      if (detail.wasAway) this.#app.refreshObject()
    })
    live.addEventListener("report", ({ detail }) => {
      this.#summary.add(detail.report)
      this.#describe()
    })
    live.addEventListener("counts", ({ detail }) => this.#app.count(detail))
    live.addEventListener("edit", () => this.#app.editor.refresh())
    live.addEventListener("objects", ({ detail }) => this.#app.objectsChanged(detail))
    live.addEventListener("failed", ({ detail }) => {
      if (this.#next?.live !== live) this.#failed(detail)
      else if (detail) this.#refuseNext(detail)
    })
    live.addEventListener("connected", () => { live.connection = "live" })
    live.addEventListener("lost", () => { live.connection = "not live: the connection was lost" })
    live.addEventListener("refused", () => { live.connection = "not live" })
    for (const name of ["connected", "lost", "refused"]) live.addEventListener(name, () => this.#showConnection())
    this.#next = { place, live, grid }
    if (!this.#live?.isReady) this.#adopt()
    this.#isLoading(true)
    live.start()
  }

  /** Replaces the current rows with the next ones. */
  #adopt() {
    const { place, live, grid } = this.#next
    this.#next = null
    const hadFocus = this.#grid && document.activeElement === this.#grid.element
    const current = this.#grid?.current
    this.#live?.close()
    this.#grid?.close()
    this.#place = place
    this.#live = live
    this.#grid = grid
    // If a column title is current, keep it current: a click on it may have replaced the rows.
    if (current) grid.current = { rank: current.rank < 0 ? -1 : grid.current.rank, column: current.column }
    fill(this.holder, grid.element, this.index.element)
    this.#showConnection()
    this.selectionChanged()
    if (hadFocus) this.focus()
  }

  #dropNext() {
    this.#next?.live.close()
    this.#next?.grid.close()
    this.#next = null
  }

  /**
   * Called if the next rows fail to load: the address shows the current rows again. The filter keeps the typed
   * condition, with its error.
   */
  #refuseNext(error) {
    const { where } = this.#wanted.table
    this.#dropNext()
    this.#wanted = this.#place
    this.#isLoading(!this.#live.isLive)
    if (where !== this.#place.table.where) this.filter.showError(contentOf(error))
    else this.#remark(visibleText(error.message, 400), "error")
    this.#app.go(this.#place, { replace: true })
  }

  #waiting = 0

  /** Shows that loading takes a while. */
  #isLoading(isLoading) {
    clearTimeout(this.#waiting)
    this.progress.hidden = true
    this.element.setAttribute("aria-busy", isLoading)
    if (isLoading) this.#waiting = setTimeout(() => { this.progress.hidden = false }, 150)
  }

  #ready() {
    this.#isLoading(!this.#live.isLive)
    this.#describe()
    if (this.#live.isLive) announce(`${this.entity}: ${counted(this.#live.total, "row")}`)
  }

  #describe() {
    const { total, sections, limited, time, moreSections, isCounted } = this.#live
    this.total.textContent = isCounted ? countText(total) : ""
    this.index.show(sections)
    const order = sortKeys(this.query.sort).map((one) => `${one.key}${one.descending ? " ↓" : ""}`).join(", ")
    this.status.replaceChildren(
      element("span", {}, (isCounted ? counted(total, "row") : "Counting rows…") + (sections ? ` in ${moreSections ? "more than " : ""}${counted(sections.length, "section")}` : "")),
      ...(order ? [element("span", {}, `by ${order}`)] : []),
      ...(time === undefined ? [] : [element("span", { title: "The time to load the first page" }, timeText(time))]),
      this.#connectionSign)
    if (limited) this.#remark(limited.message, "note")
    else if (this.remark.dataset.kind === "note") this.#remark("")
    this.holder.classList.toggle("empty", total === 0)
  }

  #connectionSign = element("span", { className: "live" }, "live")

  #showConnection() {
    const { connection } = this.#live
    this.#connectionSign.textContent = connection
    this.#connectionSign.classList.toggle("lost", connection !== "live")
  }

  #failed(error) {
    if (!error) {
      if (this.remark.dataset.kind === "error") this.#remark("")
      return
    }
    this.#isLoading(false)
    // An error of the condition is shown at the condition only.
    const content = contentOf(error)
    if (content.place === "where") this.filter.showError(content)
    else this.#remark(visibleText(error.message, 400), "error")
  }

  #remark(text, kind = "") {
    if (this.remark.textContent !== text) this.remark.textContent = text
    this.remark.dataset.kind = kind
    this.remark.hidden = !text
  }

  // Requests of the grid

  openRow(row) {
    this.#app.openObject(row.entity, row.id)
  }

  currentChanged(row) {
    // The object beside the table is always that of the current row, because keys act on what is shown.
    if (row && this.#place.object && !isNarrow()) this.#app.openObject(row.entity, row.id, { soon: true })
  }

  scrolled(rank) {
    // The address is already that of the next rows.
    if (this.#next) return
    this.#place = this.#wanted = { ...this.#app.place, at: rank }
    this.#app.scrolledTo(rank)
  }

  sectionShown(index) {
    this.holder.dataset.section = index
  }

  sortBy(column, added) {
    this.change({ sort: sortAfterClick(this.#wanted.table.sort, column.key, added) })
  }

  columnMenu(column, below) {
    openColumnMenu(column, below, this)
  }

  widthsChanged() {
    this.#grid.applyWidths()
  }

  resizeBy(column, pixels) {
    this.#grid.header.resizeBy(column, pixels)
  }

  moveColumn(column, to) {
    const keys = this.columns.map((one) => one.key).filter((key) => key !== column.key)
    if (to < 0 || to > keys.length) return
    keys.splice(to, 0, column.key)
    this.#grid.current.column = to
    this.change({ columns: keys.join(",") })
  }

  /** Moves a row by one position in an ordered table. */
  moveRow(row, by) {
    if (!row) return
    if (!this.#live.reorderable || !this.#app.model.isWritable) {
      notice("Rows can only be moved while they are sorted by an order attribute.")
      return
    }
    const to = this.#grid.current.rank + by
    if (to >= 0 && to < this.#live.total) this.#app.editor.move(this.query, row, to)
  }

  selectionChanged() {
    const { size } = this.#grid.selected
    this.selectionBar.hidden = size === 0
    if (!size) return
    fill(
      this.selectionBar, element("span", {}, `${counted(size, "row")} selected`),
      this.#app.model.isWritable && button("Delete", () => this.#app.deleteShown(), { className: "danger" }),
      button("Select none", () => this.#grid.clearSelection()))
    announce(`${counted(size, "row")} selected`)
  }

  async chooseColumns() {
    const chosen = await chooseColumns(this.#app.model, this.entity, this.columns.map((column) => column.key))
    if (chosen) this.change({ columns: chosen.join(",") })
  }

  sectionMenu(below) {
    const { model } = this.#app
    const choice = (key) => ({ text: key, checked: this.query.section === key, action: () => this.change({ section: key }) })
    const own = model.storedAttributes(this.entity).filter((one) => !/Binary|Transformable/.test(one.type))
    const over = model.properties(this.entity).filter((one) => one.kind === "toOne").map((one) => {
      const label = model.entity(one.destination)?.label
      return label ? `${one.name}.${label}` : null
    }).filter(Boolean)
    openMenu(below, [
      { text: "No sections", checked: !this.query.section, action: () => this.change({ section: "" }) }, null,
      ...own.map((one) => choice(one.name)), ...(over.length ? [null, ...over.map(choice)] : []),
    ], "Sections by")
  }

  /** Reads information about this query from the server: `swift` or `plan`. */
  inspect(what) {
    return read(path("api", "tables", this.entity, what), tableParameters(this.query))
  }

  /** The address of an export of the shown rows. */
  exportAddress(kind, options = {}) {
    return path("api", "tables", this.entity, `export.${kind}`) + query({ ...tableParameters(this.query), ...options })
  }
}

/** The error as the server sent it; if the server did not respond, an error with the message alone. */
function contentOf(error) {
  return error.error ?? { message: error.message }
}
