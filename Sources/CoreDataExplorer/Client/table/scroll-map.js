/** Browsers end elements at some 16 to 33 million pixels; longer tables are scrolled through less. */
const tallest = 8_000_000

/**
 * The scroll position of a table that may be taller than an element can be.
 *
 * As long as all lines fit, a pixel of the scroll bar is a pixel of the table. Otherwise small steps (wheel, keys, touch) go
 * pixel by pixel, and a jump (the bar dragged) goes in proportion; when the scrolling rests, `settle` puts the bar to where the
 * table is.
 */
export class ScrollMap {
  /** The table's pixel that is at the upper edge. */
  position = 0
  #real = 0
  #window = 0
  #top = 0

  /** @param {number} real height of all lines @param {number} window height of what is seen of them */
  resize(real, window) {
    this.#real = real
    this.#window = window
    this.position = Math.max(0, Math.min(this.position, this.#reach))
  }

  /** The height of the element that scrolls. */
  get height() {
    return Math.min(this.#real, tallest)
  }

  get #reach() {
    return Math.max(0, this.#real - this.#window)
  }

  get #elementReach() {
    return Math.max(0, this.height - this.#window)
  }

  /** What is added to a line's pixel to have its place in the element. */
  get shift() {
    return this.#top - this.position
  }

  /** The element was scrolled to `top`. */
  scrolled(top) {
    const step = top - this.#top
    this.#top = top
    if (this.#real <= tallest) this.position = top
    else if (top <= 0) this.position = 0
    else if (top >= this.#elementReach - 1) this.position = this.#reach
    else if (Math.abs(step) < this.#window * 2) this.position += step
    else this.position = (top / this.#elementReach) * this.#reach
    this.position = Math.max(0, Math.min(this.position, this.#reach))
  }

  /** The place of the scroll bar for the position: to be set when nobody scrolls. */
  settle() {
    if (this.#real <= tallest) this.#top = this.position
    else this.#top = Math.round((this.position / this.#reach) * this.#elementReach)
    return this.#top
  }

  /** The element was put to `top` by `settle` or `go`, as nearly as it could be. */
  landed(top) {
    this.#top = top
    if (this.#real <= tallest) this.position = top
  }

  /** Goes to a pixel of the table; the element has to be scrolled to what comes back. */
  go(position) {
    this.position = Math.max(0, Math.min(position, this.#reach))
    return this.settle()
  }
}
