/* What the tests of the page stand on: a browser, a served trace, comparisons. */
import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {createReadStream, readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
               '--disable-component-update', '--disable-sync'];

export function check(condition, text) {
  if (!condition)
    throw new Error(text);
}

export function equal(got, wanted, text) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  check(a === b, `${text}: ${a}, not ${b}`);
}

/** Until `probe` gives something true. */
export async function until(probe, text, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await probe();
    if (value)
      return value;
    check(Date.now() < end, `not within ${seconds} s: ${text}`);
    await new Promise((done) => setTimeout(done, 30));
  }
}

export async function sha256(path) {
  const hash = createHash('sha256');
  for await (const block of createReadStream(path, {highWaterMark: 1 << 20}))
    hash.update(block);
  return hash.digest('hex');
}

export async function launch(options, more = {}) {
  const {chromium} = await import(pathToFileURL(join(options.modules, 'node_modules/playwright-core/index.mjs')));
  return chromium.launch({executablePath: options.chromium, args: FLAGS, ...more});
}

/** `layertrack serve`, running. */
export async function serve(options, ...args) {
  const child = spawn(options.layertrack, ['serve', ...args], {stdio: ['ignore', 'pipe', 'pipe']});
  const server = {child, said: '', ended: once(child, 'exit')};
  child.stderr.on('data', (data) => { server.said += data; });
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), server.ended.then(() => [''])]);
  check(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/.test(line), `no address: ${line} ${server.said}`);
  server.url = line;
  server.memory = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]);
  server.stop = async () => {
    if (child.exitCode === null && child.signalCode === null)
      child.kill('SIGTERM');
    const [code, signal] = await server.ended;
    check(code === 0 || signal === 'SIGTERM', `serve ended with ${code ?? signal}: ${server.said}`);
  };
  return server;
}

/**
 * The page of a server, ready. What goes wrong in it is in page.trouble; what leaves this machine, in page.outside.
 * `prepare` gets the page before there is anything in it.
 */
export async function open(browser, server, context = {}, prepare = () => {}) {
  const surroundings = await browser.newContext({viewport: {width: 1360, height: 850}, ...context});
  const page = await surroundings.newPage();
  page.trouble = [];
  page.outside = [];
  page.on('pageerror', (error) => page.trouble.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    page.trouble.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML|Refused to/.test(message.text()))
      page.trouble.push(`policy: ${message.text()}`);
  });
  surroundings.on('request', (request) => {
    if (new URL(request.url()).host !== new URL(server.url).host && !request.url().startsWith('data:'))
      page.outside.push(request.url());
  });
  await prepare(page);
  await page.goto(server.url);
  await page.waitForSelector('body[data-ready]');
  return page;
}

export function state(page) {
  return page.getAttribute('#handoff', 'data-state');
}

/** The stand-in's record, in a frame or a window of its own. */
export async function record(ui) {
  return ui.evaluate('record');
}

/** What a user is told about the hand-over, once it is in a state. */
export async function told(page, wanted, seconds = 20) {
  let now;
  await until(async () => (now = await state(page)) === wanted, `state ${wanted}`, seconds).catch((error) => {
    throw new Error(`${error.message}, but ${now}`);
  });
  return page.textContent('#handoff-text');
}

/** Opens the UI in the page or a window; returns it once it has a trace with its hash. */
export async function handOver(page, how) {
  let ui;
  if (how === 'here') {
    await page.click('#tab-perfetto');
    await page.click('#open-here');
    ui = await until(() => page.frames().find((frame) => frame !== page.mainFrame() && frame.url().startsWith('http')), 'a frame');
  } else {
    await page.click('#tab-perfetto');
    [ui] = await Promise.all([page.waitForEvent('popup'), page.click('#open-window')]);
  }
  await told(page, 'handed', 60);
  await until(async () => (await record(ui)).traces[0]?.sha256, 'the hash of the trace', 60);
  return ui;
}
