import CoreData
import Testing

@Suite struct ClassForCoderTests {
  private func name<T: NSObject>(of type: T.Type) -> String { "\(T.self.classForCoder())" }

  @Test("The class that archives name is asked of types, generic ones too")
  func classes() {
    #expect(name(of: NSManagedObject.self) == "NSManagedObject")
    #expect(NSArray.classForCoder() == NSArray.self)
  }
}
