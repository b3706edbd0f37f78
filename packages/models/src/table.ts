import { anthropic } from './makers/anthropic.ts';
import { google } from './makers/google.ts';
import type { Maker } from './makers/maker.ts';
import { openai } from './makers/openai.ts';
import type { ModelInfo } from './model.ts';

/** The day on which the table was put together. */
export const MODELS_DATE = '2026-11-15';

/** By the `maker` of providers. The last one knows all models that the others do not. */
export const MODEL_MAKERS: Readonly<Record<string, Maker>> = { anthropic, google, openai };

/** What is known about current models, by id. */
export const MODELS: Readonly<Record<string, ModelInfo>> = Object.fromEntries(
  Object.values(MODEL_MAKERS).flatMap(({ models }) => Object.entries(models).map(([id, row]) => [id, { id, ...row }])),
);
