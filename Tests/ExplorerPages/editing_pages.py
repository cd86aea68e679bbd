"""Editing: values, objects, relationships, order, undo and redo, saving, conflicts, previews, batch changes."""
import sqlite3
from urllib.parse import quote

from browser import options
from server import Server, until

OPTIONS = {"store": "kinds"}


def edit(p, path):
    p.object(path).rest()
    p.page.click("button:has-text('Edit')")
    p.page.wait_for_selector(".editor, .actions, .relationship button")


def put(p, attribute, text):
    """Types a value and leaves the field."""
    p.page.fill(f"#attribute-{attribute}", text)
    p.press("Tab")


def review(p):
    """Returns the list of unsaved changes that the page shows."""
    p.page.click(".pending button:has-text('Review')")
    text = p.text("dialog .changes")
    p.press("Escape")
    p.until("!document.querySelector('dialog')")
    return text


def save(p):
    p.page.click(".pending button:has-text('Save')")
    p.until("document.querySelector('.pending').hidden || document.querySelector('dialog[open]') || document.querySelector('.notice.error')")


def test_a_value_is_edited_undone_redone_and_saved(p):
    p.table("/entities/Kind?columns=name,small")
    p.page.focus(".grid")
    p.press("ArrowRight", "e")
    p.until("document.activeElement.id === 'attribute-small'")
    p.press("Control+a")
    p.page.keyboard.type("8")
    p.press("Enter")
    current = "document.querySelector('.cell.current')?.textContent"
    p.until(f"{current} === '8'").until("!document.querySelector('.pending').hidden")
    assert p.text(".pending .sum") == "1 changed"
    p.picture("editing")
    assert p.page.locator(".line.unsaved").count() == 1
    p.press("Escape")
    p.page.focus(".grid")
    p.press("z")
    p.until(f"{current} === '7'")
    p.press("Shift+z")
    p.until(f"{current} === '8'")
    assert "7" in review(p)
    p.page.focus(".grid")
    p.press("s")
    p.shows(".notice", "1 object saved")
    p.until("document.querySelector('.pending').hidden")
    assert p.server.json("/api/tables/Kind?where=" + quote("name == 'First'") + "&columns=small")["rows"][0]["cells"] == [8]
    p.until("!document.querySelector('.line.unsaved')")


def test_errors_are_shown_at_their_field(p):
    edit(p, "/entities/Kind/p1")
    put(p, "small", "500")
    p.until("!document.querySelector('[data-key=small] .problem').hidden")
    assert "too large" in p.text("[data-key=small] .problem") and "to 130" in p.text("[data-key=small] .hint")
    p.picture("problem")
    put(p, "large", "many")
    p.until("!document.querySelector('[data-key=large] .problem').hidden")
    p.page.click(".pending button:has-text('Save')")
    p.shows(".notice.error", "Not saved")
    put(p, "small", "5")
    p.until("document.querySelector('[data-key=small] .problem').hidden")
    save(p)
    p.until("document.querySelector('.pending').hidden")


def test_an_error_ends_with_its_value(p):
    shown = "document.querySelector('[data-key=small] .problem')?.hidden === false"
    gone = "document.querySelector('[data-key=small] .problem').hidden && !document.querySelector('.pending .problem')"
    edit(p, "/entities/Kind/p1")
    put(p, "small", "500")
    p.until(shown)
    p.page.click(".pending button:has-text('Undo')")
    p.until(gone).until("document.querySelector('#attribute-small').value === '7'")
    p.page.click(".pending button:has-text('Redo')")
    p.until(shown).shows(".pending .problem", "1 problem")
    # Another page corrects the value, sets the wrong one again and discards it.
    for text, state in (("5", gone), ("500", shown)):
        p.server.json("/api/edit", "POST", {"operations": [{"op": "set", "entity": "Kind", "id": "p1", "key": "small", "text": text}]})
        p.until(state)
    p.server.json("/api/edit/discard", "POST", {})
    p.until(gone).until("document.querySelector('#attribute-small').value === '7'")


def test_a_wrong_value_ends_with_its_object(p):
    p.table("/entities/Kind")
    p.page.focus(".grid")
    p.press("n")
    p.page.wait_for_selector("#attribute-large")
    put(p, "large", "many")
    p.shows(".pending .problem", "1 problem")
    p.page.click(".pending button:has-text('Undo')")
    p.until("!document.querySelector('.pending .problem')")
    p.shows(".object-view", "does not exist")


def test_all_kinds_of_values(p):
    edit(p, "/entities/Kind/p1")
    p.page.select_option("#attribute-flag", "NO")
    p.shows(".pending .sum", "1 changed")
    put(p, "day", "2024-05-06T07:08:09")
    put(p, "price", "99999999999999.25")
    put(p, "large", "-9007199254740995")
    put(p, "ratio", "1e-3")
    put(p, "link", "https://example.org/<b>?a=1")
    put(p, "key", "00000000-0000-0000-0000-00000000000A")
    p.page.set_input_files("#attribute-bytes", {"name": "x.bin", "mimeType": "application/octet-stream", "buffer": bytes(range(256))})
    p.page.click("[data-key=small] button:has-text('nil')")
    p.until("document.querySelector('#attribute-small')?.value === ''")
    # The page sends its requests one after another, so the last one has ended when the bytes have arrived.
    p.until("document.querySelector('[data-key=small] button') === null")
    text = review(p)
    for part in ("flag", "2024-05-06 07:08:09", "99999999999999.25", "-9007199254740995", "https://example.org/", "256 bytes", "nil"):
        assert part in text, (part, text)
    save(p)
    p.until("document.querySelector('.pending').hidden")
    values = {one["name"]: one["value"] for one in p.server.json("/api/objects/Kind/p1")["attributes"]}
    assert values["flag"] is False and values["day"]["v"].startswith("2024-05-06T07:08:09") and values["large"]["v"] == "-9007199254740995", values
    assert values["price"]["v"] == "99999999999999.25" and values["ratio"] == 0.001 and values["small"] is None, values
    assert values["key"]["v"].endswith("A") and values["bytes"]["size"] == 256, values
    assert p.server.request("/api/objects/Kind/p1/data/bytes")[2] == bytes(range(256))


