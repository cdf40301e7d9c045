import type { Selectable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import { notFound } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import type { AtEvent } from '../registration/scene.ts'
import type {} from './tables.ts'

export type GroupRow = Selectable<Tables['managed_groups']>

const groups = ({ db, tenantId, event }: Pick<AtEvent, 'db' | 'tenantId' | 'event'>) =>
  db
    .selectFrom('managed_groups')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('deleted_at', 'is', null)

/** The group of that code or id; nothing else is decided about it until this transaction has ended. */
export async function lockGroup(ctx: Pick<AtEvent, 'db' | 'tenantId' | 'event'>, named: string): Promise<GroupRow> {
  const row = await groups(ctx)
    .where((eb) => eb.or([eb('code', '=', named.toLowerCase()), eb('id', '=', named)]))
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!row) throw await unknownGroup(ctx, named)
  return row
}

export async function unknownGroup(ctx: Pick<AtEvent, 'db' | 'tenantId' | 'event'>, named: string) {
  const codes = (await groups(ctx).clearSelect().select('code').orderBy('code').limit(1000).execute()).map(({ code }) => code)
  const near = nearest(named, codes)
  return notFound(`No group ${named} here${near === null ? ' — list_managed_groups shows them' : ` — did you mean ${near}?`}`)
}

/** A group as a registration needs it. */
export const asPayer = ({ id, tags, pay_by, bill_to }: GroupRow) => ({ id, tags, payBy: pay_by, billTo: bill_to })
