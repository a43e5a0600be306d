/** Pictures become a file: a WebM film that the browser encodes, or numbered PNGs in a ZIP. */
import { encodePng } from './still.ts';
import { type EncodedPicture, muxWebm, type WebmTrack } from './webm.ts';
import { zip } from './worker/zip.ts';

export type FilmFormat = 'webm' | 'zip';

export interface FilmSize {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
}

export interface FilmWriter {
  /** The next picture, RGBA. */
  add(pixels: Uint8Array): Promise<void>;
  finish(): Promise<Blob>;
  close(): void;
}

/** Bits per pixel and picture: smooth shading without visible blocks. */
const density = 0.2;
/** Pictures from one key picture to the next. */
const keyEvery = 60;

const codecs = [
  ['vp09.00.40.08', 'V_VP9'],
  ['vp8', 'V_VP8'],
] as const;

const configOf = (codec: string, { width, height, fps }: FilmSize): VideoEncoderConfig => ({
  codec,
  width,
  height,
  framerate: fps,
  bitrate: Math.round(density * width * height * fps),
});

/** The codec in which this browser encodes films of that size, if any. */
export async function findCodec(size: FilmSize): Promise<(typeof codecs)[number] | undefined> {
  if (typeof VideoEncoder === 'undefined') return undefined;
  for (const pair of codecs) {
    const { supported } = await VideoEncoder.isConfigSupported(configOf(pair[0], size)).catch(() => ({
      supported: false,
    }));
    if (supported) return pair;
  }
  return undefined;
}

export async function createFilmWriter(format: FilmFormat, size: FilmSize, name: string): Promise<FilmWriter> {
  if (format === 'zip') return createZipWriter(size, name);
  const found = await findCodec(size);
  if (!found) throw new Error('this browser encodes no WebM of this size; numbered pictures work everywhere');
  return createWebmWriter(found[0], { ...size, codec: found[1] });
}

function createZipWriter({ width, height }: FilmSize, name: string): FilmWriter {
  const files: { name: string; bytes: Uint8Array }[] = [];
  return {
    async add(pixels) {
      const blob = await encodePng(pixels, width, height);
      const number = String(files.length).padStart(4, '0');
      files.push({ name: `${name}-${number}.png`, bytes: new Uint8Array(await blob.arrayBuffer()) });
    },
    finish: async () => new Blob(zip(files) as BlobPart[], { type: 'application/zip' }),
    close() {},
  };
}

function createWebmWriter(codec: string, track: WebmTrack): FilmWriter {
  const { width, height, fps } = track;
  const pictures: EncodedPicture[] = [];
  let failure: Error | undefined;
  let count = 0;
  const encoder = new VideoEncoder({
    output(chunk) {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      pictures.push({ bytes, time: chunk.timestamp / 1000, isKey: chunk.type === 'key' });
    },
    error(error) {
      failure = error;
    },
  });
  encoder.configure(configOf(codec, track));
  return {
    async add(pixels) {
      if (failure) throw failure;
      const timestamp = Math.round((count * 1e6) / fps);
      const frame = new VideoFrame(pixels as BufferSource, {
        format: 'RGBA',
        codedWidth: width,
        codedHeight: height,
        timestamp,
        duration: Math.round(1e6 / fps),
      });
      encoder.encode(frame, { keyFrame: count % keyEvery === 0 });
      frame.close();
      count++;
    },
    async finish() {
      await encoder.flush();
      if (failure) throw failure;
      return new Blob(muxWebm(track, pictures) as BlobPart[], { type: 'video/webm' });
    },
    close() {
      if (encoder.state !== 'closed') encoder.close();
    },
  };
}
