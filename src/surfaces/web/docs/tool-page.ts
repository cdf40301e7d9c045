import type { ToolEffect, ToolScope, Tool } from '../../../kernel/tool.ts'
import { formatExampleResponse, formatExampleCall, type ToolExample } from './examples.ts'
import { buildErrorTableRows } from './example-errors.ts'
import { type DocumentedArgument, listToolArguments, listToolResultFields } from './schema-text.ts'

export interface ToolDocsGroup {
  name: string
  title: string
}

/** Builds the documentation page of one tool. */
export function buildToolPage(tool: Tool, group: ToolDocsGroup, example: ToolExample | undefined): string {
  return [
    `# ${tool.name}`,
    '',
    `**${tool.title}.** ${tool.description}`,
    '',
    '## At a glance',
    '',
    ...factsOf(tool).map((fact) => `- ${fact}`),
    `- Toolset: [${group.title}](/docs/tools/${group.name})`,
    '',
    ...argumentsPart(tool),
    ...(example ? examplePart(tool, example) : []),
    ...resultPart(tool),
    ...(example ? errorsPart(example) : []),
    '',
  ].join('\n')
}

const EFFECTS: Record<ToolEffect, string> = {
  read: '**read**: changes nothing.',
  change: '**change**: the change can be undone.',
  destructive: '**destructive**: cannot be undone.',
}

function factsOf(tool: Tool): string[] {
  return [
    `Effect: ${EFFECTS[tool.effect]}`,
    `Needs: ${formatToolRequirements(tool, '`')}.`,
    ...(tool.previews ? ['Dry run: with `dryRun: true` nothing is saved, and the result shows what would happen.'] : []),
    ...(tool.confirmable
      ? ['Confirmation: calls above the client’s limits, and all charges, need the `confirmToken` of a dry run.']
      : []),
    ...(tool.keyed ? ['Idempotency: a call repeated with the same `idempotencyKey` is executed once.'] : []),
    ...(tool.wire.annotations.openWorldHint ? ['External effects: it can send email or call another system.'] : []),
  ]
}

const SCOPE_REQUIREMENTS: Partial<Record<ToolScope, string>> = {
  operator: 'the operator token',
  signIn: 'an API account',
  person: 'an API account and a session of the participant',
  registrant: 'an API account and a session of a registered participant',
}

export const formatToolRequirements = ({ scope, permissions }: Tool, mark = '') =>
  permissions.length > 0 ? permissions.map((permission) => mark + permission + mark).join(' + ') : (SCOPE_REQUIREMENTS[scope] ?? 'any membership or staff role')

function argumentsPart(tool: Tool): string[] {
  const rows = listToolArguments(tool).map(argumentRow)
  if (rows.length === 0) return ['## Arguments', '', 'No arguments.', '']
  return ['## Arguments', '', '| Argument | Type | Meaning |', '|---|---|---|', ...rows, '']
}

const argumentRow = ({ shown, required, type, meaning }: DocumentedArgument) =>
  `| \`${shown}\`${required ? ' **required**' : ''} | ${type.replaceAll('|', '\\|')} | ${meaning ?? ''} |`

const examplePart = (tool: Tool, example: ToolExample) => [
  '## Example',
  '',
  `A call on the demo event and its response${Object.keys(example.leftOut).length > 0 ? ', with long lists shortened' : ''}.`,
  '',
  '```json call',
  formatExampleCall(tool.name, example),
  '```',
  '',
  '```json answer',
  formatExampleResponse(example),
  '```',
  '',
]

const resultPart = (tool: Tool) => [
  '## Result',
  '',
  '| Field | Type | Meaning |',
  '|---|---|---|',
  ...listToolResultFields(tool).map(
    ({ name, shape, optional, meaning }) => `| \`${name}\`${optional ? ' optional' : ''} | ${shape.replaceAll('|', '\\|')} | ${meaning ?? ''} |`,
  ),
  '',
]

const errorsPart = ({ refusals }: ToolExample) => [
  '## Errors',
  '',
  ...(refusals.length > 0
    ? ['Example errors from the demo event.', '', '| When | Error | What to do |', '|---|---|---|', ...buildErrorTableRows(refusals), '']
    : []),
  'Every call can also fail with [`limit_exceeded`](/docs/errors#limit_exceeded), [`unavailable`](/docs/errors#unavailable) or [`internal`](/docs/errors#internal).',
]
