// Where one looks: shared by all panes, so that they show the same place side by side.

const CLOSEST = 64; // CSS pixels a sample

export class Camera {
  /** @param {number} width @param {number} height of the ground, in pixels of it
   *  @param {number} stretch height of a pixel by its width */
  constructor(width, height, stretch) {
    this.stretch = stretch;
    this.zoom = 1;
    this.measure(width, height);
  }

  /** Looks at all of a ground of this size. */
  measure(width, height) {
    Object.assign(this, { width, height, x: width / 2, y: height / 2, fitted: true });
    this.box = this.whole;
  }

  /** All of the ground: west, north, east, south. */
  get whole() {
    return [0, 0, this.width, this.height];
  }

  /** The zoom at which a part of the ground fits into a pane. */
  fitting([width, height], [west, north, east, south] = this.whole) {
    return 0.96 * Math.min(width / (east - west), height / ((south - north) * this.stretch));
  }

  /** Shows all that matters: everything, unless `box` is set to a part. */
  fit(size) {
    const [west, north, east, south] = this.box;
    this.x = (west + east) / 2;
    this.y = (north + south) / 2;
    this.zoom = Math.min(this.fitting(size, this.box), CLOSEST);
    this.fitted = true;
  }

  /** From CSS pixels in a pane to the ground. */
  toGround([x, y], [width, height]) {
    return [
      this.x + (x - width / 2) / this.zoom,
      this.y + (y - height / 2) / (this.zoom * this.stretch),
    ];
  }

  /** From the ground to CSS pixels in a pane. */
  toPane([x, y], [width, height]) {
    return [
      (x - this.x) * this.zoom + width / 2,
      (y - this.y) * this.zoom * this.stretch + height / 2,
    ];
  }

  pan(dx, dy) {
    this.x = clamp(this.x - dx / this.zoom, 0, this.width);
    this.y = clamp(this.y - dy / (this.zoom * this.stretch), 0, this.height);
    this.fitted = false;
  }

  /** Zooms by a factor; what is at a point of the pane stays there. */
  zoomAt(factor, point, size) {
    const before = this.toGround(point, size);
    this.zoom = clamp(this.zoom * factor, this.fitting(size) / 4, CLOSEST);
    const after = this.toGround(point, size);
    this.x = clamp(this.x + before[0] - after[0], 0, this.width);
    this.y = clamp(this.y + before[1] - after[1], 0, this.height);
    this.fitted = false;
  }

  /** Moves as little as needed for a place to be in sight. */
  follow(place, size) {
    const [x, y] = this.toPane(place, size);
    const edge = Math.min(60, size[0] / 4, size[1] / 4);
    const by = (at, length) => Math.min(0, at - edge) + Math.max(0, at - (length - edge));
    const [dx, dy] = [by(x, size[0]), by(y, size[1])];
    if (dx || dy) this.pan(-dx, -dy);
  }
}

/** Listens to pointers over an element: `on` gets hover, leave, tap, grab, drag, drop, pan, zoom. */
export function listen(element, on) {
  const pointers = new Map();
  let grabbed = false;
  let moved = false;
  const at = (event) => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at(event));
    if (pointers.size === 1) {
      moved = false;
      grabbed = on.grab(at(event), event.pointerType);
    } else {
      moved = true; // a second finger: no tap
    }
  });
  element.addEventListener("pointermove", (event) => {
    const now = at(event);
    const before = pointers.get(event.pointerId);
    if (!before) return on.hover(now, event.timeStamp);
    if (!moved && Math.hypot(now[0] - before[0], now[1] - before[1]) < 4) return;
    moved = true;
    if (pointers.size === 2) {
      const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
      const span = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
      on.zoom(span(now) / Math.max(1, span(before)), other);
    } else if (grabbed) {
      on.drag(now, event.timeStamp);
    } else {
      on.pan(now[0] - before[0], now[1] - before[1]);
    }
    pointers.set(event.pointerId, now);
  });
  const end = (event) => {
    if (!pointers.delete(event.pointerId) || pointers.size) return;
    if (grabbed) on.drop();
    else if (!moved && event.type === "pointerup") on.tap(at(event), event.timeStamp);
    grabbed = false;
  };
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
  element.addEventListener("pointerleave", () => pointers.size || on.leave());
  element.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1;
      on.zoom(Math.exp(-event.deltaY * lines * 0.0015), at(event));
    },
    { passive: false },
  );
}

export function clamp(value, least, most) {
  return Math.min(Math.max(value, least), most);
}
