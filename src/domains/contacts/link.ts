import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { MERGED_FIELDS } from './tables.ts'

/** Columns of a registration that identify the person. */
const IDENTITY_COLUMNS = ['email', 'first_name', 'last_name'] as const

const PHONE_COLUMNS = ['work_phone', 'mobile_phone'] as const
const CONTACT_COLUMNS = ['email', ...MERGED_FIELDS, ...PHONE_COLUMNS] as const

interface Registered extends Partial<Record<(typeof CONTACT_COLUMNS)[number], string | null | undefined>> {
  status?: string | undefined
  source?: string | undefined
  is_test_data?: boolean | undefined
  contact_id?: string | null | undefined
}

type LinkContext = Pick<Context, 'tenantId' | 'actor'> & { event: { id: string } }

/**
 * Returns an SQL expression that finds or creates the contact of a registration, for the statement that writes the registration; nothing
 * if the contact cannot change.
 */
export function buildContactIdExpression(
  ctx: LinkContext,
  before: Registered | null,
  columns: Registered,
): { contact_id?: RawBuilder<string | null> } {
  const after = { ...before, ...columns }
  if (after.is_test_data || !after.email?.trim() || !mayChangeContact(before, after)) return {}
  const filled = <Name extends (typeof CONTACT_COLUMNS)[number]>(names: readonly Name[]) =>
    names.flatMap((name) => (after[name]?.trim() ? [[name, after[name].trim()] as const] : []))
  const said = JSON.stringify(Object.fromEntries(filled(MERGED_FIELDS)))
  const phones = [...new Set(filled(PHONE_COLUMNS).map(([, phone]) => phone))]
  const who = sql`${ctx.tenantId}, ${ctx.event.id}, ${after.email.trim()}, ${said}::jsonb, ${phones}::text[]`
  const origin = sql`${originOf(ctx, before, after)}, ${before?.contact_id ?? null}::text, ${after.status === 'complete'}::boolean`
  return { contact_id: sql<string | null>`contact_of_person(${who}, ${origin})` }
}

/** Whether saving the registration may change its contact. Only complete registrations update more than email address and name. */
function mayChangeContact(before: Registered | null, after: Registered): boolean {
  if (before === null || !before.contact_id) return true
  if (after.status === 'complete' && before.status !== 'complete') return true
  return (after.status === 'complete' ? CONTACT_COLUMNS : IDENTITY_COLUMNS).some((name) => (before[name] ?? null) !== (after[name] ?? null))
}

function originOf({ actor }: LinkContext, before: Registered | null, { source }: Registered): 'person' | 'organizer' | 'import' {
  if (actor.kind === 'participant') return 'person'
  return before === null && source === 'import' ? 'import' : 'organizer'
}
