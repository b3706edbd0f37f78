import { text, texts } from '../../config/row.ts';

/** Keys of the configuration for providers that run a program. */
export interface ProgramSettings {
  readonly program?: string;
  readonly args: readonly string[];
}

/** Their rows. `name`: of the program. */
export function programRows(name: string) {
  return {
    program: text('the name or path of a program', {
      about: 'The program to run.',
      otherwise: `\`${name}\``,
      example: name,
    }),
    args: texts('a list of arguments', { about: 'Extra arguments for the program.', default: [] }),
  };
}
