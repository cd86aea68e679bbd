import CoreData
import GRDB

/// An object of a graph: it has a name and a number, and may have an owner in the level above.
class Level: NSManagedObject {
  private static let nameKey = ManagedKey("name")
  private static let amountKey = ManagedKey("amount")

  /// Sets the name and the number, as the peers do: the other libraries in the comparison.
  func fill(_ number: Int) {
    setManagedValue("\(Self.self) \(number)" as String?, Self.nameKey)
    setManagedValue(Int64(number), Self.amountKey)
  }
}

/// The upper level, which owns employees.
final class Department: Level {}

/// The middle level, which belongs to a department and owns projects.
final class Employee: Level {
  private static let departmentKey = ManagedKey("department")

  var department: Department? {
    get { managedValue(Self.departmentKey) }
    set { setManagedValue(newValue, Self.departmentKey) }
  }
}

/// The lower level, which belongs to an employee.
final class Project: Level {
  private static let employeeKey = ManagedKey("employee")

  var employee: Employee? {
    get { managedValue(Self.employeeKey) }
    set { setManagedValue(newValue, Self.employeeKey) }
  }
}

/// Departments of 37 employees, each of 26 projects: a hundred departments are 100,000 objects.
enum GraphModel {
  static let employees = 37
  static let projects = 26

  /// Returns the number of objects for a number of departments.
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

/// The record of a department that the peers insert.
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

/// The record of an employee that the peers insert.
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

/// The record of a project that the peers insert.
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
