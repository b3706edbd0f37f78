export type {
  Approval,
  Chat,
  ChatSetup,
  ContextUse,
  Restored,
  Said,
  Speaker,
  ToolRequest,
} from './chat.ts';
