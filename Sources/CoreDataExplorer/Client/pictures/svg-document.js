/**
 * Takes an SVG document of the server into the page: without anything that runs, and with its style in a sheet of its own, for the page's
 * policy lets no style stand in elements.
 *
 * @param {string} text @param {boolean|null} isDark what the page is by its switch; null when the system decides
 * @returns {{svg: SVGElement, sheet: CSSStyleSheet, setDark: function(boolean|null): void}|null} null when it is no SVG
 */
export function adoptSVG(text, isDark = null) {
  // Under another name, for the page's policy would already complain about a style while it is read.
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
  // An image has no parts for a screen reader; this one has links.
  if (root.querySelector("a")) root.setAttribute("role", "group")
  const sheet = new CSSStyleSheet()
  // The document follows the system; the page has a switch too.
  const setDark = (dark) => sheet.replaceSync(
    styles.replace(/@media\s*\(prefers-color-scheme:\s*dark\)/g, dark === null ? "$&" : dark ? "@media all" : "@media not all"))
  setDark(isDark)
  return { svg: document.importNode(root, true), sheet, setDark }
}
