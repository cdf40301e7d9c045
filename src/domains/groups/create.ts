import type { Insertable } from 'kysely'
import { announce } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { Tables } from '../../kernel/columns.ts'
import { conflict } from '../../kernel/errors.ts'
import { newId, slugOf } from '../../kernel/ids.ts'
import type { BillTo } from '../orders/tables.ts'
import { type AskedTaxId, withTaxIdStatus } from '../orders/tax-ids.ts'
import { refuseUnknownTags } from '../registration/add.ts'
import { type AtEvent, getFlow, openScene } from '../registration/scene.ts'
import { addAdmins, type Admin, refuseTwiceNamed } from './admins.ts'
import { readGroup } from './group-shape.ts'
import { groupPages } from './links.ts'
import type { GROUP_KINDS } from './tables.ts'

interface NewGroup {
  name: string
  code?: string | undefined
  kind: (typeof GROUP_KINDS)[number]
  maxMembers?: number | undefined
  payBy: 'group' | 'members'
  tags: readonly string[]
  admins: readonly Admin[]
  flowSlug: string
  billTo?: BillTo | undefined
  /** What the tax office said of the id in it. */
  askedTaxId?: AskedTaxId | null
}

/** A group with nobody in it yet. Nobody is told: invitations are sent on purpose. */
export async function createGroup(ctx: AtEvent, { name, kind, maxMembers, payBy, tags, admins, flowSlug, billTo, ...asked }: NewGroup) {
  const scene = await openScene(ctx)
  getFlow(scene, flowSlug)
  refuseUnknownTags(scene.config, tags)
  refuseTwiceNamed(admins)
  const { id, code } = await insert(ctx, asked.code, name, {
    name,
    kind,
    max_members: maxMembers ?? null,
    pay_by: payBy,
    tags: [...new Set(tags)],
    flow_slug: flowSlug,
    bill_to: JSON.stringify(withTaxIdStatus(billTo ?? {}, { asked: asked.askedTaxId ?? null })),
    is_test_data: scene.isTest,
  })
  if (admins.length > 0) await addAdmins(ctx, id, admins)
  recordChange(ctx, {
    kind: 'group',
    id,
    after: { code, name, kind, payBy, maxMembers: maxMembers ?? null, tags, flowSlug, admins: admins.map(({ email }) => email) },
  })
  announce(ctx, { kind: 'group.created', entity: 'group', id, isTestData: scene.isTest })
  return { group: await readGroup(ctx, id), joinUrl: groupPages(ctx, code).join }
}

type Columns = Omit<Insertable<Tables['managed_groups']>, 'tenant_id' | 'event_id' | 'id' | 'code'>

const MOST_OF_A_NAME = 1000

/** Under the code that was asked for, or the first that is free of those made from the name. */
async function insert(ctx: AtEvent, asked: string | undefined, name: string, columns: Columns): Promise<{ id: string; code: string }> {
  const wanted = asked ?? slugOf(name)
  for (let number = 1; number <= MOST_OF_A_NAME; number++) {
    const code = number === 1 ? wanted : numbered(wanted, number)
    const inserted = await ctx.db
      .insertInto('managed_groups')
      .values({ ...columns, tenant_id: ctx.tenantId, event_id: ctx.event.id, id: newId(), code })
      .onConflict((at) => at.columns(['tenant_id', 'event_id', 'code']).where('deleted_at', 'is', null).doNothing())
      .returning(['id', 'code'])
      .executeTakeFirst()
    if (inserted) return inserted
    if (asked !== undefined)
      throw conflict(`There is a group ${code} already — leave out the code to get another one, or choose one yourself`)
  }
  throw conflict(`There are too many groups of this name — choose a code`)
}

const MAX_CODE = 63
const numbered = (code: string, number: number) => `${code.slice(0, MAX_CODE - String(number).length - 1)}-${number}`
