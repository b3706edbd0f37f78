import { isHoldfastError } from 'holdfast';
import { z } from 'zod';
import type { ModelOverrides } from '../models/model.ts';
import { readModels } from '../models/read-models.ts';

const PLACE = /^models\["[\s\S]*?"\]((?:\.\w+|\[\d+\])*):? ?([\s\S]*)$/;

/** `models` of a configuration, by the checks of `readModels`: the first problem of each model, with its path. */
export const modelsSchema: z.ZodType<ModelOverrides> = z.record(z.string(), z.unknown()).transform((data, context) => {
  for (const [id, row] of Object.entries(data)) {
    try {
      readModels({ [id]: row });
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      const [, place = '', message = error.message] = PLACE.exec(error.message) ?? [];
      const path = place.split(/[.[\]]+/).filter((step) => step !== '');
      context.issues.push({ code: 'custom', message, path: [id, ...path], input: row });
    }
  }
  return data as ModelOverrides;
});
