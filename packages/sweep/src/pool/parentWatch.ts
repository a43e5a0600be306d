/**
 * Runs in a thread of a worker process and ends the process if its parent is gone. The process itself learns of that only between runs, and a
 * run may be endless.
 */

/** [ms] */
const EVERY = 500;

const parent = process.ppid;

function isGone(): boolean {
  if (process.ppid !== parent) return true;
  try {
    process.kill(parent, 0);
    return false;
  } catch {
    return true;
  }
}

setInterval(() => {
  if (isGone()) process.kill(process.pid, 'SIGKILL');
}, EVERY);
