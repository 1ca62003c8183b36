/* What every test here needs: options, the stand-in, a browser, traces with reports, and a served page. */
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {parseArgs} from 'node:util';

import {check, equal, launch, open, record, serve, until} from './harness.mjs';
import {makeReport} from './reports.mjs';
import {startStandIn} from './stand-in/server.mjs';

export const {values: options} = parseArgs({
  options: {
    ...Object.fromEntries(['layertrack', 'fixtures', 'traces', 'modules', 'chromium', 'pictures', 'only', 'big']
                              .map((name) => [name, {type: 'string'}])),
    quick: {type: 'boolean'},
  },
});
export const tests = [];
/* For all tests; set by start(). */
export let folder;
export let ui;
export let browser;

export async function start() {
  if (options.pictures)
    mkdirSync(options.pictures, {recursive: true});
  folder = mkdtempSync(join(tmpdir(), 'layertrack-browser-'));
  ui = await startStandIn();
  browser = await launch(options);
  console.log(`Chromium ${browser.version()}`);
}

export async function stop() {
  await browser.close();
  ui.stop();
  rmSync(folder, {recursive: true});
}

export function test(name, run, more = {}) {
  tests.push({name, run, ...more});
}

/** A fixture, annotated: two passes of two layers, the last of each closed by a terminal. */
export function annotated(name = 'decode', suffix = '.json', evidence = 'made with one rotary embedding a layer') {
  const output = join(folder, `${name}${suffix}`);
  execFileSync(options.layertrack, ['annotate', join(options.fixtures, 'decode.json'), '-o', output, '--anchor-regex',
    'rotary_embedding_kernel', '--num-layers', '2', '--anchor-offset', '0', '--passes', '2', '--end-anchor-regex',
    'cross_device_reduce', '--phase', 'decode', '--evidence', evidence]);
  return {path: output, report: JSON.parse(readFileSync(`${output}.layers.json`))};
}

/** A made-up report beside a small file; `change` may alter it. */
export function made(name, shape, change = () => {}) {
  const path = join(folder, `${name}.json`);
  const report = makeReport(shape);
  change(report);
  writeFileSync(path, '{"traceEvents": []}');
  writeFileSync(`${path}.layers.json`, JSON.stringify(report));
  return {path, report};
}

/** Runs `use` with a server and its page; nothing may have gone wrong in the page, or in the server. */
export async function withPage(args, use, context, prepare) {
  const server = await serve(options, ...args);
  let page;
  try {
    page = await open(browser, server, context, (blank) => prepare?.(blank, server));
    await use(page, server);
    equal(page.trouble, [], 'trouble in the page');
  } finally {
    await page?.context().close();
    await server.stop();
  }
}

export function seconds(row) {
  return [row.guide_start_us / 1e6, row.guide_end_us / 1e6];
}

export async function lastScroll(frame, number) {
  await until(async () => (await record(frame)).scrolls.length >= number, `${number} scroll messages`);
  const {scrolls} = await record(frame);
  equal(scrolls.length, number, 'scroll messages');
  const {timeStart, timeEnd, viewPercentage} = scrolls[number - 1];
  check(viewPercentage > 0 && viewPercentage <= 1, `viewPercentage ${viewPercentage}`);
  return [timeStart, timeEnd];
}

export function layerRow(page, layer) {
  return page.locator('#rail-tree [aria-level="3"]', {has: page.locator('.name', {hasText: new RegExp(`^L${layer}$`)})}).first();
}
