import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import type { Tool } from '../../src/kernel/tool.ts'
import type { ToolAnswer } from '../support/world.ts'
import { callExample, type ExampleCall, getConfirmation } from './examples.ts'
import type { Stage } from './stage.ts'

const MAX_CHARACTERS = 80_000

/** The JSON Schema validator that the official MCP clients use. */
const validator = new AjvJsonSchemaValidator()

export function findResultProblems({ wire }: Pick<Tool, 'wire'>, answer: ToolAnswer): string[] {
  const { content, structuredContent, isError } = answer
  if (isError) return [`was refused: ${content[0]!.text}`]
  if (structuredContent === null || typeof structuredContent !== 'object' || Array.isArray(structuredContent)) return ['returns no object']
  const valid = validator.getValidator(wire.outputSchema)(structuredContent)
  const [first, ...others] = content
  return [
    ...(valid.valid ? [] : [`returns a result that does not match its output schema: ${valid.errorMessage}`]),
    ...(first?.type === 'text' && first.text === JSON.stringify(structuredContent)
      ? []
      : ['has different content in its text and its result']),
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
export function findErrorProblems({ content, isError, _meta, ...rest }: ToolAnswer): string[] {
  const error = _meta?.['lanyard/error'] as { code?: string; message?: string; fix?: { tool: string } } | undefined
  const [message, fix, ...more] = content[0]?.text?.split('\n') ?? []
  return [
    ...(isError === true ? [] : ['is not marked as an error']),
    ...('structuredContent' in rest ? ['has structured content in an error'] : []),
    ...(content.length === 1 && content[0]!.type === 'text' ? [] : ['has not exactly one text for an error']),
    ...(CODES.includes(error?.code ?? '') ? [] : [`has the error code ${error?.code}`]),
    ...(error?.message === message ? [] : ['has different messages in its text and its error']),
    ...(more.length === 0 && (fix === undefined || fix.startsWith('Fix: ')) ? [] : ['has more than a message and a fix']),
    ...(error?.fix && fix !== undefined && !fix.includes(error.fix.tool) ? ['names another fix in its text'] : []),
  ]
}

export const findCallResultProblems = async (call: ExampleCall) =>
  findResultProblems(call.tool, await callExample(call, await getConfirmation(call)))

/** Makes invalid calls at existing and at unknown events and clients. */
export async function findRefusalProblems(stage: Stage, tools: readonly Tool[]): Promise<string[]> {
  const { eventCode, clientCode } = stage.home
  const problems: string[] = []
  for (const tool of tools) {
    const placed = ['event', 'client'].includes(tool.scope)
    const codes = placed ? [{}, { eventCode: 'nowhere' }, { clientCode: 'nowhere' }, { eventCode }, { clientCode }] : [{}]
    for (const one of codes) {
      const answer = await stage.callerOf(tool).answer(tool.name, { ...one, zzqx: 1 })
      problems.push(...findErrorProblems(answer).map((problem) => `${tool.name} ${problem}`))
    }
  }
  return problems
}
