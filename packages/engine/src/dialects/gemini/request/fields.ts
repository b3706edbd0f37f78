import {
  anything,
  fields,
  flag,
  listOf,
  mapOf,
  numeric,
  object,
  oneOf,
  type Shape,
  text,
  whole,
} from '../../../rules/shape.ts';

/** The rules for fields, with how to fix a violation. */
export const GEMINI_FIELD_RULES = {
  'unknown-parameter': 'Leave the field out.',
  'bad-field': 'Send the field as the API documents it.',
} as const satisfies Readonly<Record<string, string>>;

const DATA = fields({ 'mimeType?': text, 'data?': text, 'displayName?': text });
const FILE = fields({ 'mimeType?': text, 'fileUri?': text, 'displayName?': text });

const PART = {
  'text?': text,
  'thought?': flag,
  'thoughtSignature?': text,
  'functionCall?': fields({
    'id?': text,
    name: text,
    'args?': object,
    'partialArgs?': listOf(object),
    'willContinue?': flag,
  }),
  'functionResponse?': fields({
    'id?': text,
    name: text,
    'response?': object,
    'parts?': listOf(fields({ 'inlineData?': DATA, 'fileData?': FILE, 'mediaProcessing?': anything })),
    'scheduling?': text,
    'willContinue?': flag,
  }),
  'inlineData?': DATA,
  'fileData?': FILE,
  'executableCode?': object,
  'codeExecutionResult?': object,
  'toolCall?': object,
  'toolResponse?': object,
  'audioTranscription?': object,
  'videoMetadata?': object,
  'mediaResolution?': anything,
  'mediaProcessing?': anything,
  'partMetadata?': object,
  'speechMetadata?': object,
};

/** One of the contents. Its parts are checked by the rules for contents, too. */
export const GEMINI_CONTENT: Shape = fields({ 'role?': anything, 'parts?': listOf(fields(PART)) });

const SCHEMA = object;
const TOOL = fields({
  'functionDeclarations?': listOf(
    fields({
      name: text,
      'description?': text,
      'behavior?': text,
      'parameters?': SCHEMA,
      'parametersJsonSchema?': anything,
      'response?': SCHEMA,
      'responseJsonSchema?': anything,
    }),
  ),
  'googleSearch?': object,
  'googleSearchRetrieval?': object,
  'googleMaps?': object,
  'codeExecution?': object,
  'computerUse?': object,
  'urlContext?': object,
  'fileSearch?': object,
  'mcpServers?': listOf(object),
});

const GENERATION = fields({
  'temperature?': numeric,
  'topP?': numeric,
  'topK?': numeric,
  'candidateCount?': whole(1),
  'maxOutputTokens?': whole(1),
  'stopSequences?': listOf(text),
  'responseLogprobs?': flag,
  'logprobs?': whole(),
  'presencePenalty?': numeric,
  'frequencyPenalty?': numeric,
  'seed?': whole(),
  'responseMimeType?': text,
  'responseSchema?': object,
  'responseJsonSchema?': anything,
  'responseModalities?': listOf(text),
  'mediaResolution?': text,
  'speechConfig?': object,
  'thinkingConfig?': fields({ 'includeThoughts?': flag, 'thinkingBudget?': numeric, 'thinkingLevel?': text }),
  'imageConfig?': object,
  'audioTranscriptionConfig?': object,
  'enableEnhancedCivicAnswers?': flag,
});

/** The body of generateContent; its contents are checked apart from it. */
export const GEMINI_BODY: Shape = fields({
  contents: anything,
  'model?': text,
  'systemInstruction?': GEMINI_CONTENT,
  'tools?': listOf(TOOL),
  'toolConfig?': fields({
    'functionCallingConfig?': fields({
      'mode?': oneOf('MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'),
      'allowedFunctionNames?': listOf(text),
      'streamFunctionCallArguments?': flag,
    }),
    'retrievalConfig?': object,
    'includeServerSideToolInvocations?': flag,
  }),
  'safetySettings?': listOf(object),
  'generationConfig?': GENERATION,
  'cachedContent?': text,
  'labels?': mapOf(text),
  'serviceTier?': text,
  'continuationToken?': text,
  'store?': flag,
});
