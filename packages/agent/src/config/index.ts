export { commentedConfig } from './commented-config.ts';
export {
  type ExecutionConfig,
  type HoldfastConfig,
  type LoadedConfig,
  PROVIDER_TYPES,
  type ProviderConfig,
  type ProviderType,
  type SkillsConfig,
  type ToolsConfig,
  type ValidationConfig,
  type ValueSource,
} from './config.ts';
export { configText, hiddenConfig, sourceText } from './config-text.ts';
export { parseConversations } from './conversation-configs.ts';
export { findConfigFile, shownPath } from './find-file.ts';
export { withoutIdleKeys } from './idle-keys.ts';
export { type FlagValue, type LoadOptions, loadConfig } from './load-config.ts';
export { nearest } from './suggest.ts';
