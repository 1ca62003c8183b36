/*
 * The page of `layertrack serve` in a real Chromium, with a stand-in for the Perfetto UI on another loopback origin.
 *
 *   check_page.mjs --layertrack BIN --fixtures DIR --modules DIR --chromium BIN [--pictures DIR] [--quick] [--only NAME] [--big BYTES] [--traces DIR]
 */
import {execFileSync} from 'node:child_process';
import {appendFileSync, copyFileSync, createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync,
        writeFileSync} from 'node:fs';
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

import {check, equal, handOver, launch, open, record, serve, sha256, told, until} from './harness.mjs';
import {makeReport} from './reports.mjs';
import {startStandIn} from './stand-in/server.mjs';

const {values: options} = parseArgs({
  options: {
    ...Object.fromEntries(['layertrack', 'fixtures', 'traces', 'modules', 'chromium', 'pictures', 'only', 'big']
                              .map((name) => [name, {type: 'string'}])),
    quick: {type: 'boolean'},
  },
});
const tests = [];
let folder;
let ui;
let browser;

function test(name, run, more = {}) {
  tests.push({name, run, ...more});
}

/** A fixture, annotated: two passes of two layers, the last of each closed by a terminal. */
function annotated(name = 'decode', suffix = '.json', evidence = 'made with one rotary embedding a layer') {
  const output = join(folder, `${name}${suffix}`);
  execFileSync(options.layertrack, ['annotate', join(options.fixtures, 'decode.json'), '-o', output, '--anchor-regex',
    'rotary_embedding_kernel', '--num-layers', '2', '--anchor-offset', '0', '--passes', '2', '--end-anchor-regex',
    'cross_device_reduce', '--phase', 'decode', '--evidence', evidence]);
  return {path: output, report: JSON.parse(readFileSync(`${output}.layers.json`))};
}

/** A made-up report beside a small file. */
function made(name, shape) {
  const path = join(folder, `${name}.json`);
  const report = makeReport(shape);
  writeFileSync(path, '{"traceEvents": []}');
  writeFileSync(`${path}.layers.json`, JSON.stringify(report));
  return {path, report};
}

/** Runs `use` with a server and its page; nothing may have gone wrong in the page, or in the server. */
async function withPage(args, use, context) {
  const server = await serve(options, ...args);
  let page;
  try {
    page = await open(browser, server, context);
    await use(page, server);
    equal(page.trouble, [], 'trouble in the page');
  } finally {
    await page?.context().close();
    await server.stop();
  }
}

function seconds(row) {
  return [row.guide_start_us / 1e6, row.guide_end_us / 1e6];
}

async function lastScroll(frame, number) {
  await until(async () => (await record(frame)).scrolls.length >= number, `${number} scroll messages`);
  const {scrolls} = await record(frame);
  equal(scrolls.length, number, 'scroll messages');
  const {timeStart, timeEnd, viewPercentage} = scrolls[number - 1];
  check(viewPercentage > 0 && viewPercentage <= 1, `viewPercentage ${viewPercentage}`);
  return [timeStart, timeEnd];
}

function layerRow(page, layer) {
  return page.locator('#rail-tree [aria-level="3"]', {has: page.locator('.name', {hasText: new RegExp(`^L${layer}$`)})}).first();
}

/* ---- with Perfetto -------------------------------------------------------------------------------------------------- */

