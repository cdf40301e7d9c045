import { describe, expect, it } from 'vitest'
import type { Tool } from '../../src/kernel/tool.ts'
import { fixtureToolset } from '../support/fixture-tools/index.ts'
import { plantedTool, plantedWire } from './planted-tools.ts'
import { EVERY_TOOL } from './registry.ts'
import { SPECIFIED_PARTICIPANT_TOOLS, SPECIFIED_TOOLSETS } from './specified-tools.ts'

const KNOWN = new Set([
  ...Object.values(SPECIFIED_TOOLSETS).flatMap((tools) => tools.map(([name]) => name)),
  ...SPECIFIED_PARTICIPANT_TOOLS.map(([name]) => name),
  ...fixtureToolset.tools.map(({ name }) => name),
])

const SHOUTED = /\b(IMPORTANT|MUST|NEVER|ALWAYS|WARNING|CRITICAL|ATTENTION|NOTE|DO NOT|CANNOT)\b/
const PRINTABLE = /^[\x20-\x7e]+$/

/** Models choose tools by their descriptions. Server scanners flag hidden characters and capitals, and clients truncate long texts. */
function findDescriptionProblems(tool: Tool): string[] {
  const { name, title, description } = tool.wire
  const sentences = description.split(/(?<=\.)\s+/)
  const actions = (tool.wire.inputSchema.properties?.action?.enum ?? []) as string[]
  const mentioned = [...new Set(description.match(/\b[a-z]+(?:_[a-z]+)+\b/g))].filter((word) => word !== name && !actions.includes(word))
  const rules: [boolean, string][] = [
    [!/^[a-z][a-z_]{0,39}$/.test(name), 'its name is not 1 to 40 lowercase letters and _'],
    [!PRINTABLE.test(title) || title.length > 60 || !/^[A-Z]/.test(title) || title.endsWith('.'), 'its title is not a short heading'],
    [description.length < 120 || description.length > 360, `its description has ${description.length} characters, not 120 to 360`],
    [!PRINTABLE.test(description), 'its description is not printable ASCII in one paragraph'],
    [/ {2}|^ | $/.test(description), 'its description has stray blanks'],
    [SHOUTED.test(description), 'its description shouts'],
    [!/^Returns \S.*\.$/.test(sentences.at(-1)!), 'its description does not end with what it returns'],
    [mentioned.length === 0 && !description.includes('Not for '), 'its description names neither another tool nor what it is not for'],
    ...mentioned.map((word): [boolean, string] => [!KNOWN.has(word), `its description names ${word}, which is not a tool`]),
    ...actions.map((action): [boolean, string] => [!wordIn(description, action), `its description does not say what ${action} needs`]),
  ]
  if (tool.effect === 'destructive') {
    rules.push([!/cannot be undone/i.test(sentences[0]!), 'its first sentence does not say that it cannot be undone'])
    if (tool.previews) rules.push([!wordIn(description, 'dryRun'), 'its description does not name dryRun'])
  }
  return rules.filter(([wrong]) => wrong).map(([, fault]) => `${name}: ${fault}`)
}

const wordIn = (text: string, word: string) => new RegExp(`\\b${word}\\b`).test(text)

/** Clients run read-only tools without confirmation and always confirm destructive ones. */
function findAnnotationProblems({ name, title, effect, wire }: Tool): string[] {
  const { annotations } = wire
  const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const
  const rules: [boolean, string][] = [
    ...hints.map((hint): [boolean, string] => [typeof annotations[hint] !== 'boolean', `${hint} is missing`]),
    [annotations.readOnlyHint !== (effect === 'read'), `readOnlyHint is ${annotations.readOnlyHint} on a ${effect} tool`],
    [annotations.destructiveHint !== (effect === 'destructive'), `destructiveHint is ${annotations.destructiveHint} on a ${effect} tool`],
    [effect === 'read' && !annotations.idempotentHint, 'a read tool is not marked idempotent'],
    [annotations.title !== title || wire.title !== title, 'the titles differ'],
    [Object.keys(annotations).length !== 5, 'has annotations other than the four hints and the title'],
  ]
  return rules.filter(([wrong]) => wrong).map(([, fault]) => `${name}: ${fault}`)
}

const VALID_DESCRIPTION = plantedTool().description
const described = (description: string, more: Parameters<typeof plantedTool>[0] = {}) =>
  findDescriptionProblems(plantedTool({ description, ...more }))

