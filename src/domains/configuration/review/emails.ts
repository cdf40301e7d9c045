import type { ConfigOperation } from '../operations.ts'
import { followPointer, parsePointer } from '../pointers.ts'
import { type ConfigReference, listReferences } from '../references.ts'
import { buildConfigSetOperation } from './suggestions.ts'
import {
  formatAnswerName,
  createErrorFinding,
  type FlowFinding,
  listFieldsFilledByDirectories,
  type FlowReviewContext,
  cachePerReview,
  createWarningFinding,
} from './context.ts'

const TRIGGER = 'registration.completed'

/** Review checks F29 and F30: the email that confirms a registration. */
export const reviewEmails = (flowContext: FlowReviewContext): FlowFinding[] => [
  ...checkConfirmation(flowContext),
  ...checkTokens(flowContext),
]

function checkConfirmation(flowContext: FlowReviewContext): FlowFinding[] {
  const { flow, config, path } = flowContext
  const email = config.emails.find(({ code }) => code === flow.confirmationEmail)
  const report = (why: string, operations: ConfigOperation[] | null) => [
    createWarningFinding('F29', `${path}/confirmationEmail`, `The flow "${flow.name}" ${why}.`, operations),
  ]
  if (flow.confirmationEmail === null) return report('has no confirmation email for registrations', suggestConfirmation(flowContext))
  if (!email)
    return report(
      `confirms registrations with the email "${flow.confirmationEmail}", which does not exist`,
      suggestConfirmation(flowContext),
    )
  if (email.trigger !== TRIGGER)
    return report(
      `confirms registrations with the email "${email.name}", which is for ${email.trigger}, not ${TRIGGER}`,
      suggestConfirmation(flowContext),
    )
  return email.enabled
    ? []
    : report(`confirms registrations with the email "${email.name}", which is disabled`, [
        buildConfigSetOperation(`/emails/${email.code}/enabled`, true),
      ])
}

function suggestConfirmation({ config, path }: FlowReviewContext): ConfigOperation[] | null {
  const fit = config.emails.find(({ trigger, enabled }) => trigger === TRIGGER && enabled)
  return fit ? [buildConfigSetOperation(`${path}/confirmationEmail`, fit.code)] : null
}

const tokensByEmail = cachePerReview(({ document }) =>
  Map.groupBy(
    listReferences(document).filter(({ kind, from }) => kind === 'token' && from.startsWith('/emails/')),
    ({ from }) => parsePointer(from)[1]!,
  ),
)

/** Data fields known for every registered participant, regardless of the flow's questions. */
const ALWAYS_KNOWN: ReadonlySet<string> = new Set(
  ['firstName', 'lastName', 'fullName', 'email', 'confirmationNumber', 'badgeId', 'status', 'language'].map(
    (name) => `participant.${name}`,
  ),
)
const ASKED_BY_WIDGET: Record<string, string> = { housing: 'housing', group: 'group' }

function checkTokens(flowContext: FlowReviewContext): FlowFinding[] {
  const { flow, context, widgetElements } = flowContext
  if (flow.confirmationEmail === null) return []
  const asked = new Set([
    ...widgetElements.flatMap(({ collected }) => collected.map(({ binding }) => binding)),
    ...listFieldsFilledByDirectories(context, flow),
  ])
  const types = new Set(widgetElements.map(({ widget }) => widget.type as string))
  const isKnown = (token: string) => {
    const [entity = ''] = token.split('.')
    if (entity === 'participant' || entity === 'custom') return ALWAYS_KNOWN.has(token) || asked.has(`@${token}`)
    return !(entity in ASKED_BY_WIDGET) || types.has(ASKED_BY_WIDGET[entity]!)
  }
  const open = (tokensByEmail(context).get(flow.confirmationEmail) ?? []).filter(
    (token) => !isKnown(token.written) && !hasFallback(flowContext, token),
  )
  return [...Map.groupBy(open, ({ written }) => written)].map(([token, [first]]) => {
    const name = token.startsWith('participant.') || token.startsWith('custom.') ? formatAnswerName(context, `@${token}`) : token
    const message = `The confirmation email uses {{${token}}}, but the flow "${flow.name}" never asks for ${name}: add a fallback text as in {{${token}|…}}, or add the question.`
    return createErrorFinding('F30', first!.from, message)
  })
}

function hasFallback({ context }: FlowReviewContext, { from, written }: ConfigReference): boolean {
  const { location, left } = followPointer(context.document, parsePointer(from))
  const name = written.replace(/[.]/g, '\\.')
  return left.length === 0 && typeof location.value === 'string' && !new RegExp(`\\{\\{\\s*${name}\\s*\\}\\}`).test(location.value)
}
