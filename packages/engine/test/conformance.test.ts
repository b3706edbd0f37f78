import { describe, test } from 'vitest';
import { anthropic, openaiChat } from '../src/index.ts';
import { testDialect } from '../src/testing/index.ts';
import { anthropicFixture } from './fixtures/anthropic.ts';
import { openaiChatFixture } from './fixtures/openai-chat.ts';

describe('thinking is bound', () => testDialect(anthropic(), anthropicFixture, test));
describe('thinking is free', () => testDialect(anthropic({ thinking: 'free' }), anthropicFixture, test));
describe('thinking is nowhere', () => testDialect(openaiChat(), openaiChatFixture, test));
