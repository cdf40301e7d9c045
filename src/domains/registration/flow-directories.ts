import { AppError } from '../../kernel/errors.ts'
import { dataFieldsOf } from '../configuration/data-fields.ts'
import { isFlowFor } from '../configuration/flow/collects.ts'
import { type Configuration, readInUse } from '../configuration/read.ts'
import { type LookedUp, lookUp, type LookUpContext } from '../directories/look-up.ts'
import { type AtPerson, openFlowsFor, tagsBefore } from './open-flows.ts'

/** What directories said of somebody, by connection. */
export type Directories = ReadonlyMap<string, LookedUp>

/**
 * Asks the directories of the flow that somebody named, or of those that come before the first that is for them: each is asked once. Never
 * inside a transaction.
 */
export async function askFlowDirectories(ctx: AtPerson & LookUpContext, flowSlug: string | undefined): Promise<Directories> {
  const said = new Map<string, LookedUp>()
  const inUse = await readInUse(ctx)
  if (!inUse?.config.flows.some(({ directory }) => directory !== null)) return said
  const open = await openFlowsFor(ctx)
  for (const flow of open?.flows ?? []) {
    if (flowSlug !== undefined && flow.slug !== flowSlug) continue
    if (flow.directory !== null && !said.has(flow.directory)) {
      const found = await lookUpByEmail(ctx, open!.configuration, flow.directory, ctx.person.email)
      if (found) said.set(flow.directory, found)
    }
    if (isFlowFor(flow, [...tagsBefore(open!, flow), ...(said.get(flow.directory ?? '')?.tags ?? [])])) break
  }
  return said
}

/** Null where the directory cannot be asked by an address alone: that must not keep anybody from registering. */
export async function lookUpByEmail(
  ctx: LookUpContext,
  { config, facts }: Pick<Configuration, 'config' | 'facts'>,
  connection: string,
  email: string,
): Promise<LookedUp | null> {
  const reading = { fields: dataFieldsOf(config), zone: facts.timezone, country: config.details.venue?.country ?? null }
  try {
    return await lookUp(ctx, connection, { email }, reading)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
