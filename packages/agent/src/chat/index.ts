export type { ContextUse, FileChange } from '../providers/provider.ts';
export { resumeProblem } from '../session/wire-format.ts';
export type { ChatBounds } from './bounds.ts';
export type { Approval, Chat, ChatSetup, Restored, ShownMessage, Speaker, ToolRequest } from './chat.ts';
export { openChat } from './open-chat.ts';
export { offeredCommand, type Permission, type Permissions, permits } from './permissions.ts';
