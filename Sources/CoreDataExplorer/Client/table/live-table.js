import { path, query, read, send } from "../core/api.js"
import { tableParameters } from "../core/address.js"
import { Stream } from "../core/stream.js"
import { RankChange } from "./rank-change.js"
import { RowCache } from "./row-cache.js"
import { SectionList } from "./section-list.js"

/** How many rows are fetched at a time. */
const page = 100

/** The maximum number of objects whose IDs one request may contain. */
const mostNamed = 1000

/** Milliseconds before pages that the server could not answer are requested again; longer after each further failure. */
const shortestPause = 2000
const longestPause = 30_000

/** How many reports are kept, to update rows that the server sent before them. */
const memory = 300

/**
 * The live rows of a table query, like a fetched results controller for a table view.
 *
 * Rows are fetched in pages on demand, each with the version of the result that it belongs to. If reports overtake a
 * page, it is updated with them; a page that is ahead of the reports waits for them. So rows are never shown in wrong
 * positions, however fast reports arrive.
 *
 * The first page may arrive before the server has counted the rows and has begun to observe their changes. It is shown
 * immediately; `isLive` becomes true when the rest is available.
 *
 * Events (each a `CustomEvent`):
 * - `ready`: the first page is loaded, or everything was loaded again; `detail` is `{isReload, wasLive, wasAway}`
 * - `before-report` and `report`: sent before and after the rows change; `detail` is `{report, change}`
 * - `rows`: missing rows were loaded
 * - `counts`: row counts of entities changed; `edit`: the unsaved changes may be different; `objects`: objects of any
 *   entity changed
 * - `failed`: `detail` is the error of a request, or null after a request has succeeded
 * - `connected` and `lost`: the connection was established or lost; `refused`: the server does not keep these rows up
 *   to date
 */
export class LiveTable extends EventTarget {
  total = 0
  /** @type {{key: string, title: string, type: string, sortable: boolean}[]} */
  columns = []
  /** @type {SectionList|null} */
  sections = null
  moreSections = false
  limited = null
  reorderable = null
  version = null
  isReady = false
  /** The status text about the connection that keeps the rows up to date. */
  connection = "live"
  #rows = new RowCache()
  #query
  #stream = null
  #ended = new AbortController()
  #requested = new Set()
  #reports = []
  #ahead = []
  #near = 0
  #generation = 0

  /**
   * @param {import("../core/address.js").TableQuery} tableQuery
   * @param {number} at the first visible rank
   * @param {number|null} expected the number of rows, if it is known before they are counted
   */
  constructor(tableQuery, at = 0, expected = null) {
    super()
    this.#query = tableQuery
    this.#near = at
    this.#expected = expected
  }

  #expected

  /** Whether the rows were counted and are kept up to date. */
  get isLive() {
    return this.version !== null && this.version >= 0
  }

  /** Whether `total` is a counted number, of these rows or of the whole entity. */
  get isCounted() {
    return this.isLive || this.#expected !== null
  }

  get query() {
    return this.#query
  }

