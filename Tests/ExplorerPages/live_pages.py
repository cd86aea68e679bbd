"""Live changes: rows that another process updates, inserts, moves and deletes."""
from browser import options
from server import until


def test_a_changed_cell_flashes(p):
    p.table("/entities/Person")
    flashing = "document.getAnimations().map(one => one.effect.target.textContent)"
    assert p.page.evaluate(flashing) == [], "nothing has changed yet"
    p.change("update", "Person", "firstName=Changed", "--where", "displayOrder == 1613")
    p.until("[...document.querySelectorAll('.cell')].some(cell => cell.textContent === 'Changed')")
    assert p.page.evaluate(flashing) == ["Changed"], p.page.evaluate(flashing)
    assert p.rows()[0][1][2] == "Changed"


def test_a_row_is_inserted_moved_and_deleted(p):
    p.table("/entities/Team?sort=name")
    second = p.rows()[1][1][0]
    p.page.evaluate("""(() => { window.__moved = 0; window.__left = 0
      const animate = Element.prototype.animate
      Element.prototype.animate = function (frames, timing) { if (frames.some(one => one.transform)) __moved += 1; return animate.call(this, frames, timing) }
      new MutationObserver(all => all.forEach(one => one.addedNodes.forEach(node => { if (node.classList?.contains('leaving')) __left += 1 }))).observe(document.querySelector('.lines'), { childList: true }) })()""")
    p.change("insert", "Team", "name=AAA first")
    p.shows(".total", "51").rest()
    assert p.rows()[0][1][0] == "AAA first" and p.page.evaluate("__moved") > 10
    p.page.evaluate("__moved = 0")
    p.change("update", "Team", f"name={second}b", "--where", "name == 'AAA first'")
    p.until("__moved >= 2").rest()
    assert p.rows()[2][1][0] == second + "b", p.rows()[:4]
    p.change("delete", "Team", "--where", f"name == '{second}b'")
    p.shows(".total", "50").rest()
    assert p.page.evaluate("__left") == 1
    p.until("!document.querySelector('.leaving')")
    assert not any(second + "b" in row[1] for row in p.rows())


def test_sections_are_inserted_and_deleted(p):
    p.table("/entities/Customer?section=state")
    before = int(p.text(".status").split(" in ")[1].split()[0])
    p.change("insert", "Customer", "lastName=Lone", "state=AA")
    p.until("document.querySelector('.line.sticky').innerText.startsWith('AA')").rest()
    assert f"in {before + 1} sections" in p.text(".status"), p.text(".status")
    p.change("delete", "Customer", "--where", "state == 'AA'")
    p.until("!document.querySelector('.line.sticky').innerText.startsWith('AA')").rest()
    assert f"in {before} sections" in p.text(".status"), p.text(".status")


def test_sections_beyond_the_listed_ones_are_counted_with_the_last_one(p):
    p.table("/entities/Customer?section=state")
    counts = p.page.evaluate("""(async () => {
      const address = performance.getEntriesByType('resource').map(one => one.name).find(name => name.endsWith('/table/section-list.js'))
      const { SectionList } = await import(address)
      const list = new SectionList([{ name: 'a', count: 2 }, { name: 'b', count: 2 }], 7), seen = []
      const note = () => seen.push(list.sections.map(one => `${one.name} ${one.start} ${one.count}`).join())
      note()
      list.apply({ deleted: [], inserted: [] }, [], 5)
      note()
      list.apply({ deleted: [], inserted: [{ at: 3, name: 'd' }] }, [[3, 1]], 6)
      note()
      list.apply({ deleted: [], inserted: [{ at: 2, name: 'c' }] }, [[2, 4]], 10)
      note()
      const long = new SectionList(Array.from({ length: 10_000 }, (_, index) => ({ name: index, count: 1 })), 10_000)
      long.apply({ deleted: [], inserted: [{ at: 0, name: 'first' }] }, [[0, 3]], 10_003)
      const last = long.sections.at(-1)
      return [...seen, `${long.length} ${last.name} ${last.start} ${last.count}`]
    })()""")
    assert counts == ["a 0 2,b 2 5", "a 0 2,b 2 3", "a 0 2,b 2 4", "a 0 2,b 2 2,c 4 6", "10000 9998 10001 2"], counts


