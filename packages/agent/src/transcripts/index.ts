export { formOf, type ValueForm } from '@holdfast/sessions/foreign';
export { readSession } from './read-sessions.ts';
export { type ReadOptions, readTranscript } from './read-transcript.ts';
export type { Recording, Remark, TranscriptForm } from './recording.ts';