for (const how of ['here', 'window'])
  test(`handed over, ${how}`, async () => {
    for (const suffix of how === 'here' ? ['.json', '.json.gz'] : ['.json']) {
      const {path} = annotated(`h-${how}`, suffix);
      await withPage([path, '--ui', ui.origin], async (page) => {
        equal(page.outside, [], 'requests before the click');
        const stand = await handOver(page, how);
        const {traces, hash} = await record(stand);
        const [trace] = traces;
        equal(trace.sha256, await sha256(path), 'SHA-256');
        equal([trace.title, trace.fileName, trace.keepApiOpen, trace.localOnly], [`h-${how}${suffix}`, `h-${how}${suffix}`, true, true],
          'what came with it');
        equal(trace.origin, new URL(page.url()).origin, 'origin');
        const parameters = new URLSearchParams(hash.slice('#!/?'.length));
        equal(parameters.get('mode'), how === 'here' ? 'embedded' : null, 'mode');
        equal(JSON.parse(parameters.get('startupCommands')), [{id: 'dev.perfetto.PinTracksByRegex', args: ['Layer guide.*']}],
          'startupCommands');
        check(/loads them now/.test(await page.textContent('#handoff-text')), 'handed over is not called loaded');
        check(page.outside.every((url) => url.startsWith(`${ui.origin}/`)), `requests elsewhere: ${page.outside}`);
      });
    }
  }, {quick: true});

test('a real trace', async () => {
  if (!options.traces) {
    console.log('skipped: no folder of real traces');
    return;
  }
  const path = join(folder, 'decode.json.gz');
  execFileSync(options.layertrack, ['annotate', join(options.traces, 'sglang-qwen3-8b-decode.json.gz'), '-o', path, '--anchor-regex',
    'rotary_embedding_kernel', '--num-layers', '36', '--anchor-offset', '0', '--end-anchor-regex', 'paged_attention_ll4mi_reduce',
    '--phase', 'decode', '--evidence', 'one rotary embedding a layer']);
  const {layers} = JSON.parse(readFileSync(`${path}.layers.json`));
  await withPage([path, '--ui', ui.origin], async (page) => {
    const stand = await handOver(page, 'here');
    equal((await record(stand)).traces[0].sha256, await sha256(path), 'SHA-256');
    await layerRow(page, 17).click();
    equal(await lastScroll(stand, 1), seconds(layers[17]), 'a click on L17');
    if (options.pictures)
      await page.screenshot({path: join(options.pictures, 'real.png')});
  });
});

test('scroll messages', async () => {
  const {path, report} = annotated('scroll');
  const rows = report.layers;
  await withPage([path, '--ui', ui.origin], async (page) => {
    const stand = await handOver(page, 'here');
    let number = 0;
    const next = async (text, row) => equal(await lastScroll(stand, ++number), seconds(row), text);
    await layerRow(page, 1).click();
    await next('a click on L1 of pass 0', rows[1]);
    await page.keyboard.press('ArrowUp');
    await next('arrow up, to L0', rows[0]);
    await page.keyboard.press('Enter');
    await next('enter', rows[0]);
    await page.keyboard.press('End');
    equal(await lastScroll(stand, ++number), [rows[2].guide_start_us / 1e6, rows[3].guide_end_us / 1e6], 'end: the last pass');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await next('into the pass, arrow down', rows[2]);
    await page.keyboard.press('ArrowDown');
    await next('arrow down, to L1 of pass 1', rows[3]);
    await page.focus('#timeline-canvas');
    await page.keyboard.press('ArrowLeft');
    await next('timeline, arrow left', rows[2]);
    await page.keyboard.press('ArrowUp');
    await next('timeline, arrow up: the same layer, a pass before', rows[0]);
    await page.keyboard.press('End');
    await next('timeline, end', rows[3]);
    await page.click('#tab-table');
    await page.locator('#table [role=gridcell]').nth(1).click();
    await next('a click in the table', rows[1]);
    await page.keyboard.press('ArrowDown');
    await next('table, arrow down', rows[3]);
    await page.keyboard.press('Home');
    await next('table, home', rows[2]);
    equal((await record(stand)).traces.length, 1, 'traces');
  });
}, {quick: true});

test('a guide without length, and epoch times', async () => {
  const {path, report} = made('points', {passes: 3, layers: 4, start: 1764590400000001, point: true});
  await withPage([path, '--ui', ui.origin], async (page) => {
    await page.click('#tab-table');
    await page.locator('#table [role=gridcell]', {hasText: /./}).nth(3).click();
    const stand = await handOver(page, 'window');
    const [start, end] = await lastScroll(stand, 1);
    const row = report.layers[3];
    equal([row.guide_end_us - row.guide_start_us, start], [0, row.guide_start_us / 1e6], 'chosen before the hand-over');
    check(end - start > 50e-6 && end - start < 500e-6, `as wide as its neighbours: ${end - start}`);
  });
});

