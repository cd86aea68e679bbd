import { path } from "../core/api.js"
import { cellText } from "../core/cells.js"
import { button, element } from "../core/element.js"
import { longestText, sizeText, visibleLines } from "../core/text.js"

/** How many bytes of a value are shown. */
const headBytes = 48

/** The maximum length of text that is shown completely on request. */
const most = longestText * 25

/**
 * An attribute's complete value, as far as it can be shown.
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
    const text = element("span", { className: "text" }, `${visibleLines(value.v)}…`)
    const isLonger = value.length > most
    const download = element("a", { href: dataPath(object, attribute), download: "" }, "Download")
    // An object of a custom class has no editable text, but can be downloaded.
    if (!attribute.text) return element("span", {}, text, ` ${value.length.toLocaleString("en")} characters `, download)
    return element(
      "span", {}, text, " ",
      button(`Show ${isLonger ? `the first ${most.toLocaleString("en")} of ` : ""}${value.length.toLocaleString("en")} characters`, (event) => {
        const { currentTarget: pressed } = event
        // The object already contains the whole text; only rendering it is expensive.
        text.textContent = visibleLines(attribute.text, most)
        pressed.remove()
      }), isLonger && [" ", download])
  }
  if (value === "" || value.v === "") return element("span", { className: "nil" }, '""')
  if (typeof value === "string") return element("span", { className: "text" }, visibleLines(value))
  // A URL in a store may lead anywhere, so it is shown but is not a link.
  return element("span", { className: "text" }, cellText(value, most))
}

function dataPath(object, attribute) {
  return path("api", "objects", object.entity, object.id, "data", attribute.name)
}