def test_an_object_is_created_and_gets_its_name(p):
    p.table("/entities/Kind")
    p.page.focus(".grid")
    p.press("n")
    p.page.wait_for_selector("#attribute-name")
    p.shows(".object-view .pale", "not saved yet")
    p.shows(".total", "4")
    p.page.click(".pending button:has-text('Save')")
    p.until("document.querySelector('[data-key=name] .problem')?.hidden === false")
    put(p, "name", "Newcomer")
    p.until("document.querySelector('[data-key=name] .problem').hidden")
    save(p)
    p.until("location.pathname.startsWith('/entities/Kind/p')")
    p.shows("#object-title", "Newcomer")
    p.rest()
    assert "Newcomer" in p.cells("name") and p.total() == 4
    # A page opened at this address finds the object.
    p.page.reload()
    p.shows("#object-title", "Newcomer")


def test_an_object_of_a_subentity_is_created(p):
    p.table("/entities/Shape")
    p.page.click("header >> text=New")
    p.page.click("dialog button:has-text('Square')")
    p.page.wait_for_selector("#attribute-side")
    put(p, "name", "Third")
    p.until("[...document.querySelectorAll('.cell')].some(cell => cell.textContent === 'Third')")
    p.page.click(".pending button:has-text('Discard')")
    p.page.click("dialog button.danger")
    p.until("document.querySelector('.pending').hidden")
    p.shows(".total", "2")


def test_the_delete_dialog_lists_the_effects_of_the_delete_rules(p):
    p.table("/entities/Plan")
    p.page.focus(".grid")
    p.press("Delete")
    p.page.wait_for_selector("dialog")
    assert "steps: 3 Step, also deleted" in p.text("dialog"), p.text("dialog")
    p.picture("delete")
    p.page.click("dialog footer .danger")
    p.shows(".total", "1")
    p.shows(".pending .sum", "4 deleted")
    p.page.click(".pending button:has-text('Undo')")
    p.shows(".total", "2")
    # The lock of the other plan denies its deletion.
    p.rest()
    p.page.focus(".grid")
    p.press("End", "Delete")
    p.page.wait_for_selector("dialog footer .danger:disabled")
    assert "locks: 1 Lock, deletion denied" in p.text("dialog"), p.text("dialog")


@options(store="sample")
def test_several_rows_are_selected_and_deleted(p):
    p.table("/entities/Player?sort=name")
    p.page.focus(".grid")
    p.press("Shift+ArrowDown", "Shift+ArrowDown")
    assert "3 rows selected" in p.text(".selection")
    p.press("Delete")
    p.page.click("dialog footer .danger")
    p.shows(".total", "1,197")
    p.page.click(".pending button:has-text('Discard')")
    p.page.click("dialog button.danger")
    p.shows(".total", "1,200")


def test_rows_are_dragged_by_an_order_attribute(p):
    p.table("/entities/Step?sort=position")
    handles = p.page.locator(".lines .line .handle")
    boxes = sorted((handles.nth(index).bounding_box() for index in range(5)), key=lambda box: box["y"])
    x, height = boxes[0]["x"] + 8, boxes[0]["height"]
    p.page.mouse.move(x, boxes[0]["y"] + 10)
    p.page.mouse.down()
    p.page.mouse.move(x, boxes[0]["y"] + 60, steps=4)
    p.page.mouse.move(x, boxes[3]["y"] + height * 0.8, steps=4)
    p.picture("dragging")
    p.page.mouse.up()
    p.until("!document.querySelector('.pending').hidden").rest()
    p.until("document.querySelector('[aria-rowindex=\"5\"]')?.innerText.includes('Step A')")
    names = ["Step B", "Step C", "Step D", "Step A", "Step E"]
    assert p.cells("name") == names, p.rows()
    p.page.focus(".grid")
    p.press("Home", "Alt+ArrowDown")
    p.until("document.querySelector('[aria-rowindex=\"2\"]')?.innerText.includes('Step C')").rest()
    assert p.cells("name") == ["Step C", "Step B", "Step D", "Step A", "Step E"]
    p.press("z")
    p.until("document.querySelector('[aria-rowindex=\"2\"]')?.innerText.includes('Step B')").rest()
    assert p.cells("name") == names
    save(p)
    p.until("document.querySelector('.pending').hidden")
    rows = p.server.json("/api/tables/Step?sort=position&columns=name")["rows"]
    assert [row["cells"][0] for row in rows] == names


def test_rows_that_are_inserted_while_another_is_dragged(p):
    p.table("/entities/Step?sort=position")
    p.page.mouse.move(*handle(p, "Step C"))
    p.page.mouse.down()
    p.page.mouse.move(*handle(p, "Step D"), steps=4)
    for name, position in (("Zero", "0"), ("Below", "-1")):
        p.change("insert", "Step", f"name={name}", f"position={position}")
    p.until("document.querySelector('[aria-rowindex=\"2\"]')?.innerText.includes('Below')").rest()
    assert [one.split()[:2] for one in p.page.locator(".line.dragged .cell:has-text('Step')").all_inner_texts()] == [["Step", "C"]]
    x, y = handle(p, "Step A")
    p.page.mouse.move(x, y + 8, steps=4)
    p.page.mouse.up()
    p.until("!document.querySelector('.pending').hidden").rest()
    p.until("document.querySelector('[aria-rowindex=\"5\"]')?.innerText.includes('Step C')")
    assert p.cells("name") == ["Below", "Zero", "Step A", "Step C", "Step B", "Step D", "Step E"], p.rows()
    assert p.page.locator(".dragged").count() == 0