test('a UI that is not ready yet', async () => {
  const {path} = annotated('slow');
  await withPage([path, '--ui', `${ui.origin}/slow-1500/`], async (page) => {
    const stand = await handOver(page, 'here');
    const {lost, pings, traces} = await record(stand);
    check(lost >= 2 && pings >= 1 && pings <= 3, `${lost} lost, ${pings} heard`);
    equal(traces.length, 1, 'traces');
  });
});

test('a UI that is not there', async () => {
  const spare = createServer().listen(0, '127.0.0.1');
  await once(spare, 'listening');
  const {port} = spare.address();
  spare.close();
  const {path} = annotated('nobody');
  await withPage([path, '--ui', `http://127.0.0.1:${port}`], async (page) => {
    await page.click('#tab-perfetto');
    await page.click('#open-here');
    await told(page, 'waiting');
    await until(async () => /has not answered for ten seconds/.test(await page.textContent('#handoff-text')), 'the text', 15);
    check(/--ui DIR/.test(await page.textContent('#handoff-text')), 'what to do');
    await page.click('#handoff-cancel');
    await told(page, 'idle');
    equal(await page.locator('iframe').count(), 0, 'frames');
  });
});

test('a blocked window', async () => {
  const {path} = annotated('blocked');
  const strict = await launch(options, {ignoreDefaultArgs: ['--disable-popup-blocking']});
  const server = await serve(options, path, '--ui', ui.origin);
  try {
    /* Not by a user's hand, as which whatever the test does in the page would count for some seconds. */
    const page = await strict.newPage();
    const clicked = new Promise((done) => page.on('console', (message) => message.text() === 'clicked' && done()));
    await page.addInitScript(() => {
      const timer = setInterval(() => {
        if (!document.body?.dataset.ready || navigator.userActivation.isActive)
          return;
        clearInterval(timer);
        document.getElementById('open-window').click();
        console.log('clicked');
      }, 50);
    });
    await page.goto(server.url);
    await clicked;
    check(/Allow pop-ups/.test(await told(page, 'blocked')), 'what to do');
    await page.click('#tab-perfetto');
    await handOver(page, 'here');
  } finally {
    await strict.close();
    await server.stop();
  }
});

test('a window that is closed, and one more', async () => {
  const {path} = annotated('closed');
  await withPage([path, '--ui', ui.origin], async (page) => {
    const stand = await handOver(page, 'window');
    await stand.close();
    await told(page, 'closed');
    const second = await handOver(page, 'window');
    equal((await record(second)).traces.length, 1, 'traces');
  });
});

test('only that origin', async () => {
  const forger = await startStandIn();
  const {path} = annotated('forged');
  try {
    await withPage([path, '--ui', `${ui.origin}/to-${forger.port}/`], async (page) => {
      await page.click('#tab-perfetto');
      const [stand] = await Promise.all([page.waitForEvent('popup'), page.click('#open-window')]);
      await stand.waitForURL(/forger/);
      await new Promise((done) => setTimeout(done, 1000));
      equal((await record(stand)).forged, 0, 'what a stranger heard');
      await told(page, 'waiting');
    });
  } finally {
    forger.stop();
  }
});

test('a UI from a folder', async () => {
  const {path} = annotated('hosted');
  const stand = join(fileURLToPath(new URL('.', import.meta.url)), 'stand-in');
  await withPage([path, '--ui', stand], async (page) => {
    equal(page.outside, [], 'requests before the click');
    const frame = await handOver(page, 'here');
    equal((await record(frame)).traces[0].sha256, await sha256(path), 'SHA-256');
    check(new URL(frame.url()).origin !== new URL(page.url()).origin, 'an origin of its own');
    const reached = await frame.evaluate(() => {
      try {
        return parent.document.title;
      } catch (error) {
        return error.name;
      }
    });
    equal(reached, 'SecurityError', "the UI's hand on the page");
    check(page.outside.every((url) => url.startsWith('http://127.0.0.1:')), `requests elsewhere: ${page.outside}`);
  });
}, {quick: true});

