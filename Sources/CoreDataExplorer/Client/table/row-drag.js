import { element } from "../core/element.js"
import { notice } from "../core/notices.js"

/** The distance in pixels that the pointer has to move before a press on a handle becomes a drag. */
const threshold = 4

/**
 * Lets users drag rows of an ordered table to other positions by their handles. The keyboard equivalent is Alt with
 * the arrow keys.
 */
export class RowDrag {
  #grid
  #table
  #drop

  /**
   * @param {import("./grid.js").Grid} grid @param {import("./live-table.js").LiveTable} table
   * @param {function(Object, number): void} drop called with the row and its new rank
   */
  constructor(grid, table, drop) {
    this.#grid = grid
    this.#table = table
    this.#drop = drop
    grid.body.addEventListener("pointerdown", (event) => {
      if (event.target instanceof Element && event.target.closest(".handle")) this.#start(event)
    })
  }

  #start(event) {
    const line = this.#grid.lineAt(event.target)
    if (!line?.row) return
    event.preventDefault()
    const { row } = line
    // Null when the row is not in the table, or not among the loaded rows after a reload.
    let from = line.rank
    const locate = () => this.#table.rankWhere((one) => one.id === row.id)
    let isDragged = false
    const mark = element("div", { className: "drop-mark", "aria-hidden": "true" })
    let to = from
    const find = (now, scroller = this.#grid.element.getBoundingClientRect()) => {
      const over = this.#grid.lineAt(document.elementFromPoint(scroller.left + 60, now.clientY))
      if (over?.rank === undefined) return
      const box = over.element.getBoundingClientRect()
      const isBelow = now.clientY > box.top + box.height / 2
      const before = over.rank + (isBelow ? 1 : 0)
      to = before > from ? before - 1 : before
      mark.style.transform = `translateY(${over.y + (isBelow ? box.height : 0) - 1}px)`
    }
    const move = (now) => {
      if (!isDragged) {
        if (Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY) < threshold) return
        isDragged = true
        this.#grid.lines.append(mark)
        this.#markDragged(row.id)
      }
      const scroller = this.#grid.element.getBoundingClientRect()
      if (now.clientY > scroller.bottom - 24) this.#grid.element.scrollTop += 12
      else if (now.clientY < scroller.top + 54) this.#grid.element.scrollTop -= 12
      find(now, scroller)
    }
    // Rows may move during the drag. A report contains the new rank; after a reload the row has to be found again.
    const report = ({ detail: { change } }) => { if (from !== null) from = change.rankOf(from) }
    const ready = () => { from = locate() }
    const end = (now) => {
      removeEventListener("pointermove", move)
      removeEventListener("pointerup", end)
      removeEventListener("pointercancel", end)
      this.#table.removeEventListener("report", report)
      this.#table.removeEventListener("ready", ready)
      if (!isDragged) return
      mark.remove()
      this.#markDragged(null)
      if (now.type !== "pointerup") return
      // The rows under the pointer may have changed since it last moved. A report is rendered only in the next frame.
      this.#grid.render()
      from ??= locate()
      find(now)
      // The new rank depends on whether the row was above or below it.
      if (from === null) notice("The rows have changed: move the row again", "error")
      else if (to !== from && to < this.#table.total) this.#drop(row, to)
    }
    this.#table.addEventListener("report", report)
    this.#table.addEventListener("ready", ready)
    addEventListener("pointermove", move)
    addEventListener("pointerup", end)
    addEventListener("pointercancel", end)
  }

  #markDragged(id) {
    this.#grid.dragged = id
    this.#grid.schedule()
  }
}
