/* The trace is handed over to a UI, which then follows what is chosen. */
import {execFileSync} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {appendFileSync, createWriteStream, readFileSync, rmSync, truncateSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {check, equal, handOver, launch, open, record, serve, sha256, told, until} from './harness.mjs';
import {startStandIn} from './stand-in/server.mjs';
import {annotated, browser, folder, lastScroll, layerRow, made, options, seconds, test, ui, withPage} from './world.mjs';

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
    console.log('SKIPPED: no folder of real traces');
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

test('passes without length', async () => {
  for (const start of [5000, 1764590400000000000]) {
    const {path, report} = made(`flat-${start}`, {passes: 3, layers: 1, start, point: true});
    await withPage([path, '--ui', ui.origin], async (page) => {
      const stand = await handOver(page, 'window');
      await page.click('#tab-table');
      await page.click('#table [data-pass="1"]');
      const [from, to] = await lastScroll(stand, 1);
      equal(from, report.layers[1].guide_start_us / 1e6, 'start');
      check(to > from, `no wider than a point: ${from} to ${to}`);
      check(/^Pass 1: .*, a point$/.test(await page.textContent('#readout')), await page.textContent('#readout'));
    });
  }
});

test('a UI that loads itself anew', async () => {
  const {path} = annotated('anew');
  await withPage([path, '--ui', ui.origin], async (page) => {
    const stand = await handOver(page, 'here');
    await stand.evaluate(() => { location.hash = '#!/viewer'; });
    await page.click('#tab-table');
    await page.locator('#table [role=gridcell]').nth(1).click();
    await lastScroll(stand, 1);
    await page.click('#tab-perfetto');
    await stand.evaluate(() => location.reload()).catch(() => {});
    check(/lost the trace/.test(await told(page, 'reloaded')), 'text');
    equal(await page.textContent('#open-here'), 'Hand over again, here', 'what to do');
    const second = await handOver(page, 'here');
    equal((await record(second)).traces.length, 1, 'traces');
  });
});

test('an address that is none', async () => {
  const {path} = annotated('nowhere');
  const misled = (page) => page.route('**/about.json', async (route) => {
    const response = await route.fetch();
    await route.fulfill({response, json: {...await response.json(), ui: 'https://ui.perfetto.dev:99999/'}});
  });
  await withPage([path], async (page) => {
    await page.locator('#table [role=gridcell]').nth(1).click();
    check((await page.textContent('#readout')).startsWith('L1 of pass 0'), 'the report is there');
    await page.click('#tab-perfetto');
    check(/ui.perfetto.dev:99999.*another --ui/.test(await told(page, 'failed')), 'text');
    equal([await page.locator('#open-here').isVisible(), await page.locator('#handoff-note a').isVisible()], [false, true],
      'only the file is to be had');
  }, {}, misled);
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
