import { z } from 'zod'
import { toOneLine, count, money, object, oneOf, text } from '../../kernel/args.ts'
import type { Db } from '../../kernel/columns.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'

/**
 * The values that the client accepts for one variable of a clause. `better` is whether lower or higher values are better for the client.
 */
const PlaybookEntry = object({
  standard: z.number(),
  fallback: z.number(),
  walkAway: z.number(),
  step: z.number().positive('greater than 0'),
  better: oneOf(['lower', 'higher']),
})

const names = () => text(40).regex(/^[a-z][A-Za-z0-9]*$/, 'a name such as commitPercent')

/** The negotiation playbook: accepted values by clause key, then by variable name. */
const Playbook = z.record(names(), z.record(names(), PlaybookEntry))
/** The client's own clause texts, which replace those of the clause library. */
const ClauseTexts = z.record(names(), object({ title: text(120), body: text(10_000) }))

const settings = {
  approvalLimit: money(),
  decliningText: text(2000),
  pciOverrideMaxDays: count(1, 365),
  playbook: Playbook,
  clauses: ClauseTexts,
}

/** The client's settings for sourcing. `readSourcingSettings` adds the defaults. */
export const SourcingSettings = object(settings).partial()
export type SourcingSettings = z.output<typeof SourcingSettings>

export const SOURCING_FIELDS_TEXT = 'approvalLimit, decliningText, pciOverrideMaxDays, playbook { clause: {} }, clauses {}'

/** An edit of the sourcing settings: a missing key keeps its value, and null removes it. */
export const SourcingSettingsEdit = toOneLine(
  object({
    approvalLimit: settings.approvalLimit.nullish(),
    decliningText: settings.decliningText.nullish(),
    pciOverrideMaxDays: settings.pciOverrideMaxDays.nullish(),
    playbook: settings.playbook.nullish(),
    clauses: settings.clauses.nullish(),
  }),
  SOURCING_FIELDS_TEXT,
)

const DEFAULT_PCI_OVERRIDE_DAYS = 90

export async function readSourcingSettings(ctx: { db: Db; tenantId: number; client: { id: string } }) {
  const { sourcing } = await tenantDb(ctx)
    .selectFrom('clients')
    .select('sourcing')
    .where('id', '=', ctx.client.id)
    .executeTakeFirstOrThrow()
  return { ...sourcing, pciOverrideMaxDays: sourcing.pciOverrideMaxDays ?? DEFAULT_PCI_OVERRIDE_DAYS }
}