describe('tool descriptions', () => {
  it('finds in every tool description the action, an alternative tool and the result, in 120 to 360 plain characters', () => {
    expect(EVERY_TOOL.flatMap(findDescriptionProblems)).toEqual([])
    expect(findDescriptionProblems(plantedTool())).toEqual([])
  })

  it.each([
    ['short', described('Do it. Not for x. Returns y.'), 'planted_tool: its description has 28 characters, not 120 to 360'],
    [
      'long',
      described(`${'Do it again and again. '.repeat(16)}Not for x. Returns y.`),
      'planted_tool: its description has 389 characters, not 120 to 360',
    ],
    [
      'not ASCII',
      described(VALID_DESCRIPTION.replace('small', 'sm\u0430ll')),
      'planted_tool: its description is not printable ASCII in one paragraph',
    ],
    [
      'hiding something',
      described(VALID_DESCRIPTION.replace('small', 'sm\u200ball')),
      'planted_tool: its description is not printable ASCII in one paragraph',
    ],
    [
      'of two paragraphs',
      described(VALID_DESCRIPTION.replace('. Use', '.\n\nUse')),
      'planted_tool: its description is not printable ASCII in one paragraph',
    ],
    ['loose', described(VALID_DESCRIPTION.replace('. Use', '.  Use')), 'planted_tool: its description has stray blanks'],
    ['shouting', described(VALID_DESCRIPTION.replace('Use when', 'IMPORTANT: use when')), 'planted_tool: its description shouts'],
    [
      'without its result',
      described(VALID_DESCRIPTION.replace('Returns nothing at all', 'Nothing comes back from it')),
      'planted_tool: its description does not end with what it returns',
    ],
    [
      'without a sibling',
      described(VALID_DESCRIPTION.replace('Not for anything else (use list_my_events)', 'There is nothing else that is like it')),
      'planted_tool: its description names neither another tool nor what it is not for',
    ],
    [
      'pointing nowhere',
      described(VALID_DESCRIPTION.replace('list_my_events', 'list_my_evnts')),
      'planted_tool: its description names list_my_evnts, which is not a tool',
    ],
    [
      'of an irreversible action without saying so',
      described(VALID_DESCRIPTION, { effect: 'destructive' }),
      'planted_tool: its first sentence does not say that it cannot be undone',
    ],
    [
      'of an irreversible action without its preview',
      described(VALID_DESCRIPTION.replace('of a test.', 'of a test; this cannot be undone.'), { effect: 'destructive' }),
      'planted_tool: its description does not name dryRun',
    ],
  ])('reports a tool description that is %s', (_fault, problems, expected) => {
    expect(problems).toContain(expected)
  })

  it('reports a bad tool name, a bad title and an action without an explanation', () => {
    const inputSchema = { type: 'object', properties: { action: { type: 'string', enum: ['prune'] } } }
    expect(findDescriptionProblems(plantedWire({ name: 'plantedTool' }))).toHaveLength(1)
    expect(findDescriptionProblems(plantedWire({ title: 'does things.' }))).toEqual(['planted_tool: its title is not a short heading'])
    expect(findDescriptionProblems(plantedWire({ inputSchema }))).toEqual(['planted_tool: its description does not say what prune needs'])
  })
})

describe('tool annotations', () => {
  it("includes all four MCP hints and the title in tool annotations, consistent with the tool's declared effect", () => {
    expect(EVERY_TOOL.flatMap(findAnnotationProblems)).toEqual([])
  })

  it("reports missing tool annotations and annotations that contradict the tool's effect", () => {
    const { annotations } = plantedTool().wire
    const { openWorldHint: _left, ...three } = annotations
    const planted = (wrong: object) => findAnnotationProblems(plantedWire({ annotations: wrong as typeof annotations }))
    expect(planted(three)).toContain('planted_tool: openWorldHint is missing')
    expect(planted({ ...annotations, readOnlyHint: false })).toEqual(['planted_tool: readOnlyHint is false on a read tool'])
    expect(planted({ ...annotations, destructiveHint: true })).toEqual(['planted_tool: destructiveHint is true on a read tool'])
    expect(planted({ ...annotations, idempotentHint: false })).toEqual(['planted_tool: a read tool is not marked idempotent'])
    expect(planted({ ...annotations, title: 'Other' })).toEqual(['planted_tool: the titles differ'])
    const change = plantedTool({ effect: 'change' })
    expect(findAnnotationProblems({ ...change, wire: { ...change.wire, annotations } })).toContain(
      'planted_tool: readOnlyHint is true on a change tool',
    )
  })
})
