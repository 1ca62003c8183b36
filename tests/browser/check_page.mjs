/*
 * The page of `layertrack serve` in a real Chromium, with a stand-in for the Perfetto UI on another loopback origin.
 *
 *   check_page.mjs --layertrack BIN --fixtures DIR --modules DIR --chromium BIN [--traces DIR] [--pictures DIR] [--quick]
 *                  [--only NAME] [--big BYTES]
 */
import {check} from './harness.mjs';
import {options, start, stop, tests} from './world.mjs';

import './with_perfetto.mjs';
import './alone.mjs';

await start();
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
await stop();
process.exitCode = failed > 0 ? 1 : 0;
