import { isDeepStrictEqual } from 'node:util'
import { type Selectable, sql, type Updateable } from 'kysely'
import type { z } from 'zod'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext } from '../../kernel/context.ts'
import { AppError, preconditionFailed } from '../../kernel/errors.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import { toInstant } from '../../kernel/time.ts'
import type { Billing, Brand, Client as ClientShape } from './client-shapes.ts'
import type { ClientsTable, TaxRegistration } from './tables.ts'
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

export interface ClientEdit {
  name?: string | undefined
  brand?: z.output<typeof Brand> | undefined
  defaultCurrency?: string | undefined
  defaultTimezone?: string | undefined
  active?: boolean | undefined
  aiAssistantsAllowed?: boolean | undefined
  establishedIn?: string | undefined
  taxRegistrations?: TaxRegistration[] | undefined
  billing?: z.output<typeof Billing> | undefined
  paymentTermsDays?: number | undefined
  clear?: readonly ('brand' | 'establishedIn' | 'taxRegistrations' | 'billing')[] | undefined
  ifRevision?: number | undefined
}

/** What only the console changes, because it decides what assistants may do and who may show our pages. */
export interface SettingsEdit extends ClientEdit {
  confirmThresholds?: { recipients: number; deletes: number } | undefined
  embedHosts?: readonly string[] | undefined
}

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

/** Changes what is given and nothing else, under a lock on the row, so that two edits at once both survive. */
async function applyEdit(ctx: ClientContext, before: ClientRow, edit: SettingsEdit): Promise<Updated> {
  checkRevision({ kind: 'Client', name: before.code, revision: before.revision }, edit.ifRevision)
  const registrations = edit.taxRegistrations && checkedRegistrations(edit.taxRegistrations)
  if (edit.active === false && before.active) await refuseWhileRunning(ctx)

  const columns = changedColumns(before, { ...edit, taxRegistrations: registrations })
  if (Object.keys(columns).length === 0) return { client: toClient(before), changed: [], warnings: [] }
  const after = await ctx.db
    .updateTable('clients')
    .set(columns)
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', ctx.client.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const changed = recordChange(ctx, { kind: 'client', id: before.id, before: editable(before), after: editable(after) })
  return { client: toClient(after), changed, warnings: warningsOf(before, after) }
}

const lockClient = (ctx: ClientContext): Promise<ClientRow> =>
  ctx.db
    .selectFrom('clients')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', ctx.client.id)
    .forUpdate()
    .executeTakeFirstOrThrow()

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

/** What an edit may touch, under the names callers know. */
function editable(row: ClientRow) {
  const { code: _code, revision: _revision, updatedAt: _updatedAt, ...fields } = toSettings(row)
  return fields
}

/** The columns that would hold something else than they do; documents are compared by meaning, not by the order of their keys. */
function changedColumns(before: ClientRow, edit: SettingsEdit): Updateable<ClientsTable> {
  const emptied = new Set(edit.clear)
  const wanted: Partial<ClientRow> = definedOf({
    name: edit.name,
    active: edit.active,
    ai_assistants_allowed: edit.aiAssistantsAllowed,
    default_currency: edit.defaultCurrency,
    default_timezone: edit.defaultTimezone,
    payment_terms_days: edit.paymentTermsDays,
    confirm_recipients: edit.confirmThresholds?.recipients,
    confirm_deletes: edit.confirmThresholds?.deletes,
    embed_hosts: edit.embedHosts,
    established_in: emptied.has('establishedIn') ? null : edit.establishedIn,
    brand: emptied.has('brand') ? {} : edit.brand,
    billing: emptied.has('billing') ? {} : edit.billing,
    tax_registrations: emptied.has('taxRegistrations') ? [] : edit.taxRegistrations,
  })
  const differing = Object.entries(wanted).filter(([column, value]) => !isDeepStrictEqual(value, before[column as keyof ClientRow]))
  return Object.fromEntries(differing.map(([column, value]) => [column, DOCUMENTS.has(column) ? JSON.stringify(value) : value]))
}

/** Kept as JSON; the driver would write a list as an array of the database. */
const DOCUMENTS = new Set(['brand', 'billing', 'tax_registrations'])

const definedOf = (columns: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))

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
