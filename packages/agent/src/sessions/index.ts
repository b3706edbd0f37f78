export type { BrokenEntry } from './broken-entry.ts';
export { checkTail } from './check-tail.ts';
export { dialectFor } from './dialect-for.ts';
export { advance, conflict, type Head, handleAt, newHead, type Row, readHandle, unknownSession } from './head.ts';
export { maskEntry } from './mask-entry.ts';
export { messageText } from './message-text.ts';
export { type OpenResult, openResults } from './open-results.ts';
export { linesOf, type Passage, passagesOf, snippetOf, wordsIn } from './passages.ts';
export { type PostgresOptions, postgres } from './postgres.ts';
export {
  chainHash,
  NO_HASH,
  type SessionEntry,
  type SessionEntryType,
  type SessionTokens,
  type StoredEntry,
  type WindowPlace,
  type WireMessage,
} from './session.ts';
export { sessionArchive } from './session-archive.ts';
export { sessionConversation } from './session-window.ts';
export { type StoreOptions, sqlite } from './sqlite.ts';
export {
  eachEntry,
  eachMessage,
  type FoundMessage,
  type Hit,
  type NewSession,
  type Page,
  type PlacedMessage,
  type ReadOptions,
  type SessionInfo,
  type SessionStore,
} from './store.ts';
export { storeFiles } from './store-files.ts';
export { exportSession, importSessions } from './transfer.ts';
export { type Verified, verifySession } from './verify.ts';
export { databaseLines, isDatabase } from './whole-session-database.ts';
export { forkSession, type SessionWriter, sessionWriter } from './writer.ts';
