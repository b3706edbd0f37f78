export { formOf, type ValueForm } from '@holdfast/sessions/foreign';
export { type ReadOptions, readTranscript } from './read-transcript.ts';
export type { Recording, Remark, TranscriptForm } from './recording.ts';
export { readSession } from './sessions.ts';
