// Questions to the server, which asks the runtime.

/** An answer that the server refused; its message is for people. */
export class Refused extends Error {}

/**
 * Asks, and gives the head of the answer and the bytes behind it.
 * @param {string} path without the leading /api/
 * @param {Object<string, unknown>} query what is undefined is left out
 */
export async function ask(path, query = {}, method = "GET") {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given).toString();
  let response;
  try {
    response = await fetch(`/api/${path}${text && `?${text}`}`, { method });
  } catch {
    throw new Refused("viewcell no longer answers: it was stopped. Start it again, and reload.");
  }
  if (!response.ok) throw new Refused(await response.text());
  const buffer = await response.arrayBuffer();
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { head, buffer, start: 4 + length };
}

/**
 * Works through requests one at a time, and of those that come meanwhile takes the newest only:
 * a pointer moves faster than anybody can look. What it gives resolves when nothing is left.
 */
export function newest(work) {
  let running;
  let waiting;
  const run = async () => {
    try {
      while (waiting !== undefined) {
        const now = waiting;
        waiting = undefined;
        await work(now);
      }
    } finally {
      running = undefined;
    }
  };
  return (request) => {
    waiting = request;
    running ??= run();
    return running;
  };
}
