import { sql } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import type { EventContext } from '../../kernel/context.ts'
import { editableRecord, keepEdit, planEdit } from '../../kernel/edit-record.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import type { Reaching } from '../../kernel/tool.ts'
import type { BillTo } from '../orders/tables.ts'
import { type AskedTaxId, askTaxOffice, withTaxIdStatus } from '../orders/tax-ids.ts'
import { refuseUnknownTags } from '../registration/add.ts'
import { asPayer } from '../registration/own-group.ts'
import { getFlow, openScene } from '../registration/scene.ts'
import { refreshTags } from '../registration/tags.ts'
import { readGroup } from './group-shape.ts'
import { getGroup, type GroupRow, lockGroup } from './groups.ts'
import type { GROUP_KINDS } from './tables.ts'

const GROUP = editableRecord({
  table: 'managed_groups',
  kind: 'group',
  noun: 'Group',
  name: ({ code }) => code,
  key: ['tenant_id', 'event_id', 'id'],
  fields: {
    name: 'name',
    kind: 'kind',
    status: 'status',
    maxMembers: { column: 'max_members', empty: null },
    payBy: 'pay_by',
    tags: { column: 'tags', empty: [] },
    flowSlug: 'flow_slug',
    billTo: { column: 'bill_to', json: 'merged', empty: {} },
  },
})

interface GroupEdit {
  groupCode: string
  name?: string | undefined
  kind?: (typeof GROUP_KINDS)[number] | undefined
  status?: 'open' | 'closed' | undefined
  maxMembers?: number | undefined
  payBy?: 'group' | 'members' | undefined
  tags?: readonly string[] | undefined
  flowSlug?: string | undefined
  billTo?: BillTo | undefined
  clear?: readonly ('maxMembers' | 'tags' | 'billTo')[] | undefined
  ifRevision?: number | undefined
  /** What the tax office said of the id in `billTo`. */
  askedTaxId?: AskedTaxId | null
}

/** Changes what is given. Tags go to all members at once; what they bought keeps its price. */
export async function editGroup(ctx: EventContext, { groupCode, askedTaxId = null, ...edit }: GroupEdit) {
  const scene = await openScene(ctx)
  if (edit.flowSlug !== undefined) getFlow(scene, edit.flowSlug)
  refuseUnknownTags(scene.config, edit.tags ?? [])
  const group = await lockGroup(ctx, groupCode)
  const planned = planEdit(GROUP, group, {
    ...edit,
    ...(edit.tags ? { tags: [...new Set(edit.tags)] } : {}),
    ...(edit.billTo ? { billTo: judged(group.bill_to, edit.billTo, askedTaxId) } : {}),
  })
  if (edit.maxMembers !== undefined && edit.maxMembers < group.member_count) {
    throw preconditionFailed(`maxMembers cannot be ${edit.maxMembers}: group ${group.code} has ${group.member_count} members`)
  }
  if (planned.changed.includes('payBy')) await refusePayByWithInvoices(ctx, group)
  const { row, changed } = await keepEdit(ctx, planned)
  announce(ctx, { kind: 'group.updated', entity: 'group', id: row.id, changed, isTestData: row.is_test_data })
  if (changed.includes('billTo') || changed.includes('name')) await addressOrder(ctx, row)
  const membersAffected = changed.includes('tags') ? await refreshMembers(ctx, scene.config, group.id) : 0
  return { group: await readGroup(ctx, group.id), changed, membersAffected }
}

/** What is changed of an address, with what is known of the tax id that it then has. */
function judged(before: BillTo, billTo: BillTo, asked: AskedTaxId | null): BillTo {
  const { taxIdStatus } = withTaxIdStatus({ ...before, ...billTo }, { before, asked })
  return taxIdStatus === undefined ? billTo : { ...billTo, taxIdStatus }
}

/** Before the edit: whether the group's country knows its tax id. */
export const askAboutGroup = async (ctx: Reaching<EventContext>, groupCode: string, billTo: BillTo): Promise<AskedTaxId | null> =>
  askTaxOffice(ctx.taxOffices, billTo, (await getGroup(ctx, groupCode)).bill_to)

/** What is claimed from now on goes to the new address; invoices that are out keep theirs. */
const addressOrder = ({ db, tenantId, event }: EventContext, group: GroupRow) =>
  db
    .updateTable('orders')
    .set({ bill_to: JSON.stringify(asPayer(group).billTo) })
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('group_id', '=', group.id)
    .execute()

/** What was credited in full is claimed from nobody. */
async function refusePayByWithInvoices({ db, tenantId, event }: EventContext, { id }: GroupRow): Promise<void> {
  const { rows } = await sql<{ issued: number }>`
    select count(*) as issued from invoices i
    where i.tenant_id = ${tenantId} and i.event_id = ${event.id} and i.kind = 'invoice' and i.status <> 'void' and i.order_id in (
      select o.id from orders o where o.tenant_id = ${tenantId} and o.event_id = ${event.id} and (o.group_id = ${id} or o.participant_id in (
        select p.id from participants p where p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.group_id = ${id})))`.execute(db)
  const { issued } = rows[0]!
  if (issued > 0)
    throw preconditionFailed(`${issued} ${issued === 1 ? 'invoice' : 'invoices'} issued — credit ${issued === 1 ? 'it' : 'them'} first`)
}

type Gives = Parameters<typeof refreshTags>[1]

/** How many members have other tags than before. */
async function refreshMembers(ctx: EventContext, config: Gives, groupId: string): Promise<number> {
  const members = () =>
    ctx.db
      .selectFrom('participants')
      .select(['id', 'tags'])
      .where('tenant_id', '=', ctx.tenantId)
      .where('event_id', '=', ctx.event.id)
      .where('group_id', '=', groupId)
      .execute()
  const before = await members()
  await refreshTags(
    ctx,
    config,
    before.map(({ id }) => id),
  )
  const tags = new Map(before.map((one) => [one.id, one.tags.join(' ')]))
  return (await members()).filter((one) => tags.get(one.id) !== one.tags.join(' ')).length
}
