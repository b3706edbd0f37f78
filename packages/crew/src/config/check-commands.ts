import { basename } from 'node:path';
import { commandSlots, nearest } from '@holdfast/agent/config';
import type { CrewConfig } from './config.ts';
import type { ShapeProblem } from './shape.ts';

const SHELL = /^(?:ba|da|z|k|a)?sh$/;
const LANGUAGE = /^(?:node|python[\d.]*|perl[\d.]*|ruby[\d.]*)$/;
const SHELL_CODE = /^-[a-z]*c[a-z]*$/i;
const LANGUAGE_CODE = /^(?:-[a-z]*[ecp]|--eval|--print)$/i;
const GLUED_CODE = /^(?:-[ecp]|--eval=|--print=)./i;

/** Problems of the crew's commands: a model's text that would run as code, arguments that the command does not use. Pure. */
export function commandProblems({ tools }: Pick<CrewConfig, 'tools'>): ShapeProblem[] {
  return Object.entries(tools).flatMap(([name, tool]): ShapeProblem[] => {
    const path = ['tools', name];
    const slots = commandSlots(tool.command);
    const unused = Object.keys(tool.arguments).filter((key) => !slots.includes(key));
    return [
      ...(name === 'hand_off'
        ? [{ path, text: ': this name is reserved for the tool that hands over: choose another', key: true as const }]
        : []),
      ...[...chosenProgram(tool.command), ...codeSlots(tool.command)].map(({ at, text }) => ({
        path: [...path, 'command', at],
        text,
      })),
      ...unused.map((key) => {
        const meant = nearest(key, slots);
        const advice = meant ? `did you mean ${meant}?` : `add {${key}} to it, or remove the argument`;
        const text = `: the command does not use this argument: ${advice}`;
        return { path: [...path, 'arguments', key], text, key: true as const };
      }),
    ];
  });
}

interface CommandProblem {
  /** Index in the command. */
  readonly at: number;
  readonly text: string;
}

/** Programs that run another one: the next word that is not an option, a variable or a number. */
const RUNNER = /^(?:env|sudo|doas|nice|nohup|timeout|xargs|setsid|stdbuf|exec|time|watch)$/;
const NO_PROGRAM = /^(?:-|\w+=|[\d.]+[smhd]?$)/;

function chosenProgram(command: readonly string[]): CommandProblem[] {
  let at = 0;
  while (RUNNER.test(basename(command[at] ?? ''))) {
    do at++;
    while (NO_PROGRAM.test(command[at] ?? ''));
  }
  const [slot] = commandSlots([command[at] ?? '']);
  const text = `contains {${slot}}, so a call could choose the program: name the program, and let calls pass its arguments`;
  return slot === undefined ? [] : [{ at, text }];
}

/** Slots whose text a shell or an interpreter would run as code. */
function codeSlots(command: readonly string[]): CommandProblem[] {
  const at = command.findIndex((part) => SHELL.test(basename(part)) || LANGUAGE.test(basename(part)));
  // After the file of a program, all arguments are its own.
  if (at < 0 || !command[at + 1]?.startsWith('-')) return [];
  const program = basename(command[at] ?? '');
  const isShell = SHELL.test(program);
  const option = command.findIndex(
    (part, i) => i > at && ((isShell ? SHELL_CODE : LANGUAGE_CODE).test(part) || (!isShell && GLUED_CODE.test(part))),
  );
  if (option < 0) return [];
  const isGlued = !isShell && !LANGUAGE_CODE.test(command[option] ?? '');
  const behind = command.findIndex((part, i) => i > option && !part.startsWith('-'));
  const last = isGlued ? option : behind < 0 ? command.length - 1 : behind;
  return command.flatMap((part, i) => {
    const [slot] = i >= option && i <= last ? commandSlots([part]) : [];
    if (slot === undefined) return [];
    const advice = isShell
      ? `write "$1" there, and pass {${slot}} as an argument after it: [${program}, -c, 'df -h "$1"', ${program}, "{${slot}}"]`
      : `let the program read its arguments, and pass {${slot}} as one of them`;
    return [{ at: i, text: `contains {${slot}}, which ${program} would run as code: ${advice}` }];
  });
}
