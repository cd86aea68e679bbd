/**
 * Imports an SVG document from the server into the page: without active content, and with its style in a separate
 * style sheet, because the page's policy does not allow inline styles.
 *
 * @param {string} text @param {boolean|null} isDark the page's theme; null to follow the system @returns {{svg:
 * SVGElement, sheet: CSSStyleSheet, setDark: function(boolean|null): void}|null} null if the text is not SVG
 */
export function adoptSVG(text, isDark = null) {
  // Rename style elements, because parsing them would already violate the page's policy.
  const named = text.replace(/<(\/?)style\b/g, "<$1sheet")
  const parsed = new DOMParser().parseFromString(named, "image/svg+xml")
  const root = parsed.documentElement
  if (root.localName !== "svg" || parsed.querySelector("parsererror")) return null
  const styles = [...root.querySelectorAll("sheet")].map((style) => style.textContent).join("\n")
  for (const found of root.querySelectorAll("script, sheet, foreignObject, iframe, object, embed, animate, set, use[href^='data:']")) found.remove()
  for (const found of [root, ...root.querySelectorAll("*")]) {
    for (const { name, value } of [...found.attributes]) {
      const isLink = name === "href" || name === "xlink:href"
      if (/^on/i.test(name) || name === "style" || (isLink && !/^[/#](?!\/)/.test(value))) found.removeAttribute(name)
    }
  }
  // Screen readers treat an image as a whole, but this one contains links.
  if (root.querySelector("a")) root.setAttribute("role", "group")
  const sheet = new CSSStyleSheet()
  // The document's media query follows the system; the page can also be switched.
  const setDark = (dark) => sheet.replaceSync(
    styles.replace(/@media\s*\(prefers-color-scheme:\s*dark\)/g, dark === null ? "$&" : dark ? "@media all" : "@media not all"))
  setDark(isDark)
  return { svg: document.importNode(root, true), sheet, setDark }
}
