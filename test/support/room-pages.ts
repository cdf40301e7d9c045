import { openFormAs } from './registration-form.ts'
import { type Served } from './server.ts'
import { type FormFields, type VisitedPage, visitor } from './visitor.ts'
import type { EventHandle } from './world.ts'

let made = 0

/** Opens the room page as a participant with a pass in the order. */
export async function openRoomPage(served: Served, event: EventHandle, { email = `guest-${++made}@example.org`, method = 'bank' } = {}) {
  const at = openFormAs(visitor(served), event)
  await at.begin(email)
  await at.fill('contact', { '@participant.firstName': 'Gus', '@participant.lastName': email.split('@')[0]! })
  await at.fill('choices', { '@product.pass': '1', _method: method })
  const finish = async (): Promise<VisitedPage> => at.fill('summary', {}, { press: 'finish' })
  return { ...at, email, finish }
}

/** The form fields that request a room. */
export const roomFields = (hotelId: string, checkIn: string, checkOut: string, more: FormFields = {}): FormFields => ({
  '@housing.checkIn': checkIn,
  '@housing.checkOut': checkOut,
  '@housing.occupants': '1',
  'housing.room': `${hotelId}:king`,
  ...more,
})
