/** Stands in every body that is answered: no model said this. Clients leave fields alone that they do not know. */
export const NO_MODEL = { stand_in: 'no model: a script answered' } as const;
