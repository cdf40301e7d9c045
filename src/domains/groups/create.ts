import type { Insertable } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import { conflict } from '../../kernel/errors.ts'
import { newId, toSlug } from '../../kernel/ids.ts'
import { type NewRecord, auditNewRecord, toRecordColumns } from '../../kernel/records.ts'
import type { BillTo } from '../orders/tables.ts'
import { type TaxOfficeAnswer, setTaxIdStatus } from '../orders/tax-ids.ts'
import { assertKnownTags } from '../registration/add.ts'
import { type RegistrationContext, getFlow, loadEventSnapshot } from '../registration/event-snapshot.ts'
import { addAdmins, type GroupAdmin, assertNoDuplicateAdmins } from './admins.ts'
import { GROUP_RECORD } from './group-record.ts'
import { readGroup } from './group-shape.ts'
import type { GroupRow } from './groups.ts'
import { generateJoinCode } from './join-codes.ts'
import { buildGroupPageUrls } from './links.ts'

interface NewGroup extends Omit<NewRecord<typeof GROUP_RECORD>, 'status'> {
  code?: string | undefined
  admins: readonly GroupAdmin[]
  /** Whether a participant creates the group during registration. */
  selfRegistered?: boolean
  /** The tax office's answer about the tax id in `billTo`. */
  askedTaxId?: TaxOfficeAnswer | null
}

/** Creates a group without members. No email is sent: invitations are a separate call. */
export async function createGroup(
  ctx: RegistrationContext,
  { code, admins, selfRegistered = false, askedTaxId = null, ...fields }: NewGroup,
) {
  const snapshot = await loadEventSnapshot(ctx)
  getFlow(snapshot, fields.flowSlug)
  assertKnownTags(snapshot.config, fields.tags ?? [])
  assertNoDuplicateAdmins(admins)
  const columns = toRecordColumns(GROUP_RECORD, {
    ...fields,
    tags: [...new Set(fields.tags)],
    billTo: setTaxIdStatus((fields.billTo ?? {}) as BillTo, { asked: askedTaxId }),
  })
  const row = await insertWithFreeCode(ctx, code, fields.name, {
    ...(columns as Columns),
    join_code: generateJoinCode(),
    self_registered: selfRegistered,
    is_test_data: snapshot.isTest,
  })
  if (admins.length > 0) await addAdmins(ctx, row.id, admins)
  auditNewRecord(ctx, GROUP_RECORD, row, { admins: admins.map(({ email }) => email) })
  return { group: await readGroup(ctx, row.id), joinUrl: buildGroupPageUrls(ctx, row.code).join, joinCode: row.join_code }
}

type Columns = Omit<Insertable<Tables['managed_groups']>, 'tenant_id' | 'event_id' | 'id' | 'code'>

const MAX_CODE_ATTEMPTS = 1000

/** Inserts the group under the requested code, or under the first free code derived from its name. */
async function insertWithFreeCode(
  ctx: RegistrationContext,
  requested: string | undefined,
  name: string,
  columns: Columns,
): Promise<GroupRow> {
  const wanted = requested ?? toSlug(name)
  for (let number = 1; number <= MAX_CODE_ATTEMPTS; number++) {
    const code = number === 1 ? wanted : appendNumberToCode(wanted, number)
    const inserted = await ctx.db
      .insertInto('managed_groups')
      .values({ ...columns, tenant_id: ctx.tenantId, event_id: ctx.event.id, id: newId(), code })
      .onConflict((at) => at.columns(['tenant_id', 'event_id', 'code']).where('deleted_at', 'is', null).doNothing())
      .returningAll()
      .executeTakeFirst()
    if (inserted) return inserted
    if (requested !== undefined) throw conflict(`Group ${code} already exists. Omit the code to get a free one, or choose another code.`)
  }
  throw conflict(`Too many groups have this name. Choose a code.`)
}

const MAX_CODE = 63
export const appendNumberToCode = (code: string, number: number) => `${code.slice(0, MAX_CODE - String(number).length - 1)}-${number}`
