import { read, send } from "../core/api.js"
import { notice } from "../core/notices.js"
import { counted, visibleText } from "../core/text.js"
import { resolveConflicts } from "./conflict-dialog.js"

const nothing = { inserted: 0, updated: 0, deleted: 0, canUndo: false, canRedo: false, changes: [] }

/**
 * The unsaved changes: those of the server's one editing context, which all pages share.
 *
 * Events: `changed` when the changes differ or a problem appeared or disappeared.
 */
export class EditSession extends EventTarget {
  pending = nothing
  /**
   * Whether this page has done nothing since the last save, or since another page saved or discarded all changes. If
   * there are also no unsaved changes, the bar for them is hidden, although undo may be possible.
   */
  isSettled = true
  /** The changed objects, as `Entity id`. If there are many, the server lists only some of them. */
  unsaved = new Set()
  #app
  #problems = new Map()
  #queue = Promise.resolve()
  #timer = 0

  /** @param {import("../main.js").Application} app */
  constructor(app) {
    super()
    this.#app = app
  }

  /** The problem of a value, if there is one; for an element of a composite attribute, also the problem of the whole. */
  problemOf(entity, id, key = "") {
    return this.#problems.get(`${entity} ${id} ${key}`) ?? this.#problems.get(`${entity} ${id} ${key.split(".")[0]}`)
  }

  get problems() {
    return [...this.#problems.values()]
  }

  /** Reads the pending changes from the server after a short time, because notifications come in bursts. */
  refresh() {
    if (!this.#app.model.isWritable || this.#timer) return
    this.#timer = setTimeout(async () => {
      this.#timer = 0
      try {
        const hadChanges = hasChanges(this.pending)
        this.#applyPending(await read("/api/edit"))
        // Another page has saved or discarded the changes.
        if (hadChanges && !hasChanges(this.pending)) this.#settle()
        // The object beside the table may not be one of the table's rows.
        this.#app.refreshObject()
      } catch {
        // The next notification tries again.
      }
    }, 100)
  }

