import * as s from '../../../rules/shape.ts';

const DATA = s.fields(s.each(s.text, 'mimeType?', 'data?', 'displayName?'));
const FILE = s.fields(s.each(s.text, 'mimeType?', 'fileUri?', 'displayName?'));
const MEDIA = { 'inlineData?': DATA, 'fileData?': FILE, 'mediaProcessing?': s.anything };

const CALL = s.fields({
  ...s.each(s.text, 'id?', 'name'),
  'args?': s.object,
  'partialArgs?': s.listOf(s.object),
  'willContinue?': s.flag,
});
const RESPONSE = s.fields({
  ...s.each(s.text, 'id?', 'name', 'scheduling?'),
  'response?': s.object,
  'parts?': s.listOf(s.fields(MEDIA)),
  'willContinue?': s.flag,
});

const PART = s.fields({
  ...MEDIA,
  ...s.each(s.text, 'text?', 'thoughtSignature?'),
  'thought?': s.flag,
  'functionCall?': CALL,
  'functionResponse?': RESPONSE,
  ...s.each(s.object, 'executableCode?', 'codeExecutionResult?', 'toolCall?', 'toolResponse?', 'audioTranscription?'),
  ...s.each(s.object, 'videoMetadata?', 'partMetadata?', 'speechMetadata?'),
  'mediaResolution?': s.anything,
});

/** One of the contents. Its parts are checked by the rules for contents, too. */
export const GEMINI_CONTENT: s.Shape = s.fields({ 'role?': s.anything, 'parts?': s.listOf(PART) });

const FUNCTION = s.fields({
  ...s.each(s.text, 'name', 'description?', 'behavior?'),
  ...s.each(s.object, 'parameters?', 'response?'),
  ...s.each(s.anything, 'parametersJsonSchema?', 'responseJsonSchema?'),
});
const TOOL = s.fields({
  'functionDeclarations?': s.listOf(FUNCTION),
  ...s.each(s.object, 'googleSearch?', 'googleSearchRetrieval?', 'googleMaps?', 'codeExecution?', 'computerUse?'),
  ...s.each(s.object, 'urlContext?', 'fileSearch?'),
  'mcpServers?': s.listOf(s.object),
});

const THINKING = s.fields({ 'includeThoughts?': s.flag, 'thinkingBudget?': s.numeric, 'thinkingLevel?': s.text });
const GENERATION = s.fields({
  ...s.each(s.numeric, 'temperature?', 'topP?', 'topK?', 'presencePenalty?', 'frequencyPenalty?'),
  ...s.each(s.whole(1), 'candidateCount?', 'maxOutputTokens?'),
  ...s.each(s.whole(), 'logprobs?', 'seed?'),
  ...s.each(s.listOf(s.text), 'stopSequences?', 'responseModalities?'),
  ...s.each(s.flag, 'responseLogprobs?', 'enableEnhancedCivicAnswers?'),
  ...s.each(s.text, 'responseMimeType?', 'mediaResolution?'),
  ...s.each(s.object, 'responseSchema?', 'speechConfig?', 'imageConfig?', 'audioTranscriptionConfig?'),
  'responseJsonSchema?': s.anything,
  'thinkingConfig?': THINKING,
});

const CALLING = s.fields({
  'mode?': s.oneOf('MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'),
  'allowedFunctionNames?': s.listOf(s.text),
  'streamFunctionCallArguments?': s.flag,
});

/** The body of generateContent; its contents are checked apart from it. */
export const GEMINI_BODY: s.Shape = s.fields({
  contents: s.anything,
  ...s.each(s.text, 'model?', 'cachedContent?', 'serviceTier?', 'continuationToken?'),
  'systemInstruction?': GEMINI_CONTENT,
  'tools?': s.listOf(TOOL),
  'toolConfig?': s.fields({
    'functionCallingConfig?': CALLING,
    'retrievalConfig?': s.object,
    'includeServerSideToolInvocations?': s.flag,
  }),
  'safetySettings?': s.listOf(s.object),
  'generationConfig?': GENERATION,
  'labels?': s.mapOf(s.text),
  'store?': s.flag,
});
