import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toCanonicalJson } from '../../src/kernel/canonical.ts'
import type { Tool, ListedTool } from '../../src/kernel/tool.ts'
import type { JsonSchema } from '../../src/kernel/annotated-schema.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { ALL_TOOLSETS } from '../../src/toolsets/index.ts'
import { plantedTool, plantedWire } from './planted-tools.ts'
import { EVERY_TOOL, PRODUCT_TOOLS } from './registry.ts'
import { findSchemaProblems } from './schema-lint.ts'

const findWireSchemaProblems = ({ name, wire }: Tool): string[] => [
  ...findSchemaProblems(wire.inputSchema, 'input').map((problem) => `${name} takes ${problem}`),
  ...findSchemaProblems(wire.outputSchema, 'output').map((problem) => `${name} returns ${problem}`),
]

describe('tool schemas as clients receive them', () => {
  it('uses only JSON Schema keywords that every known client supports', () => {
    expect(EVERY_TOOL.flatMap(findWireSchemaProblems)).toEqual([])
  })

  const property = (part: object) => ({ type: 'object', properties: { x: part as JsonSchema } })
  it.each([
    'oneOf',
    'anyOf',
    'allOf',
    '$ref',
    '$defs',
    '$schema',
    'const',
    'not',
    'propertyNames',
    'patternProperties',
    'additionalProperties',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'uniqueItems',
    'pattern',
    'title',
  ])("reports %s at the schema's root or in a property", (keyword) => {
    const planted = plantedWire({ inputSchema: { type: 'object', [keyword]: 1 }, outputSchema: property({ type: 'string', [keyword]: 1 }) })
    expect(findWireSchemaProblems(planted)).toEqual([
      `planted_tool takes /: ${keyword} is not supported by every client`,
      `planted_tool returns /x: ${keyword} is not supported by every client`,
    ])
  })

  it.each([
    ['without a type', property({ description: 'anything' }), '/x: has no type'],
    ['with two types', property({ type: ['string', 'null'] }), '/x: has several types'],
    ['with an unknown type', property({ type: 'date' }), '/x: date is not a type'],
    ['with null as its default', property({ type: 'string', default: null }), '/x: defaults to null'],
    ['without a type for its items', property({ type: 'array' }), '/x: has no type for its items'],
    ['with a problem inside a list', property({ type: 'array', items: property({}) }), '/x/*/x: has no type'],
    ['with too many choices', property({ type: 'string', enum: [...'abcdefghijklmnopqrstu'] }), '/x: has 21 choices'],
    [
      'with a long description',
      property({ type: 'string', description: 'a'.repeat(91) }),
      '/x: has a description of more than 90 characters',
    ],
    ['beyond ASCII', property({ type: 'string', description: 'caf\u00e9' }), '/x: is not ASCII'],
    ['requiring an unknown property', { ...property({ type: 'string' }), required: ['y'] }, '/: requires y, which it does not have'],
    ['that is not an object', { type: 'array', items: { type: 'string' } }, '/: the root is array, not an object'],
  ])('reports a tool schema %s', (_fault, schema, expected) => {
    expect(findSchemaProblems(schema, 'input')).toEqual([expected])
  })
})

/** A shared argument name has the same meaning in every tool, so that assistants can apply what they learned from one tool to all. */
const SHARED_ARGUMENTS: Record<string, object> = {
  eventCode: { type: 'string' },
  clientCode: { type: 'string' },
  limit: { type: 'integer', maximum: 100 },
  cursor: { type: 'string' },
  search: { type: 'string' },
  dryRun: { type: 'boolean' },
  idempotencyKey: { type: 'string' },
  confirmToken: { type: 'string' },
  ifRevision: { type: 'integer' },
}

/** Argument names that the specification uses with another meaning in these tools. */
const SPECIFIED_EXCEPTIONS = new Set([
  'configure_directory_requests: search',
  'recommend_products: limit',
  'recommend_participants: limit',
  'recommend_companies: limit',
  'discover_suppliers_from_criteria: limit',
  'query_data: limit',
  'query_across_events: limit',
  'run_report: limit',
])

const same = (a: object, b: object) => toCanonicalJson(a) === toCanonicalJson(b)

