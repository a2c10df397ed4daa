// What one sees, as a link: the state in the fragment of the address.

/** Reads the fragment: names and texts. */
export function read() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

let due;

/** Writes the fragment, soon: browsers refuse to write it for every move of a pointer. */
export function write(state) {
  clearTimeout(due);
  due = setTimeout(() => history.replaceState(null, "", `#${fragment(state)}`), 200);
}

/** The address that shows this state. */
export function address(state) {
  return `${location.origin}/#${fragment(state)}`;
}

function fragment(state) {
  const given = Object.entries(state).filter(([, value]) => value !== undefined);
  return given.map(([key, value]) => `${key}=${value}`).join("&");
}
