import { read, send } from "../core/api.js"
import { notice } from "../core/notices.js"
import { counted, visibleText } from "../core/text.js"
import { resolveConflicts } from "./conflict-dialog.js"

const nothing = { inserted: 0, updated: 0, deleted: 0, canUndo: false, canRedo: false, changes: [] }

/**
 * The changes that are not saved: those of the server's one editing context, which all pages share.
 *
 * Events: `changed` when they are others or a problem came or went.
 */
export class EditSession extends EventTarget {
  pending = nothing
  /** Whether nothing is left to be decided: all was saved, and nothing was done since. */
  isSettled = true
  /** Objects of the changes that are listed, as `Entity id`. */
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

  /** What is wrong with a value, if something is; of a composite attribute's element also what is wrong with the whole. */
  problemOf(entity, id, key = "") {
    return this.#problems.get(`${entity} ${id} ${key}`) ?? this.#problems.get(`${entity} ${id} ${key.split(".")[0]}`)
  }

  get problems() {
    return [...this.#problems.values()]
  }

  /** Asks the server what is pending; soon, for the news of it come in numbers. */
  refresh() {
    if (!this.#app.model.isWritable || this.#timer) return
    this.#timer = setTimeout(async () => {
      this.#timer = 0
      try {
        const hadChanges = hasChanges(this.pending)
        this.#take(await read("/api/edit"))
        // Another page has saved.
        if (hadChanges && !hasChanges(this.pending)) this.#settle()
        // What is shown beside the table may be none of its rows.
        this.#app.refreshObject()
      } catch {
        // The next change tells.
      }
    }, 100)
  }

  /**
   * Carries operations out, one request after the other in the order in which they were asked for.
   * @param {Object[]} operations what the protocol calls OP
   * @returns {Promise<{created: {entity: string, id: string}[]}|null|undefined>} null when it was refused,
   *   undefined when it did not arrive; the reason was shown
   */
  perform(operations) {
    const done = this.#queue.then(async () => {
      try {
        this.isSettled = false
        const answer = await send("/api/edit", { operations })
        for (const operation of operations) {
          if (operation.op === "set") this.#forgetValue(operation)
          if (operation.op === "delete") operation.ids.forEach((id) => this.#forget(operation.entity, id))
        }
        this.#note(answer.problems)
        this.#take(answer.pending)
        return answer
      } catch (error) {
        this.#fail(error, operations)
        return isAnswer(error) ? null : undefined
      }
    })
    this.#queue = done
    return done
  }

  set(entity, id, key, value) {
    return this.perform([{ op: "set", entity, id, key, ...value }])
  }

  /** Makes an object and opens it. @param {string} entity @param {{entity: string, id: string, relationship: string}} [into] */
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

  /** Gives a row of an ordered table another rank. */
  move(query, row, to) {
    const { where, sort, section } = query
    return this.perform([{ op: "move", entity: query.entity, id: row.id, to, where, sort, section }])
  }

  async undo() {
    if (this.pending.canUndo) await this.#command("undo")
  }

  async redo() {
    if (this.pending.canRedo) await this.#command("redo")
  }

  async discard() {
    this.#problems.clear()
    await this.#command("discard")
    this.#app.refreshObject()
  }

  async save() {
    await this.#queue
    await this.#command("save")
  }

  async #command(name, body = {}) {
    try {
      this.isSettled = false
      const answer = await send(`/api/edit/${name}`, body)
      if (answer.saved !== undefined) {
        const refused = this.#keepRefused(answer.ids ?? {})
        this.isSettled = true
        notice(`${counted(answer.saved, "object")} saved${refused ? `, without ${counted(refused, "wrong value")}` : ""}`, refused ? "error" : "note")
        this.#app.objectsSaved(answer.ids ?? {})
      }
      this.#take(answer.pending)
    } catch (error) {
      if (error.status === 409 && error.body.conflicts) {
        const keep = await resolveConflicts(error.body.conflicts)
        // Decided is what was shown: where others have saved again, it is shown again.
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

  /** A save takes what is wrong with values along, but for those that never became values. @returns {number} how many these are */
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

  /** What was wrong with a value is so no more; nor with elements beside it, of which one may have been missing. */
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
      // It is no value, and is kept for whoever typed it.
      this.#note([{ entity: operation.entity, id: operation.id, key: operation.key, message: error.message, text: operation.text ?? undefined }])
      this.dispatchEvent(new CustomEvent("changed"))
    }
    notice(visibleText(error.message, 300), "error")
  }

  #take(pending) {
    this.pending = pending
    this.unsaved = new Set(pending.changes.map((change) => `${change.entity} ${change.id}`))
    this.dispatchEvent(new CustomEvent("changed"))
  }
}

/** Whether the server has said no to what was asked, and not that it was not there or let nobody in. */
function isAnswer({ status }) {
  return status >= 400 && status < 500 && status !== 403
}

/** Objects that were changed here and deleted by others are something to be decided, too. */
function hasChanges({ inserted, updated, deleted, gone = 0 }) {
  return inserted + updated + deleted + gone > 0
}
