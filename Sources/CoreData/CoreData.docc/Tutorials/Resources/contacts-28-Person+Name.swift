extension Person {
  var fullName: String { "\(firstName ?? "") \(lastName ?? "")" }
}
