export { Conversation } from './conversation/conversation.ts';
export { expireConversations, type Keep } from './conversation/expire-conversations.ts';
export { scopeOf } from './conversation/identity.ts';
export type { FittedHistory, IncomingHistory } from './conversation/incoming.ts';
export { type Conversations, type OpenOptions, openConversations } from './conversation/open-conversations.ts';
export type { ConversationParts, ConversationPlace, GivenHistory, KeptView, Spent } from './conversation/parts.ts';
export { dialectFor, isTextOnly } from './conversation/restore/dialect-for.ts';
export { type OpenResult, openResults } from './conversation/restore/open-results.ts';
export type { BegunCall, CallResult, ConversationState } from './conversation/restore/restore-conversation.ts';
export { restoreConversation } from './conversation/restore/restore-conversation.ts';
export {
  boundsOf,
  messageEntry,
  type RequestField,
  type RequestItem,
  readUsage,
  type SessionEntry,
  type SessionEntryType,
  type StoredEntry,
  type WindowPosition,
  type WireMessage,
} from './entry.ts';
export { databaseLines, isDatabase } from './import/session-database.ts';
export { exportSession, importSessions } from './import/transfer.ts';
export type { BrokenEntry } from './log/broken-entry.ts';
export { readHandle } from './log/handles.ts';
export {
  advance,
  conflict,
  type Head,
  type LogRow,
  newHead,
  unknownSession,
} from './log/head.ts';
export { impatientStore } from './log/impatient-store.ts';
export { maskEntry, maskForLog } from './log/mask-entry.ts';
export { forkSession, type SessionWriter, sessionWriter } from './log/writer.ts';
export { type PostgresOptions, postgres } from './postgres/postgres.ts';
export { findConversation, type Reach } from './recall/find-conversation.ts';
export { messageText } from './recall/message-text.ts';
export { linesOf, type Passage, passagesOf, snippetOf, wordsIn } from './recall/passages.ts';
export { type RecalledMessages, recalledText, recallHandle } from './recall/recall-handle.ts';
export { type RecalledImage, recalledImages } from './recall/recalled-images.ts';
export { sessionArchive } from './recall/session-archive.ts';
export { requestAt, requestNumber, type SentRequest } from './requests/request-at.ts';
export { createRequestRecorder, type RequestRecorder } from './requests/request-recorder.ts';
export type { RequestStretch } from './requests/text-recorder.ts';
export { type Salvaged, salvageStore } from './salvage/salvage.ts';
export { checkFile, type FileProblems, rebuildIndexes } from './sqlite/check-file.ts';
export { type SqliteOptions, type StoreOptions, sqlite, storeFiles } from './sqlite/sqlite.ts';
export {
  type ConversationKind,
  eachEntry,
  eachMessage,
  type FoundMessage,
  type Hit,
  isConversation,
  type Moment,
  type NewSession,
  type Page,
  type PlacedMessage,
  type ReadOptions,
  type SessionInfo,
  type SessionKind,
  type SessionStore,
} from './store.ts';
export { checkEdge, checkTail } from './verify/check-tail.ts';
export { type Verified, verifySession } from './verify/verify.ts';
