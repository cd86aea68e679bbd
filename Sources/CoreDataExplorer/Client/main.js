import { addressOf, isSameTable, placeOf } from "./core/address.js"
import { announcementRegion } from "./core/announcements.js"
import { read } from "./core/api.js"
import { showDialog } from "./core/dialog.js"
import { button, element, fill } from "./core/element.js"
import { registerKeys } from "./core/keys.js"
import { closeMenu } from "./core/menu.js"
import { Model } from "./core/model.js"
import { isNarrow } from "./core/narrow.js"
import { notice, noticeArea } from "./core/notices.js"
import { Stream } from "./core/stream.js"
import { visibleText } from "./core/text.js"
import { confirmDelete } from "./editing/delete-dialog.js"
import { EditSession } from "./editing/edit-session.js"
import { PendingBar } from "./editing/pending-bar.js"
import { showKeys } from "./frame/key-list.js"
import { Navigation } from "./frame/navigation.js"
import { Overview } from "./frame/overview.js"
import { applyTheme } from "./frame/theme.js"
import { RequestsView } from "./inspection/requests-view.js"
import { StoreView } from "./inspection/store-view.js"
import { ObjectView } from "./object/object-view.js"
import { ChartView } from "./pictures/chart-view.js"
import { DiagramView } from "./pictures/diagram-view.js"
import { HistoryView } from "./pictures/history-view.js"
import { TableView } from "./table/table-view.js"

/** The page as a whole: it shows what the address says, and actions change the address. */
export class Application {
  /** Whether objects are opened for editing. */
  isEditing = false
  #view = null
  #detail = null
  #stream = null
  #soon = 0
  /** Opens the row on which the keyboard cursor has stopped; null if no row is waiting to be opened. */
  #openSoon = null
  #isAskingToDelete = false

