import type { AppError } from '../../src/kernel/errors.ts'
import type { InputShape } from '../../src/kernel/input-shape.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { errorText, type Outcome } from '../../src/surfaces/mcp/outcome.ts'
import type { Refusal, RefusalKind } from '../../src/surfaces/web/docs/examples.ts'
import { conceal } from './conceal.ts'
import type { Arguments, DemoStage } from './demo-stage.ts'

const NOBODY = 'ffffffffffffffffffffffff'
const NO_CODE = 'no-such-one'
/** Codes that a call makes up, or that say where it acts. */
const OWN_CODES = new Set(['code', 'newCode', 'eventCode', 'clientCode', 'tenantCode', 'sourceSystem'])
const MOST_UNKNOWN = 3

/** Calls that are wrong in one way each, and what is really answered to them. One that is not refused says nothing of the tool. */
export async function refusalsOf(stage: DemoStage, tool: Tool, args: Arguments): Promise<Refusal[]> {
  // What is not refused must not be done either.
  const harmless = tool.previews ? { ...args, dryRun: true } : args
  const told: Refusal[] = []
  const add = (kind: RefusalKind, outcome: Outcome | null, argument?: string) => {
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

function refusalFrom(kind: RefusalKind, error: AppError, argument?: string): Refusal {
  const [message, fix] = (conceal(errorText(error)) as string).split('\nFix: ')
  return { kind, code: error.code, message: message!, ...(fix === undefined ? {} : { fix }), ...(argument === undefined ? {} : { argument }) }
}

/** Without what is required; where nothing is, with a name that has a letter too many. */
function wrongly({ shape }: Tool, args: Arguments): Arguments {
  if (shape.required?.length) return {}
  const [name = 'argument'] = Object.keys(shape.properties ?? {})
  return { ...args, [`${name}s`]: 'x' }
}

/** Arguments that name something, each with the name of nothing. Those that the example uses come first. */
function unknownIn({ properties = {} }: InputShape, args: Arguments): [string, unknown][] {
  return Object.entries(properties)
    .flatMap(([name, part]): [string, unknown][] => {
      const one = part.type === 'array' ? part.items : part
      const value = one?.reference ? NOBODY : one?.like?.startsWith('a code such as') && !OWN_CODES.has(name) ? NO_CODE : null
      return value === null ? [] : [[name, part.type === 'array' ? [value] : value]]
    })
    .filter(([name]) => name in args)
}

async function underUsedKey(stage: DemoStage, tool: Tool, { dryRun: _dryRun, ...args }: Arguments): Promise<Outcome> {
  const idempotencyKey = `example of ${tool.name}`
  await stage.spendKey(tool.name, idempotencyKey)
  return stage.outcome(tool, { ...args, idempotencyKey })
}
