import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { count, text } from '../../src/kernel/args.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { newWorld, type ToolAnswer, type World } from '../support/world.ts'
import { answerTo, type Call, confirmationOf, overExamples } from './examples.ts'
import { plantedTool } from './planted.ts'
import { ORGANIZER_TOOLS } from './registry.ts'
import { type Stage, stageAt } from './stage.ts'

const MAX_CHARACTERS = 80_000

/** As the protocol's own clients do it before they show a result to anybody. */
const validator = new AjvJsonSchemaValidator()

function problemsOfResult({ wire }: Pick<Tool, 'wire'>, answer: ToolAnswer): string[] {
  const { content, structuredContent, isError } = answer
  if (isError) return [`was refused: ${content[0]!.text}`]
  if (structuredContent === null || typeof structuredContent !== 'object' || Array.isArray(structuredContent)) return ['returns no object']
  const valid = validator.getValidator(wire.outputSchema)(structuredContent)
  const [first, ...others] = content
  return [
    ...(valid.valid ? [] : [`returns what its output schema does not allow: ${valid.errorMessage}`]),
    ...(first?.type === 'text' && first.text === JSON.stringify(structuredContent)
      ? []
      : ['says something else in text than in its result']),
    ...(others.every(({ type }) => type === 'image') ? [] : ['returns more than one text']),
    ...((first?.text?.length ?? 0) > MAX_CHARACTERS ? ['returns more than 80 KB'] : []),
  ]
}

const CODES = [
  'invalid_arguments',
  'not_found',
  'forbidden',
  'ambiguous',
  'conflict',
  'precondition_failed',
  'limit_exceeded',
  'unavailable',
]

/** Clients validate structured content against the output schema, so an error has none. */
function problemsOfError({ content, isError, _meta, ...rest }: ToolAnswer): string[] {
  const error = _meta?.['lanyard/error'] as { code?: string; message?: string; fix?: { tool: string } } | undefined
  const [message, fix, ...more] = content[0]?.text?.split('\n') ?? []
  return [
    ...(isError === true ? [] : ['does not say that it is an error']),
    ...('structuredContent' in rest ? ['has structured content in an error'] : []),
    ...(content.length === 1 && content[0]!.type === 'text' ? [] : ['says an error in other than one text']),
    ...(CODES.includes(error?.code ?? '') ? [] : [`has the error code ${error?.code}`]),
    ...(error?.message === message ? [] : ['says something else in its text than in its error']),
    ...(more.length === 0 && (fix === undefined || fix.startsWith('Fix: ')) ? [] : ['says more than a message and a fix']),
    ...(error?.fix && fix !== undefined && !fix.includes(error.fix.tool) ? ['names another fix in its text'] : []),
  ]
}

const narrow = plantedTool({ output: { total: count(), name: text() }, run: () => Promise.resolve({ total: 3, name: 'three' }) })
const lying: Tool = {
  ...narrow,
  name: 'planted_lying',
  wire: { ...narrow.wire, outputSchema: { type: 'object', properties: { total: { type: 'string' } }, required: ['sum'] } },
}

let world: World
let stage: Stage
beforeAll(async () => {
  world = await newWorld({ toolsets: [toolset('all', [...ORGANIZER_TOOLS, narrow, lying])] })
  stage = await stageAt(world, { tenant: 'demo', word: 'wallaby' })
})
afterAll(() => world.end())

describe('a result', () => {
  const ofDryRun = async (call: Call) => problemsOfResult(call.tool, await answerTo(call, { dryRun: true }))
  const ofCall = async (call: Call) => problemsOfResult(call.tool, await answerTo(call, await confirmationOf(call)))

  it('is what its output schema says, once as an object and once as the same text', async () => {
    expect(await overExamples(stage, ORGANIZER_TOOLS, ofCall)).toEqual([])
    const previewing = ORGANIZER_TOOLS.filter(({ previews }) => previews)
    expect(await overExamples(stage, previewing, ofDryRun)).toEqual([])
  })

  it('would be reported when the schema that clients see says otherwise', async () => {
    const examples = Object.fromEntries([narrow, lying].map(({ name }) => [name, ({ home }: Stage) => ({ eventCode: home.eventCode })]))
    expect(await overExamples(stage, [narrow], ofCall, examples)).toEqual([])
    expect(await overExamples(stage, [lying], ofCall, examples)).toEqual([
      expect.stringMatching(/^planted_lying returns what its output schema does not allow: .*(total|sum)/),
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
  it('has one text, a machine copy and no structured content, in every tool', async () => {
    const problems: string[] = []
    for (const { name, scope } of ORGANIZER_TOOLS) {
      const codes = [{}, { eventCode: 'nowhere' }, { clientCode: 'nowhere' }, { eventCode: stage.home.eventCode }].filter(
        () => scope !== 'account',
      )
      for (const sent of [{ zzqx: 1 }, ...codes.map((one) => ({ ...one, zzqx: 1 }))]) {
        problems.push(...problemsOfError(await stage.admin.answer(name, sent)).map((problem) => `${name} ${problem}`))
      }
    }
    expect(problems).toEqual([])
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
