import { describe, test } from 'vitest';
import { anthropic, openaiChat, openaiResponses } from '../src/index.ts';
import { testDialect } from '../src/testing/index.ts';
import { anthropicFixture } from './fixtures/anthropic.ts';
import { openaiChatFixture } from './fixtures/openai-chat.ts';
import { openaiResponsesFixture } from './fixtures/openai-responses.ts';

describe('thinking is bound', () => testDialect(anthropic(), anthropicFixture, test));
describe('thinking is free', () => testDialect(anthropic({ thinking: 'free' }), anthropicFixture, test));
describe('thinking is nowhere', () => testDialect(openaiChat(), openaiChatFixture, test));
describe('responses are several items', () => testDialect(openaiResponses(), openaiResponsesFixture, test));
