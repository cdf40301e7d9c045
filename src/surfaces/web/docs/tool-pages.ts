import { z } from 'zod'
import type { Scope, Tool, Toolset } from '../../../kernel/tool.ts'
import type { JsonSchema } from '../../../kernel/wire.ts'

export interface ToolPage {
  /** Of the page's address, and of the file in `docs/tools`. */
  name: string
  markdown: string
}

export interface ServedTools {
  toolsets: readonly Toolset[]
  participant: readonly Tool[]
  feedback: readonly Tool[]
}

/** A page for each group that serves anything. The repository's `docs/tools` and the site's pages are both made of this, so they cannot disagree. */
export function toolPages({ toolsets, participant, feedback }: ServedTools): ToolPage[] {
  const groups = [
    ...toolsets.map(({ name, tools }) => ({
      name,
      title: `Toolset ${name}`,
      text: `Connect only this one: \`/api/mcp/organizer?toolsets=${name}\`.`,
      tools,
    })),
    {
      name: 'participant',
      title: 'Participant tools',
      text: 'Served at `/api/mcp/participant`, to assistants with an API account, for one verified person at one event.',
      tools: participant,
    },
    {
      name: 'feedback-tracker',
      title: 'Feedback tracker tools',
      text: 'Served at `/api/mcp/feedback-tracker`, to whoever runs this installation and holds `LANYARD_OPERATOR_TOKEN`. Internal.',
      tools: feedback,
    },
  ]
  return groups
    .filter(({ tools }) => tools.length > 0)
    .map(({ name, title, text, tools }) => ({ name, markdown: lines([`# ${title}`, '', text, ...tools.flatMap(toolSection)]) }))
}

/** Which tools there are, with what each may do and who may call it. */
export function toolIndex({ toolsets, participant, feedback }: ServedTools, link: (page: string, tool: string) => string): string {
  const groups = [...toolsets, { name: 'participant', tools: participant }, { name: 'feedback-tracker', tools: feedback }]
  const rows = groups.flatMap(({ name, tools }) =>
    tools.map((tool) => `| ${name} | [${tool.name}](${link(name, tool.name)}) | ${tool.effect} | ${whoMay(tool)} |`),
  )
  return lines(['| Toolset | Tool | Effect | Needs |', '|---|---|---|---|', ...rows])
}

function toolSection(tool: Tool): string[] {
  const { name, title, description, effect } = tool
  const { properties = {}, required = [] } = wholeSchema(tool.input)
  const rows = Object.entries(properties).map(([arg, schema]) => `| \`${arg}\` | ${required.includes(arg) ? '**required** ' : ''}${typeOf(schema)} |`)
  return [
    '',
    `## ${name}`,
    '',
    `**${title}** · ${effect} · ${whoMay(tool)}`,
    '',
    description,
    '',
    ...(rows.length > 0 ? ['| Argument | Type |', '|---|---|', ...rows] : ['Takes no arguments.']),
    '',
    `Returns \`${fieldsOf(wholeSchema(tool.output))}\`.`,
  ]
}

const BY_SCOPE: Partial<Record<Scope, string>> = {
  operator: 'operator token',
  signIn: 'API account',
  person: 'API account and session',
  registrant: 'API account and session of a registered person',
}

const whoMay = ({ scope, permissions }: Tool) =>
  permissions.length > 0 ? permissions.join(' + ') : (BY_SCOPE[scope] ?? 'any membership or staff role')

/** With the bounds and parts that `tools/list` leaves out to stay short. */
const wholeSchema = (shape: z.ZodObject) => z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as JsonSchema

function typeOf(given: JsonSchema): string {
  const schema = withoutNull(given)
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ') + defaultOf(schema)
  if (schema.type === 'array') return `list of ${schema.items ? typeOf(schema.items) : 'anything'}`
  if (schema.type === 'object') return `object \`${fieldsOf(schema)}\``
  const [least, most] = [schema.minimum, schema.maximum].map((bound) => (Math.abs(Number(bound)) < LARGEST ? String(bound) : ''))
  const range = least || most ? ` ${least}..${most}` : ''
  const length = schema.maxLength === undefined ? '' : `, at most ${String(schema.maxLength)} characters`
  const words = typeof schema.description === 'string' ? ` (${schema.description})` : ''
  return `${NAMES[String(schema.format)] ?? schema.type ?? 'anything'}${words}${range}${length}${defaultOf(schema)}`
}

/** Where a database or JavaScript ends is no limit that anybody meets. */
const LARGEST = 2_147_483_647

const NAMES: Record<string, string> = { date: 'day', 'date-time': 'instant' }

const defaultOf = (schema: JsonSchema) => (schema.default === undefined ? '' : `, default ${JSON.stringify(schema.default)}`)

function fieldsOf(schema: JsonSchema): string {
  const fields = Object.entries(schema.properties ?? {}).map(([name, part]) => {
    const mark = withoutNull(part) === part ? '' : '|null'
    return `${name}${schema.required?.includes(name) ? '' : '?'}${mark}${nested(withoutNull(part))}`
  })
  return `{ ${fields.join(', ')} }`
}

function nested(schema: JsonSchema): string {
  if (schema.type === 'array' && schema.items) return `[]${nested(withoutNull(schema.items))}`
  return schema.type === 'object' && schema.properties ? ` ${fieldsOf(schema)}` : ''
}

/** What it is when it is not null; the schema itself when it never is. A plain type that may be null is a list of two. */
function withoutNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type)) return { ...schema, type: (schema.type as string[]).find((type) => type !== 'null')! }
  return (schema.anyOf as JsonSchema[] | undefined)?.find(({ type }) => type !== 'null') ?? schema
}

const lines = (all: string[]) => `${all.join('\n')}\n`
