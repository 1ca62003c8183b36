/*
 * The page of `layertrack serve`: a rail of passes and layers, a timeline and a
 * table of the guides, and around all that a Perfetto UI to show the trace in.
 *
 * From the server (paths below the page's own):
 *   about.json    {tool_version, trace_name, trace_bytes, has_report, report_doubt?, ui, ui_is_local}
 *   report.json   the mapping report, as annotate wrote it
 *   trace         the trace, as stored
 *
 * With the UI, by postMessage, always with the UI's origin as the target and
 * only from it; the network is not touched before the user's click:
 *   1. The UI is opened in a frame (#!/?mode=embedded) or in a window, with a
 *      startupCommands parameter that pins the guide tracks.
 *   2. page -> UI   'PING', five times a second, until
 *      UI -> page   'PONG': it listens. What is sent before that is lost.
 *   3. page -> UI   {perfetto: {buffer, title, fileName, localOnly: true, keepApiOpen: true}}
 *      with the trace's bytes, an ArrayBuffer that is transferred, not copied.
 *      There is no answer: "handed over" is all that the page can know.
 *   4. page -> UI   {perfetto: {timeStart, timeEnd, viewPercentage}} for each
 *      guide or pass that is chosen. Times are seconds on the trace's own clock,
 *      guide_start_us / 1e6: what the UI itself makes of the event's ts. A number
 *      is a double: with times since 1970 it is good to a quarter of a
 *      microsecond, as are the events in the UI. keepApiOpen keeps the UI
 *      listening; while it loads it tries again for some four seconds.
 *
 * Everything that comes from the trace, its name or the report is put into the
 * page as text, never as markup.
 */
import {bytes, duration, milliseconds, plural} from './format.js';
import {Handoff, uiAddress} from './handoff.js';
import {Rail} from './rail.js';
import {grain, passOf, readReport} from './report.js';
import {Table} from './table.js';
import {Timeline} from './timeline.js';

/* Beyond this a browser's one buffer and the UI's memory are not to be relied on. */
const LARGE = 1e9;

const byId = (id) => document.getElementById(id);
const page = {about: null, report: null, selection: null, handoff: null, views: []};

function say(text) {
  byId('message').textContent = text;
  byId('message').hidden = false;
}

async function getJson(path) {
  try {
    const response = await fetch(path, {cache: 'no-store'});
    if (response.status === 409)
      throw new Error('it has changed since layertrack serve was started; start it again');
    if (!response.ok)
      throw new Error(`the server answers ${response.status}`);
    return await response.json();
  } catch (problem) {
    if (problem instanceof SyntaxError)
      throw new Error('it is not JSON');
    /* What a browser says when there is no answer, or half of one, is a TypeError of its own words. */
    if (problem instanceof TypeError)
      throw new Error('the server does not answer any more. Was it ended, or was the connection to its host (ssh -L) cut? ' +
        'Start layertrack serve again');
    throw problem;
  }
}

/* ---- selection ------------------------------------------------------------------------------------------------------ */

/** As wide as the guides of a pass usually are; for what has no length of its own. */
function usualLength(track, {from, to}) {
  const lengths = Array.from({length: to - from}, (_, i) => track.end[from + i] - track.start[from + i]).filter((d) => d > 0);
  lengths.sort((a, b) => a - b);
  return lengths.length > 0 ? lengths[lengths.length >> 1] : Math.max(1, 2 * grain(track.start[from]));
}

/** What a selection spans, in microseconds of the trace. */
function spanOf({track: number, pass: place, guide}) {
  const track = page.report.tracks[number];
  const pass = track.passes[place];
  const start = track.start[guide < 0 ? pass.from : guide];
  const end = track.end[guide < 0 ? pass.to - 1 : guide];
  return {start, end: end > start ? end : start + usualLength(track, pass), share: guide < 0 ? 0.9 : 0.4};
}

/** In words, as nodes: what is the report's text stands by itself. */
function describe({track: number, pass: place, guide}) {
  const track = page.report.tracks[number];
  const pass = track.passes[place];
  const several = page.report.tracks.length > 1;
  const [first, last] = guide < 0 ? [pass.from, pass.to - 1] : [guide, guide];
  const length = track.end[last] - track.start[first];
  const what = guide < 0 ? `${several ? 'pass' : 'Pass'} ${pass.index}` : `L${track.layer[guide]} of pass ${pass.index}`;
  const words = `${what}: from ${milliseconds(track.relativeStart[first])} ms, ${length > 0 ? `${duration(length)} long` : 'a point'}`;
  return several ? [isolated(track.name), `, ${words}`] : [words];
}