def handle(p, name):
    """The middle of the drag handle of the row with a name."""
    box = p.page.locator(f".lines .line:has-text('{name}') .handle").bounding_box()
    return box["x"] + 8, box["y"] + box["height"] / 2


def test_a_press_on_a_handle_moves_nothing(p):
    p.table("/entities/Step?sort=position")
    x, y = handle(p, "Step C")
    p.page.mouse.move(x, y)
    p.page.mouse.down()
    p.page.mouse.move(x + 1, y + 1)
    # Another row is now under the pointer.
    p.change("insert", "Step", "name=Zero", "position=0")
    p.until("document.querySelector('[aria-rowindex=\"2\"]')?.innerText.includes('Zero')").rest()
    assert p.page.locator(".drop-mark").count() == 0
    p.page.mouse.up()
    p.page.wait_for_timeout(500)
    assert p.server.json("/api/edit")["updated"] == 0
    assert p.cells("name") == ["Zero", "Step A", "Step B", "Step C", "Step D", "Step E"], p.rows()


def test_a_drop_of_a_row_that_was_deleted_is_reported(p):
    p.table("/entities/Step?sort=position")
    p.page.mouse.move(*handle(p, "Step C"))
    p.page.mouse.down()
    p.page.mouse.move(*handle(p, "Step E"), steps=4)
    p.change("delete", "Step", "--where", "name == 'Step C'")
    p.shows(".total", "4").rest()
    p.page.mouse.up()
    p.shows(".notice.error", "move the row again")
    assert p.server.json("/api/edit")["updated"] == 0


def test_ordered_members_are_dragged_and_moved(p):
    edit(p, "/entities/Plan/p1")
    p.page.click(".relationship summary:has-text('steps')")
    p.page.wait_for_selector(".related li >> nth=2")
    ids = "[...document.querySelectorAll('.related li')].map(item => item.dataset.id).join()"
    assert p.page.evaluate(ids) == "p1,p2,p3", p.page.evaluate(ids)
    p.page.click(".related li >> nth=0 >> button:has-text('↓')")
    p.until(f"{ids} === 'p2,p1,p3'")
    first, last = (p.page.locator(".related li").nth(index).bounding_box() for index in (0, 2))
    handle = p.page.locator(".related li .handle").nth(0).bounding_box()
    p.page.mouse.move(handle["x"] + 4, handle["y"] + 6)
    p.page.mouse.down()
    p.page.mouse.move(handle["x"] + 4, first["y"] + 40, steps=3)
    p.page.mouse.move(handle["x"] + 4, last["y"] + last["height"] * 0.8, steps=3)
    p.page.mouse.up()
    p.until(f"{ids} === 'p1,p3,p2'")
    p.until("!document.querySelector('.pending').hidden")
    save(p)
    p.until("document.querySelector('.pending').hidden")
    rows = p.server.json("/api/objects/Plan/p1/steps")["rows"]
    assert [row["id"] for row in rows] == ["p1", "p3", "p2"]


def test_relationships_are_chosen_with_a_search_linked_and_unlinked(p):
    edit(p, "/entities/Step/p4")
    p.page.click("[data-relationship=plan] button:has-text('Choose')")
    p.page.wait_for_selector(".picker li >> nth=1")
    p.page.fill("dialog input", "two")
    p.until("document.querySelectorAll('.picker li').length === 1")
    p.picture("picker")
    p.press("Enter")
    p.until("document.querySelector('[data-relationship=plan] a')?.textContent === 'Plan two'")
    # The inverse relationship has the object too.
    p.page.click("[data-relationship=plan] a")
    p.shows("#object-title", "Plan two")
    p.page.click(".relationship summary:has-text('steps')")
    p.shows(".related li", "Step D")
    p.page.click(".related li >> nth=0 >> button:has-text('✕')")
    p.until("document.querySelectorAll('.related li').length === 0")
    p.page.click(".pending button:has-text('Undo')")
    p.shows(".related li", "Step D")
    save(p)
    p.until("document.querySelector('.pending').hidden")
    one = [one for one in p.server.json("/api/objects/Step/p4")["relationships"] if one["name"] == "plan"][0]
    assert one["object"]["label"] == "Plan two", one


@options(store="sample")
def test_a_search_says_that_it_shows_only_the_first_objects(p):
    edit(p, "/entities/Job/p1")
    p.page.click("[data-relationship=customer] button:has-text('Choose')")
    p.page.wait_for_selector(".picker li >> nth=49")
    p.shows("dialog [role=status]", "First 50")


def test_selecting_text_beyond_a_dialog_does_not_close_it(p):
    edit(p, "/entities/Step/p4")
    p.page.click("[data-relationship=plan] button:has-text('Choose')")
    p.page.fill("dialog input", "two")
    p.shows("dialog [role=status]", "1 found")
    box = p.page.locator("dialog input").bounding_box()
    p.page.mouse.move(box["x"] + 30, box["y"] + box["height"] / 2)
    p.page.mouse.down()
    p.page.mouse.move(5, 5, steps=4)
    p.page.mouse.up()
    assert p.page.locator("dialog input").input_value() == "two"
    p.page.mouse.click(5, 5)
    p.until("!document.querySelector('dialog')")


def test_the_enter_key_chooses_only_a_row_that_was_found_with_the_typed_text(p):
    edit(p, "/entities/Step/p4")
    p.page.click("[data-relationship=plan] button:has-text('Choose')")
    p.page.wait_for_selector(".picker li >> nth=1")
    # Use one script, so that Enter precedes the search.
    p.page.evaluate("""(() => { const input = document.querySelector('dialog input')
      input.value = 'two'
      input.dispatchEvent(new Event('input'))
      input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true })) })()""")
    p.until("document.querySelectorAll('.picker li').length === 1")
    p.page.route("**/api/tables/Plan?*", lambda route: route.fulfill(status=400, json={"error": {"message": "No answer"}}))
    p.page.fill("dialog input", "one")
    p.shows("dialog [role=status]", "No answer")
    p.press("Enter")
    assert p.page.locator("dialog").count() == 1
    p.page.unroute("**/api/tables/Plan?*")
    p.page.fill("dialog input", "two")
    p.shows("dialog [role=status]", "1 found")
    p.press("Enter")
    p.until("document.querySelector('[data-relationship=plan] a')?.textContent === 'Plan two'")


