import { isDeepStrictEqual } from 'node:util'
import { type Selectable, sql, type Updateable } from 'kysely'
import { z } from 'zod'
import { count, country, currency, day, flag, list, object, text, zone } from '../../kernel/args.ts'
import { recordChange } from '../../kernel/audit.ts'
import type { ClientContext } from '../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import { toInstant } from '../../kernel/time.ts'
import type { ClientsTable, TaxRegistration } from './tables.ts'
import { fitsTaxFormat, normalTaxNumber } from './tax-numbers.ts'

const colour = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^#[0-9a-f]{6}$/, 'a colour is written #rrggbb')
const website = () => text(300).regex(/^https?:\/\/\S+$/i, 'a website starts with https:// or http://')

export const Brand = object({ color: colour().optional(), accent: colour().optional(), website: website().optional() })
export const Billing = object({
  legalName: text(200).optional(),
  address: text(500).optional(),
  bankDetails: text(1000).optional(),
  invoiceFooter: text(1000).optional(),
})
export const TaxRegistrationShape = object({
  country: country(),
  region: text(10).optional(),
  number: text(30),
  from: day(),
  until: day().optional(),
})

export const Client = {
  code: text(63),
  name: text(160),
  active: flag(),
  aiAssistantsAllowed: flag(),
  brand: Brand,
  defaultCurrency: currency(),
  defaultTimezone: zone(),
  establishedIn: country().nullable(),
  taxRegistrations: list(TaxRegistrationShape),
  billing: Billing,
  paymentTermsDays: count(0, 365),
  confirmThresholds: object({ recipients: count(), deletes: count() }),
  revision: count(1),
  updatedAt: z.string(),
}

type ClientRow = Selectable<ClientsTable>
type Client = z.input<z.ZodObject<typeof Client>>

export const toClient = (row: ClientRow): Client => ({
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

/** Changes what is given and nothing else, under a lock on the row, so that two edits at once both survive. */
export async function updateClient(
  ctx: ClientContext,
  edit: ClientEdit,
): Promise<{ client: Client; changed: string[]; warnings: string[] }> {
  const before = await lockClient(ctx)
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

/** What an edit may touch, under the names callers know. */
function editable(row: ClientRow) {
  const { code: _code, revision: _revision, updatedAt: _updatedAt, confirmThresholds: _thresholds, ...fields } = toClient(row)
  return fields
}

/** The columns that would hold something else than they do; documents are compared by meaning, not by the order of their keys. */
function changedColumns(before: ClientRow, edit: ClientEdit): Updateable<ClientsTable> {
  const emptied = new Set(edit.clear)
  const wanted: Partial<ClientRow> = definedOf({
    name: edit.name,
    active: edit.active,
    ai_assistants_allowed: edit.aiAssistantsAllowed,
    default_currency: edit.defaultCurrency,
    default_timezone: edit.defaultTimezone,
    payment_terms_days: edit.paymentTermsDays,
    established_in: emptied.has('establishedIn') ? null : edit.establishedIn,
    brand: emptied.has('brand') ? {} : edit.brand,
    billing: emptied.has('billing') ? {} : edit.billing,
    tax_registrations: emptied.has('taxRegistrations') ? [] : edit.taxRegistrations,
  })
  const differing = Object.entries(wanted).filter(([column, value]) => !isDeepStrictEqual(value, before[column as keyof ClientRow]))
  return Object.fromEntries(differing.map(([column, value]) => [column, isDocument(value) ? JSON.stringify(value) : value]))
}

const definedOf = (columns: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
const isDocument = (value: unknown) => value !== null && typeof value === 'object'

function checkedRegistrations(registrations: readonly TaxRegistration[]): TaxRegistration[] {
  const checked = registrations.map((r) => ({ ...r, number: normalTaxNumber(r.number) }))
  for (const [i, r] of checked.entries()) {
    if (!fitsTaxFormat(r.country, r.number)) {
      throw invalidArguments([
        { path: `taxRegistrations/${i}/number`, message: `${r.number} does not look like a tax number of ${r.country}` },
      ])
    }
    if (r.until !== undefined && r.until < r.from) {
      throw invalidArguments([{ path: `taxRegistrations/${i}/until`, message: `${r.until} is before from ${r.from}` }])
    }
    const other = checked.findIndex((o, j) => j < i && samePlace(o, r) && o.from <= (r.until ?? '9999') && r.from <= (o.until ?? '9999'))
    if (other >= 0) {
      const place = [r.country, r.region].filter(Boolean).join('-')
      throw invalidArguments([
        { path: `taxRegistrations/${i}`, message: `overlaps taxRegistrations/${other} for ${place}; end one before the other starts` },
      ])
    }
  }
  return checked
}

const samePlace = (a: TaxRegistration, b: TaxRegistration) => a.country === b.country && (a.region ?? '') === (b.region ?? '')

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
