import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { type RecordEdit, planEdit, saveEdit } from '../../kernel/records.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { PrefetchContext } from '../../kernel/tool.ts'
import { setOrderBillTo } from '../orders/orders.ts'
import type { BillTo } from '../orders/tables.ts'
import { type TaxOfficeAnswer, queryTaxOffice, setTaxIdStatus } from '../orders/tax-ids.ts'
import { assertKnownTags } from '../registration/add.ts'
import { toGroupPayer } from '../registration/participant-group.ts'
import { getFlow, loadEventSnapshot } from '../registration/event-snapshot.ts'
import { recalculateTags } from '../registration/tags.ts'
import { GROUP_RECORD } from './group-record.ts'
import { readGroup } from './group-shape.ts'
import { getGroup, type GroupRow, lockGroup } from './groups.ts'
import { replaceJoinCode } from './join-codes.ts'

interface GroupEdit extends RecordEdit<typeof GROUP_RECORD> {
  groupCode: string
  /** The current join code, which a new one replaces. */
  replaceJoinCode?: string | undefined
  /** The tax office's answer about the tax id in `billTo`. */
  askedTaxId?: TaxOfficeAnswer | null
}

/**
 * Changes the given fields of a group. New tags apply to all members immediately, but do not change prices that members already owe or
 * paid.
 */
export async function editGroup(ctx: EventContext, { groupCode, askedTaxId = null, replaceJoinCode: replaced, ...edit }: GroupEdit) {
  const snapshot = await loadEventSnapshot(ctx)
  if (edit.flowSlug !== undefined) getFlow(snapshot, edit.flowSlug)
  assertKnownTags(snapshot.config, edit.tags ?? [])
  const group = await lockGroup(ctx, groupCode)
  const planned = planEdit(GROUP_RECORD, group, {
    ...edit,
    ...(edit.tags ? { tags: [...new Set(edit.tags)] } : {}),
    ...(edit.billTo ? { billTo: withCheckedTaxId(group.bill_to, edit.billTo as BillTo, askedTaxId) } : {}),
  })
  const maximum = planned.columns['max_members'] as number | null | undefined
  if (maximum && maximum < group.member_count) {
    throw preconditionFailed(`The maximum cannot be ${maximum}: group ${group.code} has ${group.member_count} members`)
  }
  if (planned.changed.includes('payBy')) await assertNoInvoices(ctx, group)
  const { row, changed } = await saveEdit(ctx, planned)
  if (changed.includes('billTo') || changed.includes('name')) await updateOrderBillTo(ctx, row)
  const membersAffected = changed.includes('tags') ? await recalculateMemberTags(ctx, snapshot.config, group.id) : 0
  const joinCode = replaced === undefined ? row.join_code : await replaceJoinCode(ctx, row, replaced)
  if (joinCode !== row.join_code) changed.push('joinCode')
  return { group: await readGroup(ctx, group.id), changed, membersAffected, joinCode }
}

/** Returns the changed billing address with the status of its tax id. */
function withCheckedTaxId(before: BillTo, billTo: BillTo, asked: TaxOfficeAnswer | null): BillTo {
  const { taxIdStatus } = setTaxIdStatus({ ...before, ...billTo }, { before, asked })
  return taxIdStatus === undefined ? billTo : { ...billTo, taxIdStatus }
}

/** Checks the group's tax id with the tax office, before the transaction of the edit. */
export const verifyGroupTaxId = async (
  ctx: PrefetchContext<EventContext>,
  groupCode: string,
  billTo: BillTo,
): Promise<TaxOfficeAnswer | null> => queryTaxOffice(ctx.taxNumberVerifier, billTo, (await getGroup(ctx, groupCode)).bill_to)

/** Sets the group's billing address on its order. Future invoices use the new address; issued invoices keep theirs. */
const updateOrderBillTo = (ctx: EventContext, group: GroupRow) => setOrderBillTo(ctx, { groupId: group.id }, toGroupPayer(group).billTo)

/** Throws if invoices were issued for the group or its members. Fully credited invoices are void and do not count. */
async function assertNoInvoices({ db, tenantId, event }: EventContext, { id }: GroupRow): Promise<void> {
  const { rows } = await sql<{ issued: number }>`
    select count(*) as issued from invoices i
    where i.tenant_id = ${tenantId} and i.event_id = ${event.id} and i.kind = 'invoice' and i.status <> 'void' and i.order_id in (
      select o.id from orders o where o.tenant_id = ${tenantId} and o.event_id = ${event.id} and (o.group_id = ${id} or o.participant_id in (
        select p.id from participants p where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.group_id = ${id})))`.execute(db)
  const { issued } = rows[0]!
  if (issued > 0)
    throw preconditionFailed(`${issued} ${issued === 1 ? 'invoice' : 'invoices'} issued — credit ${issued === 1 ? 'it' : 'them'} first`)
}

type TagConfig = Parameters<typeof recalculateTags>[1]

/** Recomputes the tags of all members and returns the number of members whose tags changed. */
async function recalculateMemberTags(ctx: EventContext, config: TagConfig, groupId: string): Promise<number> {
  const members = () => eventDb(ctx).selectFrom('participants').select(['id', 'tags']).where('group_id', '=', groupId).execute()
  const before = await members()
  await recalculateTags(
    ctx,
    config,
    before.map(({ id }) => id),
  )
  const tags = new Map(before.map((one) => [one.id, one.tags.join(' ')]))
  return (await members()).filter((one) => tags.get(one.id) !== one.tags.join(' ')).length
}
