import { AppError } from '../../../kernel/errors.ts'
import { listDataFields } from '../../configuration/data-fields.ts'
import { isFlowOpenToTags } from '../../configuration/flow/collected-answers.ts'
import { type Configuration, readActiveConfig } from '../../configuration/read.ts'
import { type LookupResult, lookUpPerson, type LookUpContext } from '../../directories/look-up.ts'
import { type PersonScope, findOpenFlows, tagsBeforeFlow } from './open-flows.ts'

/** Results of directory lookups, by the code of the directory connection. */
export type DirectoryResults = ReadonlyMap<string, LookupResult>

/**
 * Looks the person up in the directory of the requested flow, or in those of all flows up to the first one open to them. Each directory
 * is queried once. Directories are external systems, so this must not run inside a transaction.
 */
export async function queryFlowDirectories(ctx: PersonScope & LookUpContext, flowSlug: string | undefined): Promise<DirectoryResults> {
  const results = new Map<string, LookupResult>()
  const inUse = await readActiveConfig(ctx)
  if (!inUse?.config.flows.some(({ directory }) => directory !== null)) return results
  const open = await findOpenFlows(ctx)
  for (const flow of open?.flows ?? []) {
    if (flowSlug !== undefined && flow.slug !== flowSlug) continue
    if (flow.directory !== null && !results.has(flow.directory)) {
      const found = await lookUpByEmail(ctx, open!.configuration, flow.directory, ctx.person.email)
      if (found) results.set(flow.directory, found)
    }
    if (isFlowOpenToTags(flow, [...tagsBeforeFlow(open!, flow), ...(results.get(flow.directory ?? '')?.tags ?? [])])) break
  }
  return results
}

/**
 * Looks the person up in a directory by email. Returns null if the directory needs more than an email address or fails: a failing lookup
 * must not block the registration.
 */
export async function lookUpByEmail(
  ctx: LookUpContext,
  { config, facts }: Pick<Configuration, 'config' | 'facts'>,
  connection: string,
  email: string,
): Promise<LookupResult | null> {
  const reading = { fields: listDataFields(config), zone: facts.timezone, country: config.details.venue?.country ?? null }
  try {
    return await lookUpPerson(ctx, connection, { email }, reading)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
