import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { EmptyFields } from '../../src/kernel/empty-fields.ts'
import { FEEDBACK_TOOLS } from '../../src/feedback-tools/index.ts'
import { code, list, money, object, oneOf, text } from '../../src/kernel/args.ts'
import type { InputShape } from '../../src/kernel/input-shape.ts'
import { eventTool, type Tool } from '../../src/kernel/tool.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { decodeToolArguments } from '../../src/surfaces/mcp/decode-arguments.ts'
import { formatExampleResponse, readExamples, type ToolExample } from '../../src/surfaces/web/docs/examples.ts'
import { renderMarkdown } from '../../src/surfaces/web/docs/markdown.ts'
import { TOOL_ARGUMENT_DOCS, TOOL_RESULT_DOCS } from '../../src/surfaces/web/docs/meanings/meanings.ts'
import { SHARED_ARGUMENT_DOCS } from '../../src/surfaces/web/docs/meanings/arguments/shared.ts'
import { SHARED_RESULT_DOCS } from '../../src/surfaces/web/docs/meanings/results/shared.ts'
import { listToolArguments, listToolResultFields } from '../../src/surfaces/web/docs/schema-text.ts'
import { buildToolPage } from '../../src/surfaces/web/docs/tool-page.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'
import { findResultProblems } from '../contract/output.ts'
import { findTokenLines } from '../support/leaks.ts'

const TOOLS = [...ALL_TOOLSETS.flatMap((toolset) => toolset.tools), ...PARTICIPANT_TOOLS, ...FEEDBACK_TOOLS]
const EXAMPLES = readExamples()
const GROUP = { name: 'events', title: 'Toolset events' }

/** Lists the paths of all arguments of a tool; an amount of money counts as one argument. */
function listArgumentPaths({ properties = {}, items }: InputShape, path = ''): string[] {
  if (items) return listArgumentPaths(items, path)
  if (Object.keys(properties).join() === 'amount,currency') return []
  return Object.entries(properties).flatMap(([name, part]) => [path + name, ...listArgumentPaths(part, `${path}${name}.`)])
}

const findUndescribed = (tool: Tool) => listToolArguments(tool).flatMap(({ path, meaning }) => (meaning ? [] : [`${tool.name}: ${path}`]))

const planted = eventTool({
  name: 'plant_tree',
  title: 'Plant',
  description: 'Plants.',
  effect: 'read',
  permission: 'events.read',
  input: {
    kind: oneOf(['oak', 'elm']).default('oak'),
    price: money(),
    first: object({ note: text(10), leaves: list(code(), 5).optional() }).optional(),
    second: object({ note: text(10), leaves: list(code(), 5).optional() }).optional(),
    count: z.int().min(2).max(9).nullable(),
  },
  output: { trees: list(object({ id: z.string(), height: z.number().nullable() })), note: z.string().optional() },
  run: async () => ({ trees: [] }),
})

