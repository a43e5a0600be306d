/** The simulation, beside the page: reads scenes, runs them, answers. */
import { editSceneText, formatScene, type RecordingHeader, sceneJsonSchema } from '@tendril-sim/io';
import type { Answer, Ask, Command, LaneInfo, Progress, Request, RequestKind, ToWorker } from '../protocol.ts';
import { fetchCase } from './caseFiles.ts';
import { check, preview } from './checks.ts';
import { attach, attachedFiles, openStage } from './groom/hold.ts';
import { send } from './post.ts';
import { readScene } from './reading.ts';
import { hairsOf, load, operate, rest, restart, runningLane, runUntil, takeHand } from './running.ts';

/** The recording that was opened last. */
let recorded: { readonly world: RecordingHeader; readonly info: LaneInfo } | undefined;

/** An answer, and what of it is transferred. */
type Reply<K extends RequestKind> = Answer<K> | { readonly reply: Answer<K>; readonly transfer: Transferable[] };
type Handler<K extends RequestKind> = (
  body: Ask<K>,
  report: (progress: Progress) => void,
) => Reply<K> | Promise<Reply<K>>;

const buffersOf = (frames: readonly { readonly lanes: readonly { readonly data: Float32Array }[] }[]): ArrayBuffer[] =>
  frames.flatMap(({ lanes }) => lanes.map(({ data }) => data.buffer as ArrayBuffer));

const handlers: { readonly [K in RequestKind]: Handler<K> } = {
  schema: () => sceneJsonSchema(),
  // only when it is wanted: a head of hair is twenty thousand lines
  'case-text': async ({ id }) => {
    const subject = await fetchCase(id);
    if (!subject) throw new Error(`there is no case '${id}'`);
    return { text: formatScene(subject.scene()) };
  },
  load,
  'check-text': ({ text, name }) => {
    const result = readScene(text, name, attachedFiles());
    return { problems: 'problems' in result ? result.problems : [] };
  },
  edit: ({ text, edits }) => ({ text: editSceneText(text, edits) }),
  operate,
  hairs: ({ run, guides }) => {
    const data = hairsOf(run, guides);
    return { reply: { data }, transfer: [data.buffer as ArrayBuffer] };
  },
  attach: async ({ files }) => {
    await attach(files);
    return null;
  },
  groom: async (action) => {
    const reply = (await openStage()).act(action);
    return { reply, transfer: reply.frame ? buffersOf([reply.frame]) : [] };
  },
  check,
  preview: async ({ id, patience }) => {
    const reply = await preview(id, patience);
    return { reply, transfer: [reply.data.buffer as ArrayBuffer] };
  },
  import: async ({ bytes, name }) => (await import('./files.ts')).importFile(new Uint8Array(bytes), name),
  export: async ({ format, frames, recorded: fromRecording }) => {
    const { exportRun } = await import('./files.ts');
    const running = fromRecording ? undefined : runningLane();
    const source = fromRecording ? recorded?.world : running?.lane.world;
    const info = fromRecording ? recorded?.info : running?.lane.info;
    if (!source || !info) throw new Error('there is no run to save');
    const hairs = running?.lane.hairsOf;
    return { parts: exportRun({ source, info, frames, lane: running?.index ?? 0, ...(hairs && { hairs }) }, format) };
  },
  recording: async ({ bytes, name }) => {
    const { readRecording } = await import('./recording.ts');
    const { header, ...reply } = readRecording(bytes, name);
    recorded = { world: header, info: reply.loaded.lanes[0] };
    return { reply, transfer: buffersOf(reply.frames) };
  },
};

async function answer<K extends RequestKind>(id: number, kind: K, body: Ask<K>): Promise<void> {
  try {
    const result = await handlers[kind](body, (progress) => send({ type: 'progress', id, ...progress }));
    if (result !== null && typeof result === 'object' && 'reply' in result)
      send({ type: 'answer', id, body: result.reply }, result.transfer);
    else send({ type: 'answer', id, body: result as Answer<K> });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    send({
      type: 'error',
      id,
      message,
      isFetch: /dynamically imported module|Failed to fetch|Importing a module/i.test(message),
    });
  }
}

function obey(command: Command): void {
  switch (command.type) {
    case 'until':
      runUntil(command);
      break;
    case 'restart':
      restart(command.run);
      break;
    case 'rest':
      rest(command.run);
      break;
    case 'hand':
      takeHand(command.run, command.hand);
      break;
  }
}

/** Messages one after the other, also where one waits for a part of the program that is fetched. */
const inbox: ToWorker[] = [];
let isReading = false;

async function readInbox(): Promise<void> {
  isReading = true;
  for (let message = inbox.shift(); message; message = inbox.shift()) {
    if (message.type === 'request') await answer(message.id, message.kind, message.body as Ask<Request['kind']>);
    else obey(message);
  }
  isReading = false;
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  inbox.push(data);
  if (!isReading) void readInbox();
});
