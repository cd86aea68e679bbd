import { send } from "../core/api.js"
import { showDialog } from "../core/dialog.js"
import { button, element } from "../core/element.js"
import { notice } from "../core/notices.js"
import { counted, countText, visibleText } from "../core/text.js"

const words = {
  cascade: "also deleted", nullify: "no longer linked", deny: "deletion denied", noAction: "kept with a broken link",
}

/**
 * Asks for confirmation before objects are deleted, and shows what the delete rules will do.
 * @param {string} [label] of a single object, if known
 * @returns {Promise<boolean>}
 */
export async function confirmDelete(entity, ids, label) {
  let preview
  try {
    preview = await send("/api/edit/preview", { delete: { entity, ids } })
  } catch (error) {
    notice(error.message, "error")
    return false
  }
  const { rules, denied, total } = preview
  const title = `Delete ${ids.length === 1 ? (label ? `${entity} “${visibleText(label, 80)}”` : `this ${entity}`) : counted(ids.length, `${entity} object`)}?`
  return await showDialog(title, (close) => [
    element(
      "div", { className: "content" },
      denied && element("p", { className: "remark" }, denied),
      rules.length > 0
        ? element("ul", { className: "rules" }, ...rules.map((rule) => element(
          "li", { className: String(rule.rule).toLowerCase() }, element("b", {}, rule.relationship), `: ${countText(rule.count)} ${rule.entity}, ${words[ruleName(rule.rule)] ?? rule.rule}`)))
        : element("p", {}, "No other objects are affected."),
      total > ids.length && element("p", {}, `${counted(total, "object")} will be deleted in total. You can undo this until you save.`)),
    element(
      // The focus is on Cancel, so that typing ahead or pressing Enter twice deletes nothing.
      "footer", {}, button("Cancel", () => close(false), { autofocus: true }),
      button(total > ids.length ? `Delete ${counted(total, "object")}` : "Delete", () => close(true), { className: "danger", disabled: Boolean(denied) })),
  ]) === true
}

function ruleName(rule) {
  return String(rule).replace(/^./, (letter) => letter.toLowerCase()).replace(/DeleteRule$/, "").replace(/\s.*$/, "Action")
}