def test_ranks_after_a_report_are_those_of_a_list_with_the_same_changes(p):
    wrong = p.page.evaluate("""(async () => {
      const { RankChange } = await import(document.querySelector('script[src]').src.replace('main.js', 'table/rank-change.js'))
      let seed = 1
      const random = (below) => { seed = seed * 48271 % 2147483647; return seed % below }
      for (let round = 0; round < 2000; round += 1) {
        const rows = [...Array(random(12)).keys()], fates = rows.map(() => random(4))
        const deleted = rows.filter(row => fates[row] === 0), moving = rows.filter(row => fates[row] === 1), rest = rows.filter(row => fates[row] > 1)
        const inserts = random(4), list = Array(rows.length - deleted.length + inserts)
        const free = () => { let at = random(list.length); while (at in list) at = (at + 1) % list.length; return at }
        const moved = moving.map(row => { const to = free(); list[to] = row; return [row, to] })
        const inserted = [...Array(inserts)].map(() => { const at = free(); list[at] = 'new'; return at })
        for (let at = 0; at < list.length; at += 1) if (!(at in list)) list[at] = rest.shift()
        const change = new RankChange({ deleted, inserted, moved })
        const row = rows.find(row => change.rankOf(row) !== (deleted.includes(row) ? null : list.indexOf(row)))
        if (row !== undefined) return JSON.stringify({ row, rank: change.rankOf(row), deleted, inserted, moved, list })
      }
      return ''
    })()""")
    assert wrong == "", wrong


def test_a_page_that_the_server_could_not_answer_is_requested_again(p):
    p.table("/entities/Team")
    seen = p.page.evaluate("""(async () => {
      const address = performance.getEntriesByType('resource').map(one => one.name).find(name => name.endsWith('/table/live-table.js'))
      const { LiveTable } = await import(address)
      const { fetch: request } = window, seen = []
      let status = 503
      window.fetch = (url, ...more) => {
        if (!String(url).startsWith('/api/tables/Kind')) return request(url, ...more)
        if (status !== 200) return Promise.resolve(new Response('{"error":{"message":"busy"}}', { status }))
        return Promise.resolve(new Response('{"offset":0,"rows":[],"total":0,"columns":[],"version":1}'))
      }
      const Source = window.EventSource
      window.EventSource = class { addEventListener() {} close() {} }
      const table = new LiveTable({ entity: 'Kind' })
      const next = (name) => new Promise(done => table.addEventListener(name, ({ detail }) => done(detail), { once: true }))
      try {
        const failure = next('failed')
        table.start()
        seen.push((await failure).message)
        status = 200
        seen.push((await next('ready')).isReload)
        // The first page of a reload is requested again, too.
        status = 503
        const again = next('failed')
        table.reload()
        seen.push((await again).message)
        status = 200
        seen.push((await next('ready')).isReload)
        return seen
      } finally {
        table.close()
        window.fetch = request
        window.EventSource = Source
      }
    })()""")
    assert seen == ["busy", False, "busy", True], seen


# A table whose requests `answer` answers with a status and a body. `requests` holds the offset and the time of each.
STUBBED_TABLE = """
  const { LiveTable } = await import(document.querySelector('script[src]').src.replace('main.js', 'table/live-table.js'))
  const { fetch: request, EventSource: Source } = window, requests = []
  const wait = (milliseconds) => new Promise(done => setTimeout(done, milliseconds))
  window.fetch = (url, ...more) => {
    if (!String(url).startsWith('/api/tables/Kind')) return request(url, ...more)
    const offset = Number(new URL(url, location.href).searchParams.get('offset'))
    requests.push([offset, performance.now()])
    const [status, body] = answer(offset)
    return Promise.resolve(new Response(JSON.stringify(body), { status }))
  }
  window.EventSource = class { addEventListener() {} close() {} }
  const table = new LiveTable({ entity: 'Kind' })
  const end = () => { table.close(); window.fetch = request; window.EventSource = Source }
"""


