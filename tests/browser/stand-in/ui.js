/*
 * Takes a trace as Perfetto's documentation says its UI does:
 * - it listens once it is ready, and what was said before is lost;
 * - it hears its opener and the page that embeds it, nobody else;
 * - 'PING' is answered by 'PONG';
 * - without keepApiOpen it is deaf after the first trace.
 * What it heard is in `record`. The last folder of its address says how it behaves:
 * slow-MS listens MS milliseconds late, never does not listen, forger says PONG unasked to whoever is there.
 */
const record = {lost: 0, pings: 0, traces: [], scrolls: [], strangers: 0, hash: location.hash};
const mode = location.pathname.split('/').slice(-2)[0];

function note(text) {
  document.getElementById('log').textContent += `${text}\n`;
}

async function take(message, origin) {
  const {buffer, ...rest} = message;
  const trace = {...rest, origin, bytes: buffer.byteLength};
  record.traces.push(trace);
  const digest = await crypto.subtle.digest('SHA-256', buffer);
  trace.sha256 = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  note(`trace ${trace.title}: ${trace.bytes} bytes, SHA-256 ${trace.sha256}`);
}

function hear(event) {
  if (event.source === null || (event.source !== window.opener && event.source !== window.parent)) {
    record.strangers++;
    return;
  }
  if (event.data === 'PING') {
    record.pings++;
    event.source.postMessage('PONG', event.origin);
    return;
  }
  const message = event.data.perfetto;
  if (message === undefined)
    return;
  if (message.timeStart !== undefined || message.timeEnd !== undefined) {
    record.scrolls.push(message);
    note(`scroll to ${message.timeStart} .. ${message.timeEnd} s`);
  } else if (message.buffer !== undefined && message.title !== undefined) {
    if (!message.keepApiOpen)
      window.removeEventListener('message', hear);
    take(message, event.origin);
  }
}

function lose() {
  record.lost++;
}

function forge() {
  record.forged = 0;
  window.addEventListener('message', () => { record.forged++; });
  setInterval(() => (window.opener || window.parent).postMessage('PONG', '*'), 50);
}

window.addEventListener('message', lose);
window.addEventListener('load', () => {
  if (mode === 'forger')
    forge();
  else if (mode !== 'never')
    setTimeout(() => {
      window.removeEventListener('message', lose);
      window.addEventListener('message', hear);
      note('listening');
    }, mode.startsWith('slow-') ? Number(mode.slice(5)) : 0);
});
