import type { Permission } from '@holdfast/agent/chat';

/** `run_command npm test *`, or `write_file` for all its calls. Pure. */
export function permissionText({ tool, command }: Permission): string {
  return command === undefined ? tool : `${tool} ${command}`;
}
