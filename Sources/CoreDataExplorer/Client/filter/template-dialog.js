import { button, element } from "../core/element.js"
import { showDialog } from "../core/dialog.js"
import { literal, secondsOf, substituted } from "./literal.js"

/**
 * Asks the user for the values of a template's variables.
 * @param {{name: string, predicate: string, variables: {name: string, type: string}[]}} template
 * @returns {Promise<string|undefined>} the predicate with the values
 */
export function fillTemplate(template) {
  return showDialog(template.name, (close) => {
    const fields = template.variables.map(({ name, type }, index) => ({
      name, type,
      input: element("input", {
        type: "text", name, required: true, autofocus: index === 0, placeholder: type === "Date" ? "2024-05-31 14:30:00" : "",
        // Text that is not a date would be compared as a string, which never equals a date.
        oninput: (event) => event.currentTarget.setCustomValidity(type === "Date" && event.currentTarget.value && secondsOf(event.currentTarget.value) === null ? "A date in UTC: 2024-05-31, or 2024-05-31 14:30:00.5" : ""),
        inputMode: /^(Integer|Decimal|Double|Float)/.test(type) ? "decimal" : "text",
      }),
    }))
    const use = (event) => {
      event.preventDefault()
      close(substituted(template.predicate, new Map(fields.map(({ name, type, input }) => [name, literal(input.value, type)]))))
    }
    return element(
      "form", { onsubmit: use },
      element(
        "div", { className: "content fields" },
        element("code", { className: "predicate" }, template.predicate),
        ...fields.map(({ name, type, input }) => element("label", {}, element("span", {}, name, " ", element("small", {}, type)), input))),
      element("footer", {}, element("button", { type: "submit", className: "primary" }, "Filter")))
  })
}