function findSharedArgumentProblems({ name, wire, scope }: Tool): string[] {
  const { properties = {}, required = [] } = wire.inputSchema
  const other = Object.entries(SHARED_ARGUMENTS).filter(
    ([word, shared]) => properties[word] && !same(properties[word], shared) && !SPECIFIED_EXCEPTIONS.has(`${name}: ${word}`),
  )
  const unknown = ((properties.clear?.items?.enum ?? []) as string[]).filter((field) => !properties[field])
  // A ranked search or recommendation returns its best matches and has no further pages.
  const isRanking = properties.query || name.startsWith('recommend_') || name === 'discover_suppliers_from_criteria'
  const ranked = Boolean(isRanking && properties.limit && !properties.cursor)
  const pair = !ranked && Boolean(properties.limit) !== Boolean(properties.cursor)
  const wanted = { event: ['eventCode'], client: ['clientCode'] }[scope as string] ?? []
  return [
    ...other.map(([word]) => `${name}: ${word} is not the ${word} of the other tools`),
    ...unknown.map((field) => `${name}: clear names ${field}, which is not an argument`),
    ...(pair ? [`${name}: limit and cursor must be used together`] : []),
    ...wanted.filter((code) => !required.includes(code)).map((code) => `${name}: does not require ${code}`),
    ...(wire.outputSchema.properties?.nextCursor ? [`${name}: declares nextCursor, which may be null`] : []),
  ]
}

describe('shared argument names', () => {
  it('gives a shared argument the same schema in every tool that uses it', () => {
    expect(EVERY_TOOL.flatMap(findSharedArgumentProblems)).toEqual([])
  })

  it.each(Object.keys(SHARED_ARGUMENTS))('reports a tool with a different schema for the shared argument %s', (word) => {
    expect(findSharedArgumentProblems(plantedTool({ input: { [word]: z.array(z.string()) } }))).toContain(
      `planted_tool: ${word} is not the ${word} of the other tools`,
    )
  })

  it('reports a tool with limit but no cursor, without eventCode, or whose clear argument names an unknown field', () => {
    const { limit, cursor } = SHARED_ARGUMENTS as Record<string, JsonSchema>
    const codes = { eventCode: { type: 'string' } }
    const clear: JsonSchema = { type: 'array', items: { type: 'string', enum: ['colour'] } }
    const planted = (properties: Record<string, JsonSchema>, required = ['eventCode']) =>
      findSharedArgumentProblems(plantedWire({ inputSchema: { type: 'object', properties: { ...codes, ...properties }, required } }))
    expect(planted({ limit: limit!, cursor: cursor! })).toEqual([])
    expect(planted({ limit: limit! })).toEqual(['planted_tool: limit and cursor must be used together'])
    expect(planted({ clear })).toEqual(['planted_tool: clear names colour, which is not an argument'])
    expect(planted({}, [])).toEqual(['planted_tool: does not require eventCode'])
  })
})

const inputBytes = ({ name, description, inputSchema }: ListedTool) => Buffer.byteLength(name + description + JSON.stringify(inputSchema))
const outputBytes = ({ outputSchema }: ListedTool) => Buffer.byteLength(JSON.stringify(outputSchema))
const listBytes = (tools: readonly Tool[], of: (wire: ListedTool) => number) => tools.reduce((sum, { wire }) => sum + of(wire), 0)
const meanOf = (tools: readonly Tool[], of: (wire: ListedTool) => number) =>
  tools.length === 0 ? 0 : Math.round(listBytes(tools, of) / tools.length)
const p90 = (tools: readonly Tool[]) =>
  tools.map(({ wire }) => inputBytes(wire)).toSorted((a, b) => a - b)[Math.ceil(tools.length * 0.9) - 1] ?? 0

const ALL_TOOLS = 234

/**
 * The largest allowed average input schema, in bytes. Registration and exhibitor tools take more arguments than most, and not all other
 * tools exist yet.
 */
const MAX_MEAN_INPUT_BYTES = 860

function findSizeProblems(lists: readonly { name: string; tools: readonly Tool[] }[]): string[] {
  const tools = lists.flatMap((list) => list.tools)
  const mean = { input: meanOf(tools, inputBytes), output: meanOf(tools, outputBytes) }
  const large = tools.filter(({ wire }) => inputBytes(wire) > 2000)
  const crowded = lists.map((list) => ({ ...list, bytes: listBytes(list.tools, inputBytes) })).filter(({ bytes }) => bytes > 24 * 1024)
  return [
    ...large.map(({ name, wire }) => `${name} has ${inputBytes(wire)} bytes, more than 2,000`),
    ...crowded.map(({ name, bytes }) => `toolset ${name} has ${bytes} bytes, more than 24 KB`),
    ...(listBytes(tools, inputBytes) > 640 * ALL_TOOLS ? ['the list has more than 640 bytes for each of its 234 tools'] : []),
    ...(mean.input > (tools.length < ALL_TOOLS ? MAX_MEAN_INPUT_BYTES : 640)
      ? [`a tool has ${mean.input} bytes on average, more than the budget`]
      : []),
    ...(mean.output > 700 ? [`an output schema has ${mean.output} bytes on average, more than 700`] : []),
  ]
}

