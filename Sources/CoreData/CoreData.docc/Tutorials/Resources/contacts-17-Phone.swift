import CoreData

final class Phone: NSManagedObject {
  private static let labelKey = ManagedKey("label")
  var label: String {
    get { requiredManagedValue(Self.labelKey) }
    set { setManagedValue(newValue, Self.labelKey) }
  }

  private static let numberKey = ManagedKey("number")
  var number: String {
    get { requiredManagedValue(Self.numberKey) }
    set { setManagedValue(newValue, Self.numberKey) }
  }

  private static let personKey = ManagedKey("person")
  var person: Person? {
    get { managedValue(Self.personKey) }
    set { setManagedValue(newValue, Self.personKey) }
  }

  @nonobjc class func fetchRequest() -> NSFetchRequest<Phone> {
    NSFetchRequest<Phone>(entityName: "Phone")
  }
}
