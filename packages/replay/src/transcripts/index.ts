export { formOf, type ValueForm } from '@holdfast/sessions/foreign';
export { readTranscript, type TranscriptOptions } from './read-transcript.ts';
export type { Recording, TranscriptForm, TranscriptRemark } from './recording.ts';
export { readSession } from './sessions.ts';
