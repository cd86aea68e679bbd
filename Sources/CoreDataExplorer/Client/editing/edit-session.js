import { read, send } from "../core/api.js"
import { notice } from "../core/notices.js"
import { counted, visibleText } from "../core/text.js"
import { resolveConflicts } from "./conflict-dialog.js"

const nothing = { inserted: 0, updated: 0, deleted: 0, canUndo: false, canRedo: false, changes: [], problems: [] }

/**
 * The unsaved changes: those of the server's one editing context, which all pages share.
 *
 * Events: `changed` when the changes or the problems may be different.
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
  /** The problems of texts that the server refused. This page shows the texts, and no other page knows them. */
  #refused = new Map()
  #queue = Promise.resolve()
  #timer = 0

  /** @param {import("../main.js").Application} app */
  constructor(app) {
    super()
    this.#app = app
  }

  /** The problem of a value, if there is one; for an element of a composite attribute, also the problem of the whole. */
  problemOf(entity, id, key = "") {
    const all = this.#problems
    return all.get(`${entity} ${id} ${key}`) ?? all.get(`${entity} ${id} ${key.split(".")[0]}`)
  }

  get problems() {
    return [...this.#problems.values()]
  }

  /** The problems by object and key. The problem of a refused text hides a problem of the value that the text would replace. */
  get #problems() {
    return new Map([...byKey(this.pending.problems), ...this.#refused])
  }

  /** Reads the pending changes from the server after a short time, because notifications come in bursts. */
  refresh() {
    if (!this.#app.model.isWritable || this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = 0
      this.#inOrder(() => this.#read())
    }, 100)
  }

  async #read() {
    try {
      const hadChanges = hasChanges(this.pending)
      this.#applyPending(await read("/api/edit"))
      // Another page has saved or discarded the changes, because no command of this page runs during this request.
      if (hadChanges && !hasChanges(this.pending)) this.#settle()
      // The object beside the table may not be one of the table's rows.
      this.#app.refreshObject()
    } catch {
      // The next notification tries again.
    }
  }

  /**
   * Sends operations, one request after the other in the order of the calls.
   *
   * @param {Object[]} operations with the properties of `EditOperation` in the server
   * @returns {Promise<{created: {entity: string, id: string}[]}|null|undefined>} null if the server refused them,
   * undefined if they did not reach it, it did not admit the client, or it failed; in all these cases the page shows
   * the reason
   */
  perform(operations) {
    return this.#inOrder(async () => {
      try {
        this.isSettled = false
        const answer = await send("/api/edit", { operations })
        for (const operation of operations) if (operation.op === "set") this.#refused.delete(keyOf(operation))
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
        this.#renameRefused(answer.ids ?? {})
        const refused = this.#refused.size
        this.isSettled = true
        notice(`${counted(answer.saved, "object")} saved${refused ? `, ${counted(refused, "invalid value")} not saved` : ""}`, refused ? "error" : "note")
        this.#app.objectsSaved(answer.ids ?? {})
      }
      if (name === "discard") this.#refused.clear()
      this.#applyPending(answer.pending)
    } catch (error) {
      if (error.status === 409 && error.body.conflicts) {
        const keep = await resolveConflicts(error.body.conflicts)
        // The state identifies the conflicts that were shown. If there are new ones, the server reports them, and
        // the dialog is shown again.
        if (keep) await this.#command("resolve", { keep, state: error.body.state })
      } else if (error.status === 422 && error.body.problems) {
        this.#applyPending(error.body.pending)
        notice(`Not saved: ${visibleText(error.body.problems[0].message, 300)}`, "error")
        const [first] = error.body.problems
        this.#app.isEditing = true
        this.#app.openObject(first.entity, first.id, { key: first.key })
      } else {
        notice(visibleText(error.message, 300), "error")
      }
    }
  }

  /** Replaces the temporary IDs of saved objects in the problems of refused texts. @param {Object<string, string>} ids by temporary ID */
  #renameRefused(ids) {
    this.#refused = byKey([...this.#refused.values()].map((problem) => ({ ...problem, id: ids[problem.id] ?? problem.id })))
  }

  /** Forgets the refused texts of objects that no longer exist: they were deleted, or their insertion was undone. */
  async #forgetGone() {
    const refused = [...this.#refused]
    for (const entity of new Set(refused.map(([, problem]) => problem.entity))) {
      const own = refused.filter(([, problem]) => problem.entity === entity)
      try {
        const { ids } = await send("/api/existing", { entity, ids: own.map(([, problem]) => problem.id) })
        const gone = own.filter(([, problem]) => !ids.includes(problem.id))
        for (const [key] of gone) this.#refused.delete(key)
        if (gone.length) this.dispatchEvent(new CustomEvent("changed"))
      } catch {
        // The next change tries again.
      }
    }
  }

  #settle() {
    this.isSettled = true
    this.dispatchEvent(new CustomEvent("changed"))
  }

  #fail(error, operations) {
    const [operation] = operations
    if (operation.op === "set" && isAnswer(error)) {
      // The text is not a valid value. The problem contains it, so that the field still shows it.
      this.#refused.set(keyOf(operation), { entity: operation.entity, id: operation.id, key: operation.key, message: error.message, text: operation.text ?? undefined })
      this.dispatchEvent(new CustomEvent("changed"))
    }
    notice(visibleText(error.message, 300), "error")
  }

  #applyPending(pending) {
    this.pending = pending
    this.unsaved = new Set(pending.changes.map((change) => `${change.entity} ${change.id}`))
    this.dispatchEvent(new CustomEvent("changed"))
    this.#forgetGone()
  }
}

function keyOf({ entity, id, key = "" }) {
  return `${entity} ${id} ${key}`
}

/** @param {{entity: string, id: string, key?: string}[]} problems */
function byKey(problems) {
  return new Map(problems.map((problem) => [keyOf(problem), problem]))
}

/** Whether the server refused the operations. False if it was unreachable, did not admit the client, or failed. */
function isAnswer({ status }) {
  return status >= 400 && status < 500 && status !== 403
}

/** Whether there are changes, including changes to objects that another process deleted. */
function hasChanges({ inserted, updated, deleted, deletedElsewhere = 0 }) {
  return inserted + updated + deleted + deletedElsewhere > 0
}