  /** Starts the table: requests the first page and the stream. */
  start() {
    const { entity } = this.#query
    this.#fetch(Math.floor(this.#near / page) * page, true)
    this.#stream = new Stream(
      path("api", "tables", entity, "events") + query(tableParameters(this.#query)), {
        hello: ({ version }) => {
          // Changes between the first page and the stream may have been missed, and so may changes while the
          // connection was lost. The server may also have started a new count of versions since then.
          if (this.version !== null && (version !== this.version || this.#helloVersion !== null)) {
            this.#wasAway = true
            this.reload()
          }
          this.#helloVersion = version
        },
        report: (report) => this.#report(report),
        reload: () => this.reload(),
        failed: ({ error }) => {
          this.#dispatch("refused")
          this.#dispatch("failed", Object.assign(new Error(error.message), { error }))
        },
        counts: (counts) => this.#dispatch("counts", counts),
        edit: () => this.#dispatch("edit"),
        objects: (changed) => this.#dispatch("objects", changed),
        open: () => this.#dispatch("connected"),
        lost: () => this.#dispatch("lost"),
        refused: (error) => {
          this.#dispatch("refused")
          this.#dispatch("failed", error)
        },
      })
  }

  #helloVersion = null
  /** Whether changes may have been missed. */
  #wasAway = false

  close() {
    this.#stream?.close()
    this.#ended.abort()
  }

  rowAt(rank) {
    return this.#rows.at(rank)
  }

  /** The rank of the first loaded row that meets a condition; null if there is none. */
  rankWhere(condition) {
    return this.#rows.rankWhere(condition)
  }

  /**
   * Returns the IDs of those objects that exist and match the filter, whether they are loaded or not.
   * @param {string[]} ids
   * @returns {Promise<Set<string>>}
   */
  async members(ids) {
    const { entity, where } = this.#query
    const members = new Set()
    for (let start = 0; start < ids.length; start += mostNamed) {
      const named = { entity, where, ids: ids.slice(start, start + mostNamed) }
      const answer = await send(path("api", "existing"), named, this.#ended.signal)
      answer.ids.forEach((id) => members.add(id))
    }
    return members
  }

  /** Sets the visible rows: missing rows among them are fetched, with the rest of their pages. */
  want(from, to) {
    this.#near = (from + to) >> 1
    if (!this.isReady) return
    for (let start = Math.floor(from / page) * page; start < to; start += page) {
      if (this.#requested.has(start)) continue
      for (let rank = Math.max(start, from); rank < Math.min(start + page, to, this.total); rank += 1) {
        if (this.#rows.isMissing(rank)) {
          this.#fetch(start)
          break
        }
      }
    }
  }

  /**
   * Marks all rows as stale, so that visible ones are fetched again: the rows are the same, but what they show of other
   * objects may have changed.
   */
  refresh() {
    this.#refreshes += 1
    this.#rows.markStale()
    for (const answer of this.#ahead) answer.isStale = true
    this.#dispatch("rows")
  }

  /** The number of calls of `refresh`. */
  #refreshes = 0

  /** Loads the visible part again. */
  reload() {
    // One reload at a time: if reports arrive faster than answers, replacing a pending page with another one would
    // never show any page.
    if (this.#isBeginning) {
      this.#isStale = true
      return
    }
    this.#requested.clear()
    this.#reports = []
    this.#ahead = []
    this.#generation += 1
    this.#fetch(Math.floor(this.#near / page) * page, true)
  }

  /** Whether the first page is pending, and whether it must be requested again when it arrives. */
  #isBeginning = false
  #isStale = false

  async #fetch(offset, isFirst = false) {
    this.#requested.add(offset)
    if (isFirst) this.#isBeginning = true
    const generation = this.#generation
    const refreshes = this.#refreshes
    try {
      const answer = await read(
        path("api", "tables", this.#query.entity),
        { ...tableParameters(this.#query), offset: String(offset), limit: String(page) }, this.#ended.signal)
      if (generation !== this.#generation) return
      this.#requested.delete(offset)
      // An answer that was requested before a change is newer than what is shown, but must be requested again. Under
      // continuous changes this applies to all answers.
      answer.isStale = refreshes !== this.#refreshes
      if (isFirst) this.#begin(answer)
      else this.#applyPage(answer)
      this.#pause = shortestPause
      this.#dispatch("failed", null)
    } catch (error) {
      if (isFirst) this.#isBeginning = this.#isStale = false
      if (error.name === "AbortError" || generation !== this.#generation) return
      this.#dispatch("failed", error)
      // Wait before requesting the page again, in case the server is in trouble.
      await this.#nextAttempt()
      if (this.#ended.signal.aborted || generation !== this.#generation) return
      this.#requested.delete(offset)
      // An invalid request stays invalid, and a query that took too long would take as long again.
      if ((error.status >= 400 && error.status < 500) || error.error?.stopped) return
      if (isFirst) this.reload()
      else this.#dispatch("rows") // If the page is still needed, it will be requested again.
    }
  }

  /** Waits until the next attempt is due and the page is visible. All requests that fail until then wait for the same attempt. */
  #nextAttempt() {
    this.#attempt ??= new Promise((done) => setTimeout(done, this.#pause)).then(() => whenVisible(this.#ended.signal)).then(() => {
      this.#attempt = null
      this.#pause = Math.min(2 * this.#pause, longestPause)
    })
    return this.#attempt
  }

  /** @type {Promise<void>|null} */
  #attempt = null
  /** The time until the next attempt after a failure. */
  #pause = shortestPause

  #begin(answer) {
    const isReload = this.isReady
    const wasLive = this.isLive
    this.#isBeginning = false
    this.#rows.clear()
    this.#reports = this.#reports.filter((report) => report.version > answer.version)
    this.total = answer.total ?? Math.max(this.#expected ?? 0, answer.offset + answer.rows.length)
    this.version = answer.version
    // Keep the same object for equal columns, so that lines need not be created again.
    if (JSON.stringify(this.columns) !== JSON.stringify(answer.columns)) this.columns = answer.columns
    this.sections = answer.sections ? new SectionList(answer.sections, answer.total) : null
    this.moreSections = answer.moreSections === true
    this.limited = answer.limited ?? null
    this.reorderable = answer.reorderable ?? null
    this.time = answer.time
    answer.rows.forEach((row, index) => this.#rows.put(answer.offset + index, row))
    if (answer.isStale) this.#rows.markStale()
    this.isReady = true
    const wasAway = this.#wasAway
    this.#wasAway = false
    this.#dispatch("ready", { isReload, wasLive, wasAway })
    const missed = this.#early.filter((report) => report.version > answer.version)
    this.#early = []
    const isStale = this.#isStale || (this.#helloVersion !== null && this.#helloVersion > this.version)
    this.#isStale = false
    if (isStale) this.reload()
    for (const report of missed) this.#report(report)
  }

  /** Reports that arrived before the page that they apply to. */
  #early = []

  /** Stores the rows of a page at their current positions. */
  #applyPage(answer) {
    if (answer.version > this.version) {
      this.#ahead.push(answer)
      // If the report does not arrive, it was lost.
      setTimeout(() => this.#ahead.includes(answer) && this.reload(), 3000)
      return
    }
    let rows = answer.rows.map((row, index) => [answer.offset + index, row])
    const later = this.#reports.filter((one) => one.version > answer.version)
    if (answer.version + later.length < this.version) {
      this.#dispatch("rows") // The page is too old to be updated. If it is still needed, it will be requested again.
      return
    }
    for (const { change, touched } of later) {
      rows = rows.map(([rank, row]) => [change.rankOf(rank), row])
        .filter(([rank]) => rank !== null && !touched.has(rank))
    }
    for (const [rank, row] of rows) {
      if (later.length === 0 || this.#rows.isMissing(rank)) this.#rows.put(rank, answer.isStale ? { ...row, stale: true } : row)
    }
    this.#rows.trim(this.#near)
    if (answer.limited) this.limited = answer.limited
    this.#dispatch("rows")
  }

  #report(report) {
    if (this.version === null || this.#isBeginning) {
      this.#early.push(report)
      // With more reports than this, loading everything again is better.
      if (this.#early.length > memory) {
        this.#early.shift()
        this.#isStale = true
      }
      return
    }
    if (report.version <= this.version) return
    if (report.version > this.version + 1) {
      this.reload()
      return
    }
    const change = new RankChange(report)
    const detail = { report, change }
    this.#dispatch("before-report", detail)
    const touched = new Set([...report.updated, ...report.moved.map(([, to]) => to)])
    this.#reports.push({ version: report.version, change, touched })
    if (this.#reports.length > memory) this.#reports.shift()
    this.#rows.apply(change, report)
    this.total = report.total
    this.version = report.version
    if (this.sections) this.sections.apply(report.sections, report.sectionCounts ?? [], report.total)
    this.#dispatch("report", detail)
    const ready = this.#ahead.filter((answer) => answer.version <= this.version)
    if (ready.length) {
      this.#ahead = this.#ahead.filter((answer) => answer.version > this.version)
      ready.forEach((answer) => this.#applyPage(answer))
    }
  }

  #dispatch(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }))
  }
}

/** Waits until the page is visible. @param {AbortSignal} signal ends the waiting without an answer */
async function whenVisible(signal) {
  if (document.hidden) await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true, signal }))
}
