import { email as emailArgument, name as nameArgument, object } from '../../../kernel/args.ts'
import { recordChange } from '../../../kernel/audit.ts'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import type { HousingContext } from '../context.ts'
import type { HotelRow } from '../tables.ts'
import type { HotelContact } from './links.ts'
import { AppError } from '../../../kernel/errors.ts'
import { parseFormInput } from '../../../kernel/parse-input.ts'

const MAX_CONTACTS = 10
const Contact = object({ name: nameArgument(120), email: emailArgument() })

/** Adds a contact of the hotel, who gets links to the hotel's pages. Adding the same email address again changes the name. */
export async function addHotelContact(ctx: HousingContext, hotel: HotelRow, given: HotelContact): Promise<void> {
  const contact = parseFormInput(Contact, given)
  const others = hotel.contacts.filter(({ email }) => foldEmailCase(email) !== foldEmailCase(contact.email))
  if (others.length >= MAX_CONTACTS) throw new AppError('limit_exceeded', `A hotel has at most ${MAX_CONTACTS} contacts`)
  const contacts = [...others, contact]
  await eventDb(ctx)
    .updateTable('event_hotels')
    .set({ contacts: JSON.stringify(contacts) })
    .where('id', '=', hotel.id)
    .execute()
  recordChange(ctx, { kind: 'hotel', id: hotel.id, before: { contacts: hotel.contacts }, after: { contacts } })
}
