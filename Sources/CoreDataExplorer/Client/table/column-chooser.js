import { button, element } from "../core/element.js"
import { showDialog } from "../core/dialog.js"

/** With more columns than this, there is a search field. */
const many = 20

/**
 * Lets the user choose columns: the properties of the entity, the elements of composite attributes, and the
 * attributes of the destinations of to-one relationships.
 * @param {import("../core/model.js").Model} model
 * @param {string} entity
 * @param {string[]} chosen key paths, in their order
 * @returns {Promise<string[]|undefined>} the new key paths; empty for all columns
 */
export function chooseColumns(model, entity, chosen) {
  return showDialog("Columns", (close) => {
    const boxes = []
    const search = element("input", { type: "text", placeholder: "Search", "aria-label": "Search columns", spellcheck: false, autocomplete: "off", oninput: () => find() })
    const list = element("div", { className: "choices" })
    const choice = (key, detail) => {
      const box = element("input", { type: "checkbox", checked: chosen.includes(key), value: key })
      boxes.push(box)
      return element("label", { className: "choice" }, box, element("span", {}, key), element("small", {}, detail))
    }
    const isStored = (property) => property.kind !== "fetched" && !property.transient
    const groups = model.properties(entity).filter(isStored).map((property) =>
      property.kind === "toOne"
        ? element(
          "details", {}, element("summary", {}, property.name, " →"),
          choice(property.name, property.destination),
          ...model.properties(property.destination).filter((one) => one.kind === "attribute" && isStored(one)).flatMap((one) => [one, ...(one.elements ?? [])])
            .map((one) => choice(`${property.name}.${one.name}`, one.type)))
        : property.elements
          ? element("details", {}, element("summary", {}, property.name, " …"), choice(property.name, property.type), ...property.elements.map((one) => choice(one.name, one.type)))
          : choice(property.name, property.type ?? `to many ${property.destination}`))
    const apply = () => {
      const now = boxes.filter((box) => box.checked).map((box) => box.value)
      // Columns that are kept keep their order.
      close([...chosen.filter((key) => now.includes(key)), ...now.filter((key) => !chosen.includes(key))])
    }
    // Columns that are filtered out stay checked.
    const find = () => {
      const wanted = search.value.trim().toLowerCase()
      for (const box of boxes) box.parentElement.hidden = !box.value.toLowerCase().includes(wanted)
      for (const group of list.querySelectorAll("details")) {
        group.hidden = !group.querySelector(".choice:not([hidden])")
        if (wanted) group.open = true
      }
    }
    // A table needs at least one column.
    const show = button("Show these", apply, { className: "primary" })
    const mark = () => { show.disabled = !boxes.some((box) => box.checked) }
    const none = () => {
      for (const box of boxes) box.checked = false
      mark()
    }
    list.addEventListener("change", mark)
    list.append(...groups)
    return [
      element("div", { className: "content" }, boxes.length > many && search, list),
      element("footer", {}, button("None", none), button("All", () => close([])), show),
    ]
  })
}
