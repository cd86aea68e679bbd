extension Unicode.Scalar {
  /// Whether the character is valid in XML.
  package var isLegalInXML: Bool {
    value >= 0x20 && value != 0xfffe && value != 0xffff
      || self == "\n" || self == "\t" || self == "\r"
  }
}