describe('argument descriptions', () => {
  it('describes every argument of every tool, at every depth', () => {
    expect(TOOLS.flatMap(findUndescribed)).toEqual([])
    expect(findUndescribed(planted)).toContain('plant_tree: first.leaves')
  })

  it('lists every argument on the page of the tool', () => {
    for (const tool of TOOLS) {
      const described = listToolArguments(tool)
      const elsewhere = described.filter(({ type }) => /, as `\w+`$/.test(type)).map(({ path }) => `${path}.`)
      const missing = listArgumentPaths(tool.shape).filter((path) => !described.some((one) => one.path === path) && !elsewhere.some((start) => path.startsWith(start)))
      expect([tool.name, missing]).toEqual([tool.name, []])
    }
  })

  it('refers only to existing arguments in argument descriptions', () => {
    const taken = new Map(TOOLS.map((tool) => [tool.name, new Set(listToolArguments(tool).map(({ path }) => path))]))
    const stale = Object.entries(TOOL_ARGUMENT_DOCS).flatMap(([tool, meanings]) =>
      Object.keys(meanings).flatMap((path) => (taken.get(tool)?.has(path) ? [] : [`${tool}: ${path}`])),
    )
    expect(stale).toEqual([])
    const shared = [...taken].flatMap(([tool, paths]) => [...paths].filter((path) => !Object.hasOwn(TOOL_ARGUMENT_DOCS[tool] ?? {}, path)))
    expect(Object.keys(SHARED_ARGUMENT_DOCS).filter((path) => !shared.includes(path))).toEqual([])
  })

  it('shows type, limits and default of an argument, and whether it is required', () => {
    expect(listToolArguments(planted).map(({ shown, required, type }) => [shown, required, type])).toEqual([
      ['eventCode', true, 'code'],
      ['clientCode', false, 'code'],
      ['kind', false, '`oak`, `elm`, default `"oak"`'],
      ['price', true, 'money: `{ amount, currency }`'],
      ['first', false, 'object'],
      ['first.note', true, 'text, at most 10 characters'],
      ['first.leaves', false, 'list of codes, at most 5'],
      ['second', false, 'object, as `first`'],
      ['count', true, 'number from 2 to 9, or null'],
    ])
  })
})

describe('result field descriptions', () => {
  it('describes every result field, and refers only to existing fields', () => {
    const fields = TOOLS.flatMap((tool) => listToolResultFields(tool).map(({ name, meaning }) => ({ tool: tool.name, name, meaning })))
    expect(fields.filter(({ meaning }) => !meaning).map(({ tool, name }) => `${tool}.${name}`)).toEqual([])
    const fieldNames = new Set(fields.map(({ tool, name }) => `${tool}.${name}`))
    const described = Object.entries(TOOL_RESULT_DOCS).flatMap(([tool, meanings]) => Object.keys(meanings).map((name) => `${tool}.${name}`))
    expect(described.filter((name) => !fieldNames.has(name))).toEqual([])
    const shared = new Set(fields.filter(({ tool, name }) => !described.includes(`${tool}.${name}`)).map(({ name }) => name))
    expect(Object.keys(SHARED_RESULT_DOCS).filter((name) => !shared.has(name))).toEqual([])
  })
})

describe('tool examples', () => {
  it('defines examples for every tool, and only for existing tools', () => {
    expect(Object.keys(EXAMPLES)).toEqual(TOOLS.map(({ name }) => name))
  })

  it('uses valid arguments and valid results in tool examples', () => {
    const problems = TOOLS.flatMap((tool) => findExampleProblems(tool, EXAMPLES[tool.name]!))
    expect(problems).toEqual([])
    const [first] = TOOLS as [Tool, ...Tool[]]
    const sound = EXAMPLES[first.name]!
    expect(findExampleProblems(first, { ...sound, answer: { ...sound.answer, events: 'none' } })).toHaveLength(1)
    expect(findExampleProblems(first, { ...sound, arguments: { statuss: 1 } })).toHaveLength(1)
  })

  it('shows a dry run in the examples of tools that support it', () => {
    for (const { name, previews } of TOOLS) expect([name, EXAMPLES[name]!.arguments['dryRun']]).toEqual([name, previews ? true : undefined])
  })

  it('contains no real credentials in tool examples', () => {
    for (const { name } of TOOLS) {
      const example = JSON.stringify(EXAMPLES[name])
      expect([name, findTokenLines([example])]).toEqual([name, []])
      expect([name, example]).toEqual([name, expect.not.stringMatching(/eyJ\w|[A-Za-z0-9_-]{80}/)])
    }
  })

  it("includes the refusals that the tool's definition lists in tool examples", () => {
    for (const tool of TOOLS) {
      const kinds = new Set(EXAMPLES[tool.name]!.refusals.map(({ kind }) => kind))
      const promised = [
        ...(Object.keys(tool.shape.properties ?? {}).length > 0 ? ['arguments'] : []),
        ...(tool.scope === 'event' || tool.scope === 'client' ? ['place', 'permission'] : []),
        ...(tool.scope === 'person' || tool.scope === 'registrant' ? ['session'] : []),
        ...(tool.scope === 'registrant' ? ['registration'] : []),
        ...(tool.keyed ? ['key'] : []),
        ...(tool.confirmable ? ['confirmation'] : []),
      ].filter((kind) => kind !== 'permission' || tool.permissions.length > 0)
      expect([tool.name, promised.filter((kind) => !(kinds as Set<string>).has(kind))]).toEqual([tool.name, []])
    }
  })
})

