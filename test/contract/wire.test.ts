import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { canonicalJson } from '../../src/kernel/canonical.ts'
import type { Tool, WireTool } from '../../src/kernel/tool.ts'
import type { JsonSchema } from '../../src/kernel/marked-schema.ts'
import { PARTICIPANT_TOOLS } from '../../src/participant-tools/index.ts'
import { TOOLSETS_IN_ORDER } from '../../src/toolsets/index.ts'
import { plantedTool, plantedWire } from './planted.ts'
import { EVERY_TOOL, PRODUCT_TOOLS } from './registry.ts'
import { problemsOfSchema } from './schema-lint.ts'

const problemsOfSchemas = ({ name, wire }: Tool): string[] => [
  ...problemsOfSchema(wire.inputSchema, 'input').map((problem) => `${name} takes ${problem}`),
  ...problemsOfSchema(wire.outputSchema, 'output').map((problem) => `${name} returns ${problem}`),
]

describe('the schemas that clients see', () => {
  it('hold only what every real client understands', () => {
    expect(EVERY_TOOL.flatMap(problemsOfSchemas)).toEqual([])
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
  ])('would be reported with %s, at the root or in a property', (keyword) => {
    const planted = plantedWire({ inputSchema: { type: 'object', [keyword]: 1 }, outputSchema: property({ type: 'string', [keyword]: 1 }) })
    expect(problemsOfSchemas(planted)).toEqual([
      `planted_tool takes /: ${keyword} is not understood by every client`,
      `planted_tool returns /x: ${keyword} is not understood by every client`,
    ])
  })

  it.each([
    ['without a type', property({ description: 'anything' }), '/x: has no type'],
    ['with two types', property({ type: ['string', 'null'] }), '/x: has several types'],
    ['with a type of its own', property({ type: 'date' }), '/x: date is not a type'],
    ['with a null for a default', property({ type: 'string', default: null }), '/x: defaults to null'],
    ['with items unsaid', property({ type: 'array' }), '/x: does not say what its items are'],
    ['with a fault inside a list', property({ type: 'array', items: property({}) }), '/x/*/x: has no type'],
    ['with too many choices', property({ type: 'string', enum: [...'abcdefghijklmnopqrstu'] }), '/x: has 21 choices'],
    ['with a long description', property({ type: 'string', description: 'a'.repeat(91) }), '/x: is described in more than 90 characters'],
    ['beyond ASCII', property({ type: 'string', description: 'caf\u00e9' }), '/x: is not ASCII'],
    ['requiring what it lacks', { ...property({ type: 'string' }), required: ['y'] }, '/: requires y, which it does not have'],
    ['that is no object', { type: 'array', items: { type: 'string' } }, '/: the root is array, not an object'],
  ])('would be reported %s', (_fault, schema, expected) => {
    expect(problemsOfSchema(schema, 'input')).toEqual([expected])
  })
})

