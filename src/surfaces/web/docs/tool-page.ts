import type { Effect, Scope, Tool } from '../../../kernel/tool.ts'
import { answerOf, callOf, type ToolExample } from './examples.ts'
import { refusalRows } from './refusals.ts'
import { type Argument, argumentsOf, resultOf } from './schema-words.ts'

export interface Group {
  name: string
  title: string
}

/** All that is known of one tool, in the order in which somebody asks for it. */
export function toolPage(tool: Tool, group: Group, example: ToolExample | undefined): string {
  return [
    `# ${tool.name}`,
    '',
    `**${tool.title}.** ${tool.description}`,
    '',
    '## At a glance',
    '',
    ...factsOf(tool).map((fact) => `- ${fact}`),
    `- Listed with: [${group.title}](/docs/tools/${group.name})`,
    '',
    ...argumentsPart(tool),
    ...(example ? examplePart(tool, example) : []),
    ...resultPart(tool),
    ...(example ? errorsPart(example) : []),
    '',
  ].join('\n')
}

const EFFECTS: Record<Effect, string> = {
  read: '**read**: it looks and changes nothing.',
  change: '**change**: what it does can be changed back.',
  destructive: '**destructive**: what it does cannot be undone.',
}

function factsOf(tool: Tool): string[] {
  return [
    `Effect: ${EFFECTS[tool.effect]}`,
    `Needs: ${whoMay(tool, '`')}.`,
    ...(tool.previews ? ['Dry run: with `dryRun: true` it does everything, keeps nothing and says what would happen.'] : []),
    ...(tool.confirmable
      ? ['Confirmation: above the client’s limits, and always for a charge, it wants the `confirmToken` of a dry run.']
      : []),
    ...(tool.keyed ? ['Repeating: the same call under the same `idempotencyKey` is done once.'] : []),
    ...(tool.wire.annotations.openWorldHint ? ['Outside: it may send mail or reach another system.'] : []),
  ]
}

const BY_SCOPE: Partial<Record<Scope, string>> = {
  operator: 'the operator token',
  signIn: 'an API account',
  person: 'an API account and a session of the person',
  registrant: 'an API account and a session of a registered person',
}

export const whoMay = ({ scope, permissions }: Tool, mark = '') =>
  permissions.length > 0 ? permissions.map((permission) => mark + permission + mark).join(' + ') : (BY_SCOPE[scope] ?? 'any membership or staff role')

function argumentsPart(tool: Tool): string[] {
  const rows = argumentsOf(tool).map(argumentRow)
  if (rows.length === 0) return ['## Arguments', '', 'It takes none.', '']
  return ['## Arguments', '', '| Argument | Type | Meaning |', '|---|---|---|', ...rows, '']
}

const argumentRow = ({ shown, required, type, meaning }: Argument) =>
  `| \`${shown}\`${required ? ' **required**' : ''} | ${type.replaceAll('|', '\\|')} | ${meaning ?? ''} |`

const examplePart = (tool: Tool, example: ToolExample) => [
  '## Example',
  '',
  `A real call on the demo and its answer${Object.keys(example.leftOut).length > 0 ? ', with long lists shortened' : ''}.`,
  '',
  '```json call',
  callOf(tool.name, example),
  '```',
  '',
  '```json answer',
  answerOf(example),
  '```',
  '',
]

const resultPart = (tool: Tool) => [
  '## Result',
  '',
  '| Field | Holds | Meaning |',
  '|---|---|---|',
  ...resultOf(tool).map(
    ({ name, shape, optional, meaning }) => `| \`${name}\`${optional ? ' optional' : ''} | ${shape.replaceAll('|', '\\|')} | ${meaning ?? ''} |`,
  ),
  '',
]

const errorsPart = ({ refusals }: ToolExample) => [
  '## Errors',
  '',
  ...(refusals.length > 0
    ? ['These sentences were really answered on the demo.', '', '| When | Code and sentence | What to do |', '|---|---|---|', ...refusalRows(refusals), '']
    : []),
  'Like every call it may also meet [`limit_exceeded`](/docs/errors#limit_exceeded), [`unavailable`](/docs/errors#unavailable) and [`internal`](/docs/errors#internal).',
]
