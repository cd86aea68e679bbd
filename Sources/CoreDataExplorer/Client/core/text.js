// A store may contain any text. The page shows it visibly: control characters and direction marks are replaced by
// their code points instead of taking effect.

const wholeNumber = new Intl.NumberFormat("en")
const characters = new Intl.Segmenter("en")

/**
 * Invisible characters, and characters that change how other characters are shown. The zero-width joiner and
 * non-joiner are not included, because emoji and some scripts need them.
 */
// eslint-disable-next-line no-control-regex
const unseen = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]/gu

/** The maximum length of text that is put on the page at once; more is behind a link. */
export const longestText = 4000

/**
 * Text in a form to be shown on one line.
 * @param {string} text
 * @param {number} [limit] characters after which it is truncated with an ellipsis
 */
export function visibleText(text, limit = longestText) {
  return shortened(text, limit).replace(unseen, signFor)
}

/** Text in a form to be shown on several lines: line ends and tabs are kept. */
export function visibleLines(text, limit = longestText) {
  return shortened(text, limit).replace(unseen, (character) =>
    character === "\n" || character === "\t" ? character : signFor(character))
}

/** Truncates long text between user-perceived characters, so that emoji are not split. */
function shortened(text, limit) {
  if (text.length <= limit) return text
  // Search only near the limit, because the text may have a megabyte.
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
 * A number of things, with separators: `1,000,000`. A capped count is a string (`"10000+"`) and is shown as `10k+`;
 * null means that the count is not known.
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

/** A number of bytes, as the command line prints it (`CountText.bytes`): `812 bytes`, `1.5 KB`, `412 MB`; 1 KB is 1,000 bytes. */
export function sizeText(bytes) {
  if (bytes < 1000) return bytes === 1 ? "1 byte" : `${bytes} bytes`
  const units = ["KB", "MB", "GB", "TB"]
  let unit = 0
  bytes /= 1000
  // From this amount on, rounding would print 1000.
  while (bytes >= 999.5 && unit < units.length - 1) {
    bytes /= 1000
    unit += 1
  }
  const tenths = Math.round(bytes * 10) / 10
  return `${tenths < 10 ? tenths : Math.round(bytes)} ${units[unit]}`
}

/** Milliseconds: `42 µs`, `0.42 ms`, `1.2 s`. */
export function timeText(milliseconds) {
  if (milliseconds < 0.1) return `${Number((milliseconds * 1000).toPrecision(2))} µs`
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(1)} s`
  return `${milliseconds >= 10 ? Math.round(milliseconds) : Number(milliseconds.toPrecision(2))} ms`
}

/** The text of a date that the server sent: in UTC, without a fraction of zero. */
export function dateText(iso) {
  return iso.replace("T", " ").replace(/\.0+Z$|Z$/, "")
}
