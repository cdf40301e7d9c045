import type { Flow } from '../configuration/schema/event-config.ts'
import { PARTICIPANT_PROPERTY_COLUMNS } from '../registration/participant-shape.ts'
import { NON_ANSWER_FORM_FIELDS, type GetFormValues } from './sent-page.ts'

type Answers = Readonly<Record<string, unknown>>

const GUEST_BINDING = /^@guest\.(\d{1,2})\.(\w+)$/

export const listGuestNumbers = (answers: Answers): number[] =>
  [
    ...new Set(
      Object.entries(answers).flatMap(([binding, value]) => (value === null ? [] : [Number(GUEST_BINDING.exec(binding)?.[1] ?? 0)])),
    ),
  ]
    .filter((number) => number > 0)
    .toSorted((a, b) => a - b)

/** Lists the properties that the form asks of a guest: always the name, and the type if the flow has guest types. */
export function listGuestFormFields({ guests }: Flow): readonly string[] {
  const configured = (guests?.fields ?? [])
    .map(({ binding }) => binding.slice(binding.lastIndexOf('.') + 1))
    .filter((name) => Object.hasOwn(PARTICIPANT_PROPERTY_COLUMNS, name))
  return [...new Set(['firstName', 'lastName', ...configured, ...(guests && guests.types.length > 0 ? ['type'] : [])])]
}

const MAX_GUESTS = 20

/** Reads the answers of the guest form on the page; empty if the form was left blank. */
export function readSubmittedGuest(flow: Flow, sent: GetFormValues): Record<string, string> {
  const number = Number(sent(NON_ANSWER_FORM_FIELDS.guest('number'))[0] ?? 0)
  if (!flow.guests?.enabled || !Number.isInteger(number) || number < 1 || number > MAX_GUESTS) return {}
  const given = listGuestFormFields(flow).map((property): [string, string] => {
    const binding = `@guest.${number}.${property}`
    return [binding, sent(binding)[0]?.trim() ?? '']
  })
  // The guest type may be preselected, so a form with only a type counts as blank.
  const isEmpty = given.every(([binding, value]) => value === '' || binding.endsWith('.type'))
  return isEmpty ? {} : Object.fromEntries(given)
}

/** Removes a guest from the answers and renumbers the following ones. */
export function removeGuestAnswers(answers: Answers, gone: number): Record<string, unknown> {
  const changed: Record<string, unknown> = {}
  for (const binding of Object.keys(answers)) if (GUEST_BINDING.test(binding)) changed[binding] = null
  for (const [binding, value] of Object.entries(answers)) {
    const [, number, property] = GUEST_BINDING.exec(binding) ?? []
    if (number === undefined || Number(number) === gone) continue
    changed[`@guest.${Number(number) > gone ? Number(number) - 1 : Number(number)}.${property}`] = value
  }
  return changed
}
