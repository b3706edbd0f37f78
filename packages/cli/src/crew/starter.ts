import { DEFAULT_PROVIDER, KEY_VARIABLES } from '@holdfast/agent/config';

/** A small crew that works as is, for `holdfast init --crew`. */
export const STARTER = `# A crew: one agent receives the question, one asks for missing details, one investigates and answers.
#
#   holdfast crew run crew.yml "my disk has been full since noon" --provider stand-in    # without a key
#   holdfast serve crew.yml                                                        # over HTTP, with a page

entry: orchestrator
max_messages_per_request: 50 # maximum messages of the history in any request

limits:
  max_hand_offs: 6
  max_seconds: 120
  max_cost: 0.50 # dollars, all agents together

provider:
  type: ${DEFAULT_PROVIDER} # needs ${KEY_VARIABLES[0]}
  model: claude-haiku-4-5

tools:
  disk_space:
    about: Free space of all disks of this machine.
    command: [df, -h]

agents:
  orchestrator:
    about: Hears every user first and sends them on.
    role: |
      Decide who can help. Do not solve it yourself.
      Where something that matters is missing, hand over to clarifier, otherwise to executor.
    hand_offs: [clarifier, executor]

  clarifier:
    about: Asks the user what is missing.
    role: Ask the user one short question for what is missing. Once it is clear, hand over to executor.
    hand_offs: [executor]
    pause: true

  executor:
    about: Looks at the disks of this machine, and answers.
    role: Find out what is wrong with your tools, then tell the user in a few sentences what you found and what to do.
    tools: [disk_space]
    terminal: true
`;
