import { addressOf } from "../core/address.js"
import { element } from "../core/element.js"
import { countText, counted, sizeText, visibleText } from "../core/text.js"

/** The page `/`: the entities of the store with their numbers of rows, attributes and relationships. */
export class Overview {
  #counts = new Map()

  /** @param {import("../core/model.js").Model} model */
  constructor(model) {
    const { store } = model
    const rows = model.tree().map(({ entity, depth }) => {
      const count = element("td", { className: "number" }, countText(entity.count))
      this.#counts.set(entity.name, count)
      const of = (kind) => entity.properties.filter((property) => (kind === "attribute") === (property.kind === "attribute")).length
      return element(
        "tr", {},
        element("th", { scope: "row", className: `depth${Math.min(depth, 4)}` }, element("a", { href: addressOf({ page: "table", table: { entity: entity.name } }) }, entity.name), entity.abstract && element("small", {}, " abstract")),
        count, element("td", { className: "number" }, of("attribute")), element("td", { className: "number" }, of("relationship")))
    })
    this.element = element(
      "section", { className: "page", "aria-labelledby": "overview-title" },
      element("h1", { id: "overview-title" }, visibleText(store.name, 200)),
      element("p", { className: "pale" }, `${visibleText(store.path, 400)} · ${sizeText(store.size)} · ${counted(store.entities.length, "entity", "entities")} · ${model.isWritable ? "read-write" : "read-only"}`),
      element(
        "table", { className: "plain" },
        element("thead", {}, element("tr", {}, ...["Entity", "Rows", "Attributes", "Relationships"].map((title, index) => element("th", { scope: "col", className: index ? "number" : "" }, title)))),
        element("tbody", {}, ...rows)))
  }

  count(counts) {
    for (const [name, count] of Object.entries(counts)) {
      const cell = this.#counts.get(name)
      if (cell) cell.textContent = countText(count)
    }
  }

  close() {}
}
