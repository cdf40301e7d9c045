import { sql } from 'kysely'
import { AppError } from '../../kernel/errors.ts'
import { isFlowOpen, OWN_KINDS } from '../configuration/flow/collects.ts'
import { type Configuration, readInUse } from '../configuration/read.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import type { AtEvent } from './scene.ts'

/** Somebody who proved to read a mailbox, registered or not. */
export type AtPerson = AtEvent & { person: { email: string } }

export interface OpenFlows {
  configuration: Configuration
  /** In the order in which they are offered. For whom they are by tags is not looked at. */
  flows: readonly Flow[]
  /** Tags of the registrations that the address has. */
  tags: readonly string[]
  /** Tags of the invite list, by the flow that it is for. */
  invited: ReadonlyMap<string, readonly string[]>
}

/** The flows by which somebody can register at this moment; null before the event was ever published. */
export async function openFlowsFor(ctx: AtPerson): Promise<OpenFlows | null> {
  const configuration = await readInUse(ctx)
  if (!configuration) return null
  const { config, facts } = configuration
  const { tags, invited } = await knownOf(ctx, facts.testMode)
  const flows = config.flows.filter(
    (flow) => !flow.retired && OWN_KINDS.has(flow.kind) && isFlowOpen(flow, facts.now) && (!flow.inviteOnly || invited.has(flow.slug)),
  )
  return { configuration, flows, tags, invited }
}

interface Row {
  slug: string | null
  tags: string[]
}

async function knownOf({ db, tenantId, event, person }: AtPerson, testMode: boolean): Promise<Pick<OpenFlows, 'tags' | 'invited'>> {
  const { rows } = await sql<Row>`
    select flow_slug as slug, tags from invite_list_entries
    where tenant_id = ${tenantId} and event_id = ${event.id} and email_norm = lower(${person.email}) and status <> 'removed'
    union all
    select null, tags from participants
    where tenant_id = ${tenantId} and event_id = ${event.id} and email_norm = lower(${person.email}) and status <> 'cancelled'
      and (${testMode} or not is_test_data)`.execute(db)
  return {
    tags: [...new Set(rows.flatMap(({ slug, tags }) => (slug === null ? tags : [])))],
    invited: new Map(rows.flatMap(({ slug, tags }) => (slug === null ? [] : [[slug, tags] as const]))),
  }
}

/** Whichever flow somebody may not enter is answered alike: closed, for others, or none at all. */
export const notOpenTo = (slug: string) =>
  new AppError('forbidden', `Flow ${slug} is not open to this person`, { fix: { tool: 'agent_list_flows', arguments: {} } })

/** Tags that somebody has before they begin with a flow, beside those that a directory gives. */
export const tagsBefore = ({ tags, invited }: Pick<OpenFlows, 'tags' | 'invited'>, { slug }: Flow): string[] => [
  ...new Set([...tags, ...(invited.get(slug) ?? [])]),
]
