import { describe, test } from 'vitest';
import { aiSdk, anthropic, gemini, openaiChat, openaiResponses } from '../src/index.ts';
import { testDialect } from '../src/testing/index.ts';
import { aiSdkFixture } from './fixtures/ai-sdk.ts';
import { anthropicFixture } from './fixtures/anthropic.ts';
import { geminiFixture } from './fixtures/gemini.ts';
import { openaiChatFixture } from './fixtures/openai-chat.ts';
import { openaiResponsesFixture } from './fixtures/openai-responses.ts';

describe('thinking is bound', () => testDialect(anthropic(), anthropicFixture, test));
describe('thinking is free', () => testDialect(anthropic({ thinking: 'free' }), anthropicFixture, test));
describe('thinking is nowhere', () => testDialect(openaiChat(), openaiChatFixture, test));
describe('reasoning is bound', () => testDialect(aiSdk(), aiSdkFixture, test));
describe('reasoning is free', () => testDialect(aiSdk({ thinking: 'free' }), aiSdkFixture, test));
describe('thoughts are signed', () => testDialect(gemini(), geminiFixture, test));
describe('a response is several items', () => testDialect(openaiResponses(), openaiResponsesFixture, test));