test('once', async () => {
  const {path} = annotated('once');
  const server = await serve(options, path, '--ui', ui.origin, '--once');
  const page = await open(browser, server);
  await handOver(page, 'window');
  equal((await server.ended)[0], 0, 'exit code');
  await page.click('#open-here');
  check(/does not answer/.test(await told(page, 'failed')), 'what is told when the server is gone');
  await page.context().close();
});

/** A file of so many bytes, no two blocks alike. */
async function bigFile(name, size) {
  const path = join(folder, name);
  const out = createWriteStream(path);
  const block = randomBytes(1 << 20);
  for (let at = 0; at < size; at += block.length) {
    block.writeUInt32LE(at / block.length, 0);
    if (!out.write(Buffer.from(block)))
      await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  return path;
}

test('a large trace', async () => {
  const size = Number(options.big || 128 << 20);
  const path = await bigFile('large', size);
  await withPage([path, '--ui', ui.origin], async (page, server) => {
    const before = server.memory();
    await page.evaluate(() => {
      const values = [];
      window.seen = values;
      new MutationObserver(() => {
        values.push(document.getElementById('handoff-progress').value);
      }).observe(document.getElementById('handoff'), {subtree: true, attributes: true, childList: true, characterData: true});
    });
    const stand = await handOver(page, 'here');
    equal((await record(stand)).traces[0].sha256, await sha256(path), 'SHA-256');
    const steps = (await page.evaluate('seen')).filter((value) => value > 0 && value < 1);
    check(steps.length > 1 && steps.every((value, i) => i === 0 || value >= steps[i - 1]), `progress: ${steps}`);
    check(server.memory() - before < 2048, `${server.memory() - before} kB more in the server`);
  });
  rmSync(path);
});

test('a trace too large for a browser', async () => {
  const path = join(folder, "it's large.json");
  writeFileSync(path, '');
  truncateSync(path, 1.2e9);
  await withPage([path, '--ui', ui.origin], async (page) => {
    check(/Too large/.test(await page.textContent('#handoff-title')), 'title');
    check(/This trace is 1.2 GB long/.test(await page.textContent('#handoff-text')), 'text');
    equal(await page.textContent('#handoff-command'), "trace_processor_shell server http './it'\\''s large.json'", 'command');
    equal(await page.locator('#open-here').isVisible(), true, 'it may be tried all the same');
    if (options.pictures)
      await page.screenshot({path: join(options.pictures, 'large.png')});
  });
  rmSync(path);
  const packed = made('packed', {passes: 1, layers: 1});
  writeFileSync(`${packed.path}.layers.json`, JSON.stringify({...packed.report, source_bytes: 2.5e9, insert_bytes: 1000}));
  await withPage([packed.path], async (page) => {
    check(/This trace is 2.5 GB long when unpacked/.test(await page.textContent('#handoff-text')), 'text for one that is packed');
  });
});

test('a file that changes, and a server that goes', async () => {
  const {path} = annotated('changing');
  await withPage([path, '--ui', ui.origin], async (page, server) => {
    appendFileSync(path, ' ');
    await page.click('#tab-perfetto');
    await page.click('#open-here');
    check(/changed on disk/.test(await told(page, 'failed')), 'text');
    equal(page.frames().length, 1, 'frames');
    await server.stop();
    await page.click('#open-here');
    check(/does not answer/.test(await told(page, 'failed')), 'text');
  });
});

test('a file that changes on its way', async () => {
  const path = await bigFile('moving', 64 << 20);
  await withPage([path, '--ui', ui.origin], async (page) => {
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', {offline: false, latency: 0, downloadThroughput: 8e6, uploadThroughput: 8e6});
    await page.click('#tab-perfetto');
    await page.click('#open-here');
    await until(() => page.$eval('#handoff-progress', (bar) => bar.value > 0), 'some bytes');
    const stand = page.frames()[1];
    appendFileSync(path, ' ');
    const {traces} = await record(stand);
    check(/changed on disk/.test(await told(page, 'failed')), 'text');
    equal(traces, [], 'what the UI had got');
  });
  rmSync(path);
});

/* ---- without Perfetto ----------------------------------------------------------------------------------------------- */

function text(ms) {
  const [whole, fraction] = ms.toFixed(3).split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`;
}

/** Every cell in sight, as [pass, column, text]. */
function cells(page) {
  return page.$$eval('#table [role=gridcell]', (all) => all.map((cell) => [
    Number(cell.closest('[role=row]').getAttribute('aria-rowindex')) - 2, Number(cell.getAttribute('aria-colindex')) - 2,
    cell.textContent]));
}

test('the table', async () => {
  const {path, report} = made('table', {passes: 1000, layers: 61});
  await withPage([path], async (page) => {
    await page.click('#tab-table');
    equal([await page.getAttribute('#table', 'aria-rowcount'), await page.getAttribute('#table', 'aria-colcount')], ['1001', '62'], 'size');
    const seen = new Set();
    const compare = async (value) => {
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      for (const [pass, layer, shown] of await cells(page)) {
        const row = report.layers[pass * 61 + layer];
        const ms = value === 'start' ? row.start_relative_ms : row.end_relative_ms - row.start_relative_ms;
        equal(shown, text(ms), `${value} of L${layer} of pass ${pass}`);
        seen.add(`${value} ${pass} ${layer}`);
      }
    };
    await compare('start');
    for (const [top, left] of [[0, 1e6], [13000, 2000], [1e6, 0], [1e6, 1e6]]) {
      await page.$eval('#table', (table, to) => table.scrollTo(to[1], to[0]), [top, left]);
      await compare('start');
    }
    check(seen.has('start 0 0') && seen.has('start 999 60') && seen.has('start 0 60'), 'the corners were in sight');
    await page.selectOption('#table-value', 'duration');
    await compare('duration');
    equal(await page.textContent('#table [role=columnheader]:last-child'), 'L60', 'the last column');
    check(await page.locator('*').count() < 3000, `${await page.locator('*').count()} elements`);
    /* The head stays where it is, and the selection comes into sight. */
    const box = await page.locator('#table').boundingBox();
    const head = await page.locator('#table [role=columnheader]').nth(2).boundingBox();
    check(Math.abs(head.y - box.y - 1) < 2, `head at ${head.y}, table at ${box.y}`);
    await page.locator('#table').focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+End');
    const last = await page.locator('#table [aria-selected=true]').boundingBox();
    check(last.x + last.width <= box.x + box.width + 1 && last.y + last.height <= box.y + box.height + 1, 'the last cell is in sight');
    equal(await page.getAttribute('#table', 'aria-activedescendant'), 'cell-active', 'for screen readers');
  });
});

/** Colour of a place on the canvas. */
function colorAt(page, x, y) {
  return page.$eval('#timeline-canvas', (canvas, at) => [
    ...canvas.getContext('2d').getImageData(Math.round(at[0] * devicePixelRatio), Math.round(at[1] * devicePixelRatio), 1, 1).data,
  ], [x, y]);
}

const MARGIN = 10;
const LANE_MIDDLE = 24 + 16 + 16;

test('the timeline', async () => {
  const {path, report} = made('timeline', {passes: 12, layers: 61});
  const rows = report.layers;
  await withPage([path], async (page) => {
    const box = await page.locator('#timeline-canvas').boundingBox();
    const width = Math.floor(box.width) - 2 - 2 * MARGIN;
    const base = rows[0].guide_start_us;
    const whole = rows[rows.length - 1].guide_end_us - base;
    /* All of it: 1 % of room on both sides. */
    let view = {left: -0.01 * whole, span: 1.02 * whole};
    const x = (us) => MARGIN + (us - base - view.left) / view.span * width;
    const point = async (us) => {
      await page.mouse.move(box.x + 1 + x(us), box.y + 1 + LANE_MIDDLE);
      return page.textContent('#hover');
    };
    const gap = (rows[60].guide_end_us + rows[61].guide_start_us) / 2;
    equal(await point(gap), '', 'between two passes');
    const middle = (row) => (row.guide_start_us + row.guide_end_us) / 2;
    for (const i of [0, 30, 60, 61, 400, 731])
      check((await point(middle(rows[i]))).includes(`L${rows[i].layer_id} of pass ${rows[i].pass_index}: from ${text(rows[i].start_relative_ms)} ms`),
        `row ${i}: ${await point(middle(rows[i]))}`);
    const filled = await colorAt(page, x(middle(rows[30])), LANE_MIDDLE);
    const empty = await colorAt(page, x(gap), LANE_MIDDLE);
    equal(empty, [255, 255, 255, 255], 'colour between two passes');
    check(filled[0] < 230, `colour of a guide: ${filled}`);
    /* A click chooses; P shows the pass, whose guides are then told apart by colour. */
    await page.mouse.click(box.x + 1 + x(middle(rows[200])), box.y + 1 + LANE_MIDDLE);
    check((await page.textContent('#readout')).startsWith(`L${rows[200].layer_id} of pass 3`), 'a click');
    check((await page.textContent('#rail-tree [aria-selected=true]')).includes(`L${rows[200].layer_id}`), 'the rail follows');
    await page.keyboard.press('p');
    const pass = {start: rows[183].guide_start_us - base, end: rows[243].guide_end_us - base};
    const room = (pass.end - pass.start) * 0.02;
    view = {left: pass.start - room, span: pass.end - pass.start + 2 * room};
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const colors = [];
    for (const i of [201, 202, 203])
      colors.push(await colorAt(page, x(rows[i].guide_end_us) - 3, LANE_MIDDLE + 7));
    check(String(colors[0]) === String(colors[2]) && String(colors[0]) !== String(colors[1]), `neighbours differ: ${colors}`);
    equal(await colorAt(page, x(rows[200].guide_end_us) - 4, LANE_MIDDLE + 7), [194, 65, 12, 255], 'colour of the chosen one');
    for (const i of [183, 200, 243])
      check((await point(middle(rows[i]))).includes(`L${rows[i].layer_id} of pass 3`), `row ${i}`);
    /* The wheel keeps what is beneath the pointer; dragging moves. */
    const anchor = middle(rows[220]);
    await point(anchor);
    await page.mouse.wheel(0, -300);
    await until(async () => (await page.getAttribute('#timeline-canvas', 'aria-label')) !== '', 'a label');
    check((await page.textContent('#hover')).includes(`L${rows[220].layer_id} of pass 3`), 'beneath the pointer');
    view = {left: anchor - base - (anchor - base - view.left) * Math.exp(-0.6), span: view.span * Math.exp(-0.6)};
    check((await point(middle(rows[222]))).includes(`L${rows[222].layer_id} of pass 3`), 'after zooming');
    await page.mouse.move(box.x + 600, box.y + LANE_MIDDLE);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + LANE_MIDDLE, {steps: 5});
    await page.mouse.up();
    view.left += 100 * view.span / width;
    check((await point(middle(rows[222]))).includes(`L${rows[222].layer_id} of pass 3`), 'after dragging');
    check((await page.textContent('#readout')).startsWith(`L${rows[200].layer_id}`), 'dragging chooses nothing');
    const label = () => page.getAttribute('#timeline-canvas', 'aria-label');
    const labels = [await label()];
    for (const key of ['+', '-', 'PageDown', 'PageUp', '0']) {
      await page.keyboard.press(key);
      labels.push(await label());
    }
    equal([labels[2], labels[4]], [labels[0], labels[0]], 'minus undoes plus, page up undoes page down');
    check(new Set(labels).size === 4, `labels: ${labels}`);
  });
});

test('a thousand passes', async () => {
  const {path} = made('thousand', {passes: 1000, layers: 142});
  await withPage([path], async (page) => {
    equal(await page.textContent('#rail-tree [aria-level="1"] .time'), '142,000', 'guides');
    check(await page.locator('*').count() < 2000, `${await page.locator('*').count()} elements`);
    const took = await page.evaluate(async () => {
      const canvas = document.getElementById('timeline-canvas');
      const begin = performance.now();
      for (let i = 0; i < 60; i++) {
        canvas.dispatchEvent(new KeyboardEvent('keydown', {key: i < 20 ? '+' : i < 40 ? 'ArrowDown' : '-', cancelable: true}));
        await new Promise((done) => requestAnimationFrame(done));
      }
      return (performance.now() - begin) / 60;
    });
    check(took < 500, `${took.toFixed(1)} ms a frame`);
    await page.focus('#rail-tree');
    await page.keyboard.press('End');
    check((await page.textContent('#readout')).startsWith('Pass 999'), await page.textContent('#readout'));
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('End');
    check((await page.textContent('#readout')).startsWith('L141 of pass 999'), await page.textContent('#readout'));
    equal(await page.textContent(`#${await page.getAttribute('#rail-tree', 'aria-activedescendant')} .name`), 'L141', 'for screen readers');
  });
});

