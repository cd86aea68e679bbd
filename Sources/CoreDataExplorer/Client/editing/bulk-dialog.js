import { send } from "../core/api.js"
import { cellText } from "../core/cells.js"
import { showDialog } from "../core/dialog.js"
import { button, element, fill } from "../core/element.js"
import { notice } from "../core/notices.js"
import { counted, visibleText } from "../core/text.js"

/**
 * Changes or deletes all rows of a table's filter as one batch request, after they were counted and some were shown.
 * @param {Object} view the table @param {import("../main.js").Application} app @param {boolean} isDelete
 */
export function changeAll(view, app, isDelete) {
  const { entity, query: { where } } = view
  return showDialog(isDelete ? "Delete all these rows" : "Change all these rows", (close) => {
    const fields = new Map()
    const result = element("div", { className: "bulk-preview", "aria-live": "polite" })
    const footer = element("footer")
    const body = () => ({
      entity, where,
      ...(isDelete ? { delete: true } : { set: Object.fromEntries([...fields].filter(([, field]) => field.box.checked).map(([key, field]) => [key, field.input.value])) }),
    })
    const preview = async () => {
      try {
        const shown = await send("/api/bulk/preview", body())
        fill(
          result, element("p", {}, element("b", {}, counted(shown.count, "row")), isDelete ? " will be deleted, at once and for good." : " will be changed, at once and for good."),
          shown.sample.length > 0 && element("ul", { className: "related" }, ...shown.sample.map((row) => element("li", {}, visibleText(row.label || row.id, 80), element("small", {}, row.cells.slice(0, 4).map((cell) => cellText(cell, 30)).join(" · "))))),
          shown.sql && element("pre", {}, shown.sql))
        fill(
          footer, button("Cancel", () => close()),
          button(`${isDelete ? "Delete" : "Change"} ${counted(shown.count, "row")}`, () => carryOut(shown.count), { className: isDelete ? "danger" : "primary", disabled: shown.count === 0 }))
      } catch (error) {
        fill(result, element("p", { className: "problem" }, visibleText(error.message, 300)))
      }
    }
    const carryOut = async (count) => {
      try {
        const done = await send("/api/bulk", { ...body(), confirm: count })
        notice(`${counted(done.count, "row")} ${isDelete ? "deleted" : "changed"}`)
        close()
      } catch (error) {
        fill(result, element("p", { className: "problem" }, visibleText(error.message, 300)))
        // Somebody has changed the rows meanwhile: count them again.
        if (error.status === 409) await preview()
      }
    }
    const attributes = app.model.properties(entity).filter((one) => one.kind === "attribute" && !one.derived && !/Binary|Transformable|Composite|Object ID/.test(one.type))
    const inputs = isDelete ? [] : attributes.map((property) => {
      const box = element("input", { type: "checkbox", "aria-label": `Change ${property.name}` })
      const input = element("input", { type: "text", "aria-label": `New ${property.name}`, oninput: () => { box.checked = true } })
      fields.set(property.name, { box, input })
      return element("div", { className: "bulk-field" }, box, element("span", {}, property.name, element("small", {}, ` ${property.type}`)), input)
    })
    fill(footer, button("Cancel", () => close()), button("Preview", preview, { className: "primary", autofocus: true }))
    return [
      element(
        "div", { className: "content" },
        element("p", {}, ...(where ? ["Rows with ", element("code", {}, where)] : [`All rows of ${entity}`]),
          ". It is one batch request to the store: neither checked by the model's validation nor undone, and pending changes are not part of it."),
        ...inputs, result),
      footer,
    ]
  }, { className: "wide" })
}
