import { button, element } from "../core/element.js"
import { showDialog } from "../core/dialog.js"

/** More columns than these have a field to look for some. */
const many = 20

/**
 * Lets columns be chosen: the properties of the entity, the elements of composite ones, and the properties of what its to-one
 * relationships lead to.
 * @param {import("../core/model.js").Model} model
 * @param {string} entity
 * @param {string[]} chosen key paths, in their order
 * @returns {Promise<string[]|undefined>} the new ones; none is all
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
    const groups = model.properties(entity).filter((property) => property.kind !== "fetched").map((property) =>
      property.kind === "toOne"
        ? element(
          "details", {}, element("summary", {}, property.name, " →"),
          choice(property.name, property.destination),
          ...model.properties(property.destination).filter((one) => one.kind === "attribute").flatMap((one) => [one, ...(one.elements ?? [])])
            .map((one) => choice(`${property.name}.${one.name}`, one.type)))
        : property.elements
          ? element("details", {}, element("summary", {}, property.name, " …"), choice(property.name, property.type), ...property.elements.map((one) => choice(one.name, one.type)))
          : choice(property.name, property.type ?? `to many ${property.destination}`))
    const apply = () => {
      const now = boxes.filter((box) => box.checked).map((box) => box.value)
      // Those that stay keep their order.
      close([...chosen.filter((key) => now.includes(key)), ...now.filter((key) => !chosen.includes(key))])
    }
    // What is checked and not found stays checked.
    const find = () => {
      const wanted = search.value.trim().toLowerCase()
      for (const box of boxes) box.parentElement.hidden = !box.value.toLowerCase().includes(wanted)
      for (const group of list.querySelectorAll("details")) {
        group.hidden = !group.querySelector(".choice:not([hidden])")
        if (wanted) group.open = true
      }
    }
    // A table without columns is none: something is to be checked again.
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