test('several tracks', async () => {
  const {path, report} = made('tracks', {passes: 3, layers: 4, tracks: ['decode', 'draft']});
  await withPage([path, '--ui', ui.origin], async (page) => {
    equal(await page.$$eval('#rail-tree [aria-level="1"] .name', (all) => all.map((e) => e.textContent)), ['decode', 'draft'], 'tracks');
    equal(await page.locator('#facts dl').count(), 2, 'facts');
    await page.selectOption('#table-track', '1');
    const stand = await handOver(page, 'window');
    await page.click('#tab-table');
    await page.locator('#table [role=gridcell]').nth(2).click();
    equal(await lastScroll(stand, 1), seconds(report.tracks[1].layers[2]), 'a click in the table of the second');
    check((await page.textContent('#readout')).startsWith('draft, L2 of pass 0'), 'text');
    const box = await page.locator('#timeline-canvas').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + LANE_MIDDLE + 50);
    check((await page.textContent('#hover')).includes('draft, L'), 'the second lane');
    if (options.pictures)
      await page.screenshot({path: join(options.pictures, 'tracks.png')});
  });
});

test('no report, and wrong ones', async () => {
  const path = join(folder, 'alone.json');
  writeFileSync(path, '{"traceEvents": []}');
  await withPage([path, '--ui', ui.origin], async (page) => {
    check(/no report/.test(await page.textContent('#message')), 'text');
    equal(await page.locator('#rail').isVisible(), false, 'rail');
    await handOver(page, 'here');
  });
  const wrong = [['[', 'not JSON'], ['[]', 'no object'], ['{"schema_version": 2}', 'schema_version'], ['{"schema_version": 1}', 'no layers'],
    ['{"schema_version": 1, "layers": [{}]}', 'layers[0] has no layer_id'],
    ['{"schema_version": 1, "layers": [{"layer_id": 0, "pass_index": 0, "guide_start_us": 2, "guide_end_us": 1}]}', 'layers[0] has no span']];
  for (const [content, words] of wrong) {
    writeFileSync(`${path}.layers.json`, content);
    await withPage([path], async (page) => check((await page.textContent('#message')).includes(words), `${content}: ${await page.textContent('#message')}`));
  }
  writeFileSync(`${path}.layers.json`, '{"schema_version": 1, "layers": []}');
  await withPage([path], async (page) => check(/no guides/.test(await page.textContent('#message')), 'an empty one'));
});

