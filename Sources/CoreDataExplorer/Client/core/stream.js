import { refusal } from "./api.js"

/** How long a hidden page keeps its stream: browsers give six connections to a server, for all pages of it together. */
const patience = 10_000

/**
 * A stream of events that is open while the page can be seen.
 *
 * Each (re)opening begins with the server's `hello`, from which a listener sees whether it missed something.
 */
export class Stream {
  #address
  #listeners
  #source = null
  #timer = 0
  #isClosed = false
  #isRefused = false
  #onvisibility = () => this.#follow()

  /**
   * @param {string} address
   * @param {Object<string, function(Object): void>} listeners by the event's name; they get its data. `open` and
   *   `lost` are called when the connection is there and when it is not, without data; `refused` with the error, once
   *   each time, when the server has no stream for this page.
   */
  constructor(address, listeners) {
    this.#address = address
    this.#listeners = listeners
    document.addEventListener("visibilitychange", this.#onvisibility)
    // A page that is opened behind others waits until it is seen.
    if (!document.hidden) this.#open()
  }

  close() {
    this.#isClosed = true
    document.removeEventListener("visibilitychange", this.#onvisibility)
    clearTimeout(this.#timer)
    this.#source?.close()
    this.#source = null
  }

  #follow() {
    clearTimeout(this.#timer)
    if (!document.hidden) {
      if (!this.#source) this.#open()
    } else {
      this.#timer = setTimeout(() => {
        this.#source?.close()
        this.#source = null
      }, patience)
    }
  }

  #open() {
    const source = new EventSource(this.#address)
    this.#source = source
    source.addEventListener("error", () => {
      this.#listeners.lost?.()
      // A browser tries again by itself unless the answer was an error.
      if (source.readyState === EventSource.CLOSED && this.#source === source) {
        this.#source = null
        this.#timer = setTimeout(() => this.#follow(), 2000)
        this.#askWhy()
      }
    })
    source.addEventListener("open", () => {
      this.#isRefused = false
      this.#listeners.open?.()
    })
    for (const [name, listener] of Object.entries(this.#listeners)) {
      if (["open", "lost", "refused"].includes(name)) continue
      source.addEventListener(name, (event) => listener(JSON.parse(event.data)))
    }
  }

  /** A browser does not tell what the server has answered: the server may have begun anew, with another token. */
  async #askWhy() {
    if (this.#isRefused || !this.#listeners.refused) return
    this.#isRefused = true
    const error = await refusal(this.#address)
    if (error && !this.#isClosed && !this.#source) this.#listeners.refused(error)
  }
}
