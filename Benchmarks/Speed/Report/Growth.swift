import Foundation

/// The cost of an object as a function of the number of objects: curves, fitted and drawn.
struct Growth {
  struct Curve {
    let name: String
    /// Whether the curve is that of the floor.
    let isFloor: Bool
    /// The numbers of objects, and the nanoseconds for one object.
    let points: [(size: Double, time: Double)]

    /// The exponent with which the total time grows with the number of objects: 1 if the cost of an object
    /// does not depend on the number. Computed by least squares on the logarithms; nil for fewer than two
    /// points.
    var exponent: Double? {
      guard points.count > 1 else { return nil }
      let logs = points.map { (x: log($0.size), y: log($0.time * $0.size)) }
      let count = Double(logs.count)
      let x = logs.reduce(0) { $0 + $1.x } / count
      let y = logs.reduce(0) { $0 + $1.y } / count
      let slope = logs.reduce(0) { $0 + ($1.x - x) * ($1.y - y) }
      return slope / logs.reduce(0) { $0 + ($1.x - x) * ($1.x - x) }
    }
  }

  let curves: [Curve]

  init(_ comparisons: [Comparison], _ results: [Outcome]) {
    let byName = Dictionary(results.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    let points = comparisons.compactMap { comparison -> (GrowthPoint, Outcome)? in
      guard let point = comparison.point, let result = byName[comparison.name] else { return nil }
      return (point, result)
    }
    curves = ["insert", "fetch"].flatMap { name in
      let own = points.filter { $0.0.curve == name }
      return [
        Curve(
          name: name, isFloor: false, points: own.map { (Double($0.0.size), $0.1.ours) }),
        Curve(
          name: name, isFloor: true,
          points: own.compactMap { point, result in
            result.floor.map { (Double(point.size), $0) }
          }),
      ]
    }
  }

  /// The curves as a Markdown table.
  var text: String {
    let sizes = Set(curves.flatMap { $0.points.map(\.size) }).sorted()
    let cells = curves.map { curve in
      [
        curve.isFloor ? "\(curve.name), C" : curve.name,
        curve.exponent.map { String(format: "%.3f", $0) } ?? "",
      ]
        + sizes.map { size in Table.number(curve.points.first { $0.size == size }?.time) }
    }
    return """
      Nanoseconds for one object, inserted in saves of 10,000 or fetched and read, by the number of objects. The \
      total time grows as the number to the power of the exponent.

      \(Table.markdown(["", "exponent"] + sizes.map { String(Int($0)) }, cells))
      """
  }

  /// The curves as SVG, on logarithmic axes.
  var plot: String {
    let points = curves.flatMap(\.points)
    guard !points.isEmpty else { return Drawing(width: 720, height: 60).svg }
    var drawing = Drawing(width: 720, height: 400)
    let decades = { (values: [Double]) in
      (log10(values.min() ?? 1).rounded(.down), log10(values.max() ?? 10).rounded(.up))
    }
    let (bottom, top) = decades(points.map(\.time))
    let (left, right) = (3.0, max(6.5, log10(points.map(\.size).max() ?? 1)))
    let x = { (size: Double) in 70 + (log10(size) - left) / (right - left) * 490 }
    let y = { (time: Double) in 340 - (log10(time) - bottom) / (top - bottom) * 290 }
    drawing.text(
      "Nanoseconds for one object, and the growth of the total time with the number n", 70, 28,
      style: "title")
    for decade in Int(bottom)...Int(top) {
      let value = pow(10, Double(decade))
      drawing.line([(70, y(value)), (560, y(value))], style: "grid")
      drawing.text(
        "\(Int(value).formatted(.number.locale(.init(identifier: "en"))))", 62, y(value) + 4,
        style: "label end")
    }
    for decade in 3...Int(right) {
      let value = pow(10, Double(decade))
      drawing.text(
        "\(Int(value).formatted(.number.locale(.init(identifier: "en"))))", x(value), 362,
        style: "label middle")
    }
    drawing.text("objects", 560, 384, style: "label end")
    for curve in curves where !curve.points.isEmpty {
      let style = "\(curve.name)\(curve.isFloor ? " floor" : "")"
      let line = curve.points.map { (x($0.size), y($0.time)) }
      drawing.line(line, style: "curve \(style)")
      for point in line where !curve.isFloor { drawing.dot(point.0, point.1, style: style) }
      let power = curve.exponent.map { String(format: ", n^%.2f", $0) } ?? ""
      let end = line[line.count - 1]
      drawing.text(
        curve.name + (curve.isFloor ? " in C" : "") + power, end.0 + 12, end.1 + 4,
        style: "name \(style)")
    }
    return drawing.svg
  }
}