def test_pages_that_failed_together_are_requested_again_together(p):
    apart = p.page.evaluate("""(async () => {
      const row = (_, index) => ({ id: `p${index}`, entity: 'Kind', cells: [] })
      const answer = offset => offset > 0 ? [503, { error: { message: 'busy' } }]
        : [200, { offset, rows: Array.from({ length: 100 }, row), total: 300, columns: [], version: 1 }]""" + STUBBED_TABLE + """
      try {
        for (const name of ['ready', 'rows']) table.addEventListener(name, () => table.want(0, 300))
        table.start()
        const times = offset => requests.filter(([one]) => one === offset).map(([, time]) => time)
        while (times(100).length < 2 || times(200).length < 2) await wait(20)
        return Math.abs(times(100)[1] - times(200)[1])
      } finally {
        end()
      }
    })()""")
    assert apart < 1000, apart


def test_a_query_that_took_too_long_is_not_repeated(p):
    counts = p.page.evaluate("""(async () => {
      let isStopped = true
      const answer = () => [503, { error: { message: 'slow', ...(isStopped ? { stopped: true } : {}) } }]""" + STUBBED_TABLE + """
      const counts = []
      try {
        table.start()
        await wait(3000)
        counts.push(requests.length)
        isStopped = false
        table.reload()
        await wait(6000)
        counts.push(requests.length)
        return counts
      } finally {
        end()
      }
    })()""")
    assert counts[0] == 1 and counts[1] > 2, counts


def test_a_hidden_page_does_not_repeat_requests(p):
    counts = p.page.evaluate("""(async () => {
      const answer = () => [503, { error: { message: 'busy' } }]""" + STUBBED_TABLE + """
      const counts = []
      let isHidden = true
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden })
      try {
        table.start()
        await wait(3000)
        counts.push(requests.length)
        isHidden = false
        document.dispatchEvent(new Event('visibilitychange'))
        await wait(500)
        counts.push(requests.length)
        return counts
      } finally {
        end()
        delete document.hidden
      }
    })()""")
    assert counts == [1, 2], counts


def test_the_scroll_position_stays_at_the_same_row(p):
    p.table("/entities/Person?sort=lastName&at=500")
    before = dict(map(tuple, p.rows()))
    assert p.first() == 500
    for number in range(3):
        p.change("insert", "Person", f"lastName=AAA {number}", "age=1")
    p.shows(".total", "3,753").rest()
    assert p.first() == 503, p.first()
    now = dict(map(tuple, p.rows()))
    assert now[505] == before[502], (now[505], before[502], sorted(now)[:3])
    p.change("delete", "Person", "--where", "lastName BEGINSWITH 'AAA '")
    p.shows(".total", "3,750").rest()
    after = dict(map(tuple, p.rows()))
    assert p.first() == 500 and all(after[place] == before[place] for place in range(500, 520))


def test_the_object_beside_the_table_is_updated(p):
    p.object("/entities/Team/p1").rest()
    p.change("update", "Team", "name=Followed", "--where", "name == 'New York Hawks'")
    p.shows("#object-title", "Followed")
    p.change("delete", "Team", "--where", "name == 'Followed'")
    p.shows("#object-title", "Not found")


def test_values_from_other_rows_are_updated(p):
    p.object("/entities/Customer/p1").rest()
    count = "document.querySelector('.relationship summary .count')?.textContent"
    before = int(p.page.evaluate(count))
    p.change("insert", "Job", "title=Brand new job", "customer=p1")
    p.until(f"{count} === '{before + 1}'")
    # An object that is not a row of the table, beside a table that shows counts of other rows.
    p.object("/entities/Job/p1?in=Customer&columns=lastName,jobs&where=jobs.%40count%20%3E%200").rest()
    first, number = p.server.json("/api/tables/Customer?columns=jobs&where=jobs.%40count%20%3E%200&limit=1")["rows"][0], int(p.rows()[0][1][1])
    p.change("insert", "Job", "title=Another", f"customer={first['id']}")
    until(lambda: int(p.rows()[0][1][1]) == number + 1)
    p.change("update", "Job", "title=Followed too", "--where", f"title == '{p.text('#object-title')}'")
    p.shows("#object-title", "Followed too")


def test_unsaved_objects_are_counted(p):
    p.table("/entities/Team")
    p.press("n")
    p.shows(".navigation a:has-text('Team')", "51")
    p.page.click(".pending button:has-text('Undo')")
    p.shows(".navigation a:has-text('Team')", "50")


def test_a_deleted_row_leaves_the_selection(p):
    p.table("/entities/Team?sort=name")
    p.page.focus(".grid")
    p.press("Space", "Shift+ArrowDown")
    p.shows(".selection", "2 rows selected")
    name = p.rows()[0][1][0]
    p.change("delete", "Team", "--where", f"name == '{name}'")
    p.shows(".selection", "1 row selected")


