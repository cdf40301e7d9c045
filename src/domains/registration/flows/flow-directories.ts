import { AppError } from '../../../kernel/errors.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { listParticipantDataFields } from '../../configuration/data-fields.ts'
import { buildDirectoryOutcomeAnswerKey, canEnterFlowWithTags } from '../../configuration/flow/collected-answers.ts'
import { type Configuration, readConfigForRegistration } from '../../configuration/read.ts'
import { type LookupResult, lookUpPerson, type LookUpContext } from '../../directories/look-up.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import { type Answers, normalizeAnswers } from '../answers.ts'
import type { RegistrationContext } from '../event-snapshot.ts'
import { type VerifiedEmailContext, findOpenFlows, listTagsBeforeFlowStart } from './open-flows.ts'

/** Results of directory lookups, by the code of the directory connection. */
export type DirectoryLookupResults = ReadonlyMap<string, LookupResult>

/**
 * Looks the person up in the directory of the requested flow, otherwise in the directories of all flows up to the first one open to them.
 * Each directory is queried once. Directories are external systems, so this must not run inside a transaction.
 */
export async function queryFlowDirectories(
  ctx: VerifiedEmailContext & LookUpContext,
  flowSlug: string | undefined,
): Promise<DirectoryLookupResults> {
  const results = new Map<string, LookupResult>()
  const inUse = await readConfigForRegistration(ctx)
  if (!inUse?.config.flows.some(({ directory }) => directory !== null)) return results
  const open = await findOpenFlows(ctx)
  for (const flow of open?.flows ?? []) {
    if (flowSlug !== undefined && flow.slug !== flowSlug) continue
    if (flow.directory !== null && !results.has(flow.directory)) {
      const found = await lookUpEmailInDirectory(ctx, open!.configuration, flow.directory, ctx.person.email)
      if (found) results.set(flow.directory, found)
    }
    if (canEnterFlowWithTags(flow, [...listTagsBeforeFlowStart(open!, flow), ...(results.get(flow.directory ?? '')?.tags ?? [])])) break
  }
  return results
}

/**
 * Looks the person up in a directory by email. Returns null if the directory needs more than an email address or fails: a failing lookup
 * must not block the registration.
 */
export async function lookUpEmailInDirectory(
  ctx: LookUpContext,
  { config, facts }: Pick<Configuration, 'config' | 'facts'>,
  connection: string,
  email: string,
): Promise<LookupResult | null> {
  const reading = { fields: listParticipantDataFields(config), zone: facts.timezone, country: config.details.venue?.country ?? null }
  try {
    return await lookUpPerson(ctx, connection, { email }, reading)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

/** Merges directory data into the answers. It fills in missing answers or replaces given ones, depending on the mode of the connection. */
export function mergeDirectoryDataIntoAnswers(
  { config }: Pick<Configuration, 'config'>,
  flow: Flow,
  answers: Answers,
  looked: LookupResult | undefined,
): Record<string, unknown> {
  if (!looked || flow.directory === null) return { ...answers }
  const known = normalizeAnswers({ config, flow }, looked.answers).answers
  const filled = Object.entries(known).filter(
    ([binding, value]) => value != null && (looked.modes[binding] !== 'prefill' || answers[binding] == null),
  )
  return { ...answers, ...Object.fromEntries(filled), [buildDirectoryOutcomeAnswerKey(flow.directory)]: looked.outcome }
}

/** Results of directory lookups for people who are registered by someone else, by lower-case email address. */
export type DirectoryLookupsByEmail = ReadonlyMap<string, LookupResult>

const CONCURRENT_LOOKUPS = 5

/**
 * Looks people up in the directory of a flow before an organizer or a group registers them. Like every lookup, it must not run inside a
 * transaction. Returns no results for a flow without a directory.
 */
export async function lookUpPeopleInDirectory(
  ctx: RegistrationContext & LookUpContext,
  flowSlug: string,
  people: readonly (Answers | undefined)[],
): Promise<DirectoryLookupsByEmail> {
  const found = new Map<string, LookupResult>()
  const inUse = await readConfigForRegistration(ctx)
  const directory = inUse?.config.flows.find(({ slug }) => slug === flowSlug)?.directory ?? null
  if (!inUse || directory === null) return found
  const emails = [...new Set(people.flatMap((data) => emailOf(data) ?? []))]
  for (let at = 0; at < emails.length; at += CONCURRENT_LOOKUPS)
    await Promise.all(
      emails.slice(at, at + CONCURRENT_LOOKUPS).map(async (email) => {
        const looked = await lookUpEmailInDirectory(ctx, inUse, directory, email)
        if (looked) found.set(email, looked)
      }),
    )
  return found
}

export const findDirectoryLookupResult = (lookups: DirectoryLookupsByEmail, data: Answers): LookupResult | null =>
  lookups.get(emailOf(data) ?? '') ?? null

const emailOf = (data: Answers | undefined): string | null => {
  const email = data?.['@participant.email']
  return typeof email === 'string' && email.trim() !== '' ? foldEmailCase(email.trim()) : null
}
