/** Progress of a command that works for minutes: in per cent, with the time that is left. */
import { formatDuration, type Terminal } from './terminal.ts';

/** Time between lines of progress that are not on a terminal [s]. */
const LINE_SECONDS = 10;

/** A line of progress on a terminal; elsewhere one line per picture of a film, and every ten seconds. `now`: in seconds. */
export function createPercentage(
  terminal: Terminal,
  count: number,
  now: () => number = () => performance.now() / 1000,
) {
  const start = now();
  let lastLine = start;
  return {
    show(index: number, fraction: number): void {
      const elapsed = now() - start;
      const part = (index + fraction) / count;
      if (!(part > 0) || (!terminal.live && now() - lastLine < LINE_SECONDS)) return;
      lastLine = now();
      const which = count > 1 ? `picture ${index + 1} of ${count}, ` : '';
      const text = `${which}${Math.floor(100 * part)} %, ${formatDuration(elapsed * (1 / part - 1))} left`;
      terminal.err(terminal.live ? `\r\u001b[2K${text}` : `${text}\n`);
    },
    finish(index: number): void {
      if (!terminal.live && count > 1) terminal.err(`picture ${index + 1} of ${count}\n`);
    },
    clear(): void {
      if (terminal.live) terminal.err('\r\u001b[2K');
    },
  };
}
