/** Packages that only some studies need: loaded when they are, with a message that says how to install a missing one. */
import { InputError } from '@tendril-sim/io';

export async function loadOptional<T>(name: string, purpose: string): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new InputError(purpose, `needs the package '${name}', which is not installed: npm install ${name}`, {
      cause: error,
    });
  }
}
