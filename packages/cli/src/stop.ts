/** Why a simulation stopped early, and its exit code. */
import { SceneError, SimulationError, StoppedError } from '@tendril-sim/core';
import type { InputError, Stop } from '@tendril-sim/io';
import { WriteError } from '@tendril-sim/io/node';
import { exitCode } from './exit.ts';

export interface EarlyStop {
  readonly stop: Stop;
  readonly code: number;
}

/** For an error during a run, whose frames and state are worth keeping; rethrows other errors. */
export function explainStop(error: unknown, time: number, explain: (error: SceneError) => InputError): EarlyStop {
  if (error instanceof SimulationError) {
    const rod = error.rod === '' ? {} : { rod: error.rod };
    return { stop: { reason: error.message, time, remedy: error.remedy, ...rod }, code: exitCode.failed };
  }
  // Ctrl-C within a step: the world is in its state before the step
  if (error instanceof StoppedError) return interruptedStop(time, 'continue with --resume STATE');
  // a formula may fail only at a later time
  if (error instanceof SceneError)
    return {
      stop: { reason: explain(error).message, time, remedy: 'correct the scene and run it again' },
      code: exitCode.badInput,
    };
  if (error instanceof WriteError)
    return {
      stop: { reason: error.message, time, remedy: 'then continue with --resume STATE' },
      code: exitCode.badInput,
    };
  throw error;
}

export function interruptedStop(time: number, remedy: string): EarlyStop {
  return { stop: { reason: 'interrupted', time, remedy }, code: exitCode.interrupted };
}