  /**
   * Sends operations, one request after the other in the order of the calls.
   *
   * @param {Object[]} operations with the properties of `EditOperation` in the server
   * @returns {Promise<{created: {entity: string, id: string}[]}|null|undefined>} null if the server refused them,
   * undefined if they did not reach the server; in both cases the page shows the reason
   */
  perform(operations) {
    return this.#inOrder(async () => {
      try {
        this.isSettled = false
        const answer = await send("/api/edit", { operations })
        for (const operation of operations) {
          if (operation.op === "set") this.#forgetValue(operation)
          if (operation.op === "delete") operation.ids.forEach((id) => this.#forget(operation.entity, id))
        }
        this.#note(answer.problems)
        this.#applyPending(answer.pending)
        return answer
      } catch (error) {
        this.#fail(error, operations)
        return isAnswer(error) ? null : undefined
      }
    })
  }

  /** Calls a function after all earlier calls have ended. The function reports its errors itself. */
  #inOrder(body) {
    const done = this.#queue.then(body)
    this.#queue = done.catch(() => undefined)
    return done
  }

  set(entity, id, key, value) {
    return this.perform([{ op: "set", entity, id, key, ...value }])
  }

  /** Creates an object and opens it. @param {string} entity @param {{entity: string, id: string, relationship: string}} [into] */
  async insert(entity, into) {
    const choices = this.#app.model.concrete(entity)
    const chosen = choices.length > 1 ? await this.#app.chooseEntity(choices) : choices[0]?.name
    if (!chosen) return
    const answer = await this.perform([{ op: "insert", entity: chosen, values: {}, into }])
    const made = answer?.created[0]
    if (!made) return
    this.#app.isEditing = true
    this.#app.openObject(made.entity, made.id)
  }

  /** Moves a row of an ordered table. */
  move(query, row, to) {
    const { where, sort, section } = query
    return this.perform([{ op: "move", entity: query.entity, id: row.id, to, where, sort, section }])
  }

  undo() {
    return this.#inOrder(async () => {
      if (this.pending.canUndo) await this.#command("undo")
    })
  }

  redo() {
    return this.#inOrder(async () => {
      if (this.pending.canRedo) await this.#command("redo")
    })
  }

  async discard() {
    await this.#inOrder(() => this.#command("discard"))
    this.#app.refreshObject()
  }

  save() {
    return this.#inOrder(() => this.#command("save"))
  }

  async #command(name, body = {}) {
    try {
      this.isSettled = false
      const answer = await send(`/api/edit/${name}`, body)
      if (answer.saved !== undefined) {
        const refused = this.#keepRefused(answer.ids ?? {})
        this.isSettled = true
        notice(`${counted(answer.saved, "object")} saved${refused ? `, ${counted(refused, "invalid value")} not saved` : ""}`, refused ? "error" : "note")
        this.#app.objectsSaved(answer.ids ?? {})
      }
      if (name === "discard") this.#problems.clear()
      this.#applyPending(answer.pending)
    } catch (error) {
      if (error.status === 409 && error.body.conflicts) {
        const keep = await resolveConflicts(error.body.conflicts)
        // The state identifies the conflicts that were shown. If there are new ones, the server reports them, and
        // the dialog is shown again.
        if (keep) await this.#command("resolve", { keep, state: error.body.state })
      } else if (error.status === 422 && error.body.problems) {
        this.#note(error.body.problems)
        this.dispatchEvent(new CustomEvent("changed"))
        notice(`Not saved: ${visibleText(error.body.problems[0].message, 300)}`, "error")
        const [first] = error.body.problems
        this.#app.isEditing = true
        this.#app.openObject(first.entity, first.id, { key: first.key })
      } else {
        notice(visibleText(error.message, 300), "error")
      }
    }
  }

  /**
   * Clears all problems after a save, except those of values that the server did not accept.
   *
   * @returns {number} the number of such values
   */
  #keepRefused(ids) {
    const refused = this.problems.filter((problem) => problem.text !== undefined)
    this.#problems.clear()
    this.#note(refused.map((problem) => ({ ...problem, id: ids[problem.id] ?? problem.id })))
    return refused.length
  }

  #settle() {
    this.isSettled = true
    this.dispatchEvent(new CustomEvent("changed"))
  }

  #note(problems) {
    for (const problem of problems) this.#problems.set(`${problem.entity} ${problem.id} ${problem.key ?? ""}`, problem)
  }

  /**
   * Removes the problem of a value. For an element of a composite attribute, also removes the problems of the attribute
   * and its other elements, because a required element counts as missing only while other elements have values.
   */
  #forgetValue({ entity, id, key }) {
    const [attribute] = key.split(".")
    for (const [known, problem] of this.#problems) {
      if (problem.entity === entity && problem.id === id && problem.key?.split(".")[0] === attribute) this.#problems.delete(known)
    }
  }

  #forget(entity, id) {
    const entities = this.#app.model.concrete(entity).map((one) => one.name)
    for (const [key, problem] of this.#problems) if (problem.id === id && entities.includes(problem.entity)) this.#problems.delete(key)
  }

  #fail(error, operations) {
    const [operation] = operations
    if (operation.op === "set" && isAnswer(error)) {
      // The text is not a valid value. The problem contains it, so that the field still shows it.
      this.#note([{ entity: operation.entity, id: operation.id, key: operation.key, message: error.message, text: operation.text ?? undefined }])
      this.dispatchEvent(new CustomEvent("changed"))
    }
    notice(visibleText(error.message, 300), "error")
  }

  #applyPending(pending) {
    this.pending = pending
    this.unsaved = new Set(pending.changes.map((change) => `${change.entity} ${change.id}`))
    this.dispatchEvent(new CustomEvent("changed"))
  }
}

/** Whether the server received and refused the operations. False if it was unreachable or did not admit the client. */
function isAnswer({ status }) {
  return status >= 400 && status < 500 && status !== 403
}

/** Whether there are changes, including changes to objects that another process deleted. */
function hasChanges({ inserted, updated, deleted, deletedElsewhere = 0 }) {
  return inserted + updated + deleted + deletedElsewhere > 0
}
