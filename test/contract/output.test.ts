import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { count, text } from '../../src/kernel/args.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { newWorld, type ToolAnswer, type World } from '../support/world.ts'
import { checkExamples } from './examples.ts'
import { findErrorProblems, findRefusalProblems, findResultProblems, findCallResultProblems } from './output.ts'
import { plantedTool } from './planted-tools.ts'
import { type Stage, createStage } from './stage.ts'

const narrow = plantedTool({ output: { total: count(), name: text() }, run: () => Promise.resolve({ total: 3, name: 'three' }) })
const lying: Tool = {
  ...narrow,
  name: 'planted_lying',
  wire: { ...narrow.wire, outputSchema: { type: 'object', properties: { total: { type: 'string' } }, required: ['sum'] } },
}

const greedy: Tool = plantedTool({ name: 'planted_greedy' })

let world: World
let stage: Stage
beforeAll(async () => {
  const taking = { ...greedy, input: greedy.input.loose() }
  world = await newWorld({ toolsets: [toolset('all', [narrow, lying, taking])] })
  stage = await createStage(world, { tenant: 'demo', word: 'wallaby' })
})
afterAll(() => world.end())

describe('findResultProblems', () => {
  it('reports a tool result that does not match the output schema', async () => {
    const examples = Object.fromEntries([narrow, lying].map(({ name }) => [name, ({ home }: Stage) => ({ eventCode: home.eventCode })]))
    expect(await checkExamples(stage, [narrow], findCallResultProblems, examples)).toEqual([])
    expect(await checkExamples(stage, [lying], findCallResultProblems, examples)).toEqual([
      expect.stringMatching(/^planted_lying returns a result that does not match its output schema: .*(total|sum)/),
    ])
  })

  it('reports an example call that was refused instead of returning a result', async () => {
    const examples = { planted_tool: () => ({ eventCode: 'nowhere' }) }
    expect(await checkExamples(stage, [narrow], findCallResultProblems, examples)).toEqual([
      expect.stringMatching(/^planted_tool was refused: No event nowhere/),
    ])
  })

  it('reports a tool result whose text differs from its object, or that is too long', () => {
    const result = (content: ToolAnswer['content'], structuredContent: unknown = { total: 1, name: 'one' }) =>
      findResultProblems(narrow, { content, structuredContent })
    const same = { type: 'text', text: '{"total":1,"name":"one"}' }
    expect(result([same])).toEqual([])
    expect(result([{ type: 'text', text: '{"total":2,"name":"one"}' }])).toEqual(['has different content in its text and its result'])
    expect(result([same, { type: 'text', text: 'One in all.' }])).toEqual(['returns more than one text'])
    expect(result([same], [1])).toEqual(['returns no object'])
    const long = { total: 1, name: 'one', list: 'x'.repeat(90_000) }
    expect(result([{ type: 'text', text: JSON.stringify(long) }], long)).toEqual(['returns more than 80 KB'])
  })
})

describe('findErrorProblems', () => {
  it('reports a tool that returns no error for an unknown argument', async () => {
    expect(await findRefusalProblems(stage, [narrow])).toEqual([])
    expect(await findRefusalProblems(stage, [greedy])).toContain('planted_greedy is not marked as an error')
  })

  it('reports a tool error with structured content, without its machine-readable copy, or with another text', () => {
    const error = { code: 'not_found', message: 'No such thing', fix: { tool: 'list_events', arguments: {} } }
    const content = [{ type: 'text', text: 'No such thing\nFix: call list_events with {}' }]
    const answer = { content, isError: true, _meta: { 'lanyard/error': error } } as unknown as ToolAnswer
    expect(findErrorProblems(answer)).toEqual([])
    expect(findErrorProblems({ ...answer, structuredContent: {} })).toEqual(['has structured content in an error'])
    expect(findErrorProblems({ ...answer, isError: false })).toEqual(['is not marked as an error'])
    expect(findErrorProblems({ ...answer, _meta: { 'lanyard/error': { ...error, code: 'internal' } } })).toEqual([
      'has the error code internal',
    ])
    expect(findErrorProblems({ ...answer, content: [{ type: 'text', text: 'Gone\nTry again\nAnd again' }] })).toEqual([
      'has different messages in its text and its error',
      'has more than a message and a fix',
      'names another fix in its text',
    ])
    expect(findErrorProblems({ ...answer, content: [...content, ...content] })).toEqual(['has not exactly one text for an error'])
  })
})
