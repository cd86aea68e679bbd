import { path } from "../core/api.js"
import { cellText } from "../core/cells.js"
import { button, element } from "../core/element.js"
import { longestText, sizeText, visibleLines } from "../core/text.js"

/** Bytes of a value that are shown. */
const headBytes = 48

/** The longest text that is shown in full where somebody asks for it. */
const most = longestText * 25

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
    const text = element("span", { className: "text" }, `${visibleLines(value.v)}…`)
    const isLonger = value.length > most
    const download = element("a", { href: dataPath(object, attribute), download: "" }, "Download")
    // Where an object of a program's own has no text to be edited, its file has it.
    if (!attribute.text) return element("span", {}, text, ` ${value.length.toLocaleString("en")} characters `, download)
    return element(
      "span", {}, text, " ",
      button(`Show ${isLonger ? `the first ${most.toLocaleString("en")} of ` : ""}${value.length.toLocaleString("en")} characters`, (event) => {
        const { currentTarget: pressed } = event
        // The whole text is with the object already; only its showing costs.
        text.textContent = visibleLines(attribute.text, most)
        pressed.remove()
      }), isLonger && [" ", download])
  }
  if (value === "" || value.v === "") return element("span", { className: "nil" }, '""')
  if (typeof value === "string") return element("span", { className: "text" }, visibleLines(value))
  // An address of a store is shown and not followed: it may be any.
  return element("span", { className: "text" }, cellText(value, most))
}

function dataPath(object, attribute) {
  return path("api", "objects", object.entity, object.id, "data", attribute.name)
}
