// Looks around in the bundle that the page holds. It is asked through the C interface, as WebAssembly.

const element = (id) => document.getElementById(id);
const told = element('told');
const SEEN = [255, 214, 90, 120];
const UNSEEN = [28, 36, 84, 165];
const FROM = [214, 40, 40, 255];
// For answers of a few numbers.
const SCRATCH = 1024;

function bytes(id) {
  const text = atob(element(id).textContent);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < out.length; i++) out[i] = text.charCodeAt(i);
  return out;
}

// A bundle in the memory of the module.
class Bundle {
  constructor(functions, file) {
    this.ask = functions;
    const room = this.room(file.length);
    new Uint8Array(functions.memory.buffer, room, file.length).set(file);
    const at = this.room(SCRATCH);
    const words = at + 16;
    if (functions.viewcell_open_memory(functions.viewcell_abi_version(), room, file.length, at, words, SCRATCH - 16) < 0)
      throw new Error(this.text(words));
    this.scratch = at;
    this.handle = new Uint32Array(functions.memory.buffer, at, 1)[0];
    functions.viewcell_info(this.handle, at);
    this.isTerrain = new Uint32Array(functions.memory.buffer, at, 1)[0] === 1;
  }

  room(length) {
    const at = this.ask.viewcell_allocate(length) >>> 0;
    if (at === 0) throw new Error('there is not enough memory for the bundle');
    return at;
  }

  text(at) {
    const all = new Uint8Array(this.ask.memory.buffer, at);
    return new TextDecoder().decode(all.slice(0, all.indexOf(0)));
  }

  // What is seen from a place: a function of a place's number. Null where nobody can be.
  seen(place, { width, height, count }) {
    const across = (width + 7) >> 3;
    const words = this.isTerrain ? across * ((height + 7) >> 3) : (count + 63) >> 6;
    this.words ??= this.room(8 * words);
    const status = this.ask.viewcell_pvs(this.handle, place, 0, this.words, words);
    if (status < 0) return null;
    const bits = new Uint8Array(this.ask.memory.buffer, this.words, 8 * words);
    if (!this.isTerrain) return (cell) => (bits[cell >> 3] >> (cell & 7)) & 1;
    return (sample) => {
      const [column, row] = [sample % width, Math.floor(sample / width)];
      return (bits[((row >> 3) * across + (column >> 3)) * 8 + (row & 7)] >> (column & 7)) & 1;
    };
  }

  // Whether anybody can be there: who is sees himself.
  holds(place) {
    return this.ask.viewcell_visible(this.handle, place, place) === 1;
  }

  // Ground height of a sample; null where there is none.
  height(sample) {
    if (!this.isTerrain || this.ask.viewcell_bounds(this.handle, sample, this.scratch) < 0) return null;
    return new Float64Array(this.ask.memory.buffer, this.scratch, 3)[2];
  }
}

// The numbers of the places at the pixels of a map, 0 for none: of a level they are the colours of a
// picture, of a terrain pixels are samples.
async function numbered(canvas, { width, height }) {
  const picture = canvas.dataset.cells;
  if (!picture) return Uint32Array.from({ length: width * height }, (_, i) => i + 1);
  const image = new Image();
  image.src = `data:image/png;base64,${element(picture).textContent}`;
  await image.decode();
  const drawing = new OffscreenCanvas(image.width, image.height).getContext('2d', { willReadFrequently: true });
  drawing.drawImage(image, 0, 0);
  const { data } = drawing.getImageData(0, 0, image.width, image.height);
  return Uint32Array.from({ length: data.length / 4 }, (_, i) => data[4 * i] + 256 * data[4 * i + 1] + 65536 * data[4 * i + 2]);
}

