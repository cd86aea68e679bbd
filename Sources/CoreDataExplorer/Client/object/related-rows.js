import { addressOf } from "../core/address.js"
import { path, read } from "../core/api.js"
import { summaryText } from "../core/cells.js"
import { button, element } from "../core/element.js"
import { countText, visibleText } from "../core/text.js"

/** How many rows are fetched at a time. */
const page = 50

/**
 * The objects in a relationship, loaded a page at a time.
 * @param {{resource: string, app: Object, actions?: function(Object, number): Node[],
 *   counted?: function(number|string): void, loaded?: function(): void}} options `actions` makes the elements after a
 *   row; `counted` receives the total; `loaded` is called after each page of objects, or when reading it has failed
 */
export function relatedRows({ resource, app, actions, counted, loaded }) {
  const list = element("ul", { className: "related" })
  const more = button("", () => load(), { hidden: true, className: "quiet" })
  const remark = element("p", { className: "pale", hidden: true })
  const holder = element("div", { className: "related-holder" }, list, more, remark)
  let offset = 0
  let isLoading = false
  async function load() {
    if (isLoading) return
    isLoading = true
    try {
      const answer = await read(resource, { offset: String(offset), limit: String(page) })
      offset += answer.rows.length
      counted?.(answer.total)
      list.append(...answer.rows.map((row, index) => line(row, offset - answer.rows.length + index)))
      const isAll = answer.rows.length < page || offset === answer.total
      more.hidden = isAll
      more.textContent = `More: ${countText(offset)} of ${countText(answer.total)}`
      remark.hidden = offset > 0
      remark.textContent = "None."
    } catch (error) {
      remark.hidden = false
      remark.textContent = error.message
    }
    isLoading = false
    loaded?.()
  }
  const line = (row, index) => {
    const detail = summaryText(row, 40)
    return element(
      "li", { "data-id": row.id },
      element(
        "a", { href: addressOf(app.objectPlace(row.entity, row.id)) }, visibleText(row.label || `${row.entity} ${row.id}`, 120),
        detail && element("small", {}, detail)),
      ...(actions?.(row, index) ?? []))
  }
  load()
  return holder
}

/** The path of the members of an object's relationship. */
export function relationshipPath(object, name) {
  return path("api", "objects", object.entity, object.id, name)
}

/** The path of the objects of another entity that refer to this one. */
export function referencePath(object, reference) {
  return path("api", "objects", object.entity, object.id, "by", reference.entity, reference.name)
}

