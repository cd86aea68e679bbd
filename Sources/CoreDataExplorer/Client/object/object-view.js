import { addressOf } from "../core/address.js"
import { path, read } from "../core/api.js"
import { button, element, fill } from "../core/element.js"
import { isNarrow } from "../core/narrow.js"
import { notice } from "../core/notices.js"
import { countText, visibleText } from "../core/text.js"
import { attributeEditor, isTyped, isUnsent, readOnlyReason, sendAgain, showProblem } from "../editing/attribute-editor.js"
import { relationshipActions } from "../editing/relationship-actions.js"
import { referencePath, relatedRows, relationshipPath } from "./related-rows.js"
import { valueView } from "./value-view.js"

/** The object on the right: its attributes, and its relationships in both directions, which are loaded when they are opened. */
export class ObjectView {
  #app
  #ended = new AbortController()
  #object = null
  /** The parts that are loaded when they are opened, by key. */
  #parts = new Map()
  /** The keys of the parts that were open when the object was last shown. */
  #opened = new Set()
  #timer = 0

  /** @param {import("../main.js").Application} app @param {{entity: string, id: string}} object */
  constructor(app, object) {
    this.#app = app
    this.reference = object
    this.isEditing = app.isEditing && app.model.isWritable
    this.title = element(isNarrow() ? "h1" : "h2", { id: "object-title", tabIndex: -1 }, "…")
    this.kind = element("p", { className: "pale" })
    this.content = element("div", { className: "object-content" })
    this.editButton = app.model.isWritable && button("Edit", () => this.edit(!this.isEditing), { title: "Edit (e)", "aria-pressed": String(this.isEditing) })
    this.element = element(
      "section", { className: "object-view", "aria-labelledby": "object-title" },
      element(
        "header", { className: "bar" }, button("‹", () => app.closeDetail(), { label: "Back to the table", className: "back quiet" }),
        element("div", { className: "titles-of-object" }, this.title, this.kind), element("span", { className: "space" }),
        this.editButton,
        app.model.isWritable && button("Delete", () => app.deleteObjects(this.reference.entity, [this.reference.id]), { className: "danger quiet", title: "Delete (Del)" }),
        button("✕", () => app.closeDetail(), { label: "Close", className: "quiet close" })),
      this.content)
    this.#load()
  }

  /** The object as received from the server; null until then. */
  get object() {
    return this.#object
  }

