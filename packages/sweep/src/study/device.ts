/** Rejects devices before they are read: /dev/zero has no end. */
import { statSync } from 'node:fs';
import { InputError } from '@tendril-sim/io';

/** Throws InputError if the path is a device; `what` should be there, such as "a study". */
export function refuseDevice(path: string, what: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isCharacterDevice() || stats?.isBlockDevice())
    throw new InputError(path, `this is a device, not a file; name ${what}`);
}
