import { button, element } from "../core/element.js"
import { sizeText, visibleText } from "../core/text.js"

/** The page `/store`: facts about the file and its model. */
export class StoreView {
  /** @param {import("../main.js").Application} app */
  constructor(app) {
    const { store } = app.model
    const facts = [
      { name: "Path", value: store.path }, { name: "Size", value: sizeText(store.size) },
      { name: "Access", value: store.writable ? "read-write" : "read-only" },
      ...(store.model.name ? [{ name: "Model", value: store.model.name }] : []), { name: "Checksum of the model", value: store.model.checksum },
      { name: "History", value: store.history ? "recorded" : "none" }, ...store.facts,
    ]
    this.element = element(
      "section", { className: "page", "aria-labelledby": "store-title" },
      element("header", { className: "bar" }, button("‹", () => app.go({ page: "overview" }), { label: "Entities", className: "back quiet" }), element("h1", { id: "store-title" }, "About this store")),
      element("dl", { className: "facts" }, ...facts.flatMap(({ name, value }) => [element("dt", {}, visibleText(name, 80)), element("dd", {}, visibleText(String(value), 1000))])))
  }

  close() {}
}