def test_a_deleted_row_that_is_not_loaded_leaves_the_selection(p):
    p.table("/entities/Person")
    p.page.focus(".grid")
    p.press("Space", "Shift+ArrowDown")
    p.shows(".selection", "2 rows selected")
    order = p.rows()[1][1][1]
    # The page keeps the last 2,000 rows at most, so the first ones are removed on the way.
    for rank in range(100, 2600, 100):
        p.page.evaluate(f"(() => {{ document.querySelector('.grid').scrollTop = {rank} * 30 }})()")
        p.rest()
    p.change("delete", "Person", "--where", f"displayOrder == {order}")
    p.shows(".selection", "1 row selected")
    p.change("insert", "Person", "lastName=Last", "age=1")
    p.shows(".total", "3,750")
    assert p.text(".selection span") == "1 row selected", p.text(".selection")


def can_miss_reports(p):
    """Lets the page ignore reports while `__misses` is true, and count them in `__missed`."""
    p.page.add_init_script("""window.__missed = 0
      const { EventSource: Source } = window
      window.EventSource = class extends Source {
        addEventListener(name, listener) {
          super.addEventListener(name, (event) => {
            if (name === 'report' && window.__misses) window.__missed += 1
            else listener(event)
          })
        }
      }""")


def miss(p, *change):
    """Changes the store in another process, and lets the page miss the report."""
    p.page.evaluate("(() => { window.__misses = true; window.__missed = 0 })()")
    p.change(*change)
    p.until("window.__missed > 0")
    p.page.evaluate("(() => { window.__misses = false })()")


def test_a_row_whose_deletion_was_missed_leaves_the_selection(p):
    can_miss_reports(p)
    p.table("/entities/Person")
    p.page.focus(".grid")
    p.press("Space", "Shift+ArrowDown")
    p.shows(".selection", "2 rows selected")
    order = p.rows()[1][1][1]
    p.page.evaluate("(() => { document.querySelector('.grid').scrollTop = 2000 * 30 })()")
    p.rest()
    miss(p, "delete", "Person", "--where", f"displayOrder == {order}")
    # The version of this report shows that another one was missed, so the table is loaded again.
    p.change("insert", "Person", "lastName=Last", "age=1")
    p.shows(".selection", "1 row selected")
    p.press("Delete")
    p.page.wait_for_selector("dialog[open]")


def test_a_row_that_left_the_filter_without_a_report_leaves_the_selection(p):
    can_miss_reports(p)
    p.table("/entities/Person?where=lastName%20%3D%3D%20%22Adams%22&sort=firstName")
    p.page.focus(".grid")
    p.press("Space", "Shift+ArrowDown")
    p.shows(".selection", "2 rows selected")
    order = p.rows()[1][1][1]
    miss(p, "update", "Person", "lastName=Other", "--where", f"displayOrder == {order}")
    p.change("insert", "Person", "lastName=Adams", "firstName=Zzz", "age=1")
    p.shows(".selection", "1 row selected")


def test_a_failed_check_of_the_selection_is_repeated_with_the_next_report(p):
    can_miss_reports(p)
    p.table("/entities/Person")
    p.page.focus(".grid")
    p.press("Space", "Shift+ArrowDown", "Shift+ArrowDown")
    p.shows(".selection", "3 rows selected")
    orders = [row[1][1] for row in p.rows()[:3]]
    p.page.evaluate("(() => { document.querySelector('.grid').scrollTop = 2000 * 30 })()")
    p.rest()
    refused = []

    def refuse(route):
        refused.append(route.request.url)
        route.fulfill(status=429, body="busy")
    p.page.route("**/api/existing", refuse)
    miss(p, "delete", "Person", "--where", f"displayOrder == {orders[1]}")
    p.change("insert", "Person", "lastName=Last", "age=1")
    # Evaluates a script in each round, because Playwright calls the handler only during its own calls.
    until(lambda: p.page.evaluate("1") and refused)
    p.page.unroute("**/api/existing")
    assert p.text(".selection span") == "3 rows selected", p.text(".selection")
    p.change("insert", "Person", "lastName=Last", "age=1")
    p.shows(".selection", "2 rows selected")
    # The row was not loaded since the table was loaded again, so the report's rank does not identify it.
    p.change("delete", "Person", "--where", f"displayOrder == {orders[0]}")
    p.shows(".selection", "1 row selected")