function showInPerfetto() {
  if (page.selection === null)
    return;
  const {start, end, share} = spanOf(page.selection);
  page.handoff.scroll(start, end, share);
}

function choose(track, pass, guide) {
  page.selection = {track, pass, guide};
  page.views.forEach((view) => view(page.selection));
  byId('readout').replaceChildren(...describe(page.selection));
  byId('table-track').value = String(track);
  showInPerfetto();
}

/** Brings the selection into sight in the table, unless that shows another track. */
function markInTable() {
  if (page.selection !== null && page.selection.track === page.table.track)
    page.table.show(page.selection);
}

/* ---- what is labelled ----------------------------------------------------------------------------------------------- */

function element(name, className, ...content) {
  const made = document.createElement(name);
  made.className = className;
  made.append(...content);
  return made;
}

/** A text from the report: whatever it makes of its own direction ends where it ends. */
function isolated(text) {
  return element('bdi', '', text);
}

function factsOf(track, number) {
  const anchor = [isolated(track.anchorRegex)];
  if (track.pid !== null)
    anchor.push(', pid ', isolated(track.pid));
  if (track.device !== null)
    anchor.push(', device ', isolated(track.device));
  const {sourceFile} = page.report;
  const source = number > 0 || sourceFile === '' ? [] : [['Source', [isolated(sourceFile)]]];
  const rows = [...source, ['Phase', [isolated(track.phase)]], ['Evidence', [isolated(track.evidence)]], ['Anchor', anchor]];
  return element('dl', '', ...rows.flatMap(([name, value]) => [element('dt', '', name), element('dd', '', ...value)]));
}

function summaryOf(track, number) {
  const size = `: ${plural(track.passes.length, 'pass', 'passes')} of ${plural(track.longestPass, 'layer')}`;
  return [number === 0 ? '' : ' · ', isolated(track.name), size];
}

function showFacts() {
  byId('facts-summary').replaceChildren(...page.report.tracks.flatMap(summaryOf));
  byId('facts').append(...page.report.tracks.map(factsOf), element('p', 'quiet', isolated(page.report.notice)));
  byId('facts').hidden = false;
  const doubt = page.about.report_doubt;
  if (doubt !== undefined) {
    byId('doubt').textContent = `${doubt[0].toUpperCase()}${doubt.slice(1)}.`;
    byId('doubt').hidden = false;
  }
}

function showReport() {
  const {report} = page;
  const again = () => {
    showInPerfetto();
    page.handoff.raise();
  };
  byId('rail').hidden = byId('timeline').hidden = byId('tab-table').hidden = false;
  showFacts();
  const rail = new Rail(byId('rail-tree'), byId('rail-heading'), report, choose, again);
  const timeline = new Timeline(byId('timeline-canvas'), report, choose, hover, again);
  const table = new Table(byId('table'), byId('table-caption'), report, choose, again);
  page.views = [
    (selection) => rail.show(selection),
    (selection) => timeline.show(selection),
    (selection) => table.show(selection),
  ];
  page.table = table;
  byId('zoom-in').onclick = () => timeline.zoom(1 / 1.5);
  byId('zoom-out').onclick = () => timeline.zoom(1.5);
  byId('zoom-pass').onclick = () => timeline.pass();
  byId('zoom-all').onclick = () => timeline.all();
  byId('table-value').onchange = (event) => [table, rail].forEach((view) => view.setValue(event.target.value));
  byId('table-track').append(...report.tracks.map((track, number) => {
    const option = element('option', '', track.name);
    option.value = String(number);
    return option;
  }));
  byId('table-track-label').hidden = report.tracks.length < 2;
  byId('table-track').onchange = (event) => {
    table.setTrack(Number(event.target.value));
    markInTable();
  };
  if (report.tracks.every((track) => track.count === 0))
    say('The report lists no guides.');
}

function hover(track, guide) {
  byId('hover').replaceChildren(
    ...guide < 0 ? [] : ['· ', ...describe({track, pass: passOf(page.report.tracks[track], guide), guide})]);
}

/* ---- Perfetto ------------------------------------------------------------------------------------------------------- */

/** In one line for a shell; FILE is wherever the user has the file. */
function shellName(name) {
  return /^[A-Za-z0-9_][A-Za-z0-9._+-]*$/.test(name) ? name : `'./${name.replaceAll("'", "'\\''")}'`;
}

