extension Unicode.Scalar {
  /// Whether XML has the character.
  package var isLegalInXML: Bool {
    value >= 0x20 && value != 0xfffe && value != 0xffff
      || self == "\n" || self == "\t" || self == "\r"
  }
}
