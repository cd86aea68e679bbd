/** Browsers limit the height of elements to 16 to 33 million pixels; for longer tables the scroll range is reduced. */
const tallest = 8_000_000

/**
 * The scroll position of a table that may be taller than an element can be.
 *
 * If all lines fit, a pixel of the scroll bar is a pixel of the table. Otherwise small steps (wheel, keys, touch)
 * move by pixels, and a jump (dragging the bar) moves in proportion; when scrolling stops, `settle` adjusts the bar
 * to the position in the table.
 */
export class ScrollMap {
  /** The pixel of the table at the top of the visible part. */
  position = 0
  #real = 0
  #window = 0
  #top = 0

  /** @param {number} real height of all lines @param {number} window height of the visible part */
  resize(real, window) {
    this.#real = real
    this.#window = window
    this.position = Math.max(0, Math.min(this.position, this.#reach))
  }

  /** The height of the scrolling element. */
  get height() {
    return Math.min(this.#real, tallest)
  }

  get #reach() {
    return Math.max(0, this.#real - this.#window)
  }

  get #elementReach() {
    return Math.max(0, this.height - this.#window)
  }

  /** The offset to convert a position in the table to one in the element. */
  get shift() {
    return this.#top - this.position
  }

  /** Handles scrolling of the element to `top`. */
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

  /** The scroll position for the current position in the table, to be set while the user does not scroll. */
  settle() {
    if (this.#real <= tallest) this.#top = this.position
    else this.#top = Math.round((this.position / this.#reach) * this.#elementReach)
    return this.#top
  }

  /** Records where the element was actually scrolled to after `settle` or `go`. */
  landed(top) {
    this.#top = top
    if (this.#real <= tallest) this.position = top
  }

  /** Moves to a pixel of the table; scroll the element to the returned position. */
  go(position) {
    this.position = Math.max(0, Math.min(position, this.#reach))
    return this.settle()
  }
}
