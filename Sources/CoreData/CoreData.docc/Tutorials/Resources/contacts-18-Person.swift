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

  private static let companyKey = ManagedKey("company")
  var company: String {
    get { requiredManagedValue(Self.companyKey) }
    set { setManagedValue(newValue, Self.companyKey) }
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
