import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import type { Tool } from '../../src/kernel/tool.ts'
import type { ToolAnswer } from '../support/world.ts'
import { answerTo, type Call, confirmationOf } from './examples.ts'
import type { Stage } from './stage.ts'

const MAX_CHARACTERS = 80_000

/** As the protocol's own clients do it before they show a result to anybody. */
const validator = new AjvJsonSchemaValidator()

export function problemsOfResult({ wire }: Pick<Tool, 'wire'>, answer: ToolAnswer): string[] {
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
export function problemsOfError({ content, isError, _meta, ...rest }: ToolAnswer): string[] {
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

export const resultOfCall = async (call: Call) => problemsOfResult(call.tool, await answerTo(call, await confirmationOf(call)))

/** Calls that no tool takes, at places that are there and that are not. */
export async function problemsOfErrors(stage: Stage, tools: readonly Tool[]): Promise<string[]> {
  const { eventCode, clientCode } = stage.home
  const problems: string[] = []
  for (const tool of tools) {
    const placed = ['event', 'client'].includes(tool.scope)
    const codes = placed ? [{}, { eventCode: 'nowhere' }, { clientCode: 'nowhere' }, { eventCode }, { clientCode }] : [{}]
    for (const one of codes) {
      const answer = await stage.callerOf(tool).answer(tool.name, { ...one, zzqx: 1 })
      problems.push(...problemsOfError(answer).map((problem) => `${tool.name} ${problem}`))
    }
  }
  return problems
}
