export type { ContextUse } from '../providers/provider.ts';
export type { ChatBounds } from './bounds.ts';
export type { Approval, Chat, ChatSetup, Restored, Said, Speaker, ToolRequest } from './chat.ts';
export { hindranceOf } from './going-on.ts';
export { openChat } from './open-chat.ts';
