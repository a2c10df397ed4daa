// A page in Chromium, which a server on the loopback serves until it posts JSON to /told.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';

const has = (name) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
// The name of a browser that is installed, if one is.
export const chromium = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].find(has);

const TYPES = { '': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

// What the page '/' posts to /told; an error after so many seconds without. `get` gives the bytes of a path, or throws where there
// is none; what the page posts to other paths, `answer` answers, by path and bytes.
export async function told({ get, answer = () => '', headers = {}, flags = [], seconds }) {
  const profile = mkdtempSync(join(tmpdir(), 'viewcell-chromium-'));
  let browser, late;
  const server = createServer();
  const found = new Promise((resolve, reject) => {
    server.on('request', (request, response) => {
      if (request.method === 'POST') {
        const parts = [];
        request.on('data', (part) => parts.push(part));
        request.on('end', () => {
          const body = Buffer.concat(parts);
          if (request.url !== '/told') response.end(answer(request.url, body));
          else (response.end(), resolve(JSON.parse(body)));
        });
        return;
      }
      try {
        const body = get(request.url);
        response.writeHead(200, { ...headers, 'content-type': TYPES[extname(request.url)] ?? 'application/octet-stream' }).end(body);
      } catch {
        response.writeHead(404).end();
      }
    });
    server.listen(0, '127.0.0.1', () => {
      const all = ['--headless', '--no-sandbox', '--disable-dev-shm-usage', '--remote-debugging-port=0', `--user-data-dir=${profile}`, ...flags];
      browser = spawn(chromium, [...all, `http://127.0.0.1:${server.address().port}/`], { stdio: 'ignore', detached: true });
      browser.on('error', reject);
    });
    late = setTimeout(() => reject(new Error(`the page told nothing in ${seconds} s`)), seconds * 1000);
  });
  try {
    return await found;
  } finally {
    clearTimeout(late);
    server.closeAllConnections();
    server.close();
    // The whole group: what is started may be a script around the browser.
    if (browser?.pid) {
      const gone = new Promise((resolve) => browser.on('exit', resolve));
      process.kill(-browser.pid, 'SIGKILL');
      await gone;
    }
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