  /** @param {Model} model */
  constructor(model) {
    this.model = model
    this.editor = new EditSession(this)
    this.navigation = new Navigation(model, { showKeys: () => showKeys(model.isWritable) })
    this.middle = element("div", { className: "middle" })
    this.side = element("aside", { className: "side", hidden: true, "aria-label": "Detail" })
    this.edge = element("div", { className: "side-edge", role: "separator", "aria-orientation": "vertical", "aria-hidden": "true", onpointerdown: (event) => this.#resizeSide(event) })
    this.panes = element("div", { className: "panes" }, this.navigation.element, this.middle, this.edge, this.side)
    const main = document.querySelector("main")
    // Replaces the content for browsers without scripts.
    fill(main, this.panes, new PendingBar(this).element, noticeArea, announcementRegion)
    main.addEventListener("click", (event) => this.#clicked(event))
    addEventListener("popstate", () => this.show(placeOf(location)))
    // Typed text that has not been sent yet would be lost with the page.
    addEventListener("beforeunload", (event) => {
      if (this.#detail?.isTyped) event.preventDefault()
    })
    registerKeys(this.#keys())
    this.editor.addEventListener("changed", () => {
      this.#view?.markUnsaved?.()
      this.#showCounts()
    })
    this.editor.refresh()
    this.show(placeOf(location))
  }

  // Places

  /** Shows a place and changes the address accordingly. @param {import("./core/address.js").Place} place @param {{replace?: boolean}} [options] */
  go(place, { replace = false } = {}) {
    const address = addressOf(place)
    if (address !== location.pathname + location.search) history[replace ? "replaceState" : "pushState"](null, "", address)
    this.show(placeOf(location))
  }

  /** Follows a link within the explorer. */
  follow(address) {
    this.go(placeOf(new URL(address, location.href)))
  }

  /** @param {import("./core/address.js").Place} place */
  show(place) {
    closeMenu()
    this.#forgetSoon()
    const before = this.place
    this.place = place
    this.navigation.mark(place)
    if (place.table && !this.model.entity(place.table.entity)) {
      this.#showMiddle({ element: element("section", { className: "page" }, element("p", { className: "remark", role: "alert" }, `There is no entity ${place.table.entity}.`)), close() {} })
    } else if (place.table) {
      if (this.#view instanceof TableView && this.#view.entity === place.table.entity) this.#view.update(place)
      else {
        this.#showMiddle(new TableView(this, place))
        if (before) this.#view.focus()
      }
    } else if (!before || before.page !== place.page) {
      this.#showMiddle(this.#page(place))
      if (before) this.middle.querySelector("h1")?.setAttribute("tabindex", "-1")
      if (before) this.middle.querySelector("h1")?.focus({ preventScroll: true })
    }
    this.#showDetail(place)
    this.#view?.markOpen?.(place.object)
    this.panes.dataset.page = place.object || place.chart ? "detail" : place.page === "overview" ? "overview" : "middle"
    const title = place.object ? `${place.object.entity} ${place.object.id}` : place.table?.entity ?? { diagram: "Model diagram", history: "History", requests: "Requests", store: "About" }[place.page]
    document.title = title ? `${title} – ${this.model.store.name}` : this.model.store.name
  }

  #page(place) {
    switch (place.page) {
      case "diagram": return new DiagramView(this)
      case "history": return new HistoryView(this)
      case "requests": return new RequestsView(this)
      case "store": return new StoreView(this)
      default: return new Overview(this.model)
    }
  }

  #showMiddle(view) {
    this.#view?.close()
    this.#view = view
    fill(this.middle, view.element)
    // A table's own stream includes the counts; other pages need a stream.
    this.#stream?.close()
    this.#stream = view instanceof TableView ? null : new Stream("/api/events", {
      // Events may have been missed while there was no stream.
      hello: () => {
        this.refreshObject()
        this.#view?.objectsChanged?.({ objects: {}, many: true })
      },
      counts: (counts) => this.count(counts), edit: () => this.editor.refresh(), objects: (changed) => this.objectsChanged(changed),
      refused: (error) => notice(visibleText(error.message, 300), "error"),
    })
  }

  #showDetail(place) {
    const old = this.#detail
    const isSame = old && (place.object
      ? old.reference?.id === place.object.id && old.reference?.entity === place.object.entity
      : place.chart && old.place?.chart === place.chart && isSameTable(old.place.table, place.table))
    if (isSame) return
    const hadFocus = old?.element.contains(document.activeElement)
    old?.close()
    this.#detail = place.object ? new ObjectView(this, place.object) : place.chart ? new ChartView(this, place) : null
    this.side.hidden = this.edge.hidden = !this.#detail
    fill(this.side, this.#detail?.element)
    if (hadFocus || (this.#detail && isNarrow())) this.#detail ? this.#detail.focus() : this.#view?.focus?.()
  }

  /** Returns the place that shows an object beside the current table. */
  objectPlace(entity, id) {
    const table = this.place?.table ?? { entity }
    return { page: "object", table, at: this.place?.at, object: { entity, id } }
  }

  /**
   * Shows an object beside the table. @param {{soon?: boolean, key?: string}} [options] `soon`: only when the
   * keyboard cursor stops, while the user moves through rows; `key`: the attribute to edit
   */
  openObject(entity, id, { soon = false, key } = {}) {
    this.#forgetSoon()
    const open = () => {
      const wasOpen = this.place.object
      this.go(this.objectPlace(entity, id), { replace: soon && Boolean(wasOpen) })
      if (key && this.#detail instanceof ObjectView) this.#detail.edit(true, key)
    }
    if (soon) {
      this.#openSoon = open
      this.#soon = setTimeout(open, 120)
    } else open()
  }

  #forgetSoon() {
    clearTimeout(this.#soon)
    this.#openSoon = null
  }

  /** Returns to the table alone. */
  closeDetail() {
    const { table, at } = this.place
    if (!table) return
    this.go({ page: "table", table, at })
    this.#view?.focus?.()
  }

  /** Puts the first visible row into the address, without a new history entry. */
  scrolledTo(rank) {
    if (!this.place.table || (this.place.at ?? 0) === rank) return
    this.place = { ...this.place, at: rank }
    history.replaceState(null, "", addressOf(this.place))
  }

  // Notifications

  count(counts) {
    for (const [name, count] of Object.entries(counts)) {
      const entity = this.model.entity(name)
      if (entity) entity.count = count
    }
    this.#showCounts()
  }

  /** Shows the row counts, including unsaved rows. */
  #showCounts() {
    const { added = {} } = this.editor.pending
    const counts = {}
    for (const { name, count } of this.model.entities) if (count !== null) counts[name] = count + (added[name] ?? 0)
    this.navigation.count(counts)
    this.#view?.count?.(counts)
  }

  /** Notifies the views that objects have changed. @param {{objects: Object<string, string[]>, many: boolean}} changed called `objects` in the protocol */
  objectsChanged(changed) {
    this.#view?.objectsChanged?.(changed)
    this.#detail?.objectsChanged?.(changed)
  }

  refreshObject() {
    this.#detail?.refresh()
  }

  /** Shows the open object with its permanent ID after a save. @param {Object<string, string>} ids by temporary ID */
  objectsSaved(ids) {
    const object = this.place.object
    if (object && ids[object.id]) this.go(this.objectPlace(object.entity, ids[object.id]), { replace: true })
    else this.refreshObject()
  }

  // Deleting, choosing

  async deleteObjects(entity, ids) {
    if (!this.model.isWritable || !ids.length || this.#isAskingToDelete) return
    this.#isAskingToDelete = true
    const isConfirmed = await confirmDelete(entity, ids, this.#labelOf(entity, ids[0])).finally(() => { this.#isAskingToDelete = false })
    if (!isConfirmed) return
    const done = await this.editor.perform([{ op: "delete", entity, ids }])
    if (!done) return
    if (ids.some((id) => this.model.isSame(this.place.object, { entity, id }))) this.closeDetail()
    this.#view?.grid?.clearSelection()
  }

  /** The label of a visible object. */
  #labelOf(entity, id) {
    const shown = [this.#detail?.object, this.#view?.grid?.currentRow, ...(this.#view?.grid?.selected.values() ?? [])]
    return shown.find((one) => this.model.isSame(one, { entity, id }))?.label
  }

  /**
   * Deletes the chosen objects: the object on the right if its pane has the focus, otherwise the selected rows,
   * otherwise the object on the right. Only if there is neither, and the table has the focus, it deletes the current
   * row.
   */
  deleteShown() {
    // If the keyboard cursor is on another row, whose object is about to be shown, that row is meant.
    const isGridFocused = document.activeElement === this.#view?.grid?.element
    if (isGridFocused) this.#openSoon?.()
    const grid = this.#view?.grid
    const isSideFocused = this.side.contains(document.activeElement)
    if (grid?.selected.size && !(isSideFocused && this.place.object)) {
      // The rows of an abstract entity's table are of several entities; the table's entity covers them all.
      return this.deleteObjects(this.#view.entity, [...grid.selected.values()].map((row) => row.id))
    }
    const object = this.place.object ?? (isGridFocused ? grid.currentRow : null)
    return object && this.deleteObjects(object.entity, [object.id])
  }

  chooseEntity(entities) {
    return showDialog("Which entity?", (close) => element(
      "div", { className: "content choices" }, ...entities.map((entity, index) => button(entity.name, () => close(entity.name), { autofocus: index === 0 }))))
  }

  // Keys and clicks

  #clicked(event) {
    const link = event.target.closest?.("a[href]")
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    if (link.hasAttribute("download") || new URL(link.href).origin !== location.origin || link.getAttribute("href").startsWith("blob:")) return
    event.preventDefault()
    this.follow(link.href)
  }

  #keys() {
    const writable = (action) => () => (this.model.isWritable ? action() : false)
    return {
      "/": () => this.#view?.filter ? this.#view.filter.focus() : false,
      "?": () => { showKeys(this.model.isWritable) },
      g: () => { isNarrow() ? this.go({ page: "overview" }) : this.navigation.element.querySelector("[aria-current], a.entity")?.focus() },
      e: writable(() => this.#edit()),
      n: writable(() => (this.#view?.grid ? void this.editor.insert(this.#view.entity) : false)),
      Delete: writable(() => void this.deleteShown()),
      z: writable(() => void this.editor.undo()),
      "Shift+z": writable(() => void this.editor.redo()),
      s: writable(() => void this.editor.save()),
      Escape: () => this.#escape(),
    }
  }

  #edit() {
    const grid = this.#view?.grid
    const row = grid?.currentRow
    const key = document.activeElement === grid?.element ? grid?.currentColumn?.key : undefined
    const isShown = this.#detail instanceof ObjectView
    if (isShown && (!row || this.model.isSame(row, this.#detail.reference) || !key)) this.#detail.edit(!this.#detail.isEditing || Boolean(key), key)
    else if (row) {
      this.isEditing = true
      this.openObject(row.entity, row.id, { key })
    }
  }

  #escape() {
    const { activeElement } = document
    if (this.side.contains(activeElement) && activeElement.closest(".editor")) {
      this.#detail.focus()
      return
    }
    if (this.#view?.grid?.selected.size) this.#view.grid.clearSelection()
    else if (this.place.object || this.place.chart) this.closeDetail()
    else if (isNarrow() && this.place.page !== "overview") this.go({ page: "overview" })
    else this.#view?.focus?.()
  }

  #resizeSide(event) {
    event.preventDefault()
    const { width } = this.side.getBoundingClientRect()
    const { clientX } = event
    this.edge.setPointerCapture(event.pointerId)
    const move = (now) => this.panes.style.setProperty("--side", `${Math.max(260, Math.min(width + clientX - now.clientX, innerWidth * 0.6))}px`)
    this.edge.addEventListener("pointermove", move)
    this.edge.addEventListener("lostpointercapture", () => this.edge.removeEventListener("pointermove", move), { once: true })
  }
}

applyTheme()
try {
  new Application(new Model(await read("/api/store")))
} catch (error) {
  // The content from the server is still readable below the message.
  document.querySelector("main").prepend(element("p", { className: "remark", role: "alert" }, error.message))
  throw error
}
