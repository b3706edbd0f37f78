import { basename } from 'node:path';
import { commandSlots } from '@holdfast/agent';
import { nearest } from '@holdfast/agent/config';
import type { CrewConfig } from './config.ts';
import type { Wrong } from './shape.ts';

const SHELL = /^(?:ba|da|z|k|a)?sh$/;
const LANGUAGE = /^(?:node|python[\d.]*|perl[\d.]*|ruby[\d.]*)$/;
const SHELL_CODE = /^-[a-z]*c[a-z]*$/i;
const LANGUAGE_CODE = /^(?:-[a-z]*[ecp]|--eval|--print)$/i;
const GLUED_CODE = /^(?:-[ecp]|--eval=|--print=)./i;

/** What is wrong with the commands of a crew: words of a model that would be read as code, arguments that go nowhere. Pure. */
export function senselessTools({ tools }: Pick<CrewConfig, 'tools'>): Wrong[] {
  return Object.entries(tools).flatMap(([name, tool]) => {
    const slots = commandSlots(tool.command);
    const idle = Object.keys(tool.arguments).filter((key) => !slots.includes(key));
    const code = codeSlots(tool.command);
    return [
      ...(name === 'hand_off'
        ? [
            {
              path: ['tools', name],
              text: 'is the name of the tool that hands over: give it another',
              key: true as const,
            },
          ]
        : []),
      ...chosenProgram(tool.command).map(({ at, slot }) => ({
        path: ['tools', name, 'command', at],
        text: `has ${slot}, and so a call would choose the program: name it, and let calls give its arguments`,
      })),
      ...code.map(({ at, advice }) => ({ path: ['tools', name, 'command', at], text: advice })),
      ...idle.map((key): Wrong => {
        const meant = nearest(key, slots);
        const advice = meant ? `did you mean ${meant}?` : `put {${key}} there, or leave it out`;
        return { path: ['tools', name, 'arguments', key], text: `is nowhere in the command: ${advice}`, key: true };
      }),
    ];
  });
}

/** Programs that run another: the next word that is no option, no variable and no number. */
const RUNNER = /^(?:env|sudo|doas|nice|nohup|timeout|xargs|setsid|stdbuf|exec|time|watch)$/;
const NO_PROGRAM = /^(?:-|\w+=|[\d.]+[smhd]?$)/;

/** Where a call would choose the program. */
function chosenProgram(command: readonly string[]): { readonly at: number; readonly slot: string }[] {
  let at = 0;
  while (RUNNER.test(basename(command[at] ?? ''))) {
    do at++;
    while (NO_PROGRAM.test(command[at] ?? ''));
  }
  const [slot] = commandSlots([command[at] ?? '']);
  return slot === undefined ? [] : [{ at, slot: `{${slot}}` }];
}

/** Where words of a model would be run as code, and what to do instead. */
function codeSlots(command: readonly string[]): { readonly at: number; readonly advice: string }[] {
  const at = command.findIndex((part) => SHELL.test(basename(part)) || LANGUAGE.test(basename(part)));
  // Behind the file of a program all is its own.
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
  const advice = isShell
    ? `would be read by ${program} as a part of the program: write "$1" there, and give {name} as an argument behind: [${program}, -c, 'df -h "$1"', ${program}, "{name}"]`
    : `would be read by ${program} as a part of the program: let that read its arguments, and give {name} as one of them`;
  return command.flatMap((part, i) => {
    const [slot] = i >= option && i <= last ? commandSlots([part]) : [];
    return slot ? [{ at: i, advice: `has {${slot}}, which ${advice.replaceAll('{name}', `{${slot}}`)}` }] : [];
  });
}