  close() {
    this.#ended.abort()
    clearTimeout(this.#timer)
  }

  focus() {
    this.title.focus({ preventScroll: true })
  }

  /** Reads the object again after a short time, because changes come in bursts. */
  refresh() {
    if (!this.#timer) this.#timer = setTimeout(() => { this.#timer = 0; this.#load() }, 150)
  }

  /** Handles changed objects: this object may be among them, or be related to one of them. */
  objectsChanged({ objects, many }) {
    if (many || Object.keys(objects).some((entity) => this.#concerns(entity, objects[entity]))) this.refresh()
  }

  #concerns(entity, ids) {
    const { model } = this.#app
    if (!this.#object) return false
    if (entity === this.#object.entity && ids.includes(this.#object.id)) return true
    const isReached = (relationship) => (relationship.toMany || ids.includes(relationship.object?.id)) && model.destinations(relationship).includes(entity)
    return this.#object.relationships.some(isReached)
      || this.#object.referencedBy.some((reference) => model.concrete(reference.entity).some((one) => one.name === entity))
  }

  /** Turns editing on or off; `key` is the first attribute to edit. */
  edit(isEditing, key) {
    if (!this.#app.model.isWritable) return
    this.isEditing = isEditing
    this.#app.isEditing = isEditing
    this.editButton.setAttribute("aria-pressed", isEditing)
    this.#focusKey = key ?? null
    if (this.#object) this.#show(this.#object)
  }

  #focusKey = null

  /** Whether a field has unsent text. It is sent when the field loses the focus. */
  get isTyped() {
    return this.isEditing && [...this.#values.values()].some(({ element: value }) => value.isConnected && isTyped(value))
  }

  #wasAway = false

  /** The number of loads, and the number of the last load whose answer was used. */
  #loads = 0
  #answered = 0

  async #load() {
    const { entity, id } = this.reference
    this.#loads += 1
    const load = this.#loads
    // Answers may arrive in another order than they were requested.
    const isOutdated = () => {
      if (load < this.#answered) return true
      this.#answered = load
      return false
    }
    try {
      const object = withElements(await read(path("api", "objects", entity, id), {}, this.#ended.signal))
      if (isOutdated()) return
      // While a member is dragged, its line must stay until it is dropped.
      if (this.content.querySelector(".dragged")) {
        this.refresh()
        return
      }
      // Even if the object has not changed, members that are shown may have.
      const isSame = JSON.stringify(object) === JSON.stringify(this.#object)
      if (!isSame || this.isEditing || this.content.querySelector("details[open]")) this.#show(object)
      // The server is back: send what was typed while it was away.
      if (this.#wasAway && this.isEditing) for (const { element: value } of this.#values.values()) sendAgain(value)
      this.#wasAway = false
    } catch (error) {
      if (error.name === "AbortError" || isOutdated()) return
      // While the server merely does not respond, keep the content, including everything that was typed.
      if (this.#object && error.status !== 404) {
        if (!this.#wasAway) notice(visibleText(error.message, 300), "error")
        this.#wasAway = true
        clearTimeout(this.#timer)
        this.#timer = setTimeout(() => { this.#timer = 0; this.#load() }, 2000)
        return
      }
      this.#object = null
      this.title.textContent = error.status === 404 ? "Not found" : "Not loaded"
      this.kind.textContent = `${entity} ${id}`
      fill(this.content, element("p", { className: "remark", role: "alert" }, error.status === 404 ? "This object does not exist." : error.message))
    }
  }

  #show(object) {
    const before = this.#object
    this.#object = object
    // Read from the elements which parts are open, because their events arrive some time after the user opens a part.
    this.#opened = new Set([...this.#parts].filter(([, details]) => details.open).map(([key]) => key))
    this.#parts.clear()
    this.title.textContent = visibleText(object.label, 200) || `${object.entity} ${object.id}`
    this.kind.textContent = `${object.entity} ${object.id}${object.temporary ? " · not saved yet" : ""}`
    const focused = this.content.contains(document.activeElement) ? document.activeElement : null
    const typing = focused?.closest("[data-key]")
    const key = this.#focusKey ?? typing?.dataset.key
    const scroll = this.content.scrollTop
    const attributes = object.attributes.map((attribute) => {
      const known = this.#values.get(attribute.name)?.element
      if (this.isEditing && known && isUnsent(known)) return this.#attribute(attribute, before, known)
      const isKept = typing?.dataset.key === attribute.name && this.isEditing && !this.#focusKey && isBeingTyped(focused, attribute, before)
      return this.#attribute(attribute, before, isKept ? typing : null)
    })
    const heading = isNarrow() ? "h2" : "h3"
    fill(
      this.content,
      element("dl", { className: "attributes" }, ...attributes.flat()),
      object.relationships.length > 0 && element(heading, {}, "Relationships"),
      ...object.relationships.map((relationship) => this.#relationship(relationship)),
      object.referencedBy.length > 0 && element(heading, {}, "Referenced by"),
      ...object.referencedBy.map((reference) => this.#reference(reference)))
    this.content.scrollTop = scroll
    if (key && this.isEditing) {
      const fields = [...this.content.querySelectorAll("[data-key]")]
      const field = fields.find((one) => one.dataset.key === key) ?? fields.find((one) => one.dataset.key.startsWith(`${key}.`))
      ;(focused && field?.contains(focused) ? focused : field?.querySelector("input, textarea, select, button"))?.focus()
    }
    this.#focusKey = null
  }

  /** The elements of values, with the values that they were made from. */
  #values = new Map()

  #attribute(attribute, before, kept) {
    const property = this.#app.model.property(this.#object.entity, attribute.name)
    const reason = readOnlyReason({ ...property, ...attribute })
    const isEditable = this.isEditing && property && !reason
    const id = `attribute-${attribute.name}`
    const state = JSON.stringify([attribute, isEditable])
    const known = this.#values.get(attribute.name)
    // A value that the user has expanded stays expanded until it changes.
    const value = kept ?? (known?.state === state && !isEditable ? known.element : null) ?? element(
      "dd", { "data-key": attribute.name },
      isEditable ? attributeEditor(this.#app, this.#object, attribute, property, id) : valueView(this.#object, attribute))
    // Keep the typed text, but show the current problem.
    if (kept) showProblem(kept, this.#app.editor.problemOf(this.#object.entity, this.#object.id, attribute.name))
    this.#values.set(attribute.name, { state, element: value })
    const old = before?.id === this.#object.id ? before.attributes.find((one) => one.name === attribute.name) : null
    if (old && JSON.stringify(old.value) !== JSON.stringify(attribute.value)) {
      requestAnimationFrame(() => value.animate([{ backgroundColor: "var(--changed)" }, {}], { duration: 1300 }))
    }
    return [
      element(
        "dt", {}, isEditable ? element("label", { htmlFor: id }, attribute.name) : attribute.name,
        element("small", {}, attribute.derived || (reason && this.isEditing) ? `${attribute.type}, ${reason}` : attribute.type)),
      value,
    ]
  }

  #relationship(relationship) {
    const object = this.#object
    const property = this.#app.model.property(object.entity, relationship.name)
    const actions = this.isEditing ? relationshipActions(this.#app, object, relationship, property) : null
    if (!relationship.toMany) {
      const to = relationship.object
      return element(
        "div", { className: "relationship one", "data-relationship": relationship.name }, element("span", { className: "name" }, relationship.name, element("small", {}, relationship.destination)),
        to ? element("a", { href: addressOf(this.#app.objectPlace(to.entity, to.id)) }, visibleText(to.label || `${to.entity} ${to.id}`, 120)) : element("span", { className: "nil" }, "nil"),
        ...(actions?.head ?? []))
    }
    const count = element("span", { className: "count" }, countText(relationship.count))
    return this.#lazy(`to ${relationship.name}`, [
      element("span", { className: "name" }, relationship.name, element("small", {}, `${relationship.destination}${relationship.ordered ? ", ordered" : ""}`)), count,
    ], (loaded) => element(
      "div", { "data-relationship": relationship.name }, ...(actions?.head ?? []),
      relatedRows({
        resource: relationshipPath(object, relationship.name), app: this.#app, actions: actions?.row, loaded,
        counted: (total) => { count.textContent = countText(total) },
      })))
  }

  #reference(reference) {
    const count = element("span", { className: "count" }, reference.count === null ? "" : countText(reference.count))
    return this.#lazy(`by ${reference.entity} ${reference.name}`, [
      element("span", { className: "name" }, `${reference.entity}.${reference.name}`), count,
    ], (loaded) => relatedRows({
      resource: referencePath(this.#object, reference), app: this.#app, loaded, counted: (total) => { count.textContent = countText(total) },
    }))
  }

  /** The content of parts, as far as it was loaded. */
  #contents = new Map()

  /**
   * A part that is loaded when it is opened. It stays open when the object is shown again, with its previous content
   * until it is loaded again. @param {function(function(): void): HTMLElement} load receives a function to call when
   * the content is loaded
   */
  #lazy(key, summary, load) {
    const details = element("details", { className: "relationship" }, element("summary", {}, ...summary))
    let isLoaded = false
    const open = () => {
      if (isLoaded) return
      isLoaded = true
      const made = load(() => {
        if (made.isConnected || !details.isConnected) return
        this.#contents.get(key)?.remove()
        this.#contents.set(key, made)
        details.append(made)
      })
      const shown = this.#contents.get(key)
      if (shown) details.append(shown)
      else {
        details.append(made)
        this.#contents.set(key, made)
      }
    }
    details.addEventListener("toggle", () => {
      if (details.open) open()
    })
    this.#parts.set(key, details)
    if (this.#opened.has(key)) {
      details.open = true
      open()
    }
    return details
  }
}

/** Composite attributes are shown and edited by their elements. */
function withElements(object) {
  return { ...object, attributes: object.attributes.flatMap((attribute) => attribute.elements ?? [attribute]) }
}

/** Whether a field with the focus must be kept, because its text differs from the object's, or there is nothing new to show. */
function isBeingTyped(field, attribute, before) {
  if (!field?.matches("input:not([type=file]), textarea")) return false
  const old = before?.attributes.find((one) => one.name === attribute.name)
  return field.value !== field.defaultValue || (old && old.text === attribute.text)
}
