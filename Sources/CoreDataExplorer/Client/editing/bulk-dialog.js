import { send } from "../core/api.js"
import { summaryText, valueText } from "../core/cells.js"
import { showDialog } from "../core/dialog.js"
import { button, element, fill } from "../core/element.js"
import { notice } from "../core/notices.js"
import { counted, visibleText } from "../core/text.js"
import { BulkFields } from "./bulk-fields.js"

/**
 * Changes or deletes all rows of a table's filter as one batch request, after they were counted and some were shown. What is carried
 * out is what was shown: a field that is changed afterwards asks for another preview.
 * @param {Object} view the table @param {import("../main.js").Application} app @param {boolean} isDelete
 */
export function changeAll(view, app, isDelete) {
  const { entity, query: { where } } = view
  return showDialog(isDelete ? "Delete all these rows" : "Change all these rows", (close) => {
    const result = element("div", { className: "bulk-preview", "aria-live": "polite" })
    const footer = element("footer")
    const previewButton = button("Preview", () => preview(), { className: "primary", autofocus: true })
    // An answer to what the fields said before is no preview of what they say now.
    let asked = 0
    const begin = () => {
      asked += 1
      fill(result)
      fill(footer, button("Cancel", () => close()), previewButton)
    }
    const fields = isDelete ? null : new BulkFields(app.model.properties(entity), begin)
    const preview = async () => {
      const body = { entity, where, ...(isDelete ? { delete: true } : { set: fields.values }) }
      asked += 1
      const mine = asked
      try {
        const shown = await send("/api/bulk/preview", body)
        if (mine === asked) show(shown, body)
      } catch (error) {
        if (mine === asked) tell(error)
      }
    }
    const show = (shown, body) => {
      fill(result, ...(isDelete ? deletion(shown, entity) : change(shown)), sample(shown), shown.sql && element("pre", {}, shown.sql))
      fill(
        footer, button("Cancel", () => close()),
        button(`${isDelete ? "Delete" : "Change"} ${counted(shown.total, "row")}`, () => carryOut({ ...body, confirm: shown.total }), {
          className: isDelete ? "danger" : "primary", disabled: shown.total === 0 || Boolean(shown.denied),
        }))
      // Where the fields are many, it is below what is seen.
      result.scrollIntoView({ block: "nearest" })
    }
    const carryOut = async (body) => {
      try {
        const done = await send("/api/bulk", body)
        notice(`${counted(done.count, "row")} ${isDelete ? "deleted" : "changed"}`)
        close()
      } catch (error) {
        // Somebody has changed the rows meanwhile: count them again.
        if (error.status === 409) await preview()
        tell(error)
      }
    }
    const tell = (error) => result.prepend(element("p", { className: "problem" }, visibleText(error.message, 300)))
    begin()
    return [
      element(
        "div", { className: "content" },
        element("p", {}, ...(where ? ["Rows with ", element("code", {}, where)] : [`All rows of ${entity}`]),
          ". It is one batch request to the store: neither checked by the model's validation nor undone, and pending changes are not part of it."),
        fields?.element, result),
      footer,
    ]
  }, { className: "wide" })
}

function change(shown) {
  return [element("p", {}, element("b", {}, counted(shown.count, "row")), " will be changed, at once and for good.")]
}

/** What the delete rules reach is told beside what the filter finds. */
function deletion({ count, total, deleted, unlinked, denied }, entity) {
  if (denied) return [element("p", { className: "problem" }, `The rows cannot be deleted: ${visibleText(denied, 300)}`)]
  return [
    element(
      "p", {}, element("b", {}, counted(total, "row")), " will be deleted, at once and for good",
      total > count ? `: ${counted(count, "row")} of ${entity}, and what the delete rules delete with ${count === 1 ? "it" : "them"}.` : "."),
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
