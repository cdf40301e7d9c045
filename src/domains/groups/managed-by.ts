import { sql } from 'kysely'
import { AppError, notFound, preconditionFailed } from '../../kernel/errors.ts'
import type { AtEvent } from '../registration/scene.ts'
import { groupsAt, type GroupRow } from './groups.ts'

/** A verified person, also one who comes to look after others and not to attend. */
export interface AtPerson extends AtEvent {
  person: { email: string; participantIds: readonly string[] }
}

/** The group that somebody looks after: as one of its admins, or leading it where members pay for themselves. Of several they name one. */
export async function managedGroup(ctx: AtPerson, named: string | undefined): Promise<GroupRow> {
  const groups = await groupsManagedBy(ctx)
  if (groups.length === 0) throw preconditionFailed('You manage no group at this event')
  const [only, ...others] = named === undefined ? groups : groups.filter(({ code }) => code === named)
  if (!only) throw notFound(`No group ${named} of this person — they manage ${groups.map(({ code }) => code).join(', ')}`)
  if (others.length === 0) return only
  throw new AppError('ambiguous', 'This person manages several groups — pass groupCode', {
    candidates: groups.map(({ code, name }) => ({ groupCode: code, name })),
    fix: { ask: 'which of the groups is meant' },
  })
}

const groupsManagedBy = (ctx: AtPerson): Promise<GroupRow[]> =>
  groupsAt(ctx)
    .where(
      sql<boolean>`(exists (select from group_admins a
        where a.tenant_id = managed_groups.tenant_id and a.event_id = managed_groups.event_id and a.group_id = managed_groups.id
          and a.email_norm = lower(${ctx.person.email}))
      or (managed_groups.pay_by = 'members' and exists (select from participants p
        where p.tenant_id = managed_groups.tenant_id and p.event_id = managed_groups.event_id and p.group_id = managed_groups.id
          and p.group_leader and p.status <> 'cancelled' and p.id = any(${ctx.person.participantIds}))))`,
    )
    .orderBy('code')
    .execute()
