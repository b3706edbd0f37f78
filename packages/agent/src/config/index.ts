export { commentedConfig, flow } from './commented-config.ts';
export {
  type Claim,
  type ExecutionConfig,
  type HoldfastConfig,
  type LoadedConfig,
  PROVIDER_TYPES,
  type ProviderConfig,
  type ProviderType,
  type SessionsConfig,
  type SkillsConfig,
  type ToolsConfig,
  type ValidationConfig,
  type ValueSource,
} from './config.ts';
export { CONFIG_NAMES } from './config-names.ts';
export { configText, hiddenConfig, sourceText } from './config-text.ts';
export { parseConversations } from './conversation-configs.ts';
export { findConfigFile, shownPath } from './find-file.ts';
export { isHarmless } from './harmless-keys.ts';
export { withoutIdleKeys } from './idle-keys.ts';
export { type FlagValue, type LoadOptions, loadConfig } from './load-config.ts';
export { stateFolder, trustFile, userConfigFile, userFolder } from './own-folder.ts';
export { nearest } from './suggest.ts';
