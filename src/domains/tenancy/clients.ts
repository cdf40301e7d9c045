import { type Selectable, sql } from 'kysely'
import type { z } from 'zod'
import type { ClientContext } from '../../kernel/context.ts'
import { defineRecord, type RecordEdit, saveEdit, lockRecord, planEdit, rejectStaleEdit } from '../../kernel/records.ts'
import { AppError, preconditionFailed } from '../../kernel/errors.ts'
import { toMinorUnits } from '../../kernel/money.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import type { ClientFieldSchemas as ClientShape } from './client-shapes.ts'
import type { ClientsTable } from './tables.ts'
import { validateTaxRegistrations } from './tax-registrations.ts'

type ClientRow = Selectable<ClientsTable>
type Client = z.input<z.ZodObject<typeof ClientShape>>

const toClient = (row: ClientRow): Client => ({
  code: row.code,
  name: row.name,
  active: row.active,
  aiAssistantsAllowed: row.ai_assistants_allowed,
  brand: row.brand,
  defaultCurrency: row.default_currency,
  defaultTimezone: row.default_timezone,
  establishedIn: row.established_in,
  taxRegistrations: row.tax_registrations,
  billing: row.billing,
  paymentTermsDays: row.payment_terms_days,
  sourcing: row.sourcing,
  exportAllowed: row.export_allowed,
  reportRecipients: row.report_recipients,
  confirmThresholds: { recipients: row.confirm_recipients, deletes: row.confirm_deletes },
  revision: row.revision,
  updatedAt: formatInstant(row.updated_at),
})

const CLIENT = defineRecord({
  table: 'clients',
  kind: 'client',
  noun: 'Client',
  name: ({ code }) => code,
  primaryKey: ['tenant_id', 'id'],
  fields: {
    name: 'name',
    active: 'active',
    aiAssistantsAllowed: 'ai_assistants_allowed',
    brand: { column: 'brand', json: 'merged', empty: {} },
    defaultCurrency: 'default_currency',
    defaultTimezone: 'default_timezone',
    establishedIn: { column: 'established_in', empty: null },
    taxRegistrations: { column: 'tax_registrations', json: 'whole', empty: [] },
    billing: { column: 'billing', json: 'merged', empty: {} },
    paymentTermsDays: 'payment_terms_days',
    sourcing: { column: 'sourcing', json: 'merged', empty: {} },
    exportAllowed: 'export_allowed',
    reportRecipients: { column: 'report_recipients', empty: [] },
    confirmThresholds: { columns: { recipients: 'confirm_recipients', deletes: 'confirm_deletes' } },
    embedHosts: 'embed_hosts',
  },
})

export type ClientSettingsEdit = RecordEdit<typeof CLIENT>

/**
 * The client settings that tools may edit. Confirmation thresholds and embed hosts limit assistants, so they can be changed only in the
 * console.
 */
export type ClientEdit = Omit<ClientSettingsEdit, 'confirmThresholds' | 'embedHosts'>

interface UpdatedClient {
  client: Client
  changed: string[]
  warnings: string[]
}

/** Changes the client settings that an assistant may change. An assistant can turn assistants off, but not on. */
export async function updateClient(ctx: ClientContext, edit: ClientEdit): Promise<UpdatedClient> {
  const before = await lockClient(ctx)
  // Checked again while the client row is locked, because assistants may have been turned off since the check before the call.
  if (!before.ai_assistants_allowed) throw new AppError('forbidden', `AI assistant access is turned off for client ${before.code}`)
  return applyEdit(ctx, before, edit)
}

export const updateClientSettings = async (ctx: ClientContext, edit: ClientSettingsEdit): Promise<UpdatedClient> =>
  applyEdit(ctx, await lockClient(ctx), edit)

async function applyEdit(ctx: ClientContext, before: ClientRow, edit: ClientSettingsEdit): Promise<UpdatedClient> {
  rejectStaleEdit(CLIENT, before, edit.ifRevision)
  const taxRegistrations = edit.taxRegistrations && validateTaxRegistrations(edit.taxRegistrations)
  const approvalLimit = edit.sourcing?.approvalLimit
  if (approvalLimit) toMinorUnits(approvalLimit.amount, approvalLimit.currency, 'sourcing.approvalLimit.amount')
  const planned = planEdit(CLIENT, before, { ...edit, taxRegistrations })
  if (planned.changed.includes('active') && before.active) await refuseWhileRunning(ctx)
  const { row, changed } = await saveEdit(ctx, planned)
  return { client: toClient(row), changed, warnings: listWarnings(before, row) }
}

/** Locks the client row, so that concurrent edits are serialized. */
async function lockClient(ctx: ClientContext): Promise<ClientRow> {
  const row = await lockRecord(ctx, CLIENT, { tenant_id: ctx.tenantId, id: ctx.client.id })
  if (!row) throw new Error(`client ${ctx.client.id} does not exist`)
  return row
}

const toSettings = (row: ClientRow) => ({ ...toClient(row), embedHosts: row.embed_hosts })
export type ClientSettings = ReturnType<typeof toSettings>

export async function getClientSettings(ctx: ClientContext): Promise<ClientSettings> {
  const row = await tenantDb(ctx).selectFrom('clients').selectAll().where('id', '=', ctx.client.id).executeTakeFirstOrThrow()
  return toSettings(row)
}

async function refuseWhileRunning(ctx: ClientContext): Promise<void> {
  const running = await tenantDb(ctx)
    .selectFrom('events')
    .select(['code', 'ends_on'])
    .where('client_id', '=', ctx.client.id)
    .where('status', '=', 'published')
    .where(sql<boolean>`(lanyard_now() at time zone timezone)::date between starts_on and ends_on`)
    .orderBy('code')
    .executeTakeFirst()
  if (running) {
    throw preconditionFailed(
      `Event ${running.code} is running until ${running.ends_on}: client ${ctx.client.code} cannot be made inactive before it ends`,
    )
  }
}

function listWarnings(before: ClientRow, after: ClientRow): string[] {
  const warnings: string[] = []
  if (before.ai_assistants_allowed && !after.ai_assistants_allowed) {
    warnings.push(
      `AI assistants are now off for client ${after.code}: from the next request on, this app too no longer sees it. Only a client administrator can turn them on again, in the console.`,
    )
  }
  if (before.active && !after.active)
    warnings.push('The public pages of its events now answer 404 and its events are hidden; nothing was deleted.')
  if (before.default_currency !== after.default_currency || before.default_timezone !== after.default_timezone) {
    warnings.push('The new defaults apply to events created from now on.')
  }
  return warnings
}
