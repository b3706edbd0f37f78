import { type Recording, type Remark, readSession, readTranscript } from '@holdfast/agent/transcripts';
import type { Context } from '../context.ts';
import type { StoreFlags } from '../sessions/open-store.ts';
import type { FoundFile } from './find-files.ts';

/** Where conversations come from: files, and sessions of a store. */
export interface Sources extends StoreFlags {
  readonly files: readonly FoundFile[];
  readonly sessions: readonly string[];
}

/** A conversation in its place among all. */
export interface Placed {
  readonly order: Order;
  readonly recording: Recording;
}

/** Which file or session, and which conversation in it. */
export type Order = readonly [source: number, conversation: number];

/** Told while sources are read. */
export interface Listener {
  onRemark(source: number, remark: Remark): void;
  onBytes(bytes: number): void;
}

/** All conversations, those of large files first, so that no thread is left with the largest at the end. */
export async function* conversations(sources: Sources, context: Context, listener: Listener): AsyncGenerator<Placed> {
  const largestFirst = sources.files
    .map((file, source) => ({ file, source }))
    .sort((a, b) => b.file.bytes - a.file.bytes || a.source - b.source);
  for (const { file, source } of largestFirst) {
    let number = 0;
    for await (const recording of readFile(file, source, listener)) yield { order: [source, number++], recording };
  }
  if (sources.sessions.length === 0) return;
  const { withStore } = await import('../sessions/open-store.ts');
  for (const [at, id] of sources.sessions.entries()) {
    const source = sources.files.length + at;
    const recording = await withStore(sources, context, async (store) =>
      readSession(store, (await store.find(id)).id, (remark) => listener.onRemark(source, remark)),
    );
    if (recording) yield { order: [source, 0], recording };
  }
}

/** A file that cannot be read is told of; the others are read. */
async function* readFile({ path, name }: FoundFile, source: number, listener: Listener): AsyncGenerator<Recording> {
  const onRemark = (remark: Remark) => listener.onRemark(source, { ...remark, file: name });
  try {
    yield* readTranscript(path, { name, onRemark, onBytes: (bytes) => listener.onBytes(bytes) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    onRemark({ file: name, line: 0, reason: `cannot read the file (${code})`, count: 1 });
  }
}
