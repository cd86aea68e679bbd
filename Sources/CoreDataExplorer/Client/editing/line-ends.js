/**
 * What was typed with the line ends that the text had before. A browser's field makes one sign of all of them, and takes
 * those away that a line has none for.
 * @param {string} typed what a field gives @param {string} stored the text that it was given
 */
export function withLineEnds(typed, stored) {
  if (!stored.includes("\r")) return typed
  const ends = [...stored.matchAll(/\r\n|\r|\n/g)].map(([end]) => end)
  const lines = stored.split(/\r\n|\r|\n/)
  const typedLines = typed.split("\n")
  // Lines before and behind what was changed keep theirs; new ones get the one that is there most.
  let before = 0
  while (before < Math.min(lines.length, typedLines.length) && lines[before] === typedLines[before]) before += 1
  const usual = ends.filter((end) => end === "\r\n").length * 2 >= ends.length ? "\r\n" : ends[0]
  const shift = lines.length - typedLines.length
  return typedLines.map((line, index) => {
    if (index === typedLines.length - 1) return line
    return line + (index < before ? ends[index] ?? usual : (index + shift >= before ? ends[index + shift] : undefined) ?? usual)
  }).join("")
}
