import { path, read } from "../core/api.js"
import { summaryText } from "../core/cells.js"
import { showDialog } from "../core/dialog.js"
import { element, fill } from "../core/element.js"
import { countText, visibleText } from "../core/text.js"
import { quoted } from "../filter/literal.js"

/** The maximum number of objects that are listed. */
const most = 50

/**
 * Lets the user find an object of an entity by its label or by a predicate, and choose it.
 * @returns {Promise<{entity: string, id: string, label: string}|undefined>}
 */
export function pickObject(app, entity, title) {
  return showDialog(`Choose ${title}`, (close) => {
    const label = app.model.entity(entity)?.label
    let timer = 0
    let lastRequest = 0
    let rows = []
    /** The text that `rows` were found with. */
    let searched = null
    let active = 0
    const list = element("ul", { role: "listbox", id: "picker-list", className: "picker", "aria-label": entity })
    const remark = element("p", { className: "pale", role: "status" })
    const mark = () => {
      [...list.children].forEach((item, index) => item.setAttribute("aria-selected", index === active))
      list.children[active]?.scrollIntoView({ block: "nearest" })
      input.setAttribute("aria-activedescendant", list.children[active]?.id ?? "")
    }
    const search = async () => {
      lastRequest += 1
      const request = lastRequest
      const text = input.value.trim()
      // A predicate is used as it is; other text is searched for in the label.
      const where = !text ? "" : !label || isPredicate(text, app.model.properties(entity)) ? text : `${label} CONTAINS[cd] ${quoted(text)}`
      try {
        const answer = await read(path("api", "tables", entity), { where, sort: label ?? "", offset: "0", limit: String(most) })
        if (request !== lastRequest) return
        rows = answer.rows
        searched = text
        active = 0
        fill(list, ...rows.map((row, index) => element(
          "li", { role: "option", id: `pick-${index}`, onclick: () => close(row) },
          visibleText(row.label || row.id, 120), element("small", {}, summaryText(row, 30)))))
        // If the rows were not counted, there may be more of them.
        remark.textContent = answer.total === null ? `First ${rows.length}; type to search`
          : answer.total > rows.length ? `First ${rows.length} of ${countText(answer.total)}; type to search` : `${countText(answer.total)} found`
        mark()
      } catch (error) {
        if (request === lastRequest) remark.textContent = error.message
      }
    }
    const input = element("input", {
      type: "text", role: "combobox", autofocus: true, "aria-expanded": "true", "aria-controls": "picker-list", "aria-label": `Search ${entity}`,
      placeholder: label ? `${label}, or a predicate` : "A predicate",
      oninput: () => { clearTimeout(timer); timer = setTimeout(search, 200) },
      onkeydown: (event) => {
        if (event.key === "ArrowDown") active = Math.min(active + 1, rows.length - 1)
        else if (event.key === "ArrowUp") active = Math.max(active - 1, 0)
        else if (event.key === "Enter") {
          // Until the search has succeeded, the list shows the rows of the previous text.
          if (rows[active] && input.value.trim() === searched) close(rows[active])
        } else return
        event.preventDefault()
        mark()
      },
    })
    search()
    return element("div", { className: "content" }, input, remark, list)
  }, { className: "wide" })
}

/** Whether a text is a predicate: a label may contain an operator, but rarely together with `SELF`, `objectID` or the name of a property. */
function isPredicate(text, properties) {
  const names = new Set(text.match(/[\p{L}_][\p{L}\p{N}_]*/gu))
  return /[=<>$]|\b(CONTAINS|BEGINSWITH|ENDSWITH|LIKE|MATCHES|BETWEEN|IN)\b/.test(text)
    && ["SELF", "self", "objectID", ...properties.map(({ name }) => name)].some((name) => names.has(name))
}
