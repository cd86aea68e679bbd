import { showDialog } from "../core/dialog.js"
import { button, element } from "../core/element.js"
import { notice } from "../core/notices.js"
import { countText, sizeText } from "../core/text.js"

/**
 * Exports all rows of a table as CSV or JSON to a file, and shows the progress. If the browser lets pages write
 * files, the rows are not collected in memory.
 * @param {Object} view the table
 * @param {"csv"|"json"} kind
 * @param {{formulas?: "plain"}} [options] `plain`: text that a spreadsheet would run as a formula is not quoted
 */
export async function exportTable(view, kind, options = {}) {
  const name = `${view.entity}.${kind}`
  let file = null
  if (globalThis.showSaveFilePicker) {
    try {
      const handle = await showSaveFilePicker({ suggestedName: name })
      file = await handle.createWritable()
    } catch (error) {
      if (error.name === "AbortError") return
      // The browser does not allow writing the file, so the rows are collected in memory.
    }
  }
  const ended = new AbortController()
  await showDialog(`Export ${name}`, (close) => {
    const bar = element("progress", { max: 1, "aria-label": "Exported" })
    const text = element("p", { role: "status" }, "Requesting…")
    const footer = element("footer", {}, button("Cancel", () => { ended.abort(); close() }, { autofocus: true }))
    run({ address: view.exportAddress(kind, options), kind, file, signal: ended.signal, progress: (bytes, rows, total) => {
      if (total) bar.value = Math.min(1, rows / total)
      text.textContent = `${sizeText(bytes)}${total ? `, about ${countText(Math.min(rows, total))} of ${countText(total)} rows` : ""}`
    } }).then((result) => {
      bar.value = 1
      if (result.blob) download(result.blob, name)
      notice(`${name}: ${sizeText(result.bytes)}`)
      close()
    }, (error) => {
      if (error.name !== "AbortError") text.textContent = error.message
    })
    return [element("div", { className: "content" }, bar, text), footer]
  })
  ended.abort()
}

async function run({ address, kind, file, signal, progress }) {
  let isDone = false
  try {
    const response = await fetch(address, { signal })
    if (!response.ok) throw new Error((await response.json().catch(() => null))?.error?.message ?? `The server answered with status ${response.status}.`)
    const total = Number(response.headers.get("X-Total-Rows")) || 0
    const reader = response.body.getReader()
    const parts = []
    let bytes = 0
    let rows = 0
    let shown = 0
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      bytes += value.length
      // Lines approximate rows; a line end inside a value counts as an additional row.
      for (let index = value.indexOf(10); index >= 0; index = value.indexOf(10, index + 1)) rows += 1
      if (file) await file.write(value)
      else parts.push(value)
      if (performance.now() - shown > 100) {
        shown = performance.now()
        progress(bytes, rows, total)
      }
    }
    await file?.close()
    isDone = true
    return { bytes, blob: file ? null : new Blob(parts, { type: kind === "csv" ? "text/csv" : "application/json" }) }
  } finally {
    if (!isDone) await file?.abort?.()
  }
}

function download(blob, name) {
  const address = URL.createObjectURL(blob)
  element("a", { href: address, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
