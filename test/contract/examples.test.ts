import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneOf } from '../../src/kernel/args.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { newWorld, type World } from '../support/world.ts'
import { answerTo, type Call, confirmationOf, EXAMPLES, type Examples, examplesOf, overExamples } from './examples.ts'
import { idArgumentsOf } from './id-arguments.ts'
import { plantedTool } from './planted.ts'
import { ORGANIZER_TOOLS } from './registry.ts'
import { type Stage, stageAt } from './stage.ts'

const planted = plantedTool({ permission: 'events.read', input: { action: oneOf(['prune', 'graft']) } })

let world: World
let stage: Stage
beforeAll(async () => {
  world = await newWorld({ toolsets: [toolset('all', [...ORGANIZER_TOOLS, planted])] })
  stage = await stageAt(world, { tenant: 'demo', word: 'wallaby' })
})
afterAll(() => world.end())

const problemsOfNames = (tools: readonly Tool[], examples: Examples): string[] =>
  Object.keys(examples)
    .filter((name) => !tools.some((tool) => tool.name === name))
    .map((name) => `${name} has an example and is no tool`)

/** An example that is refused would make every test that uses it pass for nothing. */
async function problemsOfExample(call: Call): Promise<string[]> {
  const { isError, content } = await answerTo(call, await confirmationOf(call))
  return isError ? [`was refused its example: ${content[0]!.text}`] : []
}

async function problemsOfCoverage(tools: readonly Tool[], examples: Examples): Promise<string[]> {
  const problems: string[] = []
  for (const tool of tools) {
    const given: object[] = []
    for (const example of examplesOf(tool, examples)) given.push(await example(stage))
    const actions = tool.shape.properties?.action?.allowed ?? []
    const missing = actions.filter((action) => !given.some((args) => 'action' in args && args.action === action))
    const ids = idArgumentsOf(tool).filter(({ read }) => !given.some((args) => read(args) !== undefined))
    problems.push(
      ...missing.map((action) => `${tool.name} has no example of the action ${action}`),
      ...ids.map(({ path }) => `${tool.name} has no example with ${path.join('/')}`),
    )
  }
  return problems
}

describe('the examples', () => {
  it('succeed, one or more for every tool', async () => {
    expect(problemsOfNames(ORGANIZER_TOOLS, EXAMPLES)).toEqual([])
    expect(await overExamples(stage, ORGANIZER_TOOLS, problemsOfExample)).toEqual([])
  })

  it('use every action and every id argument', async () => {
    expect(await problemsOfCoverage(ORGANIZER_TOOLS, EXAMPLES)).toEqual([])
  })

  it('are missed with the place where to add them', async () => {
    await expect(overExamples(stage, [planted], problemsOfExample)).rejects.toThrow(
      'planted_tool has no example: add one to EXAMPLES in test/contract/examples.ts',
    )
    expect(problemsOfNames([], { gone_tool: () => ({}) })).toEqual(['gone_tool has an example and is no tool'])
  })

  it('would be reported when they are refused or leave something out', async () => {
    const examples = { planted_tool: () => ({ eventCode: stage.home.eventCode, action: 'prune' }), other_tool: () => ({}) }
    expect(await overExamples(stage, [planted], problemsOfExample, examples)).toEqual([])
    expect(await overExamples(stage, [planted], problemsOfExample, { planted_tool: () => ({ action: 'saw' }) })).toEqual([
      expect.stringContaining('planted_tool was refused its example: '),
    ])
    expect(await problemsOfCoverage([planted], examples)).toEqual(['planted_tool has no example of the action graft'])
    const getNote = ORGANIZER_TOOLS.find(({ name }) => name === 'fixture_get_note')!
    expect(await problemsOfCoverage([getNote], { fixture_get_note: () => ({}) })).toEqual(['fixture_get_note has no example with noteId'])
  })
})
