// Loaded into a process before its program. With MACHINE=busy, time passes as on a machine that is much too busy, and timers fire at once.
const { performance } = require('node:perf_hooks');
const timers = require('node:timers');

const isBusy = process.env.MACHINE === 'busy';
const now = performance.now.bind(performance);
let added = 0;
performance.now = () => {
  if (isBusy) added += 1_000;
  return now() + added;
};
for (const name of ['setTimeout', 'setInterval']) {
  const start = timers[name];
  timers[name] = (work, ms, ...values) => start(work, isBusy ? 1 : ms, ...values);
  globalThis[name] = timers[name];
}
