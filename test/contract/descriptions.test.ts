import { describe, expect, it } from 'vitest'
import type { Tool } from '../../src/kernel/tool.ts'
import { fixtureToolset } from '../support/fixture-tools/index.ts'
import { plantedTool, plantedWire } from './planted.ts'
import { EVERY_TOOL } from './registry.ts'
import { SPECIFIED_PARTICIPANT_TOOLS, SPECIFIED_TOOLSETS } from './specified-tools.ts'

const KNOWN = new Set([
  ...Object.values(SPECIFIED_TOOLSETS).flatMap((tools) => tools.map(([name]) => name)),
  ...SPECIFIED_PARTICIPANT_TOOLS.map(([name]) => name),
  ...fixtureToolset.tools.map(({ name }) => name),
])

const SHOUTED = /\b(IMPORTANT|MUST|NEVER|ALWAYS|WARNING|CRITICAL|ATTENTION|NOTE|DO NOT|CANNOT)\b/
const PRINTABLE = /^[\x20-\x7e]+$/

/** What a model chooses a tool by. Scanners of servers flag what is hidden or shouted, and clients cut what is long. */
function problemsOfDescription(tool: Tool): string[] {
  const { name, title, description } = tool.wire
  const sentences = description.split(/(?<=\.)\s+/)
  const mentioned = [...new Set(description.match(/\b[a-z]+(?:_[a-z]+)+\b/g))].filter((word) => word !== name)
  const actions = (tool.wire.inputSchema.properties?.action?.enum ?? []) as string[]
  const faults: [boolean, string][] = [
    [!/^[a-z][a-z_]{0,39}$/.test(name), 'its name is not of small letters and _, at most 40'],
    [!PRINTABLE.test(title) || title.length > 60 || !/^[A-Z]/.test(title) || title.endsWith('.'), 'its title is no short heading'],
    [description.length < 120 || description.length > 360, `its description has ${description.length} characters, not 120 to 360`],
    [!PRINTABLE.test(description), 'its description is not printable ASCII in one paragraph'],
    [/ {2}|^ | $/.test(description), 'its description has stray blanks'],
    [SHOUTED.test(description), 'its description shouts'],
    [!/^Returns \S.*\.$/.test(sentences.at(-1)!), 'its description does not end with what it returns'],
    [mentioned.length === 0 && !description.includes('Not for '), 'its description names no other tool and nothing it is not for'],
    ...mentioned.map((word): [boolean, string] => [!KNOWN.has(word), `its description names ${word}, which is no tool`]),
    ...actions.map((action): [boolean, string] => [!wordIn(description, action), `its description does not say what ${action} needs`]),
  ]
  if (tool.effect === 'destructive') {
    faults.push([!/cannot be undone/i.test(sentences[0]!), 'its first sentence does not say that it cannot be undone'])
    if (tool.previews) faults.push([!wordIn(description, 'dryRun'), 'its description does not name dryRun'])
  }
  return faults.filter(([wrong]) => wrong).map(([, fault]) => `${name}: ${fault}`)
}

const wordIn = (text: string, word: string) => new RegExp(`\\b${word}\\b`).test(text)

/** Clients run what is read-only without asking and always ask before what is destructive. */
function problemsOfAnnotations({ name, title, effect, wire }: Tool): string[] {
  const { annotations } = wire
  const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const
  const faults: [boolean, string][] = [
    ...hints.map((hint): [boolean, string] => [typeof annotations[hint] !== 'boolean', `${hint} is not said`]),
    [annotations.readOnlyHint !== (effect === 'read'), `readOnlyHint is ${annotations.readOnlyHint} on a ${effect} tool`],
    [annotations.destructiveHint !== (effect === 'destructive'), `destructiveHint is ${annotations.destructiveHint} on a ${effect} tool`],
    [effect === 'read' && !annotations.idempotentHint, 'a read is not marked idempotent'],
    [annotations.title !== title || wire.title !== title, 'the titles differ'],
    [Object.keys(annotations).length !== 5, 'there are other annotations than the four hints and the title'],
  ]
  return faults.filter(([wrong]) => wrong).map(([, fault]) => `${name}: ${fault}`)
}

