import CoreData
import GRDB

/// A level of a graph: a name, a number, and perhaps somebody above.
class Level: NSManagedObject {
  private static let nameKey = ManagedKey("name")
  private static let amountKey = ManagedKey("amount")

  /// Names and numbers it as the peers do.
  func fill(_ number: Int) {
    setManagedValue("\(Self.self) \(number)" as String?, Self.nameKey)
    setManagedValue(Int64(number), Self.amountKey)
  }
}

/// What has employees.
final class Department: Level {}

/// What is of a department, and has projects.
final class Employee: Level {
  private static let departmentKey = ManagedKey("department")

  var department: Department? {
    get { managedValue(Self.departmentKey) }
    set { setManagedValue(newValue, Self.departmentKey) }
  }
}

/// What is of an employee.
final class Project: Level {
  private static let employeeKey = ManagedKey("employee")

  var employee: Employee? {
    get { managedValue(Self.employeeKey) }
    set { setManagedValue(newValue, Self.employeeKey) }
  }
}

/// Departments of 37 employees of 26 projects: a hundred of them are 100,000 objects.
enum GraphModel {
  static let employees = 37
  static let projects = 26

  /// All objects of so many departments.
  static func objects(_ departments: Int) -> Int {
    departments * (1 + employees * (1 + projects))
  }

  static func make() -> NSManagedObjectModel {
    let levels: [(Level.Type, above: String?)] = [
      (Department.self, nil), (Employee.self, "department"), (Project.self, "employee"),
    ]
    let entities = levels.map { level, _ in
      StoreModels.entity(
        level,
        [
          StoreModels.attribute("name", .stringAttributeType),
          StoreModels.attribute("amount", .integer64AttributeType),
        ])
    }
    for (place, level) in levels.enumerated() {
      guard let above = level.above else { continue }
      let (owner, members) = (NSRelationshipDescription(), NSRelationshipDescription())
      owner.name = above
      owner.destinationEntity = entities[place - 1]
      owner.inverseRelationship = members
      owner.maxCount = 1
      members.name = "members"
      members.destinationEntity = entities[place]
      members.inverseRelationship = owner
      members.maxCount = 0
      entities[place].properties.append(owner)
      entities[place - 1].properties.append(members)
    }
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }
}

/// The peer's form of a department.
struct DepartmentRecord: PersistableRecord {
  static let databaseTableName = "ZDEPARTMENT"
  let key: Int64

  func encode(to container: inout PersistenceContainer) {
    container["Z_PK"] = key
    container["Z_ENT"] = 1
    container["Z_OPT"] = 1
    container["ZNAME"] = "Department \(key)"
    container["ZAMOUNT"] = key
  }
}

/// The peer's form of an employee.
struct EmployeeRecord: PersistableRecord {
  static let databaseTableName = "ZEMPLOYEE"
  let key: Int64
  let department: Int64

  func encode(to container: inout PersistenceContainer) {
    container["Z_PK"] = key
    container["Z_ENT"] = 2
    container["Z_OPT"] = 1
    container["ZNAME"] = "Employee \(key)"
    container["ZAMOUNT"] = key
    container["ZDEPARTMENT"] = department
  }
}

/// The peer's form of a project.
struct ProjectRecord: PersistableRecord {
  static let databaseTableName = "ZPROJECT"
  let key: Int64
  let employee: Int64

  func encode(to container: inout PersistenceContainer) {
    container["Z_PK"] = key
    container["Z_ENT"] = 3
    container["Z_OPT"] = 1
    container["ZNAME"] = "Project \(key)"
    container["ZAMOUNT"] = key
    container["ZEMPLOYEE"] = employee
  }
}