def test_a_label_with_the_words_of_a_predicate_is_found(p):
    p.change("insert", "Plan", "name=MADE IN X")
    p.change("insert", "Plan", "name=a=b")
    edit(p, "/entities/Step/p4")
    p.page.click("[data-relationship=plan] button:has-text('Choose')")
    for text, label in (("MADE IN", "MADE IN X"), ("a=b", "a=b"), ("name ENDSWITH 'two'", "Plan two"),
                        ('objectID == "p1"', "Plan one"), ('self == "p2"', "Plan two")):
        p.page.fill("dialog input", text)
        p.until(f"[...document.querySelectorAll('.picker li')].map(item => item.firstChild.textContent).join() === '{label}'")


def test_a_conflict_shows_three_values(p):
    for keep, last in (("Use theirs", "41"), ("Keep mine", "42")):
        p.change("update", "Kind", "small=7", "--where", "name == 'First'")
        p.object("/entities/Kind/p1").rest()
        p.until("document.querySelector('[data-key=small]')?.textContent.includes('7') || document.querySelector('#attribute-small')?.value === '7'")
        if p.page.locator("#attribute-small").count() == 0:
            p.page.click("button:has-text('Edit')")
        put(p, "small", "42")
        p.shows(".pending .sum", "1 changed")
        p.change("update", "Kind", "small=41", "--where", "name == 'First'")
        p.page.click(".pending button:has-text('Save')")
        p.page.wait_for_selector("dialog .conflicts")
        assert p.page.locator("dialog td").all_inner_texts() == ["7", "42", "41"], p.text("dialog")
        p.picture("conflict")
        p.page.click(f"dialog button:has-text('{keep}')")
        p.until("document.querySelector('.pending').hidden")
        p.until(f"document.querySelector('#attribute-small')?.value === '{last}'")
        values = {one["name"]: one["value"] for one in p.server.json("/api/objects/Kind/p1")["attributes"]}
        assert values["small"] == int(last), values


def test_an_object_deleted_by_another_process_meanwhile(p):
    edit(p, "/entities/Kind/p3")
    put(p, "small", "42")
    p.shows(".pending .sum", "1 changed")
    p.change("delete", "Kind", "--where", "name == 'Third'")
    # The user who changed the object decides, even if the page already knows that it is deleted.
    p.shows("#object-title", "Not found")
    p.shows(".pending .sum", "1 deleted by another process")
    p.page.click(".pending button:has-text('Save')")
    p.page.wait_for_selector("dialog .conflicts")
    assert "deleted" in p.text("dialog").lower(), p.text("dialog")
    assert p.page.locator("dialog button:has-text('Keep mine')").count() == 0
    p.page.click("dialog button:has-text('Discard my changes to these objects')")
    p.until("document.querySelector('.pending').hidden")
    p.shows(".total", "2")


def test_rows_of_several_entities_are_deleted_together(p):
    p.table("/entities/Shape?columns=name")
    p.page.focus(".grid")
    p.press("Shift+ArrowDown")
    p.shows(".selection", "2 rows selected")
    p.press("Delete")
    p.page.click("dialog button:has-text('Delete')")
    p.shows(".total", "0")
    assert p.text(".pending .sum") == "2 deleted"


@options(store="sample")
def test_all_rows_of_a_filter_are_changed_after_a_preview(p):
    p.table("/entities/Customer?where=" + quote("state == 'TX'"))
    count = p.total()
    p.menu("More", "Change all")
    p.page.fill("dialog input[aria-label='New city']", "Austin <b>")
    p.page.click("dialog button:has-text('Preview')")
    p.page.wait_for_selector(f"dialog button:has-text('Change {count} rows')")
    assert "SELECT" in p.text("dialog pre") and p.page.locator("dialog .related li").count() == 5
    p.picture("change all")
    # Another process inserts a row before the change is confirmed.
    p.change("insert", "Customer", "lastName=Late", "state=TX")
    p.page.click(f"dialog button:has-text('Change {count} rows')")
    p.page.wait_for_selector(f"dialog button:has-text('Change {count + 1} rows')")
    p.page.click(f"dialog button:has-text('Change {count + 1} rows')")
    p.shows(".notice", f"{count + 1} rows changed")
    p.until("[...document.querySelectorAll('.cell')].some(cell => cell.textContent === 'Austin <b>')")
    p.rest()
    assert set(p.cells("city")) == {"Austin <b>"}, p.cells("city")


@options(store="sample")
def test_a_change_of_all_rows_is_sent_once(p):
    p.table("/entities/Customer?where=" + quote("state == 'TX'"))
    count = p.total()
    p.menu("More", "Change all")
    p.page.fill("dialog input[aria-label='New city']", "Austin")
    p.page.click("dialog button:has-text('Preview')")
    held = []
    p.page.route("**/api/bulk", lambda route: held.append(route))
    confirm = f"dialog button:has-text('Change {count} rows')"
    p.page.click(confirm)
    until(lambda: p.page.evaluate("1") and held)
    assert p.page.locator(confirm).is_disabled()
    # After an error the change can be sent again.
    held[0].fulfill(status=400, json={"error": {"message": "busy"}})
    p.shows("dialog .problem", "busy")
    p.page.click(confirm)
    until(lambda: p.page.evaluate("1") and len(held) == 2)
    held[1].continue_()
    p.shows(".notice", f"{count} rows changed")
    assert len(held) == 2


@options(store="sample")
def test_all_rows_of_a_filter_are_deleted_after_a_preview(p):
    p.table("/entities/Person?where=" + quote("lastName == 'Adams'"))
    count = p.total()
    p.menu("More", "Delete all")
    p.page.click("dialog button:has-text('Preview')")
    p.page.click(f"dialog button:has-text('Delete {count} rows')")
    p.shows(".total", "0")
    p.shows(".navigation a:has-text('Person')", f"{3750 - count:,}")


