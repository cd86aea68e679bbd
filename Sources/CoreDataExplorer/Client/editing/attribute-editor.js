import { button, element } from "../core/element.js"
import { notice } from "../core/notices.js"
import { dateText, visibleText } from "../core/text.js"
import { withLineEnds } from "./line-ends.js"

/** The maximum size of a file to be used as a value, in bytes. */
const largestFile = 50 * 1024 * 1024

/**
 * Returns why an attribute cannot be edited; empty if it can be. Some attributes are computed or not stored, and the
 * values of others have no text.
 * @param {{type: string, text: string|null, transient: boolean, derived: boolean}} attribute
 */
export function readOnlyReason({ type, text, transient, derived }) {
  if (derived) return "derived"
  if (transient) return "not stored"
  return type === "Object ID" || (type === "Transformable" && text === null) ? "an object of a custom class" : ""
}

/**
 * The editor for an attribute's value, by its type. A changed value is sent when the field loses the focus, or in a
 * field of one line when Enter is pressed; a choice or a file is sent at once. The server parses the value and reports
 * errors.
 *
 * @param {import("../main.js").Application} app
 * @param {{entity: string, id: string}} object
 * @param {{name: string, type: string, value: *, text: string|null}} attribute
 * @param {Object} property of the model
 * @param {string} id of the field, for its label
 */
export function attributeEditor(app, object, attribute, property, id) {
  const { editor } = app
  const problem = () => editor.problemOf(object.entity, object.id, attribute.name)
  // A refused value stays in the field, with its error beside it.
  const refused = problem()?.text
  const set = async (value) => {
    const sent = field.value
    const answer = await editor.set(object.entity, object.id, attribute.name, value)
    if (answer === undefined) unsent.set(made, () => set(value))
    else unsent.delete(made)
    if (answer) began.set(made, sent)
    showProblem(made, problem())
    app.refreshObject()
  }
  const field = makeField(attribute, property, refused, set)
  field.id = id
  field.setAttribute("aria-describedby", `${id}-problem ${id}-hint`)
  const nil = property.optional && attribute.value !== null
    && button("nil", () => set({ text: null, value: null }), { label: `${attribute.name}: no value`, className: "quiet" })
  const made = element(
    "div", { className: "editor" }, element("div", { className: "field" }, field, ...extras(attribute, field, set), nil),
    element("small", { id: `${id}-hint`, className: "hint" }, hint(property)), element("span", { className: "problem", id: `${id}-problem` }))
  showProblem(made, problem())
  began.set(made, field.value)
  return made
}

/** A function for each editor whose value could not be sent, which sends the value again. */
const unsent = new WeakMap()

/**
 * The content of each editor's field when it was made or last sent. Browsers normalize some text, so the content may
 * differ from the value.
 */
const began = new WeakMap()

/** Whether the editor in an element has a value that could not be sent. @param {HTMLElement} holder */
export function isUnsent(holder) {
  return unsent.has(holder.querySelector(".editor"))
}

/** Tries again to send the value that could not be sent. @param {HTMLElement} holder */
export function sendAgain(holder) {
  unsent.get(holder.querySelector(".editor"))?.()
}

/** Whether the field in an element has content that was typed and not sent. @param {HTMLElement} holder */
export function isTyped(holder) {
  const made = holder.querySelector(".editor")
  return began.has(made) && made.querySelector("[aria-describedby]").value !== began.get(made)
}

/**
 * Shows what is wrong with a value in its editor. @param {HTMLElement} editor or an element that contains it @param
 * {{message: string}|undefined} problem undefined if the value is valid
 */
export function showProblem(editor, problem) {
  const remark = editor.querySelector(".problem")
  remark.hidden = !problem
  remark.textContent = problem ? visibleText(problem.message, 300) : ""
  editor.querySelector("[aria-describedby]").setAttribute("aria-invalid", Boolean(problem))
}

function makeField(attribute, property, refused, set) {
  const { type } = attribute
  const stored = attribute.text ?? ""
  const text = refused ?? (type === "Date" ? dateText(stored) : stored)
  // In an empty field, the placeholder distinguishes nil from an empty string.
  const placeholder = attribute.value === null ? "nil" : attribute.value === "" ? "empty string" : ""
  const send = (event) => {
    const { value } = event.currentTarget
    set(value === "" && type !== "String" ? { text: null, value: null } : { text: withLineEnds(value, stored) })
  }
  if (type === "Boolean") {
    return choice([["YES", "yes"], ["NO", "no"]], attribute.value === null ? "" : attribute.value ? "YES" : "NO", property.optional || attribute.value === null, send)
  }
  if (type === "Binary") {
    return element("input", { type: "file", onchange: (event) => readFile(event.currentTarget.files[0], set) })
  }
  if (type === "Transformable" || (type === "String" && (text.length > 60 || /[\n\r]/.test(text)))) {
    return element("textarea", { rows: Math.min(12, 3 + text.split("\n", 12).length), defaultValue: text, placeholder, onchange: send })
  }
  // Dates have a text field too, because the browser's date field has no fractions and orders the parts by locale.
  return element("input", {
    type: "text", defaultValue: text, spellcheck: false, autocomplete: "off", placeholder: type === "Date" && attribute.value === null ? "nil: 2024-05-31 14:30:00" : placeholder,
    className: type === "Date" ? "date" : "",
    inputMode: /^(Integer|Decimal|Double|Float)/.test(type) ? "decimal" : type === "URI" ? "url" : "text",
    onchange: send,
    onkeydown: (event) => {
      if (event.key === "Enter") event.currentTarget.blur()
    },
  })
}

function extras(attribute, field, set) {
  if (attribute.type === "UUID") {
    return [button("New", () => set({ text: crypto.randomUUID().toUpperCase() }), { label: `${attribute.name}: new identifier`, className: "quiet" })]
  }
  if (attribute.type === "Date") {
    return [button("Now", () => set({ text: new Date().toISOString().replace(/\.\d+/, "") }), { label: `${attribute.name}: now`, className: "quiet" })]
  }
  return []
}

function choice(options, value, hasNone, onchange) {
  const made = element(
    "select", { onchange }, hasNone && element("option", { value: "" }, "nil"),
    ...options.map(([key, title]) => element("option", { value: key }, title)))
  made.value = value
  return made
}

async function readFile(file, set) {
  if (!file) return
  if (file.size > largestFile) {
    notice("Files can have at most 50 MB.", "error")
    return
  }
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ""
  // Convert the bytes in parts, because the number of arguments of a call is limited.
  for (let start = 0; start < bytes.length; start += 0x8000) text += String.fromCharCode(...bytes.subarray(start, start + 0x8000))
  set({ value: { t: "data", base64: btoa(text) } })
}

function hint(property) {
  const parts = []
  const { minimum, maximum } = property
  const range = minimum === undefined ? maximum === undefined ? "" : `at most ${maximum}`
    : maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`
  if (range) parts.push(`${range}${property.type === "String" ? " characters" : ""}`)
  if (property.pattern) parts.push(`matches ${visibleText(property.pattern, 80)}`)
  if (property.type === "Date") parts.push("YYYY-MM-DD hh:mm:ss.fff in UTC, or followed by +hh:mm")
  if (property.type === "Transformable") parts.push("JSON")
  if (!property.optional) parts.push("required")
  return parts.join(", ")
}