const OTHER_WAYS = 'Save the file and open it in Perfetto by “Open trace file”; or, for any size, let the native trace processor load it, ' +
  'which the UI then finds at port 9001 (from another host with ssh -L 9001:127.0.0.1:9001):';

const NO_LAYERS = 'See the trace';

const TITLES = {
  idle: 'See the kernels beneath a layer', /* without a report: NO_LAYERS */
  blocked: 'The browser blocked the window',
  waiting: 'Waiting for the Perfetto UI',
  fetching: 'Transferring the trace',
  handed: 'Handed over',
  failed: 'The trace could not be handed over',
  reloaded: 'The Perfetto UI was loaded anew',
  closed: 'The Perfetto window was closed',
};

function failureText({why, detail}) {
  const size = bytes(page.about.trace_bytes);
  return {
    changed: 'The file changed on disk after layertrack serve was started, so its bytes would not belong together. Start ' +
      'layertrack serve again.',
    gone: 'The server does not answer. Was it ended, or was the connection to its host (ssh -L) cut? With --once it ends ' +
      'after one transfer. Start layertrack serve again.',
    short: 'The transfer broke off before the last byte. Try again.',
    memory: `The browser has no memory for a trace of ${size} in one piece. ${OTHER_WAYS}`,
    empty: 'The file is empty: there is nothing to show.',
    refused: `The server refused the trace (${detail}).`,
    address: `“${detail}” is no address of a Perfetto UI. Start layertrack serve again with another --ui.`,
  }[why];
}

function stateText(state) {
  const {origin} = page.handoff;
  switch (state.name) {
  case 'blocked':
    return 'Allow pop-ups for this address, then try again, or open Perfetto here in the page.';
  case 'waiting':
    if (!state.silent)
      return `${origin} is loading.`;
    return `${origin} has not answered for ten seconds. Is it reachable from this browser? Without internet, let layertrack ` +
      'serve a copy of the UI (--ui DIR) or name one that you can reach (--ui URL). This page goes on trying.';
  case 'fetching':
    return `${bytes(state.received)} of ${bytes(state.total)}`;
  case 'handed':
    return `Perfetto has all ${bytes(state.bytes)} and loads them now; whether it can, it shows itself.` +
      (page.report === null ? '' : ' Once it has, choose a pass or a layer to go there.');
  case 'failed':
    return failureText(state);
  case 'reloaded':
    return 'With that it has lost the trace. Hand it over again to go on.';
  case 'closed':
    return 'Open it again to go on.';
  default:
    return `Opens ${origin} and hands it the trace, inside this browser: nothing is uploaded.` +
      (page.report === null ? '' : ' From then on a click or the arrow keys on a layer take you there.');
  }
}

/** Which of a trace's sizes speak against a browser; null when none does. */
function tooLarge() {
  const stored = page.about.trace_bytes;
  const unpacked = page.report === null ? null : page.report.unpackedBytes;
  if (stored > LARGE)
    return `This trace is ${bytes(stored)} long`;
  return unpacked !== null && unpacked > LARGE ? `This trace is ${bytes(unpacked)} long when unpacked` : null;
}

function showState(state) {
  const large = tooLarge();
  const idle = state.name === 'idle' || state.name === 'closed';
  const again = state.name === 'handed' || state.name === 'reloaded';
  const busy = state.name === 'waiting' || state.name === 'fetching';
  const otherWay = (idle && large !== null) || (state.name === 'failed' && state.why === 'memory');
  byId('handoff').dataset.state = state.name;
  byId('handoff').classList.toggle('compact', busy || again);
  byId('handoff-title').textContent = idle && large !== null ? 'Too large for a browser, most likely' :
    state.name === 'idle' && page.report === null ? NO_LAYERS : TITLES[state.name];
  byId('handoff-text').textContent = idle && large !== null ?
    `${large}. Browsers take some hundred megabytes to a gigabyte. ${OTHER_WAYS}` : stateText(state);
  byId('handoff-command').textContent = `trace_processor_shell server http ${shellName(page.about.trace_name)}`;
  byId('handoff-command').hidden = !otherWay;
  byId('handoff-progress').hidden = state.name !== 'fetching';
  byId('handoff-progress').value = state.name === 'fetching' && state.total > 0 ? state.received / state.total : 0;
  byId('open-here').hidden = byId('open-window').hidden = busy || page.handoff.origin === null;
  byId('open-here').textContent = otherWay ? 'Try it here all the same' : again ? 'Hand over again, here' :
    'Open in Perfetto, here';
  byId('open-here').classList.toggle('primary', !otherWay && state.name !== 'handed');
  byId('handoff-cancel').hidden = !busy;
  byId('status').textContent = state.name === 'fetching' ?
    `${Math.floor(100 * state.received / Math.max(1, state.total))} %` : idle ? '' : TITLES[state.name];
  byId('status').dataset.state = state.name;
  if (state.kind !== 'frame') {
    byId('frame-place').replaceChildren();
    byId('panel-perfetto').classList.remove('framed');
  }
}

