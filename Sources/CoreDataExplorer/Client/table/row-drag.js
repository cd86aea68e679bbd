import { element } from "../core/element.js"

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
    const from = line.rank
    const mark = element("div", { className: "drop-mark", "aria-hidden": "true" })
    this.#grid.lines.append(mark)
    line.element.classList.add("dragged")
    let to = from
    const move = (now) => {
      const scroller = this.#grid.element.getBoundingClientRect()
      if (now.clientY > scroller.bottom - 24) this.#grid.element.scrollTop += 12
      else if (now.clientY < scroller.top + 54) this.#grid.element.scrollTop -= 12
      const over = this.#grid.lineAt(document.elementFromPoint(scroller.left + 60, now.clientY))
      if (over?.rank === undefined) return
      const box = over.element.getBoundingClientRect()
      const isBelow = now.clientY > box.top + box.height / 2
      const before = over.rank + (isBelow ? 1 : 0)
      to = before > from ? before - 1 : before
      mark.style.transform = `translateY(${over.y + (isBelow ? box.height : 0) - 1}px)`
    }
    const end = (now) => {
      removeEventListener("pointermove", move)
      removeEventListener("pointerup", end)
      removeEventListener("pointercancel", end)
      mark.remove()
      line.element.classList.remove("dragged")
      if (now.type === "pointerup" && to !== from && to < this.#table.total) this.#drop(row, to)
    }
    addEventListener("pointermove", move)
    addEventListener("pointerup", end)
    addEventListener("pointercancel", end)
  }
}
