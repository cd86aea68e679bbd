import { path, query, read } from "../core/api.js"
import { tableParameters } from "../core/address.js"
import { Stream } from "../core/stream.js"
import { RankChange } from "./rank-change.js"
import { RowCache } from "./row-cache.js"
import { SectionList } from "./section-list.js"

/** Rows that are fetched at once. */
const page = 100

/** Reports that are kept to bring rows up to date that a server sent before them. */
const memory = 300

/**
 * The rows of a table query, live: what a fetched results controller is to a table view.
 *
 * Rows come in pages when they are asked for, each with the version of the result that it belongs to. A page that was overtaken by
 * reports is brought up to date with them; one that is ahead of the reports waits for them. So rows are never put where they
 * are not, however fast reports come.
 *
 * The first page may come before the server has counted the rows and keeps them up to date. It is shown at once; `isLive` says when the
 * rest is there.
 *
 * Events (each a `CustomEvent`):
 * - `ready`: the first page is here, or everything was fetched anew; `detail` is `{anew, wasLive, wasAway}`
 * - `before-report` and `report`: `detail` is `{report, change}`; the rows are as before, and as after it
 * - `rows`: rows that were missing are here
 * - `counts`: numbers of rows of entities; `edit`: pending changes are others; `objects`: objects of any entity are
 * - `failed`: `detail` is the error, null when it is over
 * - `connected` and `lost`: the connection is there, and is not; `refused`: the server keeps these rows not up to date
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
  /** What is said of the connection that keeps the rows up to date. */
  connection = "live"
  #rows = new RowCache()
  #query
  #stream = null
  #ended = new AbortController()
  #asked = new Set()
  #reports = []
  #ahead = []
  #near = 0
  #generation = 0

  /**
   * @param {import("../core/address.js").TableQuery} tableQuery
   * @param {number} at the first rank that will be shown
   * @param {number|null} expected how many rows there will be, where somebody knows before they are counted
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

  /** Whether `total` is a number that was counted, of these rows or of all of the entity. */
  get isCounted() {
    return this.isLive || this.#expected !== null
  }

  get query() {
    return this.#query
  }

  /** Begins: the first page and the stream. */
  start() {
    const { entity } = this.#query
    this.#fetch(Math.floor(this.#near / page) * page, true)
    this.#stream = new Stream(
      path("api", "tables", entity, "events") + query(tableParameters(this.#query)), {
        hello: ({ version }) => {
          // The first page may have come before the stream: what happened between them is unknown. So is what happened while
          // the connection was lost: the server may have begun to count anew.
          if (this.version !== null && (version !== this.version || this.#helloVersion !== null)) {
            this.#wasAway = true
            this.reload()
          }
          this.#helloVersion = version
        },
        report: (report) => this.#report(report),
        reload: () => this.reload(),
        failed: ({ error }) => {
          this.#tell("refused")
          this.#tell("failed", Object.assign(new Error(error.message), { error }))
        },
        counts: (counts) => this.#tell("counts", counts),
        edit: () => this.#tell("edit"),
        objects: (changed) => this.#tell("objects", changed),
        open: () => this.#tell("connected"),
        lost: () => this.#tell("lost"),
        refused: (error) => {
          this.#tell("refused")
          this.#tell("failed", error)
        },
      })
  }

  #helloVersion = null
  /** Whether something may have happened that no report tells of. */
  #wasAway = false

  close() {
    this.#stream?.close()
    this.#ended.abort()
  }

  rowAt(rank) {
    return this.#rows.at(rank)
  }

  /** The rank of the first row that meets a condition among those that are here; null where none does. */
  rankWhere(condition) {
    return this.#rows.rankWhere(condition)
  }

  /** Says which rows are seen: missing ones among them are fetched, with the rest of their pages. */
  want(from, to) {
    this.#near = (from + to) >> 1
    if (!this.isReady) return
    for (let start = Math.floor(from / page) * page; start < to; start += page) {
      if (this.#asked.has(start)) continue
      for (let rank = Math.max(start, from); rank < Math.min(start + page, to, this.total); rank += 1) {
        if (this.#rows.isMissing(rank)) {
          this.#fetch(start)
          break
        }
      }
    }
  }

  /** Fetches the contents of the rows that are seen anew: they are the same rows, but what they show of others may have changed. */
  refresh() {
    this.#refreshes += 1
    this.#rows.markStale()
    for (const answer of this.#ahead) answer.isStale = true
    this.#tell("rows")
  }

  /** How often that was. */
  #refreshes = 0

  /** Fetches what is seen anew. */
  reload() {
    // One after the other: when reports come faster than answers, a page that gave up the first for the second would show neither.
    if (this.#isBeginning) {
      this.#isStale = true
      return
    }
    this.#asked.clear()
    this.#reports = []
    this.#ahead = []
    this.#generation += 1
    this.#fetch(Math.floor(this.#near / page) * page, true)
  }

  /** Whether the answer is awaited that all begins from, and whether it will be too old. */
  #isBeginning = false
  #isStale = false

  async #fetch(offset, isFirst = false) {
    this.#asked.add(offset)
    if (isFirst) this.#isBeginning = true
    const generation = this.#generation
    const refreshes = this.#refreshes
    try {
      const answer = await read(
        path("api", "tables", this.#query.entity),
        { ...tableParameters(this.#query), offset: String(offset), limit: String(page) }, this.#ended.signal)
      if (generation !== this.#generation) return
      this.#asked.delete(offset)
      // Asked for before something changed, it is newer than what is shown, and asked for again: under steady changes all
      // answers are such ones.
      answer.isStale = refreshes !== this.#refreshes
      if (isFirst) this.#begin(answer)
      else this.#take(answer)
      this.#tell("failed", null)
    } catch (error) {
      if (isFirst) this.#isBeginning = this.#isStale = false
      if (error.name === "AbortError" || generation !== this.#generation) return
      this.#tell("failed", error)
      // What was asked for is not asked for again at once: a server in trouble gets a moment.
      setTimeout(() => this.#asked.delete(offset), 2000)
    }
  }

  #begin(answer) {
    const anew = this.isReady
    const wasLive = this.isLive
    this.#isBeginning = false
    this.#rows.clear()
    this.#reports = this.#reports.filter((report) => report.version > answer.version)
    this.total = answer.total ?? Math.max(this.#expected ?? 0, answer.offset + answer.rows.length)
    this.version = answer.version
    // The same columns are the same object: lines that show them need not be made anew.
    if (JSON.stringify(this.columns) !== JSON.stringify(answer.columns)) this.columns = answer.columns
    this.sections = answer.sections ? new SectionList(answer.sections, answer.total) : null
    this.moreSections = answer.moreSections === true
    // What there is not is left out of an answer.
    this.limited = answer.limited ?? null
    this.reorderable = answer.reorderable ?? null
    this.time = answer.time
    answer.rows.forEach((row, index) => this.#rows.put(answer.offset + index, row))
    if (answer.isStale) this.#rows.markStale()
    this.isReady = true
    const wasAway = this.#wasAway
    this.#wasAway = false
    this.#tell("ready", { anew, wasLive, wasAway })
    const missed = this.#early.filter((report) => report.version > answer.version)
    this.#early = []
    const isStale = this.#isStale || (this.#helloVersion !== null && this.#helloVersion > this.version)
    this.#isStale = false
    if (isStale) this.reload()
    for (const report of missed) this.#report(report)
  }

  /** Reports that came before the page that they are about. */
  #early = []

  /** Puts a page where its rows are now. */
  #take(answer) {
    if (answer.version > this.version) {
      this.#ahead.push(answer)
      // A report that does not come was lost.
      setTimeout(() => this.#ahead.includes(answer) && this.reload(), 3000)
      return
    }
    let rows = answer.rows.map((row, index) => [answer.offset + index, row])
    const later = this.#reports.filter((one) => one.version > answer.version)
    if (answer.version + later.length < this.version) {
      this.#tell("rows") // too old to be brought up to date: whoever still needs it asks again
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
    this.#tell("rows")
  }

  #report(report) {
    if (this.version === null || this.#isBeginning) {
      this.#early.push(report)
      // More than that are better fetched.
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
    this.#tell("before-report", detail)
    const touched = new Set([...report.updated, ...report.moved.map(([, to]) => to)])
    this.#reports.push({ version: report.version, change, touched })
    if (this.#reports.length > memory) this.#reports.shift()
    this.#rows.apply(change, report)
    this.total = report.total
    this.version = report.version
    if (this.sections) this.sections.apply(report.sections, report.sectionCounts ?? [], report.total)
    this.#tell("report", detail)
    const ready = this.#ahead.filter((answer) => answer.version <= this.version)
    if (ready.length) {
      this.#ahead = this.#ahead.filter((answer) => answer.version > this.version)
      ready.forEach((answer) => this.#take(answer))
    }
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }))
  }
}
