/**
 * Limits how often an action runs: it starts some time after it was requested, never runs twice at the same time, and
 * runs again if it was requested while it ran.
 */
export class Pace {
  #action
  #interval
  #timer = 0
  #isWanted = false
  #isEnded = false

  /** @param {function(): Promise<void>} action @param {number} interval milliseconds before each run */
  constructor(action, interval) {
    this.#action = action
    this.#interval = interval
  }

  /** @param {number} [interval] milliseconds before the run, if none is scheduled yet */
  want(interval = this.#interval) {
    this.#isWanted = true
    if (!this.#timer && !this.#isEnded) this.#timer = setTimeout(() => this.#act(), interval)
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