describe('size of the tools/list response', () => {
  it('keeps tools/list within the byte budget per tool, per toolset and on average', async ({ annotate }) => {
    const figures = `${PRODUCT_TOOLS.length} tools: mean ${meanOf(PRODUCT_TOOLS, inputBytes)} (640), p90 ${p90(PRODUCT_TOOLS)} (1,100), output ${meanOf(PRODUCT_TOOLS, outputBytes)} (700)`
    await annotate(figures, 'bytes')
    expect(findSizeProblems(ALL_TOOLSETS)).toEqual([])
    expect(listBytes(PARTICIPANT_TOOLS, inputBytes)).toBeLessThanOrEqual(18 * 1024)
  })

  it('reports a single tool, a toolset, or many medium-sized tools that exceed the byte budget', () => {
    const wide = (words: number) =>
      plantedTool({ input: Object.fromEntries(Array.from({ length: words }, (_, i) => [`argument${i}`, z.string()])) })
    const lists = (count: number, tool: Tool) => [{ name: 'planted', tools: Array.from({ length: count }, () => tool) }]
    expect(findSizeProblems(lists(1, wide(80)))).toContainEqual(expect.stringMatching(/^planted_tool has \d+ bytes, more than 2,000$/))
    expect(findSizeProblems(lists(50, wide(8)))).toContainEqual(expect.stringMatching(/^toolset planted has \d+ bytes, more than 24 KB$/))
    expect(findSizeProblems(Array.from({ length: 30 }, () => lists(2, wide(20))[0]!))).toEqual([
      expect.stringMatching(/^a tool has \d+ bytes on average, more than the budget$/),
    ])
    expect(findSizeProblems(Array.from({ length: 30 }, () => lists(6, wide(20))[0]!))).toContain(
      'the list has more than 640 bytes for each of its 234 tools',
    )
    const talkative = plantedTool({ output: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`field${i}`, z.string()])) })
    expect(findSizeProblems(Array.from({ length: 30 }, () => lists(2, talkative)[0]!))).toEqual([
      expect.stringMatching(/^an output schema has \d+ bytes on average/),
    ])
  })
})

const snapshotFolder = new URL('wire/', import.meta.url)

/** Tools of the two endpoints may share a name, so participant tools have a folder of their own. */
function findSnapshotProblems(folder: URL, tools: readonly Tool[], update: boolean): string[] {
  if (update) mkdirSync(folder, { recursive: true })
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : []
  const orphans = files.filter((file) => !tools.some(({ name }) => file === `${name}.json`))
  const differing = tools.flatMap(({ name, wire }) => {
    const file = new URL(`${name}.json`, folder)
    const now = `${JSON.stringify(wire, null, 2)}\n`
    if (update) writeFileSync(file, now)
    if (!existsSync(file)) return [`${name} has no wire snapshot`]
    return readFileSync(file, 'utf8') === now ? [] : [`${name} differs from its wire snapshot`]
  })
  return [...orphans.map((file) => `${file} belongs to no tool`), ...differing]
}

describe('snapshots of tool definitions', () => {
  it('matches the tool definitions that clients see (to update: UPDATE_WIRE=1, then review the diff)', () => {
    const update = process.env['UPDATE_WIRE'] === '1'
    expect(findSnapshotProblems(snapshotFolder, PRODUCT_TOOLS, update)).toEqual([])
    expect(
      findSnapshotProblems(new URL('participant/', snapshotFolder), PARTICIPANT_TOOLS, update && PARTICIPANT_TOOLS.length > 0),
    ).toEqual([])
  })

  it('reports a tool without a snapshot, a tool that differs from its snapshot, and a snapshot that belongs to no tool', () => {
    const [first, ...others] = PRODUCT_TOOLS
    const changed = { ...first!, wire: { ...first!.wire, title: 'Another title' } }
    expect(findSnapshotProblems(snapshotFolder, [changed, plantedTool(), ...others.slice(1)], false)).toEqual([
      `${others[0]!.name}.json belongs to no tool`,
      `${first!.name} differs from its wire snapshot`,
      'planted_tool has no wire snapshot',
    ])
  })
})