def test_counts_are_updated_on_every_page(p):
    p.page.wait_for_selector("#overview-title")
    p.change("insert", "Team", "name=One more")
    p.shows(".navigation a:has-text('Team')", "51")
    p.shows(".page tr:has-text('Team')", "51")
    p.table("/entities/Person")
    p.change("delete", "Team", "--where", "name == 'One more'")
    p.shows(".navigation a:has-text('Team')", "50")


def test_a_row_that_no_longer_matches_the_filter_disappears(p):
    p.table("/entities/Person?where=lastName%20%3D%3D%20%22Adams%22&sort=firstName")
    before = p.total()
    name = p.rows()[0][1]
    p.change("update", "Person", "lastName=Other", "--where", f"displayOrder == {name[1]}")
    p.shows(".total", str(before - 1)).rest()
    assert p.rows()[0][1] != name


def test_the_bytes_sent_for_a_change_do_not_grow_with_the_table(p):
    sizes = []
    for path in ("/entities/Team", "/entities/Person"):
        p.table(path)
        session = p.context.new_cdp_session(p.page)
        got = []
        session.on("Network.eventSourceMessageReceived", lambda event: got.append((event["eventName"], len(event["data"]))))
        session.send("Network.enable")
        entity = path.split("/")[-1]
        key, value = ("name", "Hawk") if entity == "Team" else ("lastName", "Hawk")
        p.change("update", entity, f"{key}={value}", "--where", "name == 'New York Hawks'" if entity == "Team" else "displayOrder == 1613")
        p.until("[...document.querySelectorAll('.cell')].some(cell => cell.textContent === 'Hawk')")
        # Evaluates a script in each round, because Playwright dispatches the browser's events only during its own calls.
        until(lambda: p.page.evaluate("1") and any(name == "report" for name, _ in got))
        sizes.append(sum(size for name, size in got if name == "report"))
        session.detach()
    assert sizes[1] < sizes[0] + 300, sizes


def test_a_chart_is_updated(p):
    p.table("/entities/Team?chart=name")
    p.page.wait_for_selector(".bins button")
    p.change("insert", "Team", "name=One more")
    p.shows(".object-view", "51 rows")


def test_an_older_count_does_not_replace_a_newer_one(p):
    held = []

    def hold(route):
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))
    p.page.route("**/api/histogram?*", hold)
    p.table("/entities/Team?chart=name")
    until(lambda: p.page.evaluate("1") and held)
    p.change("insert", "Team", "name=One more")
    p.shows(".total", "51")
    p.page.wait_for_timeout(1500)
    route, answer = held[0]
    route.fulfill(response=answer)
    p.shows(".object-view", "51 rows")
    p.page.wait_for_timeout(500)
    assert "51 rows" in p.text(".object-view"), p.text(".object-view")


@options(store="kinds")
def test_the_history_is_updated(p):
    p.go("/history")
    p.page.wait_for_selector(".transaction")
    before = p.page.locator(".transaction").count()
    for number in range(2):
        p.change("update", "Kind", f"small={number + 20}", "--where", "name == 'First'")
        p.until(f"document.querySelectorAll('.transaction').length === {before + number + 1}")
    numbers = [one["id"] for one in p.server.json("/api/history?limit=50")["transactions"]]
    assert p.page.locator(".transaction").evaluate_all("all => all.map(one => Number(one.dataset.number))") == numbers
    assert p.page.locator(".history-line .moment").count() == len(numbers)


@options(store="kinds")
def test_an_older_answer_does_not_replace_a_newer_one(p):
    p.object("/entities/Kind/p1").rest()
    held = []

    def hold(route):
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))
    p.page.route("**/api/objects/Kind/p1", hold)
    p.change("update", "Kind", "name=Older", "--where", "name == 'First'")
    until(lambda: p.page.evaluate("1") and held)
    p.change("update", "Kind", "name=Newer", "--where", "name == 'Older'")
    p.shows("#object-title", "Newer")
    route, answer = held[0]
    route.fulfill(response=answer)
    p.page.wait_for_timeout(500)
    assert p.text("#object-title") == "Newer"
