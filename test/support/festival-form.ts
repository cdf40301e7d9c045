import { expect } from 'vitest'
import { openFormAs, type Registrant } from './registration-form.ts'
import type { Served } from './server.ts'
import { visitor } from './visitor.ts'
import type { EventHandle } from './world.ts'

interface FestivalAnswers {
  email: string
  /** Returns the text to type into the question with the given number. */
  answer: (n: number) => string
  flow?: string
  method?: 'bank' | 'card'
}

/** Fills in the registration form of the festival up to its summary page. */
export async function fillFestivalForm(
  served: Served,
  event: EventHandle,
  { email, answer, flow = 'attendee', method = 'bank' }: FestivalAnswers,
): Promise<Registrant> {
  const who = openFormAs(visitor(served), event, flow)
  await who.begin(email)
  const [first, last] = [answer(0), answer(1)]
  const fillPage = async (page: string, fields: Record<string, string>) => {
    const { status, text } = await who.fill(page, fields)
    expect([page, status, status === 303 ? '' : text.slice(0, 400)]).toEqual([page, 303, ''])
  }
  await fillPage('you', {
    '@participant.firstName': first,
    '@participant.lastName': last,
    '@participant.company': answer(2),
    '@participant.jobTitle': answer(3),
    '@participant.preferredName': answer(4),
    '@participant.city': answer(5),
    '@participant.address1': answer(6),
    '@participant.country': 'AT',
    '@custom.diet': 'other',
    '@custom.diet-note': answer(7),
    '@custom.first': 'true',
  })
  await fillPage('tickets', { 'one.ticket': 'full', '@guest.1.firstName': answer(8) })
  await fillPage('consent', { '@policy.terms': `${first} ${last}`, _method: method })
  return who
}