test('names that are markup', async () => {
  const evil = '</script><script>alert(1)</script><img src=x onerror=alert(2)>';
  const {path} = annotated(`${evil.replaceAll('/', '&#47;')}"'`, '.json', evil);
  const report = JSON.parse(readFileSync(`${path}.layers.json`));
  for (const key of ['notice', 'phase', 'track_name', 'anchor_regex', 'pid', 'device'])
    report[key] = evil;
  report.layers[0].anchor_name = evil;
  writeFileSync(`${path}.layers.json`, JSON.stringify(report));
  await withPage([path, '--ui', ui.origin], async (page) => {
    equal(await page.textContent('#trace-name'), path.slice(folder.length + 1), 'name');
    const facts = await page.textContent('#facts');
    check(facts.split(evil).length >= 6, 'the texts stand as they are');
    await page.click('#rail-tree [aria-level="3"]');
    await page.click('#tab-table');
    equal([await page.locator('img').count(), await page.locator('script').count()], [0, 1], 'images and scripts');
    await handOver(page, 'here');
    /* The policy holds even against code that does put markup in. */
    const refused = await page.evaluate(() => {
      try {
        document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(3)>');
        return false;
      } catch (error) {
        return error instanceof TypeError;
      }
    });
    check(refused, 'markup from text is refused');
    page.trouble = page.trouble.filter((line) => !line.includes('TrustedHTML'));
  });
});

