import { button, element } from "../core/element.js"

/** Fields for new values of attributes, which are set in many rows at once. */
export class BulkFields {
  #fields = new Map()

  /** @param {Object[]} properties of the entity @param {function(): void} changed called when the values change */
  constructor(properties, changed) {
    const attributes = properties.filter((one) => one.kind === "attribute" && !one.derived && !one.transient && !/Binary|Transformable|Composite|Object ID/.test(one.type))
    this.element = element("div", {}, ...attributes.map((property) => this.#field(property, changed)))
  }

  /** The new values by attribute, as texts that the server parses. A value of null is nil; so is the empty choice of an optional attribute. */
  get values() {
    return Object.fromEntries([...this.#fields].filter(([, field]) => field.box.checked)
      .map(([key, { input, optional, isNil }]) => [key, isNil() || (optional && input.tagName === "SELECT" && !input.value) ? null : input.value]))
  }

  #field(property, changed) {
    const box = element("input", { type: "checkbox", "aria-label": `Change ${property.name}`, onchange: changed })
    const input = makeInput(property, () => set(false))
    const nil = property.optional && button("nil", () => set(!isNil()), { label: `${property.name}: no value`, className: "quiet", "aria-pressed": "false" })
    const usual = input.placeholder ?? ""
    const isNil = () => nil && nil.getAttribute("aria-pressed") === "true"
    const set = (toNil) => {
      if (nil) nil.setAttribute("aria-pressed", String(toNil))
      if (toNil) input.value = ""
      input.placeholder = toNil ? "nil" : usual
      box.checked = true
      changed()
    }
    this.#fields.set(property.name, { box, input, optional: property.optional, isNil })
    return element("div", { className: "bulk-field" }, box, element("span", {}, property.name, element("small", {}, ` ${property.type}`)), input, nil)
  }
}

/** The field for a new value of an attribute, by its type. */
function makeInput({ name, type }, oninput) {
  const label = { "aria-label": `New ${name}`, oninput }
  if (type === "Boolean") return element("select", label, ...["", "YES", "NO"].map((value) => element("option", { value }, { YES: "yes", NO: "no" }[value] ?? "")))
  return element("input", {
    type: "text", spellcheck: false, autocomplete: "off", ...(type === "Date" ? { className: "date", placeholder: "2024-05-31 14:30:00", title: "YYYY-MM-DD hh:mm:ss.fff in UTC, or followed by +hh:mm" } : {}),
    inputMode: /^(Integer|Decimal|Double|Float)/.test(type) ? "decimal" : type === "URI" ? "url" : "text", ...label,
  })
}
