/*
 * Hands the trace to a Perfetto UI. No elements here: page.js shows the states.
 * The protocol is described at the head of page.js.
 *
 * States: {name, ...}
 *   idle
 *   blocked                    the browser refused the window
 *   waiting    {kind, silent}  PING is sent to a frame or a window; silent: no answer for SILENT_MS
 *   fetching   {kind, received, total}
 *   handed     {bytes, kind}   the UI has the bytes; whether it can load them it does not tell
 *   failed     {why, detail}   why: changed, gone, memory, short, empty, refused, address
 *   reloaded   {kind}          the UI was loaded anew and has lost the trace
 *   closed                     the window was closed by its user
 */

const PING_MS = 200;
const SILENT_MS = 10000;
const PINNED = 'Layer guide.*';

/** Where a UI is opened: embedded without its side bar, and with the guide tracks pinned once a trace is loaded. */
export function uiAddress(ui, embedded) {
  const commands = JSON.stringify([{id: 'dev.perfetto.PinTracksByRegex', args: [PINNED]}]);
  return `${ui}#!/?${embedded ? 'mode=embedded&' : ''}startupCommands=${encodeURIComponent(commands)}`;
}

/** The origin of an address; null when it is none. */
function originOf(address) {
  try {
    return new URL(address).origin;
  } catch {
    return null;
  }
}

class Failure extends Error {
  constructor(why, detail) {
    super(why);
    this.why = why;
    this.detail = detail;
  }
}

/** Why a transfer broke off: the server still answers, and then says whether the file has changed, or it is gone. */
async function explain() {
  try {
    const response = await fetch('trace', {method: 'HEAD', cache: 'no-store'});
    return response.status === 409 ? 'changed' : 'short';
  } catch {
    return 'gone';
  }
}

function allocate(size) {
  try {
    return new Uint8Array(size);
  } catch {
    throw new Failure('memory');
  }
}

async function fill(data, reader, told) {
  let received = 0;
  for (;;) {
    const {done, value} = await reader.read();
    if (done)
      break;
    if (received + value.length > data.length)
      throw new Failure('short');
    data.set(value, received);
    received += value.length;
    told(received);
  }
  if (received !== data.length)
    throw new Failure('short');
}

export class Handoff {
  constructor(about, changed) {
    this.about = about;
    this.origin = originOf(about.ui);
    this.changed = changed;
    this.attempt = null;
    this.state = this.origin === null ? {name: 'failed', why: 'address', detail: about.ui} : {name: 'idle'};
    window.addEventListener('message', (event) => this.heard(event));
  }

  set(state) {
    this.state = state;
    this.changed(state);
  }

  /** `target` is the UI's window, or null when the browser gave none. */
  start(target, kind) {
    this.drop();
    if (target === null) {
      this.set({name: 'blocked'});
      return;
    }
    const attempt = {target, kind, answered: false, abort: new AbortController()};
    attempt.pinger = setInterval(() => this.ping(attempt), PING_MS);
    attempt.timer = setTimeout(() => this.set({name: 'waiting', kind, silent: true}), SILENT_MS);
    this.attempt = attempt;
    this.set({name: 'waiting', kind, silent: false});
  }

  cancel() {
    this.drop();
    this.set({name: 'idle'});
  }

  /** The UI's document was loaded again. */
  reloaded(target) {
    if (this.attempt === null || this.attempt.target !== target || !this.attempt.answered)
      return;
    const {kind} = this.attempt;
    this.drop();
    this.set({name: 'reloaded', kind});
  }

  drop() {
    const attempt = this.attempt;
    this.attempt = null;
    if (attempt !== null) {
      clearInterval(attempt.pinger);
      clearTimeout(attempt.timer);
      attempt.abort.abort();
    }
  }

  ping(attempt) {
    if (attempt.target.closed) {
      this.drop();
      this.set({name: 'closed'});
    } else if (!attempt.answered) {
      attempt.target.postMessage('PING', this.origin);
    }
  }

  heard(event) {
    const attempt = this.attempt;
    if (attempt === null || attempt.answered || event.source !== attempt.target || event.origin !== this.origin ||
        event.data !== 'PONG')
      return;
    attempt.answered = true;
    clearTimeout(attempt.timer);
    this.transfer(attempt);
  }

  async transfer(attempt) {
    try {
      const data = await this.fetch(attempt);
      if (this.attempt !== attempt)
        return;
      const bytes = data.length;
      this.post(attempt, data.buffer);
      this.set({name: 'handed', bytes, kind: attempt.kind});
    } catch (problem) {
      if (this.attempt !== attempt)
        return;
      const failure = problem instanceof Failure ? problem : new Failure(await explain(), problem.message);
      if (this.attempt !== attempt)
        return;
      this.drop();
      this.set({name: 'failed', why: failure.why, detail: failure.detail});
    }
  }

  async fetch(attempt) {
    const total = this.about.trace_bytes;
    this.set({name: 'fetching', kind: attempt.kind, received: 0, total});
    if (total === 0)
      throw new Failure('empty');
    const response = await fetch('trace', {signal: attempt.abort.signal, cache: 'no-store'});
    if (response.status === 409)
      throw new Failure('changed');
    if (!response.ok)
      throw new Failure('refused', `HTTP ${response.status}`);
    let shown = 0;
    const data = allocate(total);
    await fill(data, response.body.getReader(), (received) => {
      const now = performance.now();
      if (this.attempt === attempt && (now - shown > 50 || received === total)) {
        shown = now;
        this.set({name: 'fetching', kind: attempt.kind, received, total});
      }
    });
    return data;
  }

  post(attempt, buffer) {
    const name = this.about.trace_name;
    const perfetto = {buffer, title: name, fileName: name, localOnly: true, keepApiOpen: true};
    try {
      attempt.target.postMessage({perfetto}, this.origin, [buffer]);
    } catch (problem) {
      throw new Failure('memory', problem.message);
    }
  }

  /** Brings a window of the UI's own to the front, as far as the browser allows that. */
  raise() {
    if (this.state.name === 'handed' && this.state.kind === 'window')
      this.attempt.target.focus();
  }

  /** Scrolls the UI to a span, given in microseconds of the trace. False when no UI has the trace. */
  scroll(startUs, endUs, viewPercentage) {
    if (this.state.name !== 'handed')
      return false;
    const perfetto = {timeStart: startUs / 1e6, timeEnd: endUs / 1e6, viewPercentage};
    this.attempt.target.postMessage({perfetto}, this.origin);
    return true;
  }
}
