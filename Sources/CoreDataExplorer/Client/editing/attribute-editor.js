import { button, element } from "../core/element.js"
import { notice } from "../core/notices.js"
import { dateText, visibleText } from "../core/text.js"
import { withLineEnds } from "./line-ends.js"

/** The largest file that is taken as a value, in bytes. */
const largestFile = 50 * 1024 * 1024

/**
 * Why an attribute has no field; nothing where it has one. The store computes or does not keep some, and others are no texts.
 * @param {{type: string, text: string|null, transient: boolean, derived: boolean}} attribute
 */
export function readOnlyReason({ type, text, transient, derived }) {
  if (derived) return "derived"
  if (transient) return "not stored"
  return type === "Object ID" || (type === "Transformable" && text === null) ? "an object of a program" : ""
}

/**
 * The field for an attribute's value, by its type. What is typed is sent when the field is left or Enter is pressed; the server
 * reads it and says what is wrong with it.
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
  // What the server did not take is still what was typed, beside what is wrong with it.
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

/** What could not be sent, by its editor: how it is sent again. */
const unsent = new WeakMap()

/** What the field of an editor had in it at first. A browser writes some texts otherwise than they were given to it. */
const began = new WeakMap()

/** Whether the editor in an element has something that could not be sent. @param {HTMLElement} holder */
export function isUnsent(holder) {
  return unsent.has(holder.querySelector(".editor"))
}

/** Sends it again. @param {HTMLElement} holder */
export function sendAgain(holder) {
  unsent.get(holder.querySelector(".editor"))?.()
}

/** Whether the field of the editor in an element has something else in it than at first. @param {HTMLElement} holder */
export function isTyped(holder) {
  const made = holder.querySelector(".editor")
  return began.has(made) && made.querySelector("[aria-describedby]").value !== began.get(made)
}

/**
 * Says what is wrong with a value, in the editor that was made for it.
 * @param {HTMLElement} editor or what holds it @param {{message: string}|undefined} problem nothing where it is right
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
  // An empty field says which of the two it is.
  const placeholder = attribute.value === null ? "nil" : attribute.value === "" ? "empty text" : ""
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
  // A date, too: a browser's own field for dates has neither its fraction nor an order of its parts that all read alike.
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
    notice("Files of at most 50 MB can be taken here.", "error")
    return
  }
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ""
  // In parts: a call takes only so many arguments.
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
  if (property.type === "Date") parts.push("YYYY-MM-DD hh:mm:ss.fff in UTC, or with +hh:mm behind it")
  if (property.type === "Transformable") parts.push("JSON")
  if (!property.optional) parts.push("required")
  return parts.join(", ")
}
