import { refusal } from "./api.js"

/**
 * The milliseconds after which a hidden page closes its stream, because browsers allow only six connections to a
 * server for all its pages together.
 */
const patience = 10_000

/**
 * A stream of events that is open while the page is visible.
 *
 * Whenever it is opened, the server first sends `hello`, from which a listener can determine whether it missed
 * something.
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
   * @param {Object<string, function(Object): void>} listeners by event name; they receive the event's data. `open`
   * and `lost` are called without data when the connection is established or lost. If the server responds with an
   * error, `refused` is called with the error instead of `lost`, and then not again until a connection is established.
   */
  constructor(address, listeners) {
    this.#address = address
    this.#listeners = listeners
    document.addEventListener("visibilitychange", this.#onvisibility)
    // A page that is opened in the background waits until it is visible.
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
      this.#schedule(() => {
        this.#source?.close()
        this.#source = null
      }, patience)
    }
  }

  /** Runs an action later, instead of the one that was scheduled before. */
  #schedule(action, delay) {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(action, delay)
  }

  #open() {
    const source = new EventSource(this.#address)
    this.#source = source
    source.addEventListener("error", () => {
      // A browser reconnects by itself, unless the response was an error.
      if (source.readyState !== EventSource.CLOSED) this.#listeners.lost?.()
      else if (this.#source === source) {
        this.#source = null
        this.#findReason()
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

  /** Finds out why the connection was refused, which browsers do not report: the server may have restarted with a new token. */
  async #findReason() {
    const error = await refusal(this.#address)
    if (this.#isClosed || this.#source) return
    if (!error) this.#listeners.lost?.()
    else if (!this.#isRefused) {
      this.#isRefused = true
      this.#listeners.refused?.(error)
    }
    // An invalid request is still invalid two seconds later.
    if (error?.status !== 400) this.#schedule(() => this.#follow(), 2000)
  }
}