test('by keyboard, in light and dark', async () => {
  const {path} = annotated('keys');
  const backs = {};
  for (const scheme of ['light', 'dark'])
    await withPage([path, '--ui', ui.origin], async (page) => {
      const reached = [];
      for (let i = 0; i < 14; i++) {
        await page.keyboard.press('Tab');
        reached.push(await page.evaluate(() => document.activeElement.id));
        const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
        check(reached[i] === '' || ring !== 'none', `no focus is seen on ${reached[i]}`);
      }
      for (const id of ['rail-tree', 'timeline-canvas', 'zoom-in', 'tab-table', 'table-value', 'table'])
        check(reached.includes(id), `${id} is not reached: ${reached}`);
      await page.focus('#tab-table');
      await page.keyboard.press('ArrowLeft');
      equal(await page.evaluate(() => document.activeElement.id), 'tab-perfetto', 'tabs by arrow');
      equal(await page.locator('#open-here').isVisible(), true, 'its panel');
      backs[scheme] = [await page.evaluate(() => getComputedStyle(document.body).backgroundColor), (await colorAt(page, 4, 60)).join()];
      if (options.pictures) {
        await page.screenshot({path: join(options.pictures, `idle-${scheme}.png`)});
        await page.focus('#rail-tree');
        await page.keyboard.press('ArrowDown');
        await handOver(page, 'here');
        await page.screenshot({path: join(options.pictures, `handed-${scheme}.png`)});
      }
    }, {colorScheme: scheme});
  check(backs.light[0] !== backs.dark[0] && backs.light[1] !== backs.dark[1], `light and dark are alike: ${JSON.stringify(backs)}`);
});

/* ---- all of them ---------------------------------------------------------------------------------------------------- */

if (options.pictures)
  mkdirSync(options.pictures, {recursive: true});
folder = mkdtempSync(join(tmpdir(), 'layertrack-browser-'));
ui = await startStandIn();
browser = await launch(options);
console.log(`Chromium ${browser.version()}`);
const waiting = tests.filter(({name, quick}) => (!options.only || options.only === name) && (!options.quick || quick));
check(waiting.length > 0, `no test ${options.only}`);
let failed = 0;

/* Each test has a server and a browser context of its own, so a few run side by side. */
async function work() {
  for (let next; (next = waiting.shift()) !== undefined;) {
    const begin = Date.now();
    try {
      await next.run();
      console.log(`ok ${next.name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed++;
      console.log(`FAILED ${next.name}: ${error.message}`);
    }
  }
}

await Promise.all([work(), work(), work()]);
await browser.close();
ui.stop();
rmSync(folder, {recursive: true});
process.exitCode = failed > 0 ? 1 : 0;
