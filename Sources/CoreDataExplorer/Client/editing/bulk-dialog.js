import { send } from "../core/api.js"
import { summaryText, valueText } from "../core/cells.js"
import { showDialog } from "../core/dialog.js"
import { button, element, fill } from "../core/element.js"
import { notice } from "../core/notices.js"
import { counted, visibleText } from "../core/text.js"
import { BulkFields } from "./bulk-fields.js"

/**
 * Changes or deletes all rows of a table's filter as one batch request, after showing their number and some of them.
 * Exactly what was shown is carried out: changing a field requires a new preview.
 * @param {Object} view the table @param {import("../main.js").Application} app @param {boolean} isDelete
 */
export function changeAll(view, app, isDelete) {
  const { entity, query: { where } } = view
  return showDialog(isDelete ? "Delete all these rows" : "Change all these rows", (close) => {
    const result = element("div", { className: "bulk-preview", "aria-live": "polite" })
    const footer = element("footer")
    const previewButton = button("Preview", () => preview(), { className: "primary", autofocus: true })
    // Ignore the answer to a preview of earlier field values.
    let lastRequest = 0
    const begin = () => {
      lastRequest += 1
      fill(result)
      fill(footer, button("Cancel", () => close()), previewButton)
    }
    const fields = isDelete ? null : new BulkFields(app.model.properties(entity), begin)
    const preview = async () => {
      const body = { entity, where, ...(isDelete ? { delete: true } : { set: fields.values }) }
      lastRequest += 1
      const request = lastRequest
      try {
        const shown = await send("/api/bulk/preview", body)
        if (request === lastRequest) show(shown, body)
      } catch (error) {
        if (request === lastRequest) showError(error)
      }
    }
    const show = (shown, body) => {
      fill(result, ...(isDelete ? deletion(shown, entity) : change(shown)), sample(shown), shown.sql && element("pre", {}, shown.sql))
      fill(
        footer, button("Cancel", () => close()),
        button(`${isDelete ? "Delete" : "Change"} ${counted(shown.total, "row")}`, (event) => carryOut({ ...body, confirm: shown.total }, event.currentTarget), {
          className: isDelete ? "danger" : "primary", disabled: shown.total === 0 || Boolean(shown.denied),
        }))
      // If there are many fields, the result may be below the visible part.
      result.scrollIntoView({ block: "nearest" })
    }
    const carryOut = async (body, confirmButton) => {
      // A second click must not send the request again.
      confirmButton.disabled = true
      try {
        const done = await send("/api/bulk", body)
        notice(`${counted(done.count, "row")} ${isDelete ? "deleted" : "changed"}`)
        close()
      } catch (error) {
        // The rows may have changed: count them again.
        if (error.status === 409) await preview()
        showError(error)
        confirmButton.disabled = false
      }
    }
    const showError = (error) => result.prepend(element("p", { className: "problem" }, visibleText(error.message, 300)))
    begin()
    return [
      element(
        "div", { className: "content" },
        element("p", {}, ...(where ? ["Rows with ", element("code", {}, where)] : [`All rows of ${entity}`]),
          `. This is one batch request to the store: it ${isDelete ? "is not validated" : "validates only the new values"}, cannot be undone, and is possible only without unsaved changes.`),
        fields?.element, result),
      footer,
    ]
  }, { className: "wide" })
}

function change(shown) {
  return [element("p", {}, element("b", {}, counted(shown.count, "row")), " will be changed immediately. This cannot be undone.")]
}

/** Shows what the delete rules reach, in addition to what the filter finds. */
function deletion({ count, total, deleted, unlinked, denied }, entity) {
  if (denied) return [element("p", { className: "problem" }, `The rows cannot be deleted: ${visibleText(denied, 300)}`)]
  return [
    element(
      "p", {}, element("b", {}, counted(total, "row")), " will be deleted immediately",
      total > count ? `: ${counted(count, "row")} of ${entity} and the rows that the delete rules delete with ${count === 1 ? "it" : "them"}. This cannot be undone.` : ". This cannot be undone."),
    (deleted.length > 1 || unlinked > 0) && element(
      "ul", { className: "rules" },
      ...deleted.map((one) => element("li", { className: "cascade" }, element("b", {}, one.entity), `: ${counted(one.count, "row")}`)),
      unlinked > 0 && element("li", { className: "nullify" }, `${counted(unlinked, "row")} no longer linked`)),
  ]
}

function sample({ sample: rows, changes }) {
  return rows.length > 0 && element("ul", { className: "related" }, ...rows.map((row, index) => element(
    "li", {}, visibleText(row.label || row.id, 80),
    changes.length > 0
      ? element("small", {}, ...changes[index].flatMap((one) => [
        ` ${one.key}: `, element("del", {}, valueText(one.old, 60)), " → ", element("ins", {}, valueText(one.new, 60)),
      ]))
      : element("small", {}, summaryText(row, 30)))))
}
