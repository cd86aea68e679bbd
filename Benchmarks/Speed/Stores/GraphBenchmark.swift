import CoreData
import Floor
import Foundation
import GRDB

/// Measures inserting objects of three levels that refer to each other, into new files with the same tables.
enum GraphBenchmark {
  static var comparisons: [Comparison] {
    let departments = Scale.current.isQuick ? 10 : 100
    let count = GraphModel.objects(departments)
    return [
      Comparison(
        name: "insert a graph of \(count) objects and save", items: count, floor: "C insert",
        peers: [Peer.records] + SQLAlchemy.peers, isLong: true, isInFigure: true
      ) { contest in
        contest.floor { lap in
          let store = try StoreFolder(GraphModel.make())
          let database = try FloorDatabase(store.url)
          try lap.measured { try floor(departments, database) }
          return 0
        }
        contest.ours { lap in
          let store = try StoreFolder(GraphModel.make())
          let context = store.context()
          try lap.measured {
            try context.performAndWait {
              insert(departments, into: context)
              try context.save()
            }
          }
          return 0
        }
        contest.peer(Peer.records) { lap in
          let store = try StoreFolder(GraphModel.make())
          let queue = try DatabaseQueue(path: store.url.path)
          try lap.measured { try queue.write { try insert(departments, into: $0) } }
          return 0
        }
        contest.peer(SQLAlchemy.name) { lap in
          let store = try StoreFolder(GraphModel.make())
          return try SQLAlchemy.run("graph", departments, items: count, in: store.url, lap)
        }
      }
    ]
  }

  private static func insert(_ departments: Int, into context: NSManagedObjectContext) {
    var (employees, projects) = (0, 0)
    for number in 1...departments {
      let department = Department(context: context)
      department.fill(number)
      for _ in 0..<GraphModel.employees {
        employees += 1
        let employee = Employee(context: context)
        employee.fill(employees)
        employee.department = department
        for _ in 0..<GraphModel.projects {
          projects += 1
          let project = Project(context: context)
          project.fill(projects)
          project.employee = employee
        }
      }
    }
  }

  private static func insert(_ departments: Int, into database: Database) throws {
    var (employees, projects): (Int64, Int64) = (0, 0)
    for number in 1...Int64(departments) {
      try DepartmentRecord(key: number).insert(database)
      for _ in 0..<GraphModel.employees {
        employees += 1
        try EmployeeRecord(key: employees, department: number).insert(database)
        for _ in 0..<GraphModel.projects {
          projects += 1
          try ProjectRecord(key: projects, employee: employees).insert(database)
        }
      }
    }
  }

  private static func floor(_ departments: Int, _ database: FloorDatabase) throws {
    let columns = "Z_PK, Z_ENT, Z_OPT, ZNAME, ZAMOUNT"
    try database.check(floor_run(database.handle, "BEGIN IMMEDIATE"))
    var count = Int64(departments)
    for (entity, name, above, each) in [
      (1, "Department", nil as String?, 0), (2, "Employee", "ZDEPARTMENT", GraphModel.employees),
      (3, "Project", "ZEMPLOYEE", GraphModel.projects),
    ] {
      count *= Int64(max(1, each))
      let all = columns + (above.map { ", \($0)" } ?? "")
      let sql =
        "INSERT INTO Z\(name.uppercased()) (\(all)) VALUES (?, ?, ?, ?, ?\(above == nil ? "" : ", ?"))"
      try database.check(
        floor_insert_level(database.handle, sql, name, Int64(entity), count, Int64(each)))
    }
    try database.check(floor_run(database.handle, "COMMIT"))
  }
}
