/// The widths of glyphs in thousandths of the font size.
///
/// A viewer uses the first available font of a list, so each width is the greater of the character's widths in
/// DejaVu Sans and in Liberation Sans, which has the metrics of Arial and Helvetica. The widths are from the
/// fonts' tables (DejaVu 2.37, Liberation 2.1). In these fonts, drawn text may be narrower than these widths, but not
/// wider.
enum GlyphWidths {
  /// The widths of the characters from the space to the tilde.
  static let regular: [Int] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556,
    1015, 684, 686, 722, 770, 667, 611, 778, 752, 295, 500, 667, 557, 863, 748, 787,
    667, 787, 722, 667, 611, 732, 684, 989, 685, 667, 685, 390, 337, 390, 838, 556,
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
    635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
  ]

  /// The same widths in bold.
  static let bold: [Int] = [
    348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365,
    696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 611,
    1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 556, 775, 637, 995, 837, 850,
    733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 556,
    500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687,
    716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
  ]

  /// The width of letters of other alphabets, which is that of wide letters in DejaVu Sans.
  static let otherLetter = (regular: 860, bold: 980)
  /// The width of characters that East Asian fonts draw on a square, and of emoji.
  static let wide = 1040
}
