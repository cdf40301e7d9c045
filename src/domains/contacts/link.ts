import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { newId } from '../../kernel/ids.ts'
import { MERGED_CONTACT_FIELDS } from './tables.ts'

/** Columns of a registration that identify the person. */
const IDENTITY_COLUMNS = ['email', 'first_name', 'last_name'] as const

const PHONE_COLUMNS = ['work_phone', 'mobile_phone'] as const
const CONTACT_COLUMNS = ['email', ...MERGED_CONTACT_FIELDS, ...PHONE_COLUMNS] as const

interface Registered extends Partial<Record<(typeof CONTACT_COLUMNS)[number], string | null | undefined>> {
  status?: string | undefined
  source?: string | undefined
  is_test_data?: boolean | undefined
  contact_id?: string | null | undefined
}

type LinkContext = Pick<Context, 'tenantId' | 'actor'> & { event: { id: string } }

/**
 * Returns the column `contact_id` with an SQL expression that finds or creates the contact of a registration, for the statement that writes
 * the registration. Returns no column if the contact cannot change.
 */
export function buildContactIdExpression(
  ctx: LinkContext,
  before: Registered | null,
  columns: Registered,
): { contact_id?: RawBuilder<string | null> } {
  const after = { ...before, ...columns }
  const person = readPerson(after)
  if (person === null || !mayChangeContact(before, after)) return {}
  const { email, said, phones } = person
  const who = sql`${ctx.tenantId}, ${ctx.event.id}, ${email}, ${JSON.stringify(said)}::jsonb, ${phones}::text[]`
  const origin = sql`${originOf(ctx, before, after)}, ${before?.contact_id ?? null}::text, ${after.status === 'complete'}::boolean`
  return { contact_id: sql<string | null>`contact_of_person(${who}, ${origin})` }
}

interface Person {
  email: string
  /** The contact's data as entered in the registration, by field. */
  said: Record<string, string>
  phones: readonly string[]
}

/**
 * Reads from a registration the email address that identifies its contact, and the contact's data. Null if the registration has no contact.
 */
function readPerson(row: Registered): Person | null {
  const email = row.email?.trim()
  if (row.is_test_data || !email) return null
  const filled = <Name extends (typeof CONTACT_COLUMNS)[number]>(names: readonly Name[]) =>
    names.flatMap((name) => (row[name]?.trim() ? [[name, row[name].trim()] as const] : []))
  return {
    email,
    said: Object.fromEntries(filled(MERGED_CONTACT_FIELDS)),
    phones: [...new Set(filled(PHONE_COLUMNS).map(([, phone]) => phone))],
  }
}

/**
 * Creates contacts in one statement for those new registrations whose email address is unknown at the client and occurs only once among
 * them. Returns the contact ids by row. The other rows are linked by `buildContactIdExpression`.
 */
export async function createMissingContacts<Row extends Registered>(
  ctx: LinkContext & Pick<Context, 'db'>,
  rows: readonly Row[],
): Promise<Map<Row, string>> {
  const people = rows.flatMap((row) => {
    const person = readPerson(row)
    return person ? [{ row, id: newId(), ...person }] : []
  })
  const single = [...Map.groupBy(people, ({ email }) => foldEmailCase(email)).values()].flatMap((same) => (same.length === 1 ? same : []))
  if (single.length === 0) return new Map()
  const asked = JSON.stringify(single.map(({ id, email, said, phones }) => ({ id, email, said, numbers: phones })))
  const origin = originOf(ctx, null, single[0]!.row)
  const { rows: answers } = await sql<{ created: string[] }>`
    select contacts_of_new_people(${ctx.tenantId}, ${ctx.event.id}, ${asked}::jsonb, ${origin}) as created`.execute(ctx.db)
  const created = new Set(answers[0]!.created)
  return new Map(single.flatMap(({ row, id }) => (created.has(id) ? [[row, id] as const] : [])))
}

/** Whether saving the registration may change its contact. A registration that is not complete updates only email address and name. */
function mayChangeContact(before: Registered | null, after: Registered): boolean {
  if (before === null || !before.contact_id) return true
  if (after.status === 'complete' && before.status !== 'complete') return true
  return (after.status === 'complete' ? CONTACT_COLUMNS : IDENTITY_COLUMNS).some((name) => (before[name] ?? null) !== (after[name] ?? null))
}

function originOf({ actor }: LinkContext, before: Registered | null, { source }: Registered): 'person' | 'organizer' | 'import' {
  if (actor.kind === 'participant') return 'person'
  return before === null && source === 'import' ? 'import' : 'organizer'
}
