// The two regions of a frontier set, as they are painted.

/** Bits behind an answer's head. */
export const bits = (answer, from, length) => new Uint8Array(answer.buffer, answer.start + from, length);

/** Paints both halves of a set, or none without an answer, and shows them with marks. */
export function paintSet({ palette }, pane, answer, marks) {
  const { ground, classes } = pane;
  classes.fill(0);
  if (answer?.head.sizes.some((size) => size > 0)) {
    ground.spread(bits(answer, 0, ground.setBytes), classes, 1);
    ground.spread(bits(answer, ground.setBytes, ground.setBytes), classes, 2);
  }
  const { neutral, a, b } = palette;
  pane.paint(pane.table("halves", () => [neutral, a, b]), marks);
}

export const halvesLegend = ({ palette }) => [
  { colour: palette.a, text: "A’s half: where A may walk" },
  { colour: palette.b, text: "B’s half: where B may walk" },
  { colour: palette.neutral, text: "neither" },
];
