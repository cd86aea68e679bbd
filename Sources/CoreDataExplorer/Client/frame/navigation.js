import { addressOf } from "../core/address.js"
import { button, element } from "../core/element.js"
import { isNarrow } from "../core/narrow.js"
import { countText, visibleText } from "../core/text.js"
import { switchTheme, themeName } from "./theme.js"

const pages = [
  { page: "diagram", title: "Model diagram" },
  { page: "history", title: "History", needs: (model) => model.store.history },
  { page: "requests", title: "Requests" },
  { page: "store", title: "About this store" },
]

/** The column on the left: the store, its entities with live counts, and the other pages. */
export class Navigation {
  #links = new Map()
  #counts = new Map()

  /** @param {import("../core/model.js").Model} model @param {{showKeys: function(): void}} app */
  constructor(model, app) {
    const entities = model.tree().map(({ entity, depth }) => {
      const count = element("span", { className: "count" }, countText(entity.count))
      const link = element(
        "a", { href: addressOf({ page: "table", table: { entity: entity.name } }), className: `entity depth${Math.min(depth, 4)}` },
        element("span", { className: entity.abstract ? "name abstract" : "name" }, entity.name), count)
      this.#links.set(entity.name, link)
      this.#counts.set(entity.name, count)
      return element("li", {}, link)
    })
    const others = pages.filter((one) => !one.needs || one.needs(model)).map(({ page, title }) => {
      const link = element("a", { href: addressOf({ page }) }, title)
      this.#links.set(`/${page}`, link)
      return element("li", {}, link)
    })
    const themeButton = button(`Theme: ${themeName()}`, () => {
      switchTheme()
      themeButton.textContent = `Theme: ${themeName()}`
    }, { className: "quiet" })
    this.element = element(
      "nav", { className: "navigation", "aria-label": "Store" },
      element(
        "a", { href: "/", className: "store", title: model.store.path },
        element(isNarrow() ? "h1" : "strong", {}, visibleText(model.store.name, 80)),
        element("small", {}, model.isWritable ? "read-write" : "read-only")),
      element("h2", {}, "Entities"), element("ul", {}, ...entities),
      element("h2", {}, "Store"), element("ul", {}, ...others),
      element("div", { className: "feet" }, themeButton, button("Keyboard shortcuts", () => app.showKeys(), { className: "quiet" })))
  }

  /** Shows new row counts. @param {Object<string, number>} counts */
  count(counts) {
    for (const [name, count] of Object.entries(counts)) {
      const shown = this.#counts.get(name)
      const text = countText(count)
      if (!shown || shown.textContent === text) continue
      shown.textContent = text
      shown.animate([{ backgroundColor: "var(--changed)" }, {}], { duration: 1000 })
    }
  }

  /** Marks the current page. @param {import("../core/address.js").Place} place */
  mark(place) {
    const name = place.table ? place.table.entity : `/${place.page}`
    for (const [key, link] of this.#links) {
      if (key === name) link.setAttribute("aria-current", "page")
      else link.removeAttribute("aria-current")
    }
  }
}
