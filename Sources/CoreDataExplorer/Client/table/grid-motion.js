import { mayMove } from "../core/motion.js"

const timing = { duration: 260, easing: "cubic-bezier(0.2, 0, 0, 1)" }

/** Reports within a second from which on lines do not move any more, but only flash. */
const busy = 12

/**
 * What is seen of changes: lines move from where they were, those that came and cells that changed flash, those that are gone leave.
 *
 * Where lines were is taken once before the first report of a frame; everything is shown after its last one.
 */
export class GridMotion {
  #places = null
  #came = new Set()
  #ghosts = []
  #times = []

  /**
   * Before a report is applied.
   * @param {Iterable<[string, import("./grid-line.js").GridLine]>} lines those on the page by the ids of their objects
   * @param {function(GridLine): number} placeOf a line's distance from the upper edge
   * @param {string[]} deleted ids of objects that go
   */
  before(lines, placeOf, deleted) {
    const now = performance.now()
    this.#times = this.#times.filter((time) => now - time < 1000)
    this.#times.push(now)
    if (!this.#places) {
      this.#places = new Map()
      for (const [id, line] of lines) this.#places.set(id, { place: placeOf(line), line })
    }
    if (!mayMove() || this.#times.length > busy) return
    for (const id of deleted) {
      const known = this.#places.get(id)
      if (known && this.#ghosts.length < 40) {
        const ghost = known.line.element.cloneNode(true)
        ghost.removeAttribute("id")
        ghost.removeAttribute("role")
        ghost.querySelectorAll("[id]").forEach((one) => { one.removeAttribute("id"); one.removeAttribute("role") })
        ghost.setAttribute("aria-hidden", "true")
        ghost.classList.add("leaving")
        this.#ghosts.push({ ghost, place: known.place })
      }
    }
  }

  /** Notes objects that were inserted. */
  came(ids) {
    ids.forEach((id) => this.#came.add(id))
  }

  /**
   * After the lines are where they belong.
   * @param {Iterable<[string, GridLine]>} lines
   * @param {function(GridLine): number} placeOf
   * @param {HTMLElement} holder of the lines @param {function(number): number} inHolder a place as the holder counts it
   * @param {number} height of what is seen
   */
  after(lines, placeOf, holder, inHolder, height) {
    const places = this.#places
    if (!places) return
    this.#places = null
    const isMoving = mayMove() && this.#times.length <= busy
    for (const [id, line] of lines) {
      const place = placeOf(line)
      const was = places.get(id)?.place
      if (was === undefined && this.#came.has(id)) {
        line.element.animate(
          isMoving
            ? [{ backgroundColor: "var(--came)", opacity: 0 }, { backgroundColor: "var(--came)", opacity: 1, offset: 0.2 }, {}]
            : [{ backgroundColor: "var(--came)" }, {}],
          { duration: 1400 })
      } else if (isMoving && was !== place) {
        // One that was not on the page comes in over the nearer edge.
        const from = was ?? (place < height / 2 ? -60 : height + 60)
        if (was === undefined && places.size < 3) continue
        line.element.animate([{ transform: `translateY(${line.y + from - place}px)` }, { transform: `translateY(${line.y}px)` }], timing)
      }
    }
    for (const { ghost, place } of this.#ghosts) {
      ghost.style.transform = `translateY(${inHolder(place)}px)`
      holder.append(ghost)
      ghost.animate([{ opacity: 1, backgroundColor: "var(--went)" }, { opacity: 0, backgroundColor: "var(--went)" }], { duration: 350, fill: "forwards" })
        .finished.finally(() => ghost.remove())
    }
    this.#ghosts = []
    this.#came.clear()
  }

  /** Shows that a cell has another value. */
  static flash(cell) {
    cell.animate([{ backgroundColor: "var(--changed)" }, { backgroundColor: "var(--changed)", offset: 0.3 }, {}], { duration: 1300 })
  }
}
