export type { ServerDefinition } from '../providers/definition.ts';
export {
  DEFAULT_PROVIDER,
  dialectOf,
  formatChoice,
  KEY_VARIABLES,
  keepsConversation,
  PROVIDER_TYPES,
  type ProviderType,
  providerOf,
} from '../providers/index.ts';
// For files written like holdfast.yml, such as crew.yml:
export { commandSlots } from '../tools/commands/command-tool.ts';
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
export { configText, hiddenConfig, sourceText } from './config-text.ts';
export { parseConversations } from './conversation-configs.ts';
export { credentialsFile, credentialsText, readCredentials } from './credentials.ts';
export {
  CONFIG_NAMES,
  findConfigFile,
  isConfigName,
  readConfigFile,
  shownPath,
  stateFolder,
  trustFile,
  userConfigFile,
  userFolder,
} from './files.ts';
export { type FoundKey, findKey, missingKey } from './find-key.ts';
export { withoutIdleKeys } from './idle-keys.ts';
export { TREE } from './keys.ts';
export { type FlagValue, isHarmless, type LoadOptions, loadConfig } from './load-config.ts';
export { cleanName, problemsError, shown } from './problem.ts';
export { readYaml } from './read-document.ts';
export { type ModelsFile, parseModels, readModels } from './read-models.ts';
export { type Row, rowKinds } from './row.ts';
export { holdsKey, KEY_ADVICE, namesKey } from './secrets.ts';
export { type ChosenProvider, setProvider } from './set-provider.ts';
export { nearest } from './suggest.ts';
export { tokenBudget } from './token-budget.ts';