const FAULTLESS = plantedTool().description
const described = (description: string, more: Parameters<typeof plantedTool>[0] = {}) =>
  problemsOfDescription(plantedTool({ description, ...more }))

describe('every description', () => {
  it('says what the tool does, what to use instead and what comes back, in 120 to 360 plain characters', () => {
    expect(EVERY_TOOL.flatMap(problemsOfDescription)).toEqual([])
    expect(problemsOfDescription(plantedTool())).toEqual([])
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
      described(FAULTLESS.replace('small', 'sm\u0430ll')),
      'planted_tool: its description is not printable ASCII in one paragraph',
    ],
    [
      'hiding something',
      described(FAULTLESS.replace('small', 'sm\u200ball')),
      'planted_tool: its description is not printable ASCII in one paragraph',
    ],
    [
      'of two paragraphs',
      described(FAULTLESS.replace('. Use', '.\n\nUse')),
      'planted_tool: its description is not printable ASCII in one paragraph',
    ],
    ['loose', described(FAULTLESS.replace('. Use', '.  Use')), 'planted_tool: its description has stray blanks'],
    ['shouting', described(FAULTLESS.replace('Use when', 'IMPORTANT: use when')), 'planted_tool: its description shouts'],
    [
      'silent about its result',
      described(FAULTLESS.replace('Returns nothing at all', 'Nothing comes back from it')),
      'planted_tool: its description does not end with what it returns',
    ],
    [
      'without a sibling',
      described(FAULTLESS.replace('Not for anything else (use list_my_events)', 'There is nothing else that is like it')),
      'planted_tool: its description names no other tool and nothing it is not for',
    ],
    [
      'pointing nowhere',
      described(FAULTLESS.replace('list_my_events', 'list_my_evnts')),
      'planted_tool: its description names list_my_evnts, which is no tool',
    ],
    [
      'of something that cannot be undone without saying so',
      described(FAULTLESS, { effect: 'destructive' }),
      'planted_tool: its first sentence does not say that it cannot be undone',
    ],
    [
      'of something that cannot be undone without its preview',
      described(FAULTLESS.replace('of a test.', 'of a test; this cannot be undone.'), { effect: 'destructive' }),
      'planted_tool: its description does not name dryRun',
    ],
  ])('would be reported when it is %s', (_fault, problems, expected) => {
    expect(problems).toContain(expected)
  })

  it('would be reported with a bad name, a bad title, or an action it does not explain', () => {
    const inputSchema = { type: 'object', properties: { action: { type: 'string', enum: ['prune'] } } }
    expect(problemsOfDescription(plantedWire({ name: 'plantedTool' }))).toHaveLength(1)
    expect(problemsOfDescription(plantedWire({ title: 'does things.' }))).toEqual(['planted_tool: its title is no short heading'])
    expect(problemsOfDescription(plantedWire({ inputSchema }))).toEqual(['planted_tool: its description does not say what prune needs'])
  })
})

describe('the annotations', () => {
  it('give all four hints and the title, as the effect demands', () => {
    expect(EVERY_TOOL.flatMap(problemsOfAnnotations)).toEqual([])
  })

  it('would be reported when they are missing or contradict the effect', () => {
    const { annotations } = plantedTool().wire
    const { openWorldHint: _left, ...three } = annotations
    const planted = (wrong: object) => problemsOfAnnotations(plantedWire({ annotations: wrong as typeof annotations }))
    expect(planted(three)).toContain('planted_tool: openWorldHint is not said')
    expect(planted({ ...annotations, readOnlyHint: false })).toEqual(['planted_tool: readOnlyHint is false on a read tool'])
    expect(planted({ ...annotations, destructiveHint: true })).toEqual(['planted_tool: destructiveHint is true on a read tool'])
    expect(planted({ ...annotations, idempotentHint: false })).toEqual(['planted_tool: a read is not marked idempotent'])
    expect(planted({ ...annotations, title: 'Other' })).toEqual(['planted_tool: the titles differ'])
    const change = plantedTool({ effect: 'change' })
    expect(problemsOfAnnotations({ ...change, wire: { ...change.wire, annotations } })).toContain(
      'planted_tool: readOnlyHint is true on a change tool',
    )
  })
})
