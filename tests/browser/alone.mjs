/* What the page shows without a UI, against the report. */
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {check, equal, handOver, until} from './harness.mjs';
import {annotated, folder, lastScroll, made, options, seconds, test, ui, withPage} from './world.mjs';

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

/** Until the page has drawn; a page that hangs fails rather than the whole run. */
async function drawn(page) {
  const done = page.evaluate(() => new Promise((ready) => requestAnimationFrame(() => setTimeout(ready))));
  const late = new Promise((_, fail) => setTimeout(fail, 10000, new Error('the page hangs')));
  await Promise.race([done, late]);
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

test('the rail says what the table says', async () => {
  const {path, report: {layers}} = made('rail', {passes: 2, layers: 3});
  await withPage([path], async (page) => {
    const rail = () => page.$$eval('#rail-tree .time', (all) => all.slice(1).map((time) => time.textContent));
    const starts = [0, 0, 1, 2, 3].map((i) => text(layers[i].start_relative_ms));
    equal([await page.textContent('#rail-heading'), await rail()], ['start, ms', starts], 'starts');
    await page.selectOption('#table-value', 'duration');
    const lengths = [[0, 2], [0, 0], [1, 1], [2, 2], [3, 5]].map(([a, b]) => text((layers[b].guide_end_us - layers[a].guide_start_us) / 1000));
    equal([await page.textContent('#rail-heading'), await rail()], ['length, ms', lengths], 'lengths');
    await page.selectOption('#table-value', 'start');
    equal([await page.textContent('#rail-heading'), await rail()], ['start, ms', starts], 'starts again');
  });
});

/** The cells in sight whose text does not fit. */
function clipped(page) {
  return page.$$eval('#table .cell', (all) => all.filter((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const [text, box] = [range.getBoundingClientRect(), cell.getBoundingClientRect()];
    return text.width > 0 && (text.left < box.left + 4 || text.right > box.right - 4);
  }).map((cell) => cell.textContent));
}

test('long lengths in the table', async () => {
  for (const us of [1234567, 1234567891, 12345678901234]) {
    let at = 1000;
    /* The exact times of the kernels are other ones, of fractions of a microsecond. */
    const {path} = made(`long-${us}`, {passes: 3, layers: 4}, (report) => report.layers.forEach((row) => {
      Object.assign(row, {guide_start_us: at, guide_end_us: at + us, start_relative_ms: (at - 0.4) / 1000, end_relative_ms: (at + us + 0.4) / 1000});
      at += us;
    }));
    await withPage([path], async (page) => {
      equal(await clipped(page), [], `starts cut off, ${us}`);
      await page.selectOption('#table-value', 'duration');
      equal([...new Set((await cells(page)).map((cell) => cell[2]))], [text(us / 1000)], 'lengths');
      equal(await clipped(page), [], `lengths cut off, ${us}`);
    });
  }
});

test('a hundred thousand passes', async () => {
  const {path} = made('many', {passes: 100000, layers: 1});
  await withPage([path], async (page) => {
    await page.focus('#table');
    await page.keyboard.press('Control+End');
    equal(await page.textContent('#table [role=row]:last-child [role=rowheader]'), 'Pass 99999', 'the last one');
    equal(await clipped(page), [], 'cut off');
  });
});

test('a pass that lacks a layer', async () => {
  const {path, report} = made('gap', {passes: 3, layers: 4}, ({layers}) => layers.splice(4, 1));
  await withPage([path], async (page) => {
    const wanted = report.layers.map((row) => [row.pass_index, row.layer_id, text(row.start_relative_ms)]);
    equal(await cells(page), wanted, 'each value in the column of its layer');
    await page.click('#table [data-guide="1"]');
    await page.keyboard.press('ArrowDown');
    check((await page.textContent('#readout')).startsWith('L1 of pass 1'), 'down a column');
  });
});

test('a pass chosen for the table', async () => {
  const {path} = made('chosen', {passes: 1000, layers: 61});
  await withPage([path], async (page) => {
    const now = async () => (await page.textContent('#readout')).split(':')[0];
    await page.$eval('#rail-tree', (rail) => rail.scrollTo(0, 600 * 26));
    await page.locator('#rail-tree .name', {hasText: /^Pass 545$/}).click();
    equal(await page.textContent('#cell-active'), 'Pass 545', 'the table follows the rail');
    const [head, table] = [await page.locator('#cell-active').boundingBox(), await page.locator('#table').boundingBox()];
    check(head.y > table.y && head.y + head.height <= table.y + table.height + 1, 'in sight');
    await page.focus('#table');
    const went = [];
    for (const key of ['ArrowDown', 'ArrowUp', 'ArrowRight', 'ArrowRight', 'ArrowDown']) {
      await page.keyboard.press(key);
      went.push(await now());
    }
    equal(went, ['Pass 546', 'Pass 545', 'L0 of pass 545', 'L1 of pass 545', 'L1 of pass 546'], 'arrow keys');
    await page.locator('#table [role=rowheader]').nth(3).click();
    await page.keyboard.press('End');
    check((await now()).startsWith('L60 of pass 5'), await now());
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

/** What is written on the canvas, once it is drawn anew: [text, x, y]. */
async function written(page) {
  await page.evaluate(() => {
    const {fillText} = CanvasRenderingContext2D.prototype;
    window.texts = [];
    CanvasRenderingContext2D.prototype.fillText = function note(text, x, y) {
      window.texts.push([text, x, y]);
      fillText.call(this, text, x, y);
    };
  });
  await page.click('#zoom-all');
  await drawn(page);
  await drawn(page);
  return page.evaluate('window.texts');
}

test('guides without length have names', async () => {
  const {path, report: {layers}} = made('pointed', {passes: 2, layers: 3, point: true});
  await withPage([path], async (page) => {
    const box = await page.locator('#timeline-canvas').boundingBox();
    const names = (await written(page)).filter(([text]) => text.startsWith('L')).sort((a, b) => a[1] - b[1]);
    equal(names.map(([text]) => text), ['L0', 'L1', 'L2', 'L0', 'L1', 'L2'], 'names, from left to right');
    const whole = layers[5].guide_end_us - layers[0].guide_start_us;
    const x = (us) => MARGIN + ((us - layers[0].guide_start_us) / whole + 0.01) / 1.02 * (box.width - 2 - 2 * MARGIN);
    check(Math.abs(names[2][1] - x(layers[2].guide_start_us) - 4) < 1, `behind the point: ${names[2]}`);
    check(names[5][1] < x(layers[5].guide_start_us), `in front of it, where there is no room behind: ${names[5]}`);
  });
});

test('lines of the axis and names of passes', async () => {
  const {path} = made('lines', {passes: 2, layers: 3});
  await withPage([path], async (page) => {
    /* Between the passes, in the row of their names, and below it. */
    const middle = (await page.locator('#timeline-canvas').boundingBox()).width / 2;
    const lines = (await written(page)).filter(([text]) => text.endsWith('ms')).map(([, at]) => Math.round(at - 4.5));
    const between = lines.reduce((a, b) => (Math.abs(b - middle) < Math.abs(a - middle) ? b : a));
    equal(String(await colorAt(page, between, 30)), '255,255,255,255', 'in the row of names');
    check(String(await colorAt(page, between, LANE_MIDDLE)) !== '255,255,255,255', 'in the row of guides');
  });
});

test('a narrow window', async () => {
  const {path} = made('narrow', {passes: 2, layers: 3});
  await withPage([path], async (page) => {
    const fits = await page.$eval('#facts', (facts) => facts.scrollHeight <= facts.clientHeight + 1);
    check(fits, 'the notice is cut off');
    const caption = await page.locator('#table-caption').boundingBox();
    check(caption.height < 60, `the caption takes ${caption.height} px`);
    equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'as wide as the window');
    check((await page.locator('#rail').boundingBox()).height > 120 && await page.locator('#table').isVisible(), 'the rest');
  }, {viewport: {width: 420, height: 850}});
});

test('times far from the origin', async () => {
  for (const [name, start, wide] of [['us', 1764590400000001, 3840], ['ns', 1764590400000000000, 1360], ['late', 2 ** 62, 1360]]) {
    const {path, report} = made(`far-${name}`, {passes: 2, layers: 300, start, origin: 0});
    await withPage([path], async (page) => {
      const label = () => page.getAttribute('#timeline-canvas', 'aria-label');
      await page.focus('#timeline-canvas');
      await page.keyboard.press('Home');
      for (let i = 0; i < 45; i++) {
        await page.keyboard.press('+');
        await drawn(page);
      }
      const closest = await label();
      const [, from, to] = /from (.*) to (.*)/.exec(closest);
      check(from !== to, `${name}: ${closest}`);
      check((await page.textContent('#readout')).startsWith(`L0 of pass 0: from ${text(report.layers[0].start_relative_ms)} ms`), name);
      await page.keyboard.press('+');
      equal(await label(), closest, `${name}: no closer, and nothing moves`);
    }, {viewport: {width: wide, height: 850}});
  }
});

test('a thousand passes', async () => {
  const {path} = made('thousand', {passes: 1000, layers: 142});
  await withPage([path], async (page) => {
    equal(await page.textContent('#rail-tree [aria-level="1"] .time'), '142,000 guides', 'guides');
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
    /* Another track in the table, while a guide of the second is chosen. */
    const inTable = async () => [await page.inputValue('#table-track'), (await cells(page))[0][2]];
    const first = ['0', text(report.tracks[0].layers[0].start_relative_ms)];
    await page.selectOption('#table-track', '0');
    equal(await inTable(), first, 'the first track');
    await page.click('#tab-perfetto');
    await page.click('#tab-table');
    await drawn(page);
    equal(await inTable(), first, 'still the first track');
    await page.selectOption('#table-track', '1');
    equal(await page.textContent('#cell-active'), text(report.tracks[1].layers[2].start_relative_ms), 'the chosen one');
  });
});

/** A report of one guide in which this is different. */
function oneRow(row, rest = {}) {
  return JSON.stringify({schema_version: 1, trace_origin_us: 0, ...rest,
    layers: [{layer_id: 0, pass_index: 0, guide_start_us: 10, guide_end_us: 20, start_relative_ms: 0.01, ...row}]});
}

test('no report, and wrong ones', async () => {
  const path = join(folder, 'alone.json');
  writeFileSync(path, '{"traceEvents": []}');
  await withPage([path, '--ui', ui.origin], async (page) => {
    check(/no report/.test(await page.textContent('#message')), 'text');
    check(!/layer/.test(await page.textContent('#handoff-title') + await page.textContent('#handoff-text')), 'of layers that are not there');
    equal(await page.locator('#rail').isVisible(), false, 'rail');
    await handOver(page, 'here');
    check(!/layer/.test(await page.textContent('#handoff-text')), 'nor once it is handed over');
  });
  const wrong = [['[', 'not JSON'], ['[]', 'no object'], ['{"schema_version": 2}', 'schema_version'], ['{"schema_version": 1}', 'no layers'],
    ['{"schema_version": 1, "layers": [{}]}', 'layers[0] has no layer_id'],
    ['{"schema_version": 1, "tracks": []}', 'no tracks'],
    [oneRow({guide_end_us: 9}), 'layers[0] has no span'], [oneRow({guide_start_us: -1.7e308}), 'layers[0] has no span'],
    [oneRow({start_relative_ms: undefined}), 'layers[0] has no start_relative_ms'],
    [oneRow({start_relative_ms: '0.01'}), 'layers[0] has no start_relative_ms'],
    [oneRow({start_relative_ms: 1e22}), 'layers[0] has no start_relative_ms'],
    [oneRow({}, {trace_origin_us: -1e300}), 'trace_origin_us'], [oneRow({}, {trace_origin_us: '0'}), 'trace_origin_us']];
  for (const [content, words] of wrong) {
    writeFileSync(`${path}.layers.json`, content);
    await withPage([path], async (page) => {
      check((await page.textContent('#message')).includes(words), `${content}: ${await page.textContent('#message')}`);
      check(await page.locator('#open-here').isVisible() && !await page.locator('#rail').isVisible(), `${content}: the trace alone`);
    });
  }
  writeFileSync(`${path}.layers.json`, '{"schema_version": 1, "layers": []}');
  await withPage([path], async (page) => check(/no guides/.test(await page.textContent('#message')), 'an empty one'));
});

test('a report of another trace', async () => {
  const {path, report} = made('other', {passes: 2, layers: 3});
  await withPage([path], async (page) => {
    equal(await page.textContent('#facts dl'), 'Sourcemade.jsonPhasedecodeEvidencemadeAnchorrotary, pid 7, device 0', 'facts');
    equal(await page.locator('#doubt').isVisible(), false, 'nothing speaks against it');
  });
  writeFileSync(`${path}.layers.json`, JSON.stringify({...report, insert_bytes: 1000}));
  await withPage([path], async (page) => {
    const [said, timeline] = [page.locator('#doubt'), await page.locator('#timeline').boundingBox()];
    equal(await said.textContent(), 'The report\'s guides are not in this trace: it is as long as what was annotated, 19 bytes, and the ' +
      'annotated trace has 1019 bytes.', 'the source');
    check((await said.boundingBox()).y < timeline.y, 'above the timeline');
  });
  writeFileSync(`${path}.layers.json`, JSON.stringify({...report, source_bytes: 12345}));
  await withPage([path], async (page) => {
    check(/^The report is of another trace.* 12345 bytes, this one 19; do not rely/.test(await page.textContent('#doubt')), 'another');
    equal(await page.getAttribute('#doubt', 'role'), 'alert', 'role');
  });
});

test('a page that fails at the report', async () => {
  const {path} = annotated('failing');
  const fails = (page) => page.addInitScript(() => {
    window.ResizeObserver = class {
      constructor() {
        throw new Error('planned');
      }
    };
  });
  await withPage([path, '--ui', ui.origin], async (page) => {
    equal(await page.textContent('#message'), 'The report cannot be shown: planned.', 'text');
    for (const id of ['rail', 'facts', 'timeline', 'tab-table'])
      equal(await page.locator(`#${id}`).isVisible(), false, id);
    await handOver(page, 'here');
  }, {}, fails);
});

test('a server that ends before the report', async () => {
  const {path} = annotated('ended');
  const ends = (page, server) => page.route('**/report.json', async (route) => {
    await server.stop();
    await route.continue();
  });
  await withPage([path], async (page) => {
    const said = await page.textContent('#message');
    check(/does not answer any more.*Start layertrack serve again/.test(said), said);
  }, {}, ends);
});

test('names that are markup', async () => {
  const evil = '</script><script>alert(1)</script><img src=x onerror=alert(2)>';
  const {path} = annotated(`${evil.replaceAll('/', '&#47;')}"'`, '.json', evil);
  const report = JSON.parse(readFileSync(`${path}.layers.json`));
  for (const key of ['notice', 'source_file', 'phase', 'track_name', 'anchor_regex', 'pid', 'device'])
    report[key] = evil;
  report.layers[0].anchor_name = evil;
  writeFileSync(`${path}.layers.json`, JSON.stringify(report));
  await withPage([path, '--ui', ui.origin], async (page) => {
    equal(await page.textContent('#trace-name'), path.slice(folder.length + 1), 'name');
    const facts = await page.textContent('#facts');
    check(facts.split(evil).length >= 7, 'the texts stand as they are');
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

/** Where the words of a text stand from left to right, the last of each. */
function places(page, selector, words) {
  return page.$eval(selector, (element, wanted) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const found = {};
    for (let node; (node = walker.nextNode()) !== null;)
      for (const word of wanted) {
        const at = node.data.indexOf(word);
        if (at < 0)
          continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        found[word] = range.getBoundingClientRect().left;
      }
    return Object.keys(found).sort((a, b) => found[a] - found[b]);
  }, words);
}

test('texts that turn round', async () => {
  const {path} = made('bidi', {passes: 2, layers: 3, tracks: ['a', 'b']}, (report) => {
    for (const track of report.tracks)
      Object.assign(track, {phase: `${track.phase}\u202e\u2067cba`, anchor_regex: '\u2069\u202egfe', pid: '\u202ekji', device: '\u202enml'});
  });
  await withPage([path], async (page) => {
    equal(await places(page, '#facts-summary', [' · ', ': 2 passes', 'layers']), [' · ', ': 2 passes', 'layers'], 'summary');
    equal(await places(page, '#facts dl:nth-of-type(1) dd:last-child', [', pid', ', device']), [', pid', ', device'], 'anchor');
    await page.click('#table [data-guide="1"]');
    equal(await places(page, '#readout', ['L1', 'from', 'long']), ['L1', 'from', 'long'], 'readout');
    const box = await page.locator('#timeline-canvas').boundingBox();
    await page.mouse.move(box.x + box.width * 0.08, box.y + LANE_MIDDLE);
    await until(async () => (await page.textContent('#hover')) !== '', 'something beneath the pointer');
    equal(await places(page, '#hover', [' of pass', 'from', 'long']), [' of pass', 'from', 'long'], 'beneath the pointer');
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
