/** Exit codes, part of the command line's contract: scripts rely on them. */
export const exitCode = {
  done: 0,
  /** A check missed its expectation. */
  missed: 1,
  badInput: 2,
  /** The simulation failed; the recording and the last good state are saved. */
  failed: 3,
  /** With --strict: completed, but contact or equilibrium was not solved to its tolerance. */
  unsolved: 4,
  /** A bug in Tendril (EX_SOFTWARE of sysexits). */
  bug: 70,
  /** 128 + SIGINT, as shells report it. */
  interrupted: 130,
} as const;

/** Invalid use of the command line; the message describes valid use. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** True if an error comes from the operating system: a full disk is not a bug of this program. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

export function describeBug(error: unknown): string {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `this is a bug in tendril; please report it with the scene and this text\n${detail}`;
}
