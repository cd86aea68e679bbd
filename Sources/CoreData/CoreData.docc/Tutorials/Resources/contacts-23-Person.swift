import CoreData

final class Person: NSManagedObject {
  private static let firstNameKey = ManagedKey("firstName")
  var firstName: String {
    get { requiredManagedValue(Self.firstNameKey) }
    set { setManagedValue(newValue, Self.firstNameKey) }
  }

  private static let lastNameKey = ManagedKey("lastName")
  var lastName: String {
    get { requiredManagedValue(Self.lastNameKey) }
    set { setManagedValue(newValue, Self.lastNameKey) }
  }

  private static let employerKey = ManagedKey("employer")
  var employer: String {
    get { requiredManagedValue(Self.employerKey) }
    set { setManagedValue(newValue, Self.employerKey) }
  }

  private static let emailKey = ManagedKey("email")
  var email: String? {
    get { managedValue(Self.emailKey) }
    set { setManagedValue(newValue, Self.emailKey) }
  }

  private static let displayOrderKey = ManagedKey("displayOrder")
  var displayOrder: Int32 {
    get { managedValue(Self.displayOrderKey) }
    set { setManagedValue(newValue, Self.displayOrderKey) }
  }

  private static let phonesKey = ManagedKey("phones")
  var phones: Set<Phone> {
    get { requiredManagedValue(Self.phonesKey) }
    set { setManagedValue(newValue, Self.phonesKey) }
  }

  var fullName: String { "\(firstName) \(lastName)" }

  @nonobjc class func fetchRequest() -> NSFetchRequest<Person> {
    NSFetchRequest<Person>(entityName: "Person")
  }
}
