import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { SAID_FIELDS } from './tables.ts'

/** Of a registration: who it says that somebody is. */
const WHO = ['email', 'first_name', 'last_name'] as const

const PHONES = ['work_phone', 'mobile_phone'] as const
const ALL = ['email', ...SAID_FIELDS, ...PHONES] as const

interface Registered extends Partial<Record<(typeof ALL)[number], string | null | undefined>> {
  status?: string | undefined
  source?: string | undefined
  is_test_data?: boolean | undefined
  contact_id?: string | null | undefined
}

type Ctx = Pick<Context, 'tenantId' | 'actor'> & { event: { id: string } }

/**
 * What a registration that is written has to be given along: its contact, as an expression of the same statement, or nothing where it cannot be
 * another than before.
 */
export function contactOf(ctx: Ctx, before: Registered | null, columns: Registered): { contact_id?: RawBuilder<string | null> } {
  const after = { ...before, ...columns }
  if (after.is_test_data || !after.email?.trim() || !mayDiffer(before, after)) return {}
  const filled = <Name extends (typeof ALL)[number]>(names: readonly Name[]) =>
    names.flatMap((name) => (after[name]?.trim() ? [[name, after[name].trim()] as const] : []))
  const said = JSON.stringify(Object.fromEntries(filled(SAID_FIELDS)))
  const phones = [...new Set(filled(PHONES).map(([, phone]) => phone))]
  const who = sql`${ctx.tenantId}, ${ctx.event.id}, ${after.email.trim()}, ${said}::jsonb, ${phones}::text[]`
  const origin = sql`${originOf(ctx, before, after)}, ${before?.contact_id ?? null}::text, ${after.status === 'complete'}::boolean`
  return { contact_id: sql<string | null>`contact_of_person(${who}, ${origin})` }
}

/** Only who finished says more than who they are. */
function mayDiffer(before: Registered | null, after: Registered): boolean {
  if (before === null || !before.contact_id) return true
  if (after.status === 'complete' && before.status !== 'complete') return true
  return (after.status === 'complete' ? ALL : WHO).some((name) => (before[name] ?? null) !== (after[name] ?? null))
}

function originOf({ actor }: Ctx, before: Registered | null, { source }: Registered): 'person' | 'organizer' | 'import' {
  if (actor.kind === 'participant') return 'person'
  return before === null && source === 'import' ? 'import' : 'organizer'
}
