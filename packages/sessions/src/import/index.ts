export { isTooDeep, MOST_LEVELS, parsedJson } from '../parsed-json.ts';
export { fromModelMessages, isModelMessages, modelNameOf } from './pydantic-messages.ts';
export { databaseLines, isDatabase, isStore } from './session-database.ts';
export { type Fields, fieldsOf, formOf, messagesOf, type ValueForm } from './value-form.ts';