def test_objects_deleted_by_the_delete_rules_are_confirmed_too(p):
    p.table("/entities/Plan?where=" + quote("name == 'Plan one'"))
    p.menu("More", "Delete all")
    p.page.click("dialog button:has-text('Preview')")
    p.page.wait_for_selector("dialog button:has-text('Delete 4 rows')")
    assert p.page.locator("dialog .rules li").all_inner_texts() == ["Plan: 1 row", "Step: 3 rows"], p.text("dialog")
    p.page.click("dialog button:has-text('Delete 4 rows')")
    p.shows(".total", "0")
    p.table("/entities/Plan")
    p.menu("More", "Delete all")
    p.page.click("dialog button:has-text('Preview')")
    p.shows("dialog .problem", "cannot be deleted")
    assert p.page.locator("dialog footer button.danger").is_disabled()


def test_a_batch_change_parses_values_by_their_types(p):
    p.table("/entities/Kind")
    p.menu("More", "Change all")
    p.page.select_option("dialog select[aria-label='New flag']", "NO")
    p.page.fill("dialog input[aria-label='New day']", "2024-05-06T07:08:09")
    p.page.click("dialog button:has-text('Preview')")
    p.page.click("dialog button:has-text('Change 3 rows')")
    p.shows(".notice", "3 rows changed")
    for row in p.server.json("/api/tables/Kind?columns=flag,day")["rows"]:
        assert row["cells"][0] is False and row["cells"][1]["v"].startswith("2024-05-06T07:08:09"), row


def test_the_empty_choice_of_an_optional_boolean_is_nil(p):
    p.table("/entities/Kind")
    p.menu("More", "Change all")
    p.page.check("dialog input[aria-label='Change flag']")
    p.page.click("dialog button:has-text('Preview')")
    p.page.click("dialog button:has-text('Change 3 rows')")
    p.shows(".notice", "3 rows changed")
    rows = p.server.json("/api/tables/Kind?columns=flag")["rows"]
    assert [row["cells"][0] for row in rows] == [None] * 3, rows


def test_the_empty_choice_of_a_required_boolean_is_not_nil(p):
    values = p.page.evaluate("""(async () => {
      const { BulkFields } = await import(document.querySelector('script[src]').src.replace('main.js', 'editing/bulk-fields.js'))
      return [true, false].map((optional) => {
        const fields = new BulkFields([{ kind: 'attribute', name: 'flag', type: 'Boolean', optional }], () => {})
        fields.element.querySelector('input').checked = true
        return fields.values.flag
      })
    })()""")
    assert values == [None, ""], values


def test_a_batch_change_validates_its_values(p):
    p.table("/entities/Kind?columns=name")
    before = p.cells("name")
    p.menu("More", "Change all")
    p.page.check("dialog input[aria-label='Change name']")
    p.page.fill("dialog input[aria-label='New name']", "x")
    p.page.click("dialog button:has-text('Preview')")
    p.shows("dialog .problem", "too short")
    assert p.page.locator("dialog button:has-text('Change 3 rows')").count() == 0
    assert p.cells("name") == before, p.cells("name")


def test_a_batch_change_does_what_its_preview_shows(p):
    p.table("/entities/Kind?columns=name,small&where=" + quote("name == 'First'"))
    p.menu("More", "Change all")
    p.page.fill("dialog input[aria-label='New small']", "8")
    p.page.click("dialog button:has-text('Preview')")
    p.page.wait_for_selector("dialog button:has-text('Change 1 row')")
    assert "small: 7 → 8" in p.text("dialog .related li"), p.text("dialog .related li")
    # Another value requires another preview.
    p.page.click("dialog button[aria-label='small: no value']")
    assert p.page.locator("dialog button:has-text('Change 1 row')").count() == 0
    p.page.click("dialog button:has-text('Preview')")
    p.page.wait_for_selector("dialog button:has-text('Change 1 row')")
    assert "small: 7 → nil" in p.text("dialog .related li"), p.text("dialog .related li")
    p.page.click("dialog button:has-text('Change 1 row')")
    p.until("!document.querySelector('dialog')")
    values = {one["name"]: one["value"] for one in p.server.json("/api/objects/Kind/p1")["attributes"]}
    assert values["small"] is None, values


def test_an_archived_value_is_edited_as_json(p):
    edit(p, "/entities/Lock/p1")
    put(p, "tags", '["a", {"b": 1.5}')
    p.until("!document.querySelector('[data-key=tags] .problem').hidden")
    assert "expects JSON" in p.text("[data-key=tags] .problem")
    put(p, "tags", '["a <b>", {"b": 1.5}]')
    p.until("document.querySelector('[data-key=tags] .problem').hidden")
    save(p)
    p.until("document.querySelector('.pending').hidden")
    p.page.reload()
    p.page.wait_for_selector("#attribute-tags, .object-view dl")
    if p.page.locator("#attribute-tags").count() == 0:
        p.page.click("button:has-text('Edit')")
    assert p.page.input_value("#attribute-tags") == '["a <b>",{"b":1.5}]', p.page.input_value("#attribute-tags")
    p.page.click("[data-key=tags] button:has-text('nil')")
    p.until("document.querySelector('#attribute-tags').value === ''")
    save(p)
    p.until("document.querySelector('.pending').hidden")
    tags, = (one for one in p.server.json("/api/objects/Lock/p1")["attributes"] if one["name"] == "tags")
    assert tags["value"] is None and tags["text"] == "", tags


