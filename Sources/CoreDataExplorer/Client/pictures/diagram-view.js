import { button, element, fill } from "../core/element.js"
import { isDark, onThemeChange, theme } from "../frame/theme.js"
import { adoptSVG } from "./svg-document.js"
import { Zoom } from "./zoom.js"

/** The page `/diagram`: a picture of the model in which entities link to their tables. */
export class DiagramView {
  #ended = new AbortController()
  #forget = () => {}

  /** @param {import("../main.js").Application} app */
  constructor(app) {
    this.app = app
    this.host = element("div", { className: "diagram-picture" })
    this.holder = element("div", { className: "diagram", tabIndex: 0, role: "group", "aria-label": "Diagram: + and − zoom, arrows move, 0 shows all" }, this.host)
    const zoom = (action) => () => this.zoom && action(this.zoom)
    this.element = element(
      "section", { className: "page wide", "aria-labelledby": "diagram-title-h" },
      element(
        "header", { className: "bar" }, button("‹", () => app.go({ page: "overview" }), { label: "Entities", className: "back quiet" }),
        element("h1", { id: "diagram-title-h" }, "Model diagram"), element("span", { className: "space" }),
        button("−", zoom((one) => one.by(0.8)), { label: "Smaller" }), button("+", zoom((one) => one.by(1.25)), { label: "Larger" }), button("All", zoom((one) => one.fit()))),
      this.holder)
    this.#load()
  }

  close() {
    this.#ended.abort()
    this.#forget()
  }

  async #load() {
    try {
      const response = await fetch("/api/diagram.svg", { signal: this.#ended.signal })
      if (!response.ok) throw new Error(`The server answered with status ${response.status}.`)
      const dark = () => (theme() === "system" ? null : isDark())
      const adopted = adoptSVG(await response.text(), dark())
      if (!adopted) throw new Error("The diagram cannot be read.")
      this.#forget = onThemeChange(() => adopted.setDark(dark()))
      // In a shadow root, so that the picture's styles apply only to the picture.
      const root = this.host.attachShadow({ mode: "open" })
      root.adoptedStyleSheets = [adopted.sheet]
      root.append(adopted.svg)
      root.addEventListener("click", (event) => {
        const link = event.target.closest("a")
        if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        this.app.follow(link.getAttribute("href"))
      })
      const box = adopted.svg.viewBox.baseVal
      this.zoom = new Zoom(this.holder, this.host, { width: box?.width || 800, height: box?.height || 600 })
    } catch (error) {
      if (error.name !== "AbortError") fill(this.holder, element("p", { className: "remark", role: "alert" }, error.message))
    }
  }
}