/** One word means one thing, so that what an assistant learnt from one tool holds for all. */
const SHARED_WORDS: Record<string, object> = {
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

/** Names that the specification gives to something else: of a directory's requests, one is its search. */
const SPECIFIED_OTHERWISE = new Set([
  'configure_directory_requests: search',
  'recommend_products: limit',
  'recommend_participants: limit',
  'recommend_companies: limit',
])

const same = (a: object, b: object) => canonicalJson(a) === canonicalJson(b)

function problemsOfWords({ name, wire, scope }: Tool): string[] {
  const { properties = {}, required = [] } = wire.inputSchema
  const other = Object.entries(SHARED_WORDS).filter(
    ([word, shared]) => properties[word] && !same(properties[word], shared) && !SPECIFIED_OTHERWISE.has(`${name}: ${word}`),
  )
  const unknown = ((properties.clear?.items?.enum ?? []) as string[]).filter((field) => !properties[field])
  // A ranked search and a recommendation give their best and have no further pages.
  const ranked = Boolean((properties.query || name.startsWith('recommend_')) && properties.limit && !properties.cursor)
  const pair = !ranked && Boolean(properties.limit) !== Boolean(properties.cursor)
  const wanted = { event: ['eventCode'], client: ['clientCode'] }[scope as string] ?? []
  return [
    ...other.map(([word]) => `${name}: ${word} is not the ${word} of the other tools`),
    ...unknown.map((field) => `${name}: clear names ${field}, which is no argument`),
    ...(pair ? [`${name}: limit and cursor go together`] : []),
    ...wanted.filter((code) => !required.includes(code)).map((code) => `${name}: does not require ${code}`),
    ...(wire.outputSchema.properties?.nextCursor ? [`${name}: declares nextCursor, which may be null`] : []),
  ]
}

describe('the shared words', () => {
  it('have the same schema in every tool', () => {
    expect(EVERY_TOOL.flatMap(problemsOfWords)).toEqual([])
  })

  it.each(Object.keys(SHARED_WORDS))('would be reported when %s were something else somewhere', (word) => {
    expect(problemsOfWords(plantedTool({ input: { [word]: z.array(z.string()) } }))).toContain(
      `planted_tool: ${word} is not the ${word} of the other tools`,
    )
  })

  it('would be reported when a list cannot be continued, or a field cleared that is none', () => {
    const { limit, cursor } = SHARED_WORDS as Record<string, JsonSchema>
    const codes = { eventCode: { type: 'string' } }
    const clear: JsonSchema = { type: 'array', items: { type: 'string', enum: ['colour'] } }
    const planted = (properties: Record<string, JsonSchema>, required = ['eventCode']) =>
      problemsOfWords(plantedWire({ inputSchema: { type: 'object', properties: { ...codes, ...properties }, required } }))
    expect(planted({ limit: limit!, cursor: cursor! })).toEqual([])
    expect(planted({ limit: limit! })).toEqual(['planted_tool: limit and cursor go together'])
    expect(planted({ clear })).toEqual(['planted_tool: clear names colour, which is no argument'])
    expect(planted({}, [])).toEqual(['planted_tool: does not require eventCode'])
  })
})

const inputBytes = ({ name, description, inputSchema }: WireTool) => Buffer.byteLength(name + description + JSON.stringify(inputSchema))
const outputBytes = ({ outputSchema }: WireTool) => Buffer.byteLength(JSON.stringify(outputSchema))
const listBytes = (tools: readonly Tool[], of: (wire: WireTool) => number) => tools.reduce((sum, { wire }) => sum + of(wire), 0)
const meanOf = (tools: readonly Tool[], of: (wire: WireTool) => number) =>
  tools.length === 0 ? 0 : Math.round(listBytes(tools, of) / tools.length)
const p90 = (tools: readonly Tool[]) =>
  tools.map(({ wire }) => inputBytes(wire)).toSorted((a, b) => a - b)[Math.ceil(tools.length * 0.9) - 1] ?? 0

const ALL_TOOLS = 234

/** Registration takes more arguments than most: until all tools are there to make up for it, those that are may cost so much on average. */
const MEAN_SO_FAR = 740

function problemsOfBytes(lists: readonly { name: string; tools: readonly Tool[] }[]): string[] {
  const tools = lists.flatMap((list) => list.tools)
  const mean = { input: meanOf(tools, inputBytes), output: meanOf(tools, outputBytes) }
  const large = tools.filter(({ wire }) => inputBytes(wire) > 2000)
  const crowded = lists.map((list) => ({ ...list, bytes: listBytes(list.tools, inputBytes) })).filter(({ bytes }) => bytes > 24 * 1024)
  return [
    ...large.map(({ name, wire }) => `${name} costs ${inputBytes(wire)} bytes, more than 2,000`),
    ...crowded.map(({ name, bytes }) => `toolset ${name} costs ${bytes} bytes, more than 24 KB`),
    ...(listBytes(tools, inputBytes) > 640 * ALL_TOOLS ? ['the list costs more than 640 bytes for each of its 234 tools'] : []),
    ...(mean.input > (tools.length < ALL_TOOLS ? MEAN_SO_FAR : 640)
      ? [`a tool costs ${mean.input} bytes on average, more than it may`]
      : []),
    ...(mean.output > 700 ? [`an output schema costs ${mean.output} bytes on average, more than 700`] : []),
  ]
}

describe('what tools/list costs', () => {
  it('stays within its budget, per tool, per toolset and on average', async ({ annotate }) => {
    const figures = `${PRODUCT_TOOLS.length} tools: mean ${meanOf(PRODUCT_TOOLS, inputBytes)} (640), p90 ${p90(PRODUCT_TOOLS)} (1,100), output ${meanOf(PRODUCT_TOOLS, outputBytes)} (700)`
    await annotate(figures, 'bytes')
    expect(problemsOfBytes(TOOLSETS_IN_ORDER)).toEqual([])
    expect(listBytes(PARTICIPANT_TOOLS, inputBytes)).toBeLessThanOrEqual(18 * 1024)
  })

  it('would be reported for one large tool, one crowded toolset, or many middling tools', () => {
    const wide = (words: number) =>
      plantedTool({ input: Object.fromEntries(Array.from({ length: words }, (_, i) => [`argument${i}`, z.string()])) })
    const lists = (count: number, tool: Tool) => [{ name: 'planted', tools: Array.from({ length: count }, () => tool) }]
    expect(problemsOfBytes(lists(1, wide(80)))).toContainEqual(expect.stringMatching(/^planted_tool costs \d+ bytes, more than 2,000$/))
    expect(problemsOfBytes(lists(50, wide(8)))).toContainEqual(expect.stringMatching(/^toolset planted costs \d+ bytes, more than 24 KB$/))
    expect(problemsOfBytes(Array.from({ length: 30 }, () => lists(2, wide(20))[0]!))).toEqual([
      expect.stringMatching(/^a tool costs \d+ bytes on average, more than it may$/),
    ])
    expect(problemsOfBytes(Array.from({ length: 30 }, () => lists(6, wide(20))[0]!))).toContain(
      'the list costs more than 640 bytes for each of its 234 tools',
    )
    const talkative = plantedTool({ output: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`field${i}`, z.string()])) })
    expect(problemsOfBytes(Array.from({ length: 30 }, () => lists(2, talkative)[0]!))).toEqual([
      expect.stringMatching(/^an output schema costs \d+ bytes on average/),
    ])
  })
})

