import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct ChangeCommandTests {
  private let temporary: TemporaryStore
  private let store: String

  init() throws {
    temporary = try TemporaryStore()
    store = temporary.sample(rows: 200)
  }

  private func fetch(_ entity: String, _ condition: String, _ columns: String) -> String {
    ToolRun.coredata(
      "fetch", store, entity, "--where", condition, "--columns", columns, "--format", "json"
    ).output
  }

  @Test func `A row is inserted, updated, found and deleted`() {
    let inserted = ToolRun.coredata(
      "insert", store, "Person", "firstName=Ada", "lastName=Lovelace", "age=36")
    #expect(inserted.output == "inserted Person/p76\n")
    let condition = "lastName == 'Lovelace'"
    #expect(
      ToolRun.coredata("update", store, "Person", "--where", condition, "age=37").output
        == "updated 1 row of Person\n")
    #expect(
      fetch("Person", condition, "firstName,age,displayOrder")
        == "{\"firstName\":\"Ada\",\"age\":37,\"displayOrder\":0}\n")
    #expect(
      ToolRun.coredata("delete", store, "Person", "--where", condition).output
        == "deleted 1 row of Person\n")
    #expect(fetch("Person", condition, "age") == "")
  }

  @Test func `Values of several types are read as they were written`() {
    let run = ToolRun.coredata(
      "insert", store, "Job", "title=Zoë's 'piano' 🎹", "amount=1234.56",
      "date=2024-02-29T23:30:00+02:00", "customer=Customer/p3")
    #expect(run.code == 0)
    #expect(
      fetch("Job", "title BEGINSWITH 'Zoë'", "title,amount,date,customer")
        == "{\"title\":\"Zoë's 'piano' 🎹\",\"amount\":1234.56,\"date\":\"2024-02-29T21:30:00Z\","
        + "\"customer\":\"Customer/p3\"}\n")
  }

  @Test func `Rows assigned to an ordered to-many relationship keep their order`() throws {
    let run = ToolRun.coredata("insert", store, "Customer", "lastName=New", "jobs=p5,p2")
    #expect(run.code == 0)
    #expect(fetch("Customer", "lastName == 'New'", "jobs") == "{\"jobs\":2}\n")
    #expect(
      fetch("Job", "customer.lastName == 'New'", "objectID,customer.jobs") == """
        {"objectID":"Job/p2","customer.jobs":2}
        {"objectID":"Job/p5","customer.jobs":2}

        """)
    let order = try PlainSQL(store).rows(
      "SELECT Z_PK FROM ZJOB WHERE ZCUSTOMER = 41 ORDER BY Z_FOK_CUSTOMER")
    #expect(order == [["5"], ["2"]])
  }

  @Test(arguments: [
    (["age=70000", "lastName=x"], "'70000' is not a valid value for age"),
    (["lastName"], "'lastName' is not of the form key=value"),
    (["lastName=x", "agee=3"], "key=value 'agee': the entity Person has no property of that name"),
    (["firstName=x"], "lastName is a required value; nothing was changed"),
  ])
  func `An invalid value is refused and no row is inserted`(values: [String], message: String) {
    let run = ToolRun.coredata(["insert", store, "Person"] + values)
    #expect(run.code == 64)
    #expect(run.errors.contains("error: \(message)\n"))
    #expect(ToolRun.coredata("info", store).output.contains("200 rows in 5 entities"))
  }

  @Test func `A reference to a missing row is refused`() {
    #expect(
      ToolRun.coredata("insert", store, "Player", "name=A", "team=p99").errors
        .contains("error: there is no row Team/p99\n"))
    #expect(
      ToolRun.coredata("insert", store, "Player", "name=A", "team=Person/p1").code == 64)
  }

  @Test func `Changing more than one row requires confirmation`() {
    let update = ["update", store, "Person", "age=1"]
    let refused = ToolRun.coredata(update)
    #expect(refused.code == 64)
    #expect(refused.errors.contains("this would update 75 rows of Person; nothing was changed"))
    #expect(ToolRun.coredata(update, answer: "no").code == 64)
    #expect(fetch("Person", "age == 1", "age").split(separator: "\n").count < 75)
    let confirmed = ToolRun.coredata(update, answer: "y")
    #expect(confirmed.errors.contains("Update 75 rows of Person? [y/N] "))
    #expect(confirmed.output == "updated 75 rows of Person\n")
    #expect(fetch("Person", "age == 1", "age").split(separator: "\n").count == 75)
    #expect(ToolRun.coredata(update + ["--yes"]).code == 0)
  }

  @Test func `The confirmation counts rows deleted by the cascade`() {
    let condition = "SELF.jobs.@count == 3"
    let refused = ToolRun.coredata("delete", store, "Customer", "--where", condition)
    #expect(refused.code == 64)
    let customers = fetch("Customer", condition, "objectID").split(separator: "\n").count
    #expect(refused.errors.contains("and \(customers * 3) dependent rows"))
    #expect(ToolRun.coredata("info", store).output.contains("200 rows"))
    #expect(
      ToolRun.coredata("delete", store, "Customer", "--where", condition, "--yes").code == 0)
    #expect(ToolRun.coredata("info", store).output.contains("\(200 - customers * 4) rows"))
  }

  @Test func `An update with --batch has the same result and validates the values`() throws {
    let update = ["update", store, "Person", "--batch", "--where", "age > 40"]
    let count = fetch("Person", "age > 40", "age").split(separator: "\n").count
    let refused = ToolRun.coredata(update + ["age=1"])
    #expect(refused.code == 64)
    #expect(refused.errors.contains("this would update \(count) rows of Person"))
    #expect(
      ToolRun.coredata(update + ["age=1", "firstName=", "--yes"]).output
        == "updated \(count) rows of Person\n")
    #expect(fetch("Person", "age > 40", "age") == "")
    #expect(
      fetch("Person", "age == 1 AND firstName == ''", "age").split(separator: "\n").count >= count)
    for (value, message) in [
      ("lastName", "'lastName' is not of the form key=value"),
      ("lastName=nil", "lastName is a required value"),
      ("age=70000", "'70000' is not a valid value for age"),
    ] {
      let wrong = ToolRun.coredata("update", store, "Person", "--batch", "--yes", value)
      #expect(wrong.code == 64)
      #expect(wrong.errors.contains(message), "\(wrong.errors)")
    }
    let related = ToolRun.coredata("update", store, "Job", "--batch", "--yes", "customer=p1")
    #expect(related.code == 64)
    #expect(related.errors.contains("customer is a relationship, and --batch sets attributes only"))
  }

  @Test func `A delete with --batch removes the same rows and prints the same output`() throws {
    let copy = temporary.path("copy.sqlite")
    try FileManager.default.copyItem(atPath: store, toPath: copy)
    let condition = "SELF.jobs.@count == 3"
    let refused = ToolRun.coredata("delete", copy, "Customer", "--batch", "--where", condition)
    #expect(refused.code == 64)
    #expect(refused.errors.contains("and all dependent rows; nothing was changed"))
    let one = ToolRun.coredata(
      "delete", copy, "Customer", "--batch", "--where", "SELF == nil OR lastName == 'Missing'")
    #expect(one.output == "deleted no rows of Customer\n")
    let delete = ["Customer", "--where", condition, "--yes"]
    let batched = ToolRun.coredata(["delete", copy, "--batch"] + delete)
    #expect(batched.code == 0, "\(batched.errors)")
    #expect(batched.output == ToolRun.coredata(["delete", store] + delete).output)
    #expect(ToolRun.coredata("verify", copy).code == 0)
    for entity in ["Customer", "Job"] {
      let columns = ["--columns", "objectID", "--sort", "objectID", "--format", "csv"]
      #expect(
        ToolRun.coredata(["fetch", copy, entity] + columns).output
          == ToolRun.coredata(["fetch", store, entity] + columns).output)
    }
  }

  @Test func `A store in a photo library is written only with an explicit option`() throws {
    let folder = temporary.path("My.photoslibrary/database")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: store, toPath: folder + "/Photos.sqlite")
    let insert = ["insert", folder + "/Photos.sqlite", "Team", "name=A"]
    let refused = ToolRun.coredata(insert)
    #expect(refused.code == 64)
    #expect(refused.errors.contains("photo library 'My.photoslibrary'"))
    #expect(ToolRun.coredata(insert + ["--write"]).code == 0)
  }
}
