import { remember, remembered } from "../core/settings.js"

/** Filters that were saved in this browser, for an entity of a store. */
export class SavedFilters {
  #name

  constructor(storePath, entity) {
    this.#name = `filters ${storePath} ${entity}`
  }

  /** @returns {{name: string, where: string}[]} */
  get all() {
    return remembered(this.#name, [])
  }

  save(name, where) {
    remember(this.#name, [...this.all.filter((one) => one.name !== name), { name, where }])
  }

  remove(name) {
    remember(this.#name, this.all.filter((one) => one.name !== name))
  }
}
