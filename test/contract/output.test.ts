import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { count, text } from '../../src/kernel/args.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { newWorld, type ToolAnswer, type World } from '../support/world.ts'
import { overExamples } from './examples.ts'
import { problemsOfError, problemsOfErrors, problemsOfResult, resultOfCall } from './output.ts'
import { plantedTool } from './planted.ts'
import { type Stage, stageAt } from './stage.ts'

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
  stage = await stageAt(world, { tenant: 'demo', word: 'wallaby' })
})
afterAll(() => world.end())

describe('a result', () => {
  it('would be reported when the schema that clients see says otherwise', async () => {
    const examples = Object.fromEntries([narrow, lying].map(({ name }) => [name, ({ home }: Stage) => ({ eventCode: home.eventCode })]))
    expect(await overExamples(stage, [narrow], resultOfCall, examples)).toEqual([])
    expect(await overExamples(stage, [lying], resultOfCall, examples)).toEqual([
      expect.stringMatching(/^planted_lying returns what its output schema does not allow: .*(total|sum)/),
    ])
  })

  it('would be reported when there is none, because the example was refused', async () => {
    const examples = { planted_tool: () => ({ eventCode: 'nowhere' }) }
    expect(await overExamples(stage, [narrow], resultOfCall, examples)).toEqual([
      expect.stringMatching(/^planted_tool was refused: No event nowhere/),
    ])
  })

  it('would be reported when its text and its object part, or it is too long to read', () => {
    const result = (content: ToolAnswer['content'], structuredContent: unknown = { total: 1, name: 'one' }) =>
      problemsOfResult(narrow, { content, structuredContent })
    const same = { type: 'text', text: '{"total":1,"name":"one"}' }
    expect(result([same])).toEqual([])
    expect(result([{ type: 'text', text: '{"total":2,"name":"one"}' }])).toEqual(['says something else in text than in its result'])
    expect(result([same, { type: 'text', text: 'One in all.' }])).toEqual(['returns more than one text'])
    expect(result([same], [1])).toEqual(['returns no object'])
    const long = { total: 1, name: 'one', list: 'x'.repeat(90_000) }
    expect(result([{ type: 'text', text: JSON.stringify(long) }], long)).toEqual(['returns more than 80 KB'])
  })
})

describe('an error', () => {
  it('would be reported when there is none for an argument that no tool has', async () => {
    expect(await problemsOfErrors(stage, [narrow])).toEqual([])
    expect(await problemsOfErrors(stage, [greedy])).toContain('planted_greedy does not say that it is an error')
  })

  it('would be reported with a result beside it, without its copy, or with another text', () => {
    const error = { code: 'not_found', message: 'No such thing', fix: { tool: 'list_events', arguments: {} } }
    const content = [{ type: 'text', text: 'No such thing\nFix: call list_events with {}' }]
    const answer = { content, isError: true, _meta: { 'lanyard/error': error } } as unknown as ToolAnswer
    expect(problemsOfError(answer)).toEqual([])
    expect(problemsOfError({ ...answer, structuredContent: {} })).toEqual(['has structured content in an error'])
    expect(problemsOfError({ ...answer, isError: false })).toEqual(['does not say that it is an error'])
    expect(problemsOfError({ ...answer, _meta: { 'lanyard/error': { ...error, code: 'internal' } } })).toEqual([
      'has the error code internal',
    ])
    expect(problemsOfError({ ...answer, content: [{ type: 'text', text: 'Gone\nTry again\nAnd again' }] })).toEqual([
      'says something else in its text than in its error',
      'says more than a message and a fix',
      'names another fix in its text',
    ])
    expect(problemsOfError({ ...answer, content: [...content, ...content] })).toEqual(['says an error in other than one text'])
  })
})
