/**
 * Runs commands of the built command line one after the other, for tests: loading its modules takes longer than most commands. Each message holds
 * the folder and the arguments; the answer holds what a process would have left.
 */
import { runCommand } from '../../packages/cli/dist/main.js';

process.on('message', async (/** @type {{ cwd: string, args: string[] }} */ { cwd, args }) => {
  let [out, err] = ['', ''];
  const terminal = {
    out: (/** @type {string} */ text) => {
      out += text;
    },
    err: (/** @type {string} */ text) => {
      err += text;
    },
    live: false,
    columns: 80,
  };
  try {
    process.chdir(cwd);
    const code = await runCommand([process.execPath, 'tendril', ...args], terminal);
    process.send?.({ code, out, err });
  } catch (error) {
    process.send?.({ code: null, out, err: err + String(error) });
  }
});
process.on('disconnect', () => process.exit());
