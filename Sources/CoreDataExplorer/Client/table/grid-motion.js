import { mayMove } from "../core/motion.js"

const timing = { duration: 260, easing: "cubic-bezier(0.2, 0, 0, 1)" }

/** With more reports per second than this, lines no longer move; they only flash. */
const busy = 12

/**
 * Animates changes: lines move from their old positions, inserted lines and changed cells flash, deleted lines fade
 * out.
 *
 * The old positions are recorded before the first report of a frame; everything is animated after the last one.
 */
export class GridMotion {
  #places = null
  #inserted = new Set()
  #ghosts = []
  #times = []

  /**
   * Call it before a report is applied.
   * @param {Iterable<[string, import("./grid-line.js").GridLine]>} lines the visible lines by the IDs of their objects
   * @param {function(GridLine): number} placeOf returns a line's distance from the top
   * @param {string[]} deleted the IDs of deleted objects
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

  /** Records inserted objects. */
  inserted(ids) {
    ids.forEach((id) => this.#inserted.add(id))
  }

  /**
   * Call it after the lines have been placed.
   * @param {Iterable<[string, GridLine]>} lines
   * @param {function(GridLine): number} placeOf
   * @param {HTMLElement} holder of the lines @param {function(number): number} inHolder converts a position to the
   * holder's coordinates @param {number} height of the visible part
   */
  after(lines, placeOf, holder, inHolder, height) {
    const places = this.#places
    if (!places) return
    this.#places = null
    const isMoving = mayMove() && this.#times.length <= busy
    for (const [id, line] of lines) {
      const place = placeOf(line)
      const was = places.get(id)?.place
      if (was === undefined && this.#inserted.has(id)) {
        line.element.animate(
          isMoving
            ? [{ backgroundColor: "var(--inserted)", opacity: 0 }, { backgroundColor: "var(--inserted)", opacity: 1, offset: 0.2 }, {}]
            : [{ backgroundColor: "var(--inserted)" }, {}],
          { duration: 1400 })
      } else if (isMoving && was !== place) {
        // A line that was not visible before enters from the nearer edge.
        const from = was ?? (place < height / 2 ? -60 : height + 60)
        if (was === undefined && places.size < 3) continue
        line.element.animate([{ transform: `translateY(${line.y + from - place}px)` }, { transform: `translateY(${line.y}px)` }], timing)
      }
    }
    for (const { ghost, place } of this.#ghosts) {
      ghost.style.transform = `translateY(${inHolder(place)}px)`
      holder.append(ghost)
      ghost.animate([{ opacity: 1, backgroundColor: "var(--deleted)" }, { opacity: 0, backgroundColor: "var(--deleted)" }], { duration: 350, fill: "forwards" })
        .finished.finally(() => ghost.remove())
    }
    this.#ghosts = []
    this.#inserted.clear()
  }

  /** Flashes a cell whose value changed. */
  static flash(cell) {
    cell.animate([{ backgroundColor: "var(--changed)" }, { backgroundColor: "var(--changed)", offset: 0.3 }, {}], { duration: 1300 })
  }
}
