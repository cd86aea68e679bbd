// What a store holds may be any text. On the page it is one that can be seen: control characters and marks that turn the
// direction of what follows are named by their numbers in place of being followed.

const wholeNumber = new Intl.NumberFormat("en")
const characters = new Intl.Segmenter("en")

/** Characters that show nothing or change how others are shown; a joiner is kept, for emoji are made with it. */
// eslint-disable-next-line no-control-regex
const unseen = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]/gu

/** The longest text that is put on the page in one piece; more is behind a link. */
export const longestText = 4000

/**
 * A text as it may be shown in one line.
 * @param {string} text
 * @param {number} [limit] characters after which it is cut with an ellipsis
 */
export function visibleText(text, limit = longestText) {
  return shortened(text, limit).replace(unseen, signFor)
}

/** The same in several lines: line ends and tabs stay. */
export function visibleLines(text, limit = longestText) {
  return shortened(text, limit).replace(unseen, (character) =>
    character === "\n" || character === "\t" ? character : signFor(character))
}

/** Cuts a long text, between what a reader sees as characters: half an emoji is none. */
function shortened(text, limit) {
  if (text.length <= limit) return text
  // Looked for near the limit only: the text may have a megabyte.
  const start = Math.max(0, limit - 64)
  const { index } = characters.segment(text.slice(start, limit + 64)).containing(limit - start)
  return text.slice(0, start + index || limit) + "…"
}

function signFor(character) {
  const code = character.codePointAt(0)
  if (code === 0x0a) return "↵"
  if (code === 0x09) return "⇥"
  return `‹${code.toString(16).toUpperCase().padStart(code < 0x100 ? 2 : 4, "0")}›`
}

/**
 * A number of things, with separators: `1,000,000`. A count that was ended early comes as text (`"10000+"`) and is
 * shown as `10k+`; null is not known.
 * @param {number|string|null} count
 */
export function countText(count) {
  if (count === null || count === undefined) return "–"
  if (typeof count === "string") return count === "10000+" ? "10k+" : count
  return wholeNumber.format(count)
}

/** `1 row`, `2 rows`. */
export function counted(count, one, many = one + "s") {
  return `${countText(count)} ${count === 1 ? one : many}`
}

/** A number of bytes: `412 MB`. */
export function sizeText(bytes) {
  const units = ["bytes", "KB", "MB", "GB", "TB"]
  let unit = 0
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024
    unit += 1
  }
  return `${unit === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit]}`
}

/** Milliseconds: `42 µs`, `0.42 ms`, `1.2 s`. */
export function timeText(milliseconds) {
  if (milliseconds < 0.1) return `${Number((milliseconds * 1000).toPrecision(2))} µs`
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(1)} s`
  return `${milliseconds >= 10 ? Math.round(milliseconds) : Number(milliseconds.toPrecision(2))} ms`
}

/** A date as the command line writes it: in UTC, to the second. */
export function dateText(iso) {
  return iso.replace("T", " ").replace(/\.0+Z$|Z$/, "")
}
