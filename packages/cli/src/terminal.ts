/**
 * Output to the user: text on standard output and error, a progress line, tables.
 *
 * Results go to standard output, everything else to standard error, so that a pipe receives only results. Colours and a progress bar appear only on a
 * terminal; a log file gets a few plain lines.
 */
import pc from 'picocolors';

export interface Terminal {
  out(content: string): void;
  err(content: string): void;
  /** Whether standard error is a terminal that can redraw a line. */
  readonly live: boolean;
  readonly columns: number;
}

export function processTerminal(): Terminal {
  return {
    out: (content) => void process.stdout.write(process.stdout.isTTY ? keepColors(content) : content),
    err: (content) => void process.stderr.write(process.stderr.isTTY ? keepColors(content) : content),
    live: process.stderr.isTTY === true && process.env.TERM !== 'dumb' && !process.env.CI,
    // some terminals report 0 if the width is unknown
    columns: process.stderr.columns || 80,
  };
}

export function formatError(content: string): string {
  return `${pc.bold(pc.red('error:'))} ${escapeControls(content)}\n`;
}

export function formatWarning(content: string): string {
  return `${pc.yellow('warning:')} ${escapeControls(content)}\n`;
}

/** Text for a person, parts of which may come from a file: removes control sequences except colours and those of the progress bar. */
export function keepColors(content: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to find
  const steering = /\u001b\[(?:[0-9;]*m|2K)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
  return content.replace(steering, (found) => (found.length > 1 ? found : escapeControls(found)));
}

/** Control characters as \\u001b and the like. (As in @tendril-sim/io, which the main thread does not load.) */
function escapeControls(content: string): string {
  return content.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to find
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export const dim: (content: string) => string = pc.dim;
export const bold: (content: string) => string = pc.bold;
export const good: (content: string) => string = pc.green;
export const doubtful: (content: string) => string = pc.yellow;
export const bad: (content: string) => string = pc.red;

/** 12 s, 3 min 5 s, 2 h 10 min. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '?';
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Enough digits to read, no more: 0.25, 1.234e-7, 12.35. */
export function formatNumber(value: number, digits = 4): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-3 && magnitude < 1e6) return String(Number(value.toPrecision(digits)));
  return value
    .toExponential(digits - 1)
    .replace(/\.?0+e/, 'e')
    .replace('e+', 'e');
}

export interface ProgressState {
  /** 0…1 */
  readonly fraction: number;
  /** Simulated time [s]. */
  readonly time: number;
  readonly end: number;
  /** Newton iterations per step since the last report. */
  readonly iterations: number;
  /** Progress of a search for equilibria, which has no speed, such as "equilibrium 3 of 21". */
  readonly reached?: string;
}

export interface Progress {
  update(state: ProgressState): void;
  /** Removes the bar, so that other text can follow. */
  done(): void;
}

const silent: Progress = { update: () => {}, done: () => {} };

export function createProgress(
  terminal: Terminal,
  quiet: boolean,
  now: () => number = () => performance.now() / 1000,
): Progress {
  if (quiet) return silent;
  const start = now();
  let first: { wall: number; time: number; fraction: number } | undefined;
  let lastWall = start;
  let lastFraction = 0;
  let drawn = false;

  const describe = (state: ProgressState, wall: number): string => {
    const from = first ?? { wall: start, time: state.time, fraction: state.fraction };
    const speed = (state.time - from.time) / (wall - from.wall);
    const eta = ((1 - state.fraction) * (wall - from.wall)) / (state.fraction - from.fraction);
    const percent = `${Math.floor(state.fraction * 100)} %`.padStart(5);
    const known = wall > from.wall && state.fraction > from.fraction;
    const { reached } = state;
    const parts = [
      reached ?? `t = ${formatNumber(state.time)} of ${formatNumber(state.end)} s`,
      ...(known && reached === undefined ? [`${formatNumber(speed, 2)}× real time`] : []),
      ...(known ? [`${formatDuration(eta)} left`] : []),
      `${formatNumber(state.iterations, 2)} iterations${reached === undefined ? '/step' : ''}`,
    ];
    return `${percent}  ${parts.join('  ')}`;
  };

  return {
    update(state) {
      const wall = now();
      first ??= { wall: start, time: state.time, fraction: state.fraction };
      if (terminal.live) {
        if (wall - lastWall < 0.1 && state.fraction < 1) return;
        lastWall = wall;
        drawn = true;
        const words = describe(state, wall);
        const room = Math.min(30, terminal.columns - words.length - 4);
        const bar = room >= 8 ? `${drawBar(state.fraction, room)} ` : '';
        terminal.err(`\r\u001b[2K${bar}${words.slice(0, Math.max(10, terminal.columns - 1))}`);
        return;
      }
      // a log: a line every tenth, and one every five seconds for those who watch it
      const tenth = Math.floor(state.fraction * 10 + 1e-9) > Math.floor(lastFraction * 10 + 1e-9);
      if ((tenth && wall - lastWall > 0.5) || wall - lastWall >= 5) {
        lastWall = wall;
        lastFraction = state.fraction;
        terminal.err(`${describe(state, wall)}\n`);
      }
    },
    done() {
      if (drawn) terminal.err('\r\u001b[2K');
      drawn = false;
    },
  };
}

function drawBar(fraction: number, room: number): string {
  const eighths = Math.round(fraction * room * 8);
  const full = Math.floor(eighths / 8);
  const part = eighths % 8 === 0 ? '' : '▏▎▍▌▋▊▉'[(eighths % 8) - 1];
  return pc.cyan('█'.repeat(full) + part) + pc.dim('·'.repeat(Math.max(0, room - full - (part === '' ? 0 : 1))));
}

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Columns of equal width, a rule below the titles. Colours do not count as width. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map(({ title }, k) => Math.max(visible(title), ...rows.map((row) => visible(row[k] ?? ''))));
  const cell = (content: string, k: number): string => {
    const fill = ' '.repeat(widths[k] - visible(content));
    return columns[k].align === 'left' ? content + fill : fill + content;
  };
  const join = (cells: readonly string[]): string => `  ${cells.map(cell).join('  ')}`.trimEnd();
  return [
    pc.dim(join(columns.map(({ title }) => title))),
    pc.dim(`  ${widths.map((width) => '─'.repeat(width)).join('  ')}`),
    ...rows.map(join),
    '',
  ].join('\n');
}

function visible(content: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of colours begin with one
  return [...content.replace(/\u001b\[[0-9;]*m/g, '')].length;
}
