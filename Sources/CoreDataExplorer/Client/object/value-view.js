import { path } from "../core/api.js"
import { cellText } from "../core/cells.js"
import { button, element } from "../core/element.js"
import { longestText, sizeText, visibleLines } from "../core/text.js"

/** Bytes of a value that are shown. */
const headBytes = 48

/**
 * An attribute's value in full, as far as it can be shown.
 * @param {{entity: string, id: string}} object @param {{name: string, type: string, value: *, text: string|null}} attribute
 */
export function valueView(object, attribute) {
  const { value } = attribute
  if (value === null || value === undefined) return element("span", { className: "nil" }, "nil")
  if (value.t === "data") {
    return element(
      "span", { className: "data" }, sizeText(value.size), " ",
      value.head && element("code", {}, value.head.slice(0, headBytes * 2).replace(/../g, "$& ").trim() + (value.size * 2 > value.head.length ? " …" : "")),
      " ", element("a", { href: dataPath(object, attribute), download: "" }, "Download"))
  }
  if (value.t === "cut") {
    const text = element("span", { className: "text" }, visibleLines(value.v))
    return element(
      "span", {}, text, "… ",
      button(`Show ${value.length > longestText * 25 ? "the first 100,000 of " : ""}${value.length.toLocaleString("en")} characters`, (event) => {
        const { currentTarget: pressed } = event
        // The whole text is with the object already; only its showing costs.
        text.textContent = visibleLines(attribute.text ?? value.v, longestText * 25)
        pressed.remove()
      }))
  }
  if (typeof value === "string") return element("span", { className: "text" }, visibleLines(value))
  // An address of a store is shown and not followed: it may be any.
  return element("span", { className: "text" }, cellText(value, longestText))
}

function dataPath(object, attribute) {
  return path("api", "objects", object.entity, object.id, "data", attribute.name)
}
