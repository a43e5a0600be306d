/** The simulation, beside the page: reads scenes, runs them, answers. */
import { cases } from 'virtual:cases';
import { availableModels } from '@tendril-sim/core';
import { editSceneText, formatScene, type RecordingHeader, sceneJsonSchema } from '@tendril-sim/io';
import type { LaneInfo, ToWorker } from '../protocol.ts';
import { fetchCase } from './caseFiles.ts';
import { check, preview } from './checks.ts';
import { attach, attachedFiles, openStage } from './groom/hold.ts';
import { send } from './post.ts';
import { readScene } from './reading.ts';
import { load, operate, rest, restart, runningLane, runUntil, takeHand } from './running.ts';

/** The recording that was opened last. */
let recorded: { readonly world: RecordingHeader; readonly info: LaneInfo } | undefined;

/** Of the run, or of the recording that is open. */
async function exportFrames(message: Extract<ToWorker, { type: 'export' }>): Promise<void> {
  const { ticket, frames, format } = message;
  const { exportRun } = await import('./files.ts');
  const running = message.recorded ? undefined : runningLane();
  const source = message.recorded ? recorded?.world : running?.lane.world;
  const info = message.recorded ? recorded?.info : running?.lane.info;
  try {
    if (!source || !info) throw new Error('there is no run to save');
    send({ type: 'exported', ticket, parts: exportRun(source, info, frames, running?.index ?? 0, format) });
  } catch (error) {
    send({ type: 'exported', ticket, parts: [], error: error instanceof Error ? error.message : String(error) });
  }
}

async function handle(message: ToWorker): Promise<void> {
  switch (message.type) {
    case 'cases':
      send({
        type: 'cases',
        models: availableModels(),
        schema: sceneJsonSchema(),
        cases,
      });
      break;
    case 'case-text': {
      // only when it is wanted: a head of hair is twenty thousand lines
      const subject = await fetchCase(message.id);
      send({ type: 'case-text', ticket: message.ticket, text: subject ? formatScene(subject.scene()) : '' });
      break;
    }
    case 'load':
      await load(message);
      break;
    case 'check-text': {
      const result = readScene(message.text, message.name, attachedFiles());
      send({ type: 'checked-text', ticket: message.ticket, problems: 'problems' in result ? result.problems : [] });
      break;
    }
    case 'edit':
      send({ type: 'edited', ticket: message.ticket, text: editSceneText(message.text, message.edits) });
      break;
    case 'until':
      runUntil(message);
      break;
    case 'restart':
      restart(message.run);
      break;
    case 'rest':
      rest();
      break;
    case 'attach':
      await attach(message.files);
      break;
    case 'groom': {
      const answer = (await openStage()).act(message.action);
      const moved = answer.frame?.lanes.map(({ data }) => data.buffer as ArrayBuffer) ?? [];
      send({ type: 'groomed', ticket: message.ticket, ...answer }, moved);
      break;
    }
    case 'hand':
      takeHand(message.hand);
      break;
    case 'operate':
      operate(message);
      break;
    case 'check':
      await check(message);
      break;
    case 'preview':
      await preview(message.ticket, message.id, message.patience);
      break;
    case 'import': {
      const { importFile } = await import('./files.ts');
      send({ type: 'imported', ticket: message.ticket, ...importFile(new Uint8Array(message.bytes), message.name) });
      break;
    }
    case 'export':
      await exportFrames(message);
      break;
    case 'recording': {
      const { readRecording } = await import('./recording.ts');
      const { header, ...result } = readRecording(message.bytes, message.name);
      const [info] = result.loaded?.lanes ?? [];
      recorded = header && info && { world: header, info };
      send(
        { type: 'recording', ticket: message.ticket, ...result },
        result.frames.flatMap(({ lanes: each }) => each.map(({ data }) => data.buffer as ArrayBuffer)),
      );
      break;
    }
  }
}

/** Messages one after the other, also where one waits for a part of the program that is fetched. */
const inbox: ToWorker[] = [];
let reading = false;

async function readInbox(): Promise<void> {
  reading = true;
  for (let message = inbox.shift(); message; message = inbox.shift()) {
    try {
      await handle(message);
    } catch (error) {
      send({ type: 'broken', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }
  reading = false;
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  inbox.push(data);
  if (!reading) void readInbox();
});
