import { element } from "./element.js"

let open = null

/** The element whose menu the last press on the element closed. The click that follows must not open the menu again. */
let closedByPress = null
for (const name of ["pointerdown", "keydown"]) document.addEventListener(name, () => { closedByPress = null }, true)

/** Closes the open menu. */
export function closeMenu() {
  open?.close()
}

/**
 * Opens a menu below an element, or closes it if the element is clicked again. Arrow keys move between items, a letter
 * jumps to the next item that begins with it, Enter chooses an item, and Escape closes the menu. The element that had
 * the focus gets it again.
 *
 * @param {HTMLElement} below
 * @param {({text: string, action: function(): void, hint?: string, checked?: boolean, disabled?: boolean}|null)[]}
 * items null is a separator
 * @param {string} label
 */
export function openMenu(below, items, label) {
  if (closedByPress === below) return
  open?.close()
  const focused = document.activeElement
  const buttons = []
  const menu = element("div", { role: "menu", className: "menu", "aria-label": label })
  for (const item of items) {
    if (!item) {
      menu.append(element("div", { role: "separator" }))
      continue
    }
    const isChoice = item.checked !== undefined
    const made = element(
      "button",
      {
        type: "button", role: isChoice ? "menuitemcheckbox" : "menuitem", tabIndex: -1, disabled: item.disabled === true,
        "aria-checked": isChoice ? String(item.checked) : null,
        onclick: () => {
          close()
          item.action()
        },
      },
      element("span", { className: "check", "aria-hidden": "true" }, item.checked ? "✓" : ""),
      element("span", { className: "item" }, item.text),
      item.hint && element("span", { className: "hint" }, item.hint))
    if (!item.disabled) buttons.push(made)
    menu.append(made)
  }
  const close = () => {
    if (open?.menu !== menu) return
    open = null
    menu.remove()
    document.removeEventListener("pointerdown", outside, true)
    focused?.focus?.({ preventScroll: true })
  }
  const outside = (event) => {
    if (menu.contains(event.target)) return
    close()
    if (event.button === 0 && below.contains(event.target)) closedByPress = below
  }
  const move = (to) => buttons[(to + buttons.length) % buttons.length]?.focus()
  menu.addEventListener("keydown", (event) => {
    const index = buttons.indexOf(document.activeElement)
    const letter = event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey
    if (event.key === "ArrowDown") move(index + 1)
    else if (event.key === "ArrowUp") move(index - 1)
    else if (event.key === "Home") move(0)
    else if (event.key === "End") move(-1)
    else if (event.key === "Escape" || event.key === "Tab") close()
    else if (letter) {
      const begins = (one) => one.textContent.toLowerCase().startsWith(event.key.toLowerCase())
      ;[...buttons.slice(index + 1), ...buttons.slice(0, index + 1)].find(begins)?.focus()
    } else return
    event.preventDefault()
    event.stopPropagation()
  })
  ;(document.querySelector("dialog[open]") ?? document.querySelector("main")).append(menu)
  const place = below.getBoundingClientRect()
  const left = Math.max(8, Math.min(place.left, innerWidth - menu.offsetWidth - 8))
  const isAbove = place.bottom + menu.offsetHeight > innerHeight && place.top > innerHeight / 2
  menu.style.left = `${left}px`
  menu.style.maxHeight = `${(isAbove ? place.top : innerHeight - place.bottom) - 16}px`
  menu.style.top = isAbove ? `${place.top - menu.offsetHeight - 4}px` : `${place.bottom + 4}px`
  document.addEventListener("pointerdown", outside, true)
  open = { menu, close }
  move(0)
}
