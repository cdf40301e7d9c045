import type { AppError } from '../../src/kernel/errors.ts'
import type { InputShape } from '../../src/kernel/input-shape.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { formatErrorWithFix, type ToolCallOutcome } from '../../src/surfaces/mcp/outcome.ts'
import type { ExampleError, ExampleErrorKind } from '../../src/surfaces/web/docs/examples.ts'
import { concealSecrets } from './conceal-secrets.ts'
import type { Arguments, DemoScenario } from './demo-scenario.ts'

const UNKNOWN_ID = 'ffffffffffffffffffffffff'
const UNKNOWN_CODE = 'no-such-one'
/** Codes that the caller chooses, or that name the scope of the call. */
const CALLER_CHOSEN_CODES = new Set(['code', 'newCode', 'eventCode', 'clientCode', 'tenantCode', 'sourceSystem'])
const MAX_UNKNOWN_REFERENCES = 3

/** Sends calls with one error each and returns the real responses. Calls that succeed are omitted. */
export async function listRefusals(stage: DemoScenario, tool: Tool, args: Arguments): Promise<ExampleError[]> {
  // A call that unexpectedly succeeds must not take effect.
  const harmless = tool.previews ? { ...args, dryRun: true } : args
  const refusals: ExampleError[] = []
  const add = (kind: ExampleErrorKind, outcome: ToolCallOutcome | null, argument?: string) => {
    if (outcome?.kind !== 'error' || outcome.error.code === 'internal') return
    const refusal = refusalFrom(kind, outcome.error, argument)
    if (!refusals.some(({ message }) => message === refusal.message)) refusals.push(refusal)
  }
  const tried = (more: Arguments) => stage.outcome(tool, { ...harmless, ...more })

  add('arguments', await stage.outcome(tool, breakArguments(tool, args)))
  if (tool.scope === 'event' || tool.scope === 'signIn') add('place', await tried({ eventCode: 'no-such-event' }))
  if (tool.scope === 'client') add('place', await tried({ clientCode: 'no-such-client' }))
  if (tool.scope === 'person' || tool.scope === 'registrant') add('session', await stage.withoutSession(tool, args))
  if (tool.scope === 'registrant') add('registration', await stage.withoutRegistration(tool, args))
  for (const permission of tool.permissions) add('permission', await stage.withoutPermission(tool, permission, harmless))
  for (const [name, value] of listUnknownReferences(tool.shape, args).slice(0, MAX_UNKNOWN_REFERENCES)) {
    const outcome = await tried({ [name]: value })
    if (outcome.kind === 'error' && outcome.error.code !== 'conflict') add('unknown', outcome, name)
  }
  if (tool.shape.properties?.['ifRevision']) add('stale', await tried({ ifRevision: 9999 }))
  if (tool.confirmable) add('confirmation', await stage.outcome(tool, { ...args, confirmToken: 'of another call' }))
  if (tool.effect !== 'read' && !tool.previews) add('again', await stage.outcome(tool, args))
  if (tool.keyed) add('key', await underUsedKey(stage, tool, harmless))
  if (tool.scope === 'event' && tool.effect !== 'read') {
    const outcome = await tried({ eventCode: 'summit-2026' })
    if (outcome.kind === 'error' && outcome.error.code === 'precondition_failed') add('archived', outcome)
  }
  return refusals
}

function refusalFrom(kind: ExampleErrorKind, error: AppError, argument?: string): ExampleError {
  const [message, fix] = (concealSecrets(formatErrorWithFix(error)) as string).split('\nFix: ')
  return { kind, code: error.code, message: message!, ...(fix === undefined ? {} : { fix }), ...(argument === undefined ? {} : { argument }) }
}

/** Removes a required argument; if none is required, misspells an argument name. */
function breakArguments({ shape }: Tool, args: Arguments): Arguments {
  if (shape.required?.length) return {}
  const [name = 'argument'] = Object.keys(shape.properties ?? {})
  return { ...args, [`${name}s`]: 'x' }
}

/** Arguments that are references, each with an unknown value. Those that the example uses come first. */
function listUnknownReferences({ properties = {} }: InputShape, args: Arguments): [string, unknown][] {
  return Object.entries(properties)
    .flatMap(([name, part]): [string, unknown][] => {
      const one = part.type === 'array' ? part.items : part
      const value = one?.reference ? UNKNOWN_ID : one?.like?.startsWith('a code such as') && !CALLER_CHOSEN_CODES.has(name) ? UNKNOWN_CODE : null
      return value === null ? [] : [[name, part.type === 'array' ? [value] : value]]
    })
    .filter(([name]) => name in args)
}

async function underUsedKey(stage: DemoScenario, tool: Tool, { dryRun: _dryRun, ...args }: Arguments): Promise<ToolCallOutcome> {
  const idempotencyKey = `example of ${tool.name}`
  await stage.spendKey(tool.name, idempotencyKey)
  return stage.outcome(tool, { ...args, idempotencyKey })
}
