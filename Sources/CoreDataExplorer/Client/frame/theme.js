import { remember, remembered } from "../core/settings.js"

const names = { system: "As the system", light: "Light", dark: "Dark" }
const listeners = new Set()

/** The theme that was chosen: `system`, `light` or `dark`. */
export function theme() {
  return remembered("theme", "system")
}

export function themeName() {
  return names[theme()]
}

/** Whether the page is dark at the moment. */
export function isDark() {
  const chosen = theme()
  return chosen === "dark" || (chosen === "system" && matchMedia("(prefers-color-scheme: dark)").matches)
}

/** Puts the theme that was chosen on the page. */
export function applyTheme() {
  const chosen = theme()
  if (chosen === "system") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
  listeners.forEach((listener) => listener())
}

/** Goes to the next theme. */
export function switchTheme() {
  const order = Object.keys(names)
  remember("theme", order[(order.indexOf(theme()) + 1) % order.length])
  applyTheme()
}

/** Calls `listener` when the theme is another one, until the function that comes back is called. */
export function onThemeChange(listener) {
  const media = matchMedia("(prefers-color-scheme: dark)")
  listeners.add(listener)
  media.addEventListener("change", listener)
  return () => {
    listeners.delete(listener)
    media.removeEventListener("change", listener)
  }
}
