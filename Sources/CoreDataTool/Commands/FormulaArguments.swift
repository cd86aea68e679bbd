import ArgumentParser

/// The options of the commands that write CSV.
struct FormulaArguments: ParsableArguments {
  @Flag(
    help: """
      With csv: put an apostrophe before text that a spreadsheet would run as a formula, that is, text that begins \
      with =, +, -, @, the full-width form of one of these, a tab or a line end. Numbers stay numbers.
      """)
  var quoteFormulas = false
}