function openHere() {
  const frame = document.createElement('iframe');
  frame.title = 'Perfetto UI';
  frame.referrerPolicy = 'no-referrer';
  frame.allow = 'clipboard-write; fullscreen';
  frame.src = uiAddress(page.about.ui, true);
  frame.addEventListener('load', () => {
    frame.addEventListener('load', () => page.handoff.reloaded(frame.contentWindow));
  }, {once: true});
  byId('frame-place').replaceChildren(frame);
  byId('panel-perfetto').classList.add('framed');
  /* Perfetto needs the room; the facts are a click away. */
  byId('facts').open = false;
  page.handoff.start(frame.contentWindow, 'frame');
}

function openWindow() {
  page.handoff.start(window.open(uiAddress(page.about.ui, false), '_blank'), 'window');
}

function onState(state) {
  showState(state);
  /* What was chosen before is where to go first. */
  if (state.name === 'handed')
    showInPerfetto();
}

function prepareHandoff() {
  const save = element('a', '', 'Save the file');
  save.href = 'trace';
  save.download = page.about.trace_name;
  byId('handoff-note').append(save);
  page.handoff = new Handoff(page.about, onState);
  byId('open-here').onclick = openHere;
  byId('open-window').onclick = openWindow;
  byId('handoff-cancel').onclick = () => page.handoff.cancel();
}

/* ---- tabs ----------------------------------------------------------------------------------------------------------- */

function showTab(name) {
  for (const other of ['perfetto', 'table']) {
    const chosen = other === name;
    byId(`tab-${other}`).setAttribute('aria-selected', chosen);
    byId(`tab-${other}`).tabIndex = chosen ? 0 : -1;
    byId(`panel-${other}`).hidden = !chosen;
  }
  if (name === 'table')
    markInTable();
}

function prepareTabs() {
  const tabs = [byId('tab-perfetto'), byId('tab-table')];
  tabs.forEach((tab, i) => {
    tab.onclick = () => showTab(tab.id.slice(4));
    tab.onkeydown = (event) => {
      const other = tabs[1 - i];
      if ((event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') || other.hidden)
        return;
      event.preventDefault();
      showTab(other.id.slice(4));
      other.focus();
    };
  });
}

/* ---- start ---------------------------------------------------------------------------------------------------------- */

/** Says why there is no report to see, and takes away what it has left behind. */
function withoutReport(why) {
  page.report = null;
  page.views = [];
  for (const id of ['rail', 'timeline', 'tab-table', 'facts', 'doubt'])
    byId(id).hidden = true;
  say(why);
}

async function getReport() {
  let json;
  try {
    json = await getJson('report.json');
  } catch (problem) {
    throw new Error(`The report cannot be read: ${problem.message}.`);
  }
  return readReport(json);
}

async function readReportFile() {
  if (!page.about.has_report) {
    say('There is no report beside this trace, so its passes and layers cannot be listed here. The trace can be opened in ' +
      'Perfetto all the same; --report names a report that lies elsewhere.');
    return;
  }
  say('Reading the report…');
  try {
    page.report = await getReport();
  } catch (problem) {
    withoutReport(problem.message);
    return;
  }
  byId('message').hidden = true;
  try {
    showReport();
  } catch (problem) {
    withoutReport(`The report cannot be shown: ${problem.message}.`);
  }
}

async function start() {
  prepareTabs();
  try {
    page.about = await getJson('about.json');
  } catch (problem) {
    say(`The server does not tell what it serves: ${problem.message}.`);
    byId('tabs').hidden = byId('panel-perfetto').hidden = true;
    return;
  }
  document.title = `${page.about.trace_name} – layertrack`;
  byId('trace-name').textContent = page.about.trace_name;
  byId('trace-size').textContent = bytes(page.about.trace_bytes);
  prepareHandoff();
  await readReportFile();
  showState(page.handoff.state);
  if (page.report !== null)
    showTab('table');
  document.body.dataset.ready = 'true';
}

start();
