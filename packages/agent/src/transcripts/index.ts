export { formOf, type ValueForm } from './form.ts';
export { readSession } from './read-sessions.ts';
export { type ReadOptions, readTranscript } from './read-transcript.ts';
export type { Recording, Remark, TranscriptForm } from './recording.ts';
