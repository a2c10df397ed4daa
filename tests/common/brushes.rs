//! Maps of Quake out of boxes.

/// A brush between two corners.
pub fn brush([a, b, c]: [i32; 3], [x, y, z]: [i32; 3]) -> String {
    let point = |[x, y, z]: [i32; 3]| format!("( {x} {y} {z} )");
    let side = |p, q, r| format!("{} {} {} wall 0 0 0 1 1\n", point(p), point(q), point(r));
    let sides = [
        side([a, b, c], [a, b + 1, c], [a, b, c + 1]),
        side([a, b, c], [a, b, c + 1], [a + 1, b, c]),
        side([a, b, c], [a + 1, b, c], [a, b + 1, c]),
        side([x, y, z], [x, y, z + 1], [x, y + 1, z]),
        side([x, y, z], [x + 1, y, z], [x, y, z + 1]),
        side([x, y, z], [x, y + 1, z], [x + 1, y, z]),
    ];
    format!("{{\n{}}}\n", sides.concat())
}
