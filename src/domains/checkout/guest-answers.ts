import type { Flow } from '../configuration/schema/event-config.ts'
import { PROPERTY_COLUMNS } from '../registration/participant-shape.ts'
import { FIELDS, type Sent } from './sent-page.ts'

type Answers = Readonly<Record<string, unknown>>

const GUEST = /^@guest\.(\d{1,2})\.(\w+)$/

/** In the order in which they were added. */
export const guestNumbers = (answers: Answers): number[] =>
  [...new Set(Object.entries(answers).flatMap(([binding, value]) => (value === null ? [] : [Number(GUEST.exec(binding)?.[1] ?? 0)])))]
    .filter((number) => number > 0)
    .toSorted((a, b) => a - b)

/** What is asked of a guest of this flow: a name always, and a type where there are some. */
export function guestProperties({ guests }: Flow): readonly string[] {
  const asked = (guests?.fields ?? [])
    .map(({ binding }) => binding.slice(binding.lastIndexOf('.') + 1))
    .filter((name) => Object.hasOwn(PROPERTY_COLUMNS, name))
  return [...new Set(['firstName', 'lastName', ...asked, ...(guests && guests.types.length > 0 ? ['type'] : [])])]
}

const MOST = 20

/** The guest whose form was on the page; nothing where it was left empty. */
export function sentGuest(flow: Flow, sent: Sent): Record<string, string> {
  const number = Number(sent(FIELDS.guest('number'))[0] ?? 0)
  if (!flow.guests?.enabled || !Number.isInteger(number) || number < 1 || number > MOST) return {}
  const given = guestProperties(flow).map((property): [string, string] => {
    const binding = `@guest.${number}.${property}`
    return [binding, sent(binding)[0]?.trim() ?? '']
  })
  // A type alone, which may stand there by itself, is nobody yet.
  const isEmpty = given.every(([binding, value]) => value === '' || binding.endsWith('.type'))
  return isEmpty ? {} : Object.fromEntries(given)
}

/** Answers without this guest: those after them move up. */
export function withoutGuest(answers: Answers, gone: number): Record<string, unknown> {
  const changed: Record<string, unknown> = {}
  for (const binding of Object.keys(answers)) if (GUEST.test(binding)) changed[binding] = null
  for (const [binding, value] of Object.entries(answers)) {
    const [, number, property] = GUEST.exec(binding) ?? []
    if (number === undefined || Number(number) === gone) continue
    changed[`@guest.${Number(number) > gone ? Number(number) - 1 : Number(number)}.${property}`] = value
  }
  return changed
}
