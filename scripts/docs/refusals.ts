import type { AppError } from '../../src/kernel/errors.ts'
import type { InputShape } from '../../src/kernel/input-shape.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { errorText, type CallOutcome } from '../../src/surfaces/mcp/outcome.ts'
import type { ExampleError, ExampleErrorKind } from '../../src/surfaces/web/docs/examples.ts'
import { conceal } from './conceal.ts'
import type { Arguments, DemoStage } from './demo-stage.ts'

const NOBODY = 'ffffffffffffffffffffffff'
const NO_CODE = 'no-such-one'
/** Codes that the caller chooses, or that name the scope of the call. */
const OWN_CODES = new Set(['code', 'newCode', 'eventCode', 'clientCode', 'tenantCode', 'sourceSystem'])
const MOST_UNKNOWN = 3

/** Sends calls with one error each and returns the real responses. Calls that succeed are omitted. */
export async function refusalsOf(stage: DemoStage, tool: Tool, args: Arguments): Promise<ExampleError[]> {
  // A call that unexpectedly succeeds must not take effect.
  const harmless = tool.previews ? { ...args, dryRun: true } : args
  const told: ExampleError[] = []
  const add = (kind: ExampleErrorKind, outcome: CallOutcome | null, argument?: string) => {
    if (outcome?.kind !== 'error' || outcome.error.code === 'internal') return
    const refusal = refusalFrom(kind, outcome.error, argument)
    if (!told.some(({ message }) => message === refusal.message)) told.push(refusal)
  }
  const tried = (more: Arguments) => stage.outcome(tool, { ...harmless, ...more })

  add('arguments', await stage.outcome(tool, wrongly(tool, args)))
  if (tool.scope === 'event' || tool.scope === 'signIn') add('place', await tried({ eventCode: 'no-such-event' }))
  if (tool.scope === 'client') add('place', await tried({ clientCode: 'no-such-client' }))
  if (tool.scope === 'person' || tool.scope === 'registrant') add('session', await stage.withoutSession(tool, args))
  if (tool.scope === 'registrant') add('registration', await stage.withoutRegistration(tool, args))
  for (const permission of tool.permissions) add('permission', await stage.withoutPermission(tool, permission, harmless))
  for (const [name, value] of unknownIn(tool.shape, args).slice(0, MOST_UNKNOWN)) {
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
  return told
}

function refusalFrom(kind: ExampleErrorKind, error: AppError, argument?: string): ExampleError {
  const [message, fix] = (conceal(errorText(error)) as string).split('\nFix: ')
  return { kind, code: error.code, message: message!, ...(fix === undefined ? {} : { fix }), ...(argument === undefined ? {} : { argument }) }
}

/** Removes a required argument; if none is required, misspells an argument name. */
function wrongly({ shape }: Tool, args: Arguments): Arguments {
  if (shape.required?.length) return {}
  const [name = 'argument'] = Object.keys(shape.properties ?? {})
  return { ...args, [`${name}s`]: 'x' }
}

/** Arguments that are references, each with an unknown value. Those that the example uses come first. */
function unknownIn({ properties = {} }: InputShape, args: Arguments): [string, unknown][] {
  return Object.entries(properties)
    .flatMap(([name, part]): [string, unknown][] => {
      const one = part.type === 'array' ? part.items : part
      const value = one?.reference ? NOBODY : one?.like?.startsWith('a code such as') && !OWN_CODES.has(name) ? NO_CODE : null
      return value === null ? [] : [[name, part.type === 'array' ? [value] : value]]
    })
    .filter(([name]) => name in args)
}

async function underUsedKey(stage: DemoStage, tool: Tool, { dryRun: _dryRun, ...args }: Arguments): Promise<CallOutcome> {
  const idempotencyKey = `example of ${tool.name}`
  await stage.spendKey(tool.name, idempotencyKey)
  return stage.outcome(tool, { ...args, idempotencyKey })
}
