import { registrantAt } from './registering.ts'
import { type Served } from './server.ts'
import { type Fields, type Page, visitor } from './visitor.ts'
import type { EventPlace } from './world.ts'

let made = 0

/** A participant on the room page, with a pass in the order. */
export async function atRooms(served: Served, event: EventPlace, { email = `guest-${++made}@example.org`, method = 'bank' } = {}) {
  const at = registrantAt(visitor(served), event)
  await at.begin(email)
  await at.fill('contact', { '@participant.firstName': 'Gus', '@participant.lastName': email.split('@')[0]! })
  await at.fill('choices', { '@product.pass': '1', _method: method })
  const finish = async (): Promise<Page> => at.fill('summary', {}, { press: 'finish' })
  return { ...at, email, finish }
}

/** The form fields that request a room. */
export const wants = (hotelId: string, checkIn: string, checkOut: string, more: Fields = {}): Fields => ({
  '@housing.checkIn': checkIn,
  '@housing.checkOut': checkOut,
  '@housing.occupants': '1',
  'housing.room': `${hotelId}:king`,
  ...more,
})
