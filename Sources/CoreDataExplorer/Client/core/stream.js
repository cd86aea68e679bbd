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
   *   each time, when the server has no stream for this page, in place of `lost` where the server is there and says why.
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
      // A browser tries again by itself unless the answer was an error.
      if (source.readyState !== EventSource.CLOSED) this.#listeners.lost?.()
      else if (this.#source === source) {
        this.#source = null
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
    const error = await refusal(this.#address)
    if (this.#isClosed || this.#source) return
    if (!error) this.#listeners.lost?.()
    else if (!this.#isRefused) {
      this.#isRefused = true
      this.#listeners.refused?.(error)
    }
    // What is wrong with the request is wrong with it in two seconds, too.
    if (error?.status !== 400) this.#timer = setTimeout(() => this.#follow(), 2000)
  }
}
