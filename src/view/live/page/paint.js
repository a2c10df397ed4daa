// Colours: the palette is the server's, the same as that of the pictures that viewcell writes.

const LIGHTS = 256; // 0 where there is no ground, 1 to 255 from shadow to sun

/** A table of pixels by class and light. */
export class Table {
  /** @param {number[][]} colours one a class @param {number} least light of the darkest ground */
  constructor(colours, least) {
    this.pixels = new Uint32Array(colours.length * LIGHTS);
    const bytes = new Uint8Array(this.pixels.buffer);
    colours.forEach((colour, kind) => {
      for (let light = 1; light < LIGHTS; light += 1) {
        const shade = least + ((1 - least) * (light - 1)) / 254;
        const at = 4 * (kind * LIGHTS + light);
        // Yellow in the shade is brown, as the pictures have it: all colours alike it would be olive.
        // Where colours stand for numbers they keep their hue.
        const fade = least < 0.7 && colour[0] > 1.3 * colour[2] ? [0.6, 1, 1.6] : [1, 1, 1];
        for (let c = 0; c < 3; c += 1) bytes[at + c] = Math.floor(colour[c] * shade ** fade[c]);
        bytes[at + 3] = 255;
      }
    });
  }

  /** Paints pixels of these classes in this light. */
  paint(out, classes, light) {
    const { pixels } = this;
    for (let i = 0; i < out.length; i += 1) out[i] = pixels[(classes[i] << 8) | light[i]];
  }
}

/** Colour at `part` of a ramp's evenly spaced stops. */
export function along(ramp, part) {
  const at = Math.min(Math.max(part, 0), 1) * (ramp.length - 1);
  const stop = Math.min(Math.floor(at), ramp.length - 2);
  return ramp[stop].map((c, k) => c + (ramp[stop + 1][k] - c) * (at - stop));
}

/** So many colours of a ramp. */
export function steps(ramp, count) {
  return Array.from({ length: count }, (_, k) => along(ramp, count > 1 ? k / (count - 1) : 1));
}

export const css = (colour) => `rgb(${colour.map(Math.round).join(" ")})`;
