import { z } from 'zod';
import type { ModelOverrides } from '../models/model.ts';
import { modelProblem } from '../models/read-models.ts';

/** Checks `models` of a configuration as `readModels` does: reports the first problem of each model, with its path. */
export const modelsSchema: z.ZodType<ModelOverrides> = z.record(z.string(), z.unknown()).transform((data, context) => {
  for (const [id, row] of Object.entries(data)) {
    const { text, path = [] } = modelProblem(row) ?? {};
    if (text) context.issues.push({ code: 'custom', message: text, path: [id, ...path], input: row });
  }
  return data as ModelOverrides;
});