def test_a_composite_attribute_is_edited_by_its_elements(p):
    def element(name):
        return f"[id='attribute-place.{name}']"

    def type_into(name, text):
        p.page.fill(element(name), text)
        p.press("Tab")

    def stored(id="p1"):
        whole, = (one for one in p.server.json(f"/api/objects/Lock/{id}")["attributes"] if one["name"] == "place")
        return {one["name"]: one["value"] for one in whole["elements"]}

    def has_problem(name, text=""):
        return f"(one => one && !one.hidden && one.textContent.includes('{text}'))(document.querySelector(\"[data-key='place.{name}'] .problem\"))"
    p.table("/entities/Lock?columns=name,place")
    p.page.focus(".grid")
    # From the cell of the composite attribute, the key moves to the field of its first element.
    p.press("ArrowRight", "e")
    p.until("document.activeElement.id === 'attribute-place.town'")
    type_into("town", "A town that has far too long a name")
    p.until(has_problem("town", "too long"))
    type_into("town", "Ulm <b>")
    p.until(f"!({has_problem('town')})")
    type_into("founded", "0854-07-22T00:00:00")
    # An incomplete spot is invalid, and the missing element shows the problem.
    type_into("spot.north", "48.4")
    p.until(has_problem("spot.east"))
    type_into("spot.east", "9.99")
    p.until(f"!({has_problem('spot.east')})")
    p.picture("composite")
    assert "Ulm <b>" in review(p)
    p.page.click(".pending button:has-text('Undo')")
    p.until("document.querySelector(\"[id='attribute-place.spot.east']\").value === ''")
    p.page.click(".pending button:has-text('Redo')")
    p.until("document.querySelector(\"[id='attribute-place.spot.east']\").value === '9.99'")
    save(p)
    p.until("document.querySelector('.pending').hidden")
    values = stored()
    assert values["place.town"] == "Ulm <b>" and values["place.spot.north"] == 48.4 and values["place.spot.east"] == 9.99, values
    assert values["place.founded"]["v"].startswith("0854-07-22"), values
    # A value conflicts only if another process has changed it.
    type_into("town", "Mine")
    p.shows(".pending .sum", "1 changed")
    save(p)
    p.until("document.querySelector('.pending').hidden")
    type_into("town", "Again mine")
    p.shows(".pending .sum", "1 changed")
    p.change("update", "Lock", "place.town=Theirs", "--where", "name == 'Lock'")
    p.page.click(".pending button:has-text('Save')")
    p.page.wait_for_selector("dialog .conflicts")
    cells = p.page.locator("dialog td").all_inner_texts()
    assert ["town: Mine" in cells[0], "town: Again mine" in cells[1], "town: Theirs" in cells[2]] == [True] * 3, cells
    p.page.click("dialog button:has-text('Use theirs')")
    p.until("document.querySelector('.pending').hidden")
    assert stored()["place.town"] == "Theirs", stored()


def test_only_writable_attributes_have_a_field(p):
    edit(p, "/entities/Lock/p1")
    assert p.page.locator("#attribute-name").count() == 1
    for attribute, why in (("shown", "not stored"), ("own", "an object of a custom class")):
        assert p.page.locator(f"[data-key={attribute}] :is(input, textarea, select)").count() == 0, attribute
        assert why in p.text(f"dt:has-text('{attribute}')"), p.text(f"dt:has-text('{attribute}')")


def test_a_cancelled_drag_moves_nothing(p):
    edit(p, "/entities/Plan/p1")
    p.page.click(".relationship summary:has-text('steps')")
    p.page.wait_for_selector(".related li >> nth=2")
    before = p.page.locator(".related li").all_inner_texts()
    p.page.hover(".related li >> nth=2 >> .handle")
    p.page.mouse.down()
    box = p.page.locator(".related li >> nth=0").bounding_box()
    p.page.mouse.move(box["x"] + 40, box["y"] + 2, steps=5)
    assert p.page.locator(".related li").all_inner_texts() != before
    p.page.evaluate("dispatchEvent(new PointerEvent('pointercancel'))")
    p.page.mouse.up()
    assert p.page.locator(".related li").all_inner_texts() == before
    assert p.server.json("/api/edit")["updated"] == 0


def test_reports_do_not_disturb_typing(p):
    edit(p, "/entities/Kind/p2")
    p.page.click("#attribute-name")
    p.press("End")
    p.page.keyboard.type(".typed")
    p.change("update", "Kind", "small=77", "--where", "name == 'Second'")
    p.until("document.querySelector('#attribute-small').value === '77'")
    p.page.keyboard.type("more")
    assert p.page.input_value("#attribute-name") == "Second.typedmore"
    assert p.page.evaluate("document.activeElement.id") == "attribute-name"


def test_two_pages_see_the_same_pending_changes(p):
    p.table("/entities/Kind?columns=name,small")
    other = p.context.new_page()
    other.goto(p.server.base + "/entities/Kind/p1")
    other.wait_for_selector(".object-view dl")
    other.click("button:has-text('Edit')")
    other.fill("#attribute-small", "99")
    other.keyboard.press("Tab")
    p.shows(".pending .sum", "1 changed")
    p.until("[...document.querySelectorAll('.cell')].some(cell => cell.textContent === '99')")
    p.page.click(".pending button:has-text('Save')")
    p.until("document.querySelector('.pending').hidden")
    end = other.locator(".pending")
    end.wait_for(state="hidden")


def test_typed_text_stays_while_the_server_is_down(p):
    edit(p, "/entities/Kind/p1")
    token, port = p.server.address.split("token=")[1], p.server.base.split(":")[2]
    p.server.close()
    put(p, "name", "Typed")
    put(p, "small", "8")
    p.shows(".notice.error", "does not respond")
    # The page requests the object again without success.
    p.page.wait_for_timeout(500)
    assert p.page.input_value("#attribute-name") == "Typed" and p.page.input_value("#attribute-small") == "8"
    again = Server(p.store, arguments=("--token", token, "--port", port))
    try:
        p.shows(".pending .sum", "1 changed")
        p.until("[...document.querySelectorAll('.cell')].filter(cell => ['Typed', '8'].includes(cell.textContent)).length === 2")
        p.page.goto("about:blank")
        # The console holds the failed requests from when the server was down.
        p.errors.clear()
    finally:
        again.close()