/** Adds the fields again that results leave out while they are null. */
function fillEmptyFields(value: unknown, empty: EmptyFields | null): unknown {
  if (empty === null || value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item) => fillEmptyFields(item, empty.items))
  const parts = Object.entries(value).map(([name, part]) => [name, fillEmptyFields(part, empty.parts.get(name) ?? empty.items)])
  return { ...Object.fromEntries([...empty.names].map((name) => [name, null])), ...Object.fromEntries(parts) }
}

function findExampleProblems(tool: Tool, { arguments: sent, answer }: ToolExample): string[] {
  const problems = findResultProblems(tool, { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer })
  const parsed = tool.output.safeParse(fillEmptyFields(answer, tool.emptyFields))
  if (!parsed.success && problems.length === 0) problems.push(parsed.error.message)
  try {
    decodeToolArguments(tool, sent)
  } catch (error) {
    problems.push((error as Error).message)
  }
  return problems.map((problem) => `${tool.name} ${problem}`)
}

describe('tool page', () => {
  it('shows arguments, example, result and errors of a tool in this sequence, with the example call beside the answer', () => {
    for (const tool of TOOLS) {
      const { html, sections } = renderMarkdown(buildToolPage(tool, GROUP, EXAMPLES[tool.name]))
      const parts = sections.map(({ heading }) => heading.text)
      expect(parts).toEqual([tool.name, 'At a glance', 'Arguments', 'Example', 'Result', 'Errors'])
      expect([tool.name, html.match(/class="exchange"/g)?.length]).toEqual([tool.name, 1])
    }
  })

  it('states how many items of a list were omitted from an example result', () => {
    const answer = { total: 12, trees: [{ id: 'a', price: { amount: '1.00', currency: 'EUR' }, kinds: ['oak', 'elm'] }], empty: [] }
    expect(formatExampleResponse({ arguments: {}, answer, leftOut: { '/trees': 11 }, refusals: [] })).toBe(
      [
        '{',
        '  "total": 12,',
        '  "trees": [',
        '    {',
        '      "id": "a",',
        '      "price": { "amount": "1.00", "currency": "EUR" },',
        '      "kinds": ["oak", "elm"]',
        '    }',
        '    … 11 more',
        '  ],',
        '  "empty": []',
        '}',
      ].join('\n'),
    )
  })

  it('states the number of null fields of a large record in an example, and shows those of a small record', () => {
    const large = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`field${i}`, i === 0 ? 'text' : null]))
    const shown = (answer: Record<string, unknown>) => formatExampleResponse({ arguments: {}, answer, leftOut: {}, refusals: [] })
    expect(shown(large)).toBe('{\n  "field0": "text"\n  … 20 more fields, all null\n}')
    expect(shown({ a: null, b: 1 })).toBe('{ "a": null, "b": 1 }')
  })

  it("shows the text of a tool's refusal literally, including special characters", () => {
    const refusals = [{ kind: 'unknown', code: 'not_found', message: 'No <b>_x_</b> | `y` — see [z](w)', argument: 'connection' }] as const
    const { html } = renderMarkdown(buildToolPage(planted, GROUP, { arguments: {}, answer: {}, leftOut: {}, refusals: [...refusals] }))
    expect(html).toContain('“No &lt;b&gt;_x_&lt;/b&gt; | `y` — see [z](w)”')
    expect(html).toContain('<a href="/docs/errors#not_found">')
  })
})
