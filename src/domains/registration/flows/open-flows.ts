import { sql } from 'kysely'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { AppError } from '../../../kernel/errors.ts'
import { isFlowOpen, SELF_REGISTRATION_FLOW_KINDS } from '../../configuration/flow/collected-answers.ts'
import { type Configuration, readConfigForRegistration } from '../../configuration/read.ts'
import type { Flow } from '../../configuration/schema/event-config.ts'
import type { RegistrationContext } from '../event-snapshot.ts'

/** The context of a caller who has verified an email address, but need not be registered. */
export type VerifiedEmailContext = RegistrationContext & { person: { email: string } }

export interface OpenFlows {
  configuration: Configuration
  /** The open flows in the order in which they are offered, regardless of tags. */
  flows: readonly Flow[]
  /** The tags of the registrations with this email address. */
  tags: readonly string[]
  /** The tags from the invite list, by flow slug. */
  invited: ReadonlyMap<string, readonly string[]>
}

/** Finds the flows in which the caller can register now; null if the event was never published. */
export async function findOpenFlows(ctx: VerifiedEmailContext): Promise<OpenFlows | null> {
  const configuration = await readConfigForRegistration(ctx)
  if (!configuration) return null
  const { config, facts } = configuration
  const { tags, invited } = await readKnownTags(ctx, facts.testMode)
  const flows = config.flows.filter(
    (flow) =>
      !flow.retired &&
      SELF_REGISTRATION_FLOW_KINDS.has(flow.kind) &&
      isFlowOpen(flow, facts.now) &&
      (!flow.inviteOnly || invited.has(flow.slug)),
  )
  return { configuration, flows, tags, invited }
}

interface Row {
  slug: string | null
  tags: string[]
}

async function readKnownTags(
  { db, tenantId, event, person }: VerifiedEmailContext,
  testMode: boolean,
): Promise<Pick<OpenFlows, 'tags' | 'invited'>> {
  const { rows } = await sql<Row>`
    select flow_slug as slug, tags from invite_list_entries
    where tenant_id = ${tenantId} and event_id = ${event.id} and email_norm = ${foldEmailCase(person.email)} and status <> 'removed'
    union all
    select null, tags from participants
    where tenant_id = ${tenantId} and event_id = ${event.id} and email_norm = ${foldEmailCase(person.email)} and status <> 'cancelled'
      and (${testMode} or not is_test_data)`.execute(db)
  return {
    tags: [...new Set(rows.flatMap(({ slug, tags }) => (slug === null ? tags : [])))],
    invited: new Map(rows.flatMap(({ slug, tags }) => (slug === null ? [] : [[slug, tags] as const]))),
  }
}

/** Builds the same error for closed, restricted and missing flows, so that it does not reveal whether a flow exists. */
export const createFlowNotOpenError = (slug: string) =>
  new AppError('forbidden', `Flow ${slug} is not open to this person`, { fix: { tool: 'agent_list_flows', arguments: {} } })

/** Returns the tags that a person has before they start a flow, without tags from directories. */
export const listTagsBeforeFlowStart = ({ tags, invited }: Pick<OpenFlows, 'tags' | 'invited'>, { slug }: Flow): string[] => [
  ...new Set([...tags, ...(invited.get(slug) ?? [])]),
]