def test_leaving_a_page_with_typed_text_requires_confirmation(p):
    dialogs = []

    def leave(dialog):
        dialogs.append(dialog.type)
        dialog.accept()
    p.page.on("dialog", leave)
    edit(p, "/entities/Kind/p1")
    p.page.reload()
    assert dialogs == []
    p.page.wait_for_selector("button:has-text('Edit')")
    p.page.click("button:has-text('Edit')")
    p.page.wait_for_selector("#attribute-name")
    p.page.click("#attribute-name")
    p.page.keyboard.type("more")
    p.page.reload()
    assert dialogs == ["beforeunload"], dialogs


def test_undo_waits_for_a_change_on_its_way(p):
    held = []
    p.page.route("**/api/edit", lambda route: held.append(route) if route.request.method == "POST" else route.continue_())
    p.table("/entities/Kind?columns=name,small")
    p.page.focus(".grid")
    p.press("ArrowRight", "e")
    p.until("document.activeElement.id === 'attribute-small'")
    p.press("Control+a")
    p.page.keyboard.type("8")
    p.press("Enter", "Escape")
    p.page.focus(".grid")
    p.press("z")
    assert len(held) == 1
    held[0].continue_()
    p.until("document.querySelector('.cell.current')?.textContent === '7'")
    p.until("fetch('/api/edit').then(answer => answer.json()).then(({updated, canRedo}) => updated === 0 && canRedo)")


def test_a_response_that_ends_early_is_an_error(p):
    cut = {"status": 200, "content_type": "application/json; charset=utf-8", "body": '{"entity": "Ki'}
    p.page.route("**/api/objects/Kind/p2", lambda route: route.fulfill(**cut))
    p.go("/entities/Kind/p2").shows(".object-view [role=alert]", "ended early")
    edit(p, "/entities/Kind/p1")
    p.page.route("**/api/edit", lambda route: route.fulfill(**cut) if route.request.method == "POST" else route.continue_())
    put(p, "small", "8")
    p.shows(".notice.error", "ended early")


def test_nil_is_not_an_empty_string(p):
    edit(p, "/entities/Note/p1")
    p.page.fill("#attribute-text", "")
    p.press("Tab")
    p.shows(".pending .sum", "1 changed")
    p.page.fill("#attribute-long", "x")
    p.press("Tab")
    p.until("document.querySelector('[data-key=long] button')")
    text = review(p)
    assert '→ ""' in text and "nil → x" in text, text


@options(width=390, height=800, touch=True)
def test_a_preview_is_visible(p):
    p.table("/entities/Kind")
    p.menu("More", "Change all")
    p.page.fill("dialog input[aria-label='New name']", "xy")
    p.page.click("dialog button:has-text('Preview')")
    p.page.wait_for_selector("dialog .related li")
    p.until("""(() => { const [result, content] = ['.bulk-preview', 'dialog .content'].map(one => document.querySelector(one).getBoundingClientRect())
      return result.top >= content.top - 1 && result.top < content.bottom - 40 })()""")
    p.picture("narrow preview")


def test_a_delete_dialog_identifies_the_object(p):
    p.table("/entities/Kind?columns=small")
    p.page.focus(".grid")
    p.press("Delete")
    p.shows("dialog h2", "First")
    p.press("Escape")
    p.object("/entities/Kind/p2?in=Step")
    p.page.click(".object-view button:has-text('Delete')")
    p.shows("dialog h2", "Second")
    p.press("Escape")
    # A row of the table beside the object has the same identifier.
    p.rest().page.focus(".grid")
    p.press("Home", "ArrowDown", "Delete")
    p.shows("dialog h2", "Step B")


@options(store="sample")
def test_the_delete_key_deletes_the_object_on_the_page(p):
    def delete_and_cancel():
        p.press("Delete")
        p.page.wait_for_selector("dialog h2")
        title = p.text("dialog h2")
        # Another Enter deletes nothing.
        assert p.page.evaluate("document.activeElement.textContent") == "Cancel"
        p.press("Enter")
        p.until("!document.querySelector('dialog')")
        return title
    for path, row in (("/entities/Team/p5", True), ("/entities/Team/p5?sort=name", True), ("/entities/Job/p7?where=amount%20%3E%2020000", None)):
        p.object(path)
        p.rest()
        shown = p.text("#object-title")
        assert shown in delete_and_cancel(), (path, shown)
        p.page.focus(".grid")
        assert shown in delete_and_cancel(), (path, shown)
        p.page.focus("#object-title")
        assert shown in delete_and_cancel(), (path, shown)
        p.page.reload()
        p.rest()
        p.page.wait_for_selector(".object-view dl")
        assert shown in delete_and_cancel(), ("reloaded", path, shown)
        if row:
            # The row is also the current row, so keys continue from there.
            assert p.page.locator(".line.open.current-line").count() == 1
    # The page shows the current row only a moment after the last arrow key, but Delete already applies to that row.
    p.table("/entities/Team?sort=name")
    p.page.click(".lines .line >> nth=2")
    p.page.wait_for_selector(".object-view dl")
    p.page.focus(".grid")
    p.press("ArrowDown")
    title = delete_and_cancel()
    p.until(f"document.querySelector('#object-title').textContent !== '…'")
    assert p.text("#object-title") in title, (title, p.text("#object-title"))
    # The key deletes the selected rows instead of the open object, unless the object has the focus.
    p.press("Shift+ArrowDown")
    assert "2 Team objects" in delete_and_cancel()
    p.page.focus("#object-title")
    assert p.text("#object-title") in delete_and_cancel()
    # If no object is open and the table does not have the focus, nothing is deleted.
    p.table("/entities/Team")
    p.press("Delete")
    assert p.page.locator("dialog").count() == 0
    assert p.server.json("/api/edit")["deleted"] == 0


