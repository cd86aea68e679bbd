public import Foundation

/// The values of one `Customer` row.
public struct CustomerValues: Equatable, Sendable {
  /// The given name.
  public var firstName: String
  /// The family name.
  public var lastName: String
  /// House number, street, sometimes an apartment.
  public var address: String
  /// A city in the United States, consistent with ``state`` and ``zip``.
  public var city: String
  /// The two-letter abbreviation of the state, in capitals.
  public var state: String
  /// Five digits, with leading zeros.
  public var zip: String
  /// Derived from the name, in a domain reserved for examples, and unique; one customer in ten has none.
  public var email: String?
  /// In whole minutes, from 2005 to the end of 2024; later years are more frequent.
  public var customerSince: Date
  /// The customer's position in the list: 0, 1, 2 … without gaps.
  public var displayOrder: Int32
  /// The indexes of the customer's jobs: consecutive, may be empty.
  public var jobs: Range<Int>
}

extension SamplePlan {
  /// Returns the values of customer `index`, which is in 0 ..< ``customers``.
  public func customer(_ index: Int) -> CustomerValues {
    var generator = SeededGenerator(seed: seed, stream: Stream.customer, index: index)
    let firstName = drawFirstName(age: generator.number(in: 22...80), &generator)
    let lastName = generator.frequentElement(of: NameLists.lastNames)
    let place = generator.frequentElement(of: PlaceLists.places)
    return CustomerValues(
      firstName: firstName,
      lastName: lastName,
      address: drawAddress(&generator),
      city: place.city,
      state: place.state,
      zip: zipText(generator.number(in: place.zips)),
      email: drawEmail(firstName, lastName, index, &generator),
      customerSince: drawCustomerSince(&generator),
      displayOrder: Int32(customerOrder.position(of: index)),
      jobs: jobShares.items(of: index)
    )
  }

  private func zipText(_ zip: Int) -> String {
    let digits = String(zip)
    return String(repeating: "0", count: 5 - digits.count) + digits
  }

  private func drawAddress(_ generator: inout SeededGenerator) -> String {
    let longest = generator.element(of: [99, 999, 999, 9999])
    let number = generator.number(in: 1...longest)
    let street = generator.frequentElement(of: PlaceLists.streets)
    let kind = generator.frequentElement(of: PlaceLists.streetKinds)
    let apartment =
      generator.chance(1, in: 6) ? " Apt \(generator.number(in: 1...40))" : ""
    return "\(number) \(street) \(kind)\(apartment)"
  }

  private func drawEmail(
    _ firstName: String, _ lastName: String, _ index: Int, _ generator: inout SeededGenerator
  ) -> String? {
    guard !generator.chance(1, in: 10) else { return nil }
    let first = asciiLetters(of: firstName)
    let last = asciiLetters(of: lastName)
    let local =
      switch generator.number(in: 0...3) {
      case 0: first + last
      case 1: String(first.prefix(1)) + last
      default: "\(first).\(last)"
      }
    let domain = generator.frequentElement(of: ["example.com", "example.org", "example.net"])
    return "\(local)\(index + 1)@\(domain)"
  }

  /// The ASCII letters of a name in lower case, after accents are removed.
  private func asciiLetters(of name: String) -> String {
    let plain =
      name.utf8.allSatisfy { $0 < 0x80 } ? name : name.decomposedStringWithCanonicalMapping
    let letters = plain.unicodeScalars.filter { $0.isASCII && $0.properties.isAlphabetic }
    return String(String.UnicodeScalarView(letters)).lowercased()
  }

  private func drawCustomerSince(_ generator: inout SeededGenerator) -> Date {
    let days = 20 * 365
    let day = max(generator.number(in: 0...days), generator.number(in: 0...days))
    // Office hours are from 13:00 to 23:00 UTC.
    let minute = generator.number(in: 13 * 60...23 * 60)
    return SampleDates.firstDay.addingTimeInterval(Double(day * 86_400 + minute * 60))
  }
}
