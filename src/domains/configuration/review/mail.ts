import type { Operation } from '../operations.ts'
import { follow, parsePointer } from '../pointers.ts'
import { type Reference, referencesIn } from '../references.ts'
import { set } from './repairs.ts'
import { answerName, error, type Finding, filledIn, type Look, perScene, warning } from './scene.ts'

const TRIGGER = 'registration.completed'

/** F29 and F30: the mail that confirms a registration. */
export const reviewMail = (look: Look): Finding[] => [...unfitConfirmation(look), ...unknownTokens(look)]

function unfitConfirmation(look: Look): Finding[] {
  const { flow, config, path } = look
  const email = config.emails.find(({ code }) => code === flow.confirmationEmail)
  const says = (why: string, operations: Operation[] | null) => [
    warning('F29', `${path}/confirmationEmail`, `The flow "${flow.name}" ${why}.`, operations),
  ]
  if (flow.confirmationEmail === null) return says('names no email to confirm a registration with', chosen(look))
  if (!email) return says(`confirms registrations with the email "${flow.confirmationEmail}", which does not exist`, chosen(look))
  if (email.trigger !== TRIGGER)
    return says(`confirms registrations with the email "${email.name}", which is for ${email.trigger}, not ${TRIGGER}`, chosen(look))
  return email.enabled
    ? []
    : says(`confirms registrations with the email "${email.name}", which is disabled`, [set(`/emails/${email.code}/enabled`, true)])
}

function chosen({ config, path }: Look): Operation[] | null {
  const fit = config.emails.find(({ trigger, enabled }) => trigger === TRIGGER && enabled)
  return fit ? [set(`${path}/confirmationEmail`, fit.code)] : null
}

const tokensByEmail = perScene(({ document }) =>
  Map.groupBy(
    referencesIn(document).filter(({ kind, from }) => kind === 'token' && from.startsWith('/emails/')),
    ({ from }) => parsePointer(from)[1]!,
  ),
)

/** Known of everybody who is registered, whatever was asked. */
const ALWAYS_KNOWN: ReadonlySet<string> = new Set(
  ['firstName', 'lastName', 'fullName', 'email', 'confirmationNumber', 'badgeId', 'status', 'language'].map(
    (name) => `participant.${name}`,
  ),
)
const ASKED_BY_WIDGET: Record<string, string> = { housing: 'housing', group: 'group' }

function unknownTokens(look: Look): Finding[] {
  const { flow, scene, places } = look
  if (flow.confirmationEmail === null) return []
  const asked = new Set([...places.flatMap(({ collected }) => collected.map(({ binding }) => binding)), ...filledIn(scene, flow)])
  const types = new Set(places.map(({ widget }) => widget.type as string))
  const isKnown = (token: string) => {
    const [entity = ''] = token.split('.')
    if (entity === 'participant' || entity === 'custom') return ALWAYS_KNOWN.has(token) || asked.has(`@${token}`)
    return !(entity in ASKED_BY_WIDGET) || types.has(ASKED_BY_WIDGET[entity]!)
  }
  const open = (tokensByEmail(scene).get(flow.confirmationEmail) ?? []).filter(
    (token) => !isKnown(token.written) && !hasFallback(look, token),
  )
  return [...Map.groupBy(open, ({ written }) => written)].map(([token, [first]]) => {
    const name = token.startsWith('participant.') || token.startsWith('custom.') ? answerName(scene, `@${token}`) : token
    const message = `The confirmation email uses {{${token}}}, but the flow "${flow.name}" never asks for ${name}: write {{${token}|…}} with what to say instead, or ask for it.`
    return error('F30', first!.from, message)
  })
}

function hasFallback({ scene }: Look, { from, written }: Reference): boolean {
  const { place, left } = follow(scene.document, parsePointer(from))
  const name = written.replace(/[.]/g, '\\.')
  return left.length === 0 && typeof place.value === 'string' && !new RegExp(`\\{\\{\\s*${name}\\s*\\}\\}`).test(place.value)
}