const kept = new URL('wire/', import.meta.url)

/** Tools of the two endpoints may share a name, so those of participants are kept apart. */
function problemsOfKept(folder: URL, tools: readonly Tool[], update: boolean): string[] {
  if (update) mkdirSync(folder, { recursive: true })
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : []
  const orphans = files.filter((file) => !tools.some(({ name }) => file === `${name}.json`))
  const differing = tools.flatMap(({ name, wire }) => {
    const file = new URL(`${name}.json`, folder)
    const now = `${JSON.stringify(wire, null, 2)}\n`
    if (update) writeFileSync(file, now)
    if (!existsSync(file)) return [`${name} has no kept wire form`]
    return readFileSync(file, 'utf8') === now ? [] : [`${name} is not what was kept`]
  })
  return [...orphans.map((file) => `${file} is kept for no tool`), ...differing]
}

describe('the kept wire forms', () => {
  it('are what clients see: run with UPDATE_WIRE=1 after a wanted change, and read the difference in review', () => {
    const update = process.env['UPDATE_WIRE'] === '1'
    expect(problemsOfKept(kept, PRODUCT_TOOLS, update)).toEqual([])
    expect(problemsOfKept(new URL('participant/', kept), PARTICIPANT_TOOLS, update && PARTICIPANT_TOOLS.length > 0)).toEqual([])
  })

  it('would be reported when one is missing, other, or left over', () => {
    const [first, ...others] = PRODUCT_TOOLS
    const changed = { ...first!, wire: { ...first!.wire, title: 'Another title' } }
    expect(problemsOfKept(kept, [changed, plantedTool(), ...others.slice(1)], false)).toEqual([
      `${others[0]!.name}.json is kept for no tool`,
      `${first!.name} is not what was kept`,
      'planted_tool has no kept wire form',
    ])
  })
})
