/** The limits of the scale. */
const smallest = 0.1
const largest = 8

/**
 * Zooms a picture in a window (wheel, pinch, `+`, `-`, and `0` for the whole picture), and pans it (dragging, arrow
 * keys).
 */
export class Zoom {
  #x = 0
  #y = 0
  #scale = 1
  #pointers = new Map()

  /** @param {HTMLElement} holder the window @param {HTMLElement} picture @param {{width: number, height: number}} size of the picture */
  constructor(holder, picture, size) {
    Object.assign(this, { holder, picture, size })
    picture.style.transformOrigin = "0 0"
    holder.addEventListener("wheel", (event) => {
      event.preventDefault()
      this.by(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.clientX, event.clientY)
    }, { passive: false })
    holder.addEventListener("pointerdown", (event) => {
      // No click follows a drag that ends outside the window, or a drag with a finger.
      if (this.#pointers.size === 0) this.#wasDragged = false
      this.#pointers.set(event.pointerId, event)
    })
    holder.addEventListener("pointermove", (event) => this.#move(event))
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
      holder.addEventListener(name, (event) => this.#pointers.delete(event.pointerId))
    }
    holder.addEventListener("click", (event) => {
      // The end of a drag is not a click on the element below the pointer.
      if (this.#wasDragged) event.preventDefault()
      this.#wasDragged = false
    }, true)
    holder.addEventListener("keydown", (event) => {
      const step = 60
      const action = {
        "+": () => this.by(1.25), "=": () => this.by(1.25), "-": () => this.by(0.8), 0: () => this.fit(),
        ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0), ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
      }[event.key]
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      action()
    })
    this.fit()
  }

  #wasDragged = false

  /** Shows the whole picture. */
  fit() {
    const { clientWidth, clientHeight } = this.holder
    this.#scale = Math.max(smallest, Math.min(clientWidth / this.size.width, clientHeight / this.size.height, 1.5) || 1)
    this.#x = (clientWidth - this.size.width * this.#scale) / 2
    this.#y = Math.max(0, (clientHeight - this.size.height * this.#scale) / 2)
    this.#apply()
  }

  pan(x, y) {
    this.#x += x
    this.#y += y
    this.#apply()
  }

  /** Scales by a factor; the given point of the window stays in place. */
  by(factor, clientX, clientY) {
    const box = this.holder.getBoundingClientRect()
    const x = (clientX ?? box.left + box.width / 2) - box.left
    const y = (clientY ?? box.top + box.height / 2) - box.top
    const scale = Math.max(smallest, Math.min(this.#scale * factor, largest))
    this.#x = x - ((x - this.#x) * scale) / this.#scale
    this.#y = y - ((y - this.#y) * scale) / this.#scale
    this.#scale = scale
    this.#apply()
  }

  #move(event) {
    const before = this.#pointers.get(event.pointerId)
    if (!before) return
    if (this.#pointers.size === 1) {
      const [x, y] = [event.clientX - before.clientX, event.clientY - before.clientY]
      if (!this.#wasDragged && Math.hypot(x, y) < 4) return
      this.#wasDragged = true
      this.pan(x, y)
    } else {
      const [one, other] = [...this.#pointers.values()]
      const old = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY)
      this.#pointers.set(event.pointerId, event)
      const [first, second] = [...this.#pointers.values()]
      const now = Math.hypot(first.clientX - second.clientX, first.clientY - second.clientY)
      this.#wasDragged = true
      if (old > 0) this.by(now / old, (first.clientX + second.clientX) / 2, (first.clientY + second.clientY) / 2)
    }
    this.#pointers.set(event.pointerId, event)
  }

  #apply() {
    this.picture.style.transform = `translate(${this.#x}px, ${this.#y}px) scale(${this.#scale})`
  }
}
