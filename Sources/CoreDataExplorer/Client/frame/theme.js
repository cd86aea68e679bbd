import { remember, remembered } from "../core/settings.js"

const names = { system: "System", light: "Light", dark: "Dark" }
const listeners = new Set()

/** The chosen theme: `system`, `light` or `dark`. */
export function theme() {
  return remembered("theme", "system")
}

export function themeName() {
  return names[theme()]
}

/** Whether the page is currently dark. */
export function isDark() {
  const chosen = theme()
  return chosen === "dark" || (chosen === "system" && matchMedia("(prefers-color-scheme: dark)").matches)
}

/** Applies the chosen theme to the page. */
export function applyTheme() {
  const chosen = theme()
  if (chosen === "system") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
  listeners.forEach((listener) => listener())
}

/** Switches to the next theme. */
export function switchTheme() {
  const order = Object.keys(names)
  remember("theme", order[(order.indexOf(theme()) + 1) % order.length])
  applyTheme()
}

/** Calls `listener` when the theme changes; the returned function stops that. */
export function onThemeChange(listener) {
  const media = matchMedia("(prefers-color-scheme: dark)")
  listeners.add(listener)
  media.addEventListener("change", listener)
  return () => {
    listeners.delete(listener)
    media.removeEventListener("change", listener)
  }
}
