export type { ServerDefinition } from '../providers/definition.ts';
export {
  DEFAULT_PROVIDER,
  dialectOf,
  KEY_VARIABLES,
  keepsConversation,
  missingKey,
  PROVIDER_TYPES,
  type ProviderType,
  providerOf,
} from '../providers/index.ts';
// For files written like holdfast.yml, such as crew.yml:
export { checkValue } from './check-value.ts';
export { commentedConfig, flow } from './commented-config.ts';
export type {
  Claim,
  ExecutionConfig,
  HoldfastConfig,
  LoadedConfig,
  ProviderConfig,
  SessionsConfig,
  SkillsConfig,
  ToolsConfig,
  ValidationConfig,
  ValueSource,
} from './config.ts';
export { CONFIG_NAMES } from './config-names.ts';
export { configText, hiddenConfig, sourceText } from './config-text.ts';
export { parseConversations } from './conversation-configs.ts';
export { findConfigFile, readConfigFile, shownPath } from './find-file.ts';
export { isHarmless } from './harmless-keys.ts';
export { withoutIdleKeys } from './idle-keys.ts';
export { type FlagValue, type LoadOptions, loadConfig } from './load-config.ts';
export { stateFolder, trustFile, userConfigFile, userFolder } from './own-folder.ts';
export { type Parsed, parseYaml } from './parse-yaml.ts';
export { cleanName, type Problem, problemsError, shown } from './problem.ts';
export { nodeAt } from './read-document.ts';
export { type Row, text, texts, time, truth, whole, word } from './row.ts';
export { TREE } from './rows.ts';
export { holdsKey, KEY_ADVICE, namesKey } from './secrets.ts';
export { nearest } from './suggest.ts';
