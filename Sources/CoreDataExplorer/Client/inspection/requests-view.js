import { read } from "../core/api.js"
import { button, element, fill } from "../core/element.js"
import { notice } from "../core/notices.js"
import { Stream } from "../core/stream.js"
import { countText, counted, timeText, visibleText } from "../core/text.js"
import { planList } from "./plan.js"

/** The maximum number of requests on the page. */
const most = 300

/** Milliseconds between a request and reading the figures again, because requests come in bursts. */
const figuresDelay = 500

/**
 * The page `/requests`: the requests to the store as they happen, with SQL, time and plan, and figures about the
 * objects in memory, the requests and the live tables.
 */
export class RequestsView {
  #ended = new AbortController()
  #stream = null
  #last = 0
  #isPaused = false
  /** Requests that are not shown yet, because the page is paused or earlier requests are being loaded. */
  #waiting = []
  #loads = 0
  #timer = 0

  /** @param {import("../main.js").Application} app */
  constructor(app) {
    this.cache = element("p", { className: "figures" })
    this.list = element("ol", { className: "requests", "aria-label": "Requests" })
    this.pause = button("Pause", () => this.#pause(), { "aria-pressed": "false" })
    this.element = element(
      "section", { className: "page", "aria-labelledby": "requests-title" },
      element(
        "header", { className: "bar" }, button("‹", () => app.go({ page: "overview" }), { label: "Entities", className: "back quiet" }),
        element("h1", { id: "requests-title" }, "Requests"), element("span", { className: "space" }), this.pause, button("Clear", () => fill(this.list))),
      this.cache, this.list)
    this.#load()
    this.#stream = new Stream("/api/requests/events", {
      hello: ({ log }) => this.#greeted(log),
      request: (request) => {
        this.#followFigures(request)
        this.#receive([request])
      },
      refused: (error) => notice(visibleText(error.message, 300), "error"),
    })
  }

  close() {
    this.#ended.abort()
    this.#stream.close()
    clearTimeout(this.#timer)
  }

  #log = null

  /** Loads the requests that were missed. If the server was restarted, it numbers its requests from 1 again. */
  #greeted(log) {
    if (this.#log !== null && log !== this.#log) {
      this.#last = 0
      this.#waiting = []
    }
    this.#log = log
    this.#load()
  }

  #newest = 0

  /** Reads the figures again after a request. */
  #followFigures({ n }) {
    this.#newest = n
    this.#timer ||= setTimeout(async () => {
      this.#timer = 0
      try {
        this.#figures((await read("/api/requests", { after: String(this.#newest) }, this.#ended.signal)).cache)
      } catch {
        // The next request tries again.
      }
    }, figuresDelay)
  }

  async #load() {
    this.#loads += 1
    const known = this.#log
    try {
      const { log, requests, cache } = await read("/api/requests", { after: String(this.#last) }, this.#ended.signal)
      // The numbers of a server that has ended would hide the requests of the present one, which begin at 1.
      if (this.#log !== null && log !== this.#log) return
      this.#log = log
      this.#receive(requests)
      this.#figures(cache)
    } catch (error) {
      // If a server has ended, the request to the next one decides what is shown.
      if (error.name !== "AbortError" && known === this.#log) this.cache.textContent = error.message
    } finally {
      this.#loads -= 1
      this.#showWaiting()
    }
  }

  #figures(cache) {
    fill(this.cache, ...Object.entries(cache ?? {}).map(([name, value]) => element("span", {}, element("b", {}, countText(value)), ` ${name}`)))
  }

  #pause() {
    this.#isPaused = !this.#isPaused
    this.pause.setAttribute("aria-pressed", this.#isPaused)
    this.#showWaiting()
  }

  #receive(requests) {
    this.#waiting.push(...requests)
    // The requests that are loaded after a reconnection may precede the waiting requests, or be among them.
    this.#waiting.sort((one, other) => one.n - other.n)
    this.#waiting = this.#waiting.filter(({ n }, index, all) => n !== all[index - 1]?.n).slice(-most)
    this.#showWaiting()
  }

  #showWaiting() {
    if (!this.#isPaused && !this.#loads) this.#waiting.splice(0).forEach((request) => this.#add(request))
  }

  #add(request) {
    if (request.n <= this.#last) return
    this.#last = request.n
    this.list.prepend(element(
      "li", {},
      element("details", {}, element(
        "summary", {}, element("span", { className: "time" }, timeText(request.time)), element("span", { className: "rows" }, request.rows === undefined ? "" : counted(request.rows, "row")),
        element("code", {}, visibleText(request.sql, 160))),
      element("pre", {}, request.sql), planList(request.plan ?? []))))
    while (this.list.childElementCount > most) this.list.lastChild.remove()
  }
}
