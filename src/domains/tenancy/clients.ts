import { type Selectable, sql } from 'kysely'
import type { z } from 'zod'
import type { ClientContext } from '../../kernel/context.ts'
import { editableRecord, type EditOf, keepEdit, lockRecord, planEdit, refuseStale } from '../../kernel/edit-record.ts'
import { AppError, preconditionFailed } from '../../kernel/errors.ts'
import { toInstant } from '../../kernel/time.ts'
import type { Client as ClientShape } from './client-shapes.ts'
import type { ClientsTable } from './tables.ts'
import { checkedRegistrations } from './tax-registrations.ts'

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
  confirmThresholds: { recipients: row.confirm_recipients, deletes: row.confirm_deletes },
  revision: row.revision,
  updatedAt: toInstant(row.updated_at),
})

const CLIENT = editableRecord({
  table: 'clients',
  kind: 'client',
  noun: 'Client',
  name: ({ code }) => code,
  key: ['tenant_id', 'id'],
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
    confirmThresholds: { columns: { recipients: 'confirm_recipients', deletes: 'confirm_deletes' } },
    embedHosts: 'embed_hosts',
  },
})

export type SettingsEdit = EditOf<typeof CLIENT>

/** Who is asked before something large, and who may show our pages, is changed in the console alone: both bound what assistants do. */
export type ClientEdit = Omit<SettingsEdit, 'confirmThresholds' | 'embedHosts'>

interface Updated {
  client: Client
  changed: string[]
  warnings: string[]
}

/** The settings as an assistant may change them: it can turn assistants off, never on. */
export async function updateClient(ctx: ClientContext, edit: ClientEdit): Promise<Updated> {
  const before = await lockClient(ctx)
  // The road refused such a client already; this is for a switch that was turned off since.
  if (!before.ai_assistants_allowed) throw new AppError('forbidden', `AI assistant access is turned off for client ${before.code}`)
  return applyEdit(ctx, before, edit)
}

/** The settings as the console changes them. */
export const updateSettings = async (ctx: ClientContext, edit: SettingsEdit): Promise<Updated> =>
  applyEdit(ctx, await lockClient(ctx), edit)

async function applyEdit(ctx: ClientContext, before: ClientRow, edit: SettingsEdit): Promise<Updated> {
  refuseStale(CLIENT, before, edit.ifRevision)
  const taxRegistrations = edit.taxRegistrations && checkedRegistrations(edit.taxRegistrations)
  const planned = planEdit(CLIENT, before, { ...edit, taxRegistrations })
  if (planned.changed.includes('active') && before.active) await refuseWhileRunning(ctx)
  const { row, changed } = await keepEdit(ctx, planned)
  return { client: toClient(row), changed, warnings: warningsOf(before, row) }
}

/** Locked, so that two edits at once both survive. */
async function lockClient(ctx: ClientContext): Promise<ClientRow> {
  const row = await lockRecord(ctx, CLIENT, { tenant_id: ctx.tenantId, id: ctx.client.id })
  if (!row) throw new Error(`client ${ctx.client.id} is not there`)
  return row
}

const toSettings = (row: ClientRow) => ({ ...toClient(row), embedHosts: row.embed_hosts })
export type Settings = ReturnType<typeof toSettings>

export async function getSettings(ctx: ClientContext): Promise<Settings> {
  const row = await ctx.db
    .selectFrom('clients')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', ctx.client.id)
    .executeTakeFirstOrThrow()
  return toSettings(row)
}

async function refuseWhileRunning(ctx: ClientContext): Promise<void> {
  const running = await ctx.db
    .selectFrom('events')
    .select(['code', 'ends_on'])
    .where('tenant_id', '=', ctx.tenantId)
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

function warningsOf(before: ClientRow, after: ClientRow): string[] {
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
