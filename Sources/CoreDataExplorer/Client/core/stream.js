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
  #onvisibility = () => this.#follow()

  /**
   * @param {string} address
   * @param {Object<string, function(Object): void>} listeners by the event's name; they get its data. `open` and
   *   `lost` are called without data when the connection is there and when it is not.
   */
  constructor(address, listeners) {
    this.#address = address
    this.#listeners = listeners
    document.addEventListener("visibilitychange", this.#onvisibility)
    this.#open()
  }

  close() {
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
      }
    })
    source.addEventListener("open", () => this.#listeners.open?.())
    for (const [name, listener] of Object.entries(this.#listeners)) {
      if (name === "open" || name === "lost") continue
      source.addEventListener(name, (event) => listener(JSON.parse(event.data)))
    }
  }
}
