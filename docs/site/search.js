// Searches search.json: an entry is [title, kind, place, path, text]. All words of a query have to be in the title, the
// place or the text. A word at the beginning of the title, or of a word in it, counts more than one elsewhere. Articles and
// tutorials with such a title precede all symbols.
const base = document.currentScript.dataset.base
const field = document.querySelector('#query')
const found = document.querySelector('#found')
const contents = document.querySelector('#contents')
const count = document.querySelector('#count')
const results = document.querySelector('#results')
const LARGEST = 60

let index
function load() {
  index ??= fetch(`${base}/search.json`).then(response => response.json()).then(entries => entries.map(
    ([title, kind, place, path, text]) => ({
      title, kind, place, path, text,
      low: { title: title.toLowerCase(), place: place.toLowerCase(), text: text.toLowerCase() },
    })))
  return index
}

function beginsWord(title, at) {
  return at === 0 || !/[a-z0-9]/i.test(title[at - 1]) || /[A-Z]/.test(title[at]) && /[a-z0-9]/.test(title[at - 1])
}

// A word without its ending, so that "migrate" finds the article "Migrating stores".
function stem(word) {
  return word.replace(/^(.{3,}?)(?:ings?|ions?|ed|es?|s)$/, '$1')
}

// Guides are the articles and the tutorials. They precede symbols, whose scores are below 111.
function scoreInGuide(title, word) {
  const at = title.split(/[^\p{L}\p{N}@]+/u).findIndex(one => one.startsWith(word) || stem(one) === stem(word))
  return at < 0 ? 0 : at === 0 ? 120 : 110
}

function scoreOfWord(entry, word) {
  const { low, title } = entry
  const guide = ['article', 'tutorial'].includes(entry.kind) ? scoreInGuide(low.title, word) : 0
  if (guide) return guide
  const name = low.title.replace(/[(<].*/, '')
  // The rest of the name of a class counts as its name: "fetchrequest" is NSFetchRequest.
  if (name === word || low.title === word || name === `ns${word}`) return 100
  let best = 0
  for (let at = low.title.indexOf(word); at >= 0; at = low.title.indexOf(word, at + 1)) {
    best = Math.max(best, at === 0 ? 60 : beginsWord(title, at) ? 40 : 15)
  }
  if (!best && low.place.includes(word)) best = 8
  if (!best && low.text.includes(word)) best = 5
  return best
}

const BONUS = { article: 12, tutorial: 12, class: 10, structure: 10, protocol: 10, enumeration: 10, module: 10, section: 4 }

function score(entry, words) {
  let sum = 0
  for (const word of words) {
    const one = scoreOfWord(entry, word)
    if (!one) return 0
    sum += one
  }
  return sum + (BONUS[entry.kind] ?? 0) - entry.title.length / 50
}

function excerpt(entry, words) {
  const at = words.map(word => entry.low.text.indexOf(word)).filter(at => at >= 0).sort((a, b) => a - b)[0] ?? 0
  const begin = at < 90 ? 0 : entry.text.lastIndexOf(' ', at - 60) + 1
  const text = entry.text.slice(begin, begin + 200)
  return (begin ? '… ' : '') + text + (begin + 200 < entry.text.length ? ' …' : '')
}

// Appends a text whose occurrences of the words are marked.
function append(element, text, words) {
  const low = text.toLowerCase()
  let at = 0
  while (at < text.length) {
    const next = words.map(word => [low.indexOf(word, at), word.length]).filter(([place]) => place >= 0)
      .sort((a, b) => a[0] - b[0] || b[1] - a[1])[0]
    if (!next) break
    element.append(text.slice(at, next[0]))
    const mark = document.createElement('mark')
    mark.textContent = text.slice(next[0], next[0] + next[1])
    element.append(mark)
    at = next[0] + next[1]
  }
  element.append(text.slice(at))
}

function row(entry, words) {
  const item = document.createElement('li'), link = document.createElement('a'), place = document.createElement('span')
  link.href = base + entry.path
  append(link, entry.title, words)
  if (!['article', 'tutorial', 'section'].includes(entry.kind)) link.className = 'code'
  place.className = 'place'
  place.textContent = [entry.kind, entry.place].filter(Boolean).join(' · ')
  item.append(link, place)
  if (entry.text) {
    const text = document.createElement('p')
    append(text, excerpt(entry, words), words)
    item.append(text)
  }
  return item
}

async function search() {
  const query = field.value.trim()
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  history.replaceState(null, '', query ? `?q=${encodeURIComponent(query)}` : location.pathname)
  found.hidden = !query
  contents.hidden = !!query
  if (!query) return
  let entries
  try {
    entries = await load()
  } catch {
    index = undefined
    count.textContent = 'The search index could not be loaded.'
    return
  }
  if (query !== field.value.trim()) return
  const matches = entries.map(entry => [score(entry, words), entry]).filter(([points]) => points)
    .sort((a, b) => b[0] - a[0] || a[1].title.localeCompare(b[1].title))
  count.textContent = matches.length === 0 ? `Nothing matches “${query}”.`
    : matches.length === 1 ? '1 result' : `${matches.length} results${matches.length > LARGEST ? `, the first ${LARGEST}` : ''}`
  results.replaceChildren(...matches.slice(0, LARGEST).map(([, entry]) => row(entry, words)))
}

field.addEventListener('input', search)
field.addEventListener('focus', load, { once: true })
field.form.addEventListener('submit', event => {
  event.preventDefault()
  results.querySelector('a')?.click()
})
document.addEventListener('keydown', event => {
  if (event.key === '/' && event.target !== field) {
    event.preventDefault()
    field.focus()
  }
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp' || found.hidden) return
  const places = [field, ...results.querySelectorAll('a')]
  const at = places.indexOf(document.activeElement)
  if (at < 0) return
  event.preventDefault()
  places[Math.min(Math.max(at + (event.key === 'ArrowDown' ? 1 : -1), 0), places.length - 1)].focus()
})

field.value = new URLSearchParams(location.search).get('q') ?? ''
if (field.value) search()
