/** Progress of a study: a line that is redrawn on a terminal, occasional lines in a log; failures as they occur. */
import type { Outcome, Progress } from '@tendril-sim/sweep';
import { bad, formatDuration, formatNumber, formatWarning, type Terminal } from '../terminal.ts';

export { bad };

export interface SweepProgress {
  update(state: Progress): void;
  /** A line that stays. */
  note(text: string): void;
  done(): void;
}

/** Number of failures that are listed; further ones are only counted. */
const mostNotes = 20;

export function createSweepProgress(terminal: Terminal, quiet: boolean): SweepProgress {
  const start = performance.now() / 1000;
  let last = start;
  let drawn = false;
  let notes = 0;
  let estimated = false;
  const clear = (): void => {
    if (drawn) terminal.err('\r\u001b[2K');
    drawn = false;
  };
  return {
    update(state) {
      if (quiet) return;
      const now = performance.now() / 1000;
      if (!estimated && state.secondsLeft !== undefined) {
        estimated = true;
        if (!terminal.live)
          terminal.err(
            `  about ${formatDuration(state.secondsLeft)} left, estimated from the first ${state.done} runs\n`,
          );
      }
      if (now - last < (terminal.live ? 0.1 : 5)) return;
      last = now;
      const text = describe(state);
      if (!terminal.live) return terminal.err(`${text}\n`);
      terminal.err(`\r\u001b[2K${text.slice(0, terminal.columns - 1)}`);
      drawn = true;
    },
    note(text) {
      if (quiet) return;
      clear();
      notes++;
      if (notes <= mostNotes) terminal.err(formatWarning(text));
      if (notes === mostNotes) terminal.err(formatWarning('further failures are listed only in the data set'));
    },
    done: clear,
  };
}

function describe({ done, total, failed, secondsLeft, secondsPerRun }: Progress): string {
  const percent = `${Math.floor((100 * done) / total)} %`.padStart(5);
  const rate = secondsPerRun === undefined ? [] : [`${formatNumber(1 / secondsPerRun, 3)} runs/s`];
  const left = secondsLeft === undefined ? [] : [`${formatDuration(secondsLeft)} left`];
  return [`${percent}  ${done} of ${total} runs`, ...rate, ...left, ...(failed > 0 ? [`${failed} failed`] : [])].join(
    '  ',
  );
}

export function formatOutcome({ index, status, message = '' }: Outcome): string {
  const text = message.split('\n')[0];
  return `run ${index} ${status}: ${text.length > 300 ? `${text.slice(0, 297)}…` : text}`;
}
