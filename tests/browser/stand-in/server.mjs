/* Serves the stand-in on a loopback port, below any folder: /slow-500/ is the same files in another mode. */
import {createServer} from 'node:http';
import {readFileSync} from 'node:fs';

const types = {'index.html': 'text/html', 'ui.css': 'text/css', 'ui.js': 'text/javascript'};

export async function startStandIn() {
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    const forward = /^\/to-(\d+)\/$/.exec(path);
    if (forward !== null) {
      response.writeHead(302, {Location: `http://127.0.0.1:${forward[1]}/forger/`}).end();
      return;
    }
    const name = path.split('/').pop() || 'index.html';
    if (types[name] === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {'Content-Type': types[name]}).end(readFileSync(new URL(name, import.meta.url)));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const {port} = server.address();
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