def test_deleting_a_row_leaves_another_object_of_the_same_identifier(p):
    p.object("/entities/Kind/p1?in=Step")
    p.rest()
    assert p.page.locator(".line.open").count() == 0
    p.page.focus(".grid")
    p.press("Space")
    p.page.click(".selection button.danger")
    p.shows("dialog h2", "Step A")
    p.page.click("dialog footer .danger")
    p.shows(".pending .sum", "1 deleted")
    p.shows("#object-title", "First")


def test_a_wrong_value_stays_with_its_error(p):
    edit(p, "/entities/Kind/p1")
    put(p, "large", "12abc")
    p.until("!document.querySelector('[data-key=large] .problem').hidden")
    p.until("document.querySelector('#attribute-large')?.value === '12abc'")
    put(p, "day", "31.12.2024")
    p.until("!document.querySelector('[data-key=day] .problem').hidden")
    # The value also stays when the object is shown again and when another value is saved.
    put(p, "name", "Other")
    p.shows(".pending .sum", "1 changed")
    p.picture("wrong value")
    p.page.click(".object-view .close")
    p.page.click(".lines .line >> nth=0")
    p.until("document.querySelector('#attribute-large')?.value === '12abc'")
    assert "'12abc' is not a valid value" in p.text("[data-key=large] .problem")
    assert p.page.input_value("#attribute-day") == "31.12.2024"
    p.page.click(".pending button:has-text('Save')")
    p.shows(".notice", "1 object saved, 2 invalid values not saved")
    p.until("document.querySelector('#attribute-large')?.value === '12abc'")
    # A valid value replaces it and removes the error.
    put(p, "large", "12")
    p.until("document.querySelector('[data-key=large] .problem').hidden")
    assert p.page.input_value("#attribute-large") == "12"
    p.page.click(".pending button:has-text('Discard')")
    p.page.click("dialog button.danger")
    p.until("document.querySelector('#attribute-large')?.value === '9007199254740993'")
    assert p.page.is_hidden("[data-key=day] .problem") and p.page.input_value("#attribute-day") == "2024-05-01 10:00:00"


def test_a_date_keeps_its_fraction(p):
    with sqlite3.connect(p.store) as database:
        database.execute("UPDATE ZKIND SET ZDAY = 736077893.3391234 WHERE ZNAME = 'First'")
    database.close()
    edit(p, "/entities/Kind/p1")
    shown = p.page.input_value("#attribute-day")
    assert shown.startswith("2024-04-29 10:04:53.339123"), shown
    # The new time is twelve hours later. Everything else stays the same.
    put(p, "day", shown.replace(" 10:", " 22:"))
    p.shows(".pending .sum", "1 changed")
    save(p)
    p.until("document.querySelector('.pending').hidden")
    with sqlite3.connect(p.store) as database:
        assert database.execute("SELECT ZDAY FROM ZKIND WHERE ZNAME = 'First'").fetchone()[0] == 736077893.3391234 + 12 * 3600
    database.close()


def test_line_ends_are_preserved(p):
    with sqlite3.connect(p.store) as database:
        database.execute("UPDATE ZNOTE SET ZTEXT = 'one' || char(13,10) || 'two' || char(13) || 'three' WHERE Z_PK = 1")
    database.close()
    edit(p, "/entities/Note/p1")
    put(p, "text", "one\ntwo\nTHREE")
    p.shows(".pending .sum", "1 changed")
    texts = {one["name"]: one["text"] for one in p.server.json("/api/objects/Note/p1")["attributes"]}
    assert texts["text"] == "one\r\ntwo\rTHREE", texts


def test_a_new_line_gets_the_most_frequent_line_end(p):
    ends = p.page.evaluate("""(async () => {
      const { withLineEnds } = await import(document.querySelector('script[src]').src.replace('main.js', 'editing/line-ends.js'))
      return [['a\\nNEW\\nb\\nc\\nd', 'a\\r\\nb\\nc\\nd'], ['a\\nNEW\\nb\\nc\\nd', 'a\\nb\\r\\nc\\r\\nd'], ['a\\nNEW\\nb\\nc', 'a\\rb\\r\\nc'],
        ['a\\nb\\nNEW', 'a\\nb\\r']].map(([typed, stored]) => withLineEnds(typed, stored))
    })()""")
    assert ends == ["a\r\nNEW\nb\nc\nd", "a\nNEW\r\nb\r\nc\r\nd", "a\rNEW\rb\r\nc", "a\nb\rNEW"], ends


def test_nil_and_an_empty_string_look_different(p):
    p.change("insert", "Note", "text=")
    p.change("insert", "Note", "long=x")
    shown = "[...document.querySelectorAll('.lines .line')].slice(-2).map(line => getComputedStyle(line.querySelector('.cell'), '::before').content)"
    p.table("/entities/Note?columns=text,long")
    p.page.focus(".grid")
    p.press("End")
    p.rest()
    assert p.page.evaluate(shown) == ['"\\"\\""', '"–"'], p.page.evaluate(shown)
    p.picture("nil and empty")
    rows = p.server.json("/api/tables/Note?columns=text&limit=1000")["rows"]
    empty, missing = (next(row["id"] for row in rows if row["cells"] == [cell]) for cell in ("", None))
    for name, value, hint in ((empty, '""', "empty string"), (missing, "nil", "nil")):
        p.object(f"/entities/Note/{name}")
        assert p.text("[data-key=text]") == value, p.text("[data-key=text]")
        page = p.server.request(f"/entities/Note/{name}")[2].decode()
        assert f"<i>{value.replace(chr(34), '&quot;')}</i>" in page
        p.page.click("button:has-text('Edit')")
        p.page.wait_for_selector("#attribute-text")
        assert p.page.get_attribute("#attribute-text", "placeholder") == hint
        p.page.click("button:has-text('Edit')")
    p.go("/entities/Note?chart=text")
    p.page.wait_for_selector(".bins")
    assert '""' in p.text(".bins") and "nil" in p.text(".object-content .pale"), p.text(".object-content")
