/**
 * Does something at most so often, however often it is wanted: a moment after it is, never twice at once, and once more
 * when it was wanted meanwhile.
 */
export class Pace {
  #action
  #interval
  #timer = 0
  #isWanted = false
  #isEnded = false

  /** @param {function(): Promise<void>} action @param {number} interval milliseconds before each time */
  constructor(action, interval) {
    this.#action = action
    this.#interval = interval
  }

  want() {
    this.#isWanted = true
    if (!this.#timer && !this.#isEnded) this.#timer = setTimeout(() => this.#act(), this.#interval)
  }

  end() {
    this.#isEnded = true
    clearTimeout(this.#timer)
  }

  async #act() {
    this.#isWanted = false
    try {
      await this.#action()
    } finally {
      this.#timer = 0
      if (this.#isWanted) this.want()
    }
  }
}