async function begin() {
  const about = JSON.parse(element('about').textContent);
  const { instance } = await WebAssembly.instantiate(bytes('runtime'), {});
  const bundle = new Bundle(instance.exports, bytes('bundle'));
  const maps = await Promise.all(Array.from(document.querySelectorAll('#look canvas'), async (canvas) => ({
    canvas,
    drawing: canvas.getContext('2d'),
    places: await numbered(canvas, about),
  })));
  const { width, count } = about;
  const grouped = new Intl.NumberFormat('en');
  // Places are told by the sample of the heightmap in the middle of a view cell, and taken by any of its samples.
  const { side = 1, heightmap = [width, about.height] } = about;
  const middle = (cell, end) => cell * side + Math.floor((Math.min(cell * side + side, end) - 1 - cell * side) / 2);
  const sample = (place) => `${middle(place % width, heightmap[0])},${middle(Math.floor(place / width), heightmap[1])}`;
  const name = (place) => (bundle.isTerrain ? sample(place) : `cell ${place}`);
  const parse = (text) => {
    const [column, row] = text.split(',').map(Number);
    if (!bundle.isTerrain) return Number.isInteger(column) && column >= 0 && column < about.all ? column : null;
    const isOn = [column, row].every((at, i) => Number.isInteger(at) && at >= 0 && at < heightmap[i]);
    return isOn ? Math.floor(row / side) * width + Math.floor(column / side) : null;
  };

  let from = null;
  let isHeld = false;
  let seen = null;

  function draw() {
    for (const map of maps) {
      const { canvas, drawing, places } = map;
      const image = drawing.createImageData(canvas.width, canvas.height);
      for (let i = 0; i < places.length; i++) {
        const place = places[i] - 1;
        if (place < 0) continue;
        const is = place === from && !bundle.isTerrain;
        image.data.set(is ? FROM : seen?.(place) ? SEEN : UNSEEN, 4 * i);
      }
      drawing.putImageData(image, 0, 0);
      ring(map);
    }
  }

  // A ring around the sample that is looked from, on the page: the map's pixels may be large.
  function ring({ canvas: { width, height, nextElementSibling: ring } }) {
    ring.hidden = !bundle.isTerrain || from === null;
    ring.style.left = `${(100 * ((from % width) + 0.5)) / width}%`;
    ring.style.top = `${(100 * (Math.floor(from / width) + 0.5)) / height}%`;
  }

  // Who looks from `place` sees that.
  function look(place) {
    from = place;
    seen = bundle.holds(place) ? bundle.seen(place, about) : null;
    if (seen === null) {
      told.textContent = `${name(place)}: nobody can be there.`;
    } else {
      let sum = 0;
      for (let other = 0; other < about.all; other++) sum += seen(other);
      const height = bundle.height(place);
      const where = height === null ? name(place) : `${name(place)}, at ${height.toFixed(0)} m,`;
      told.textContent = `${where} sees ${grouped.format(sum)} of ${grouped.format(count)}${side > 1 ? ' cells' : ''} (${((100 * sum) / count).toFixed(2)} %).`;
    }
    draw();
  }

  // Whether a place is seen from the one that is held.
  function compare(place) {
    const answer = !bundle.holds(place) ? 'nobody can be there' : seen?.(place) ? 'visible' : 'hidden';
    told.textContent = `${name(place)}: ${answer}, from ${name(from)}. Click anywhere to release it.`;
    element('look').dataset.answer = answer;
  }

  function hold(place) {
    isHeld = place !== null;
    history.replaceState(null, '', isHeld ? `#${bundle.isTerrain ? name(place) : place}` : location.pathname + location.search);
    if (isHeld) look(place);
  }

  let waiting = null;
  for (const { canvas, places } of maps) {
    const place = (event) => {
      const { left, top, width, height } = canvas.getBoundingClientRect();
      const x = Math.floor(((event.clientX - left) / width) * canvas.width);
      const y = Math.floor(((event.clientY - top) / height) * canvas.height);
      const isOn = x >= 0 && y >= 0 && x < canvas.width && y < canvas.height;
      const number = isOn ? places[y * canvas.width + x] : 0;
      return number === 0 ? null : number - 1;
    };
    canvas.addEventListener('pointermove', (event) => {
      if (waiting === null) requestAnimationFrame(() => {
        const at = waiting;
        waiting = null;
        if (at === null || (!isHeld && at === from)) return;
        if (isHeld) compare(at);
        else look(at);
      });
      waiting = place(event);
    });
    canvas.addEventListener('click', (event) => {
      hold(isHeld ? null : place(event));
    });
    canvas.addEventListener('keydown', (event) => {
      const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -width, ArrowDown: width };
      const next = (from ?? 0) + (steps[event.key] ?? 0);
      if (!(event.key in steps) || next < 0 || next >= about.all) return;
      event.preventDefault();
      hold(next);
    });
  }

  // A link to the page may say from where to look, and at whom: #178,166 or #178,166;300,100.
  const [first, second] = decodeURIComponent(location.hash.slice(1)).split(';').map(parse);
  if (first === null || first === undefined || first >= about.all) {
    told.textContent = 'Move over the map. Click to fix a place, then move to see which places are hidden from it.';
    draw();
  } else {
    hold(first);
    if (second !== null && second !== undefined) compare(second);
  }
}

begin().then(
  () => { document.documentElement.dataset.ready = 'yes'; },
  (error) => { told.textContent = `This browser cannot look into the bundle: ${error.message}`; },
);
