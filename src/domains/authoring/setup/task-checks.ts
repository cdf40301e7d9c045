import { toDayInZone, endOfDay, isCalendarDay, startOfDay } from '../../../kernel/time.ts'
import { toWidgetPointer } from '../../configuration/flow/goals.ts'
import { findPrice } from '../../configuration/flow/prices.ts'
import { getTranslationStates } from '../../configuration/texts.ts'
import { findContrastIssues } from '../../configuration/validate/warnings.ts'
import type { Product } from '../../configuration/schema/event-config.ts'
import { type SetupContext, listFlowWidgets } from './context.ts'

/** The step that is blocked until the setup task is done. */
export const STEPS_BLOCKED_BY_SETUP_TASK = ['publish', 'open', 'nothing'] as const
export type StepBlockedBySetupTask = (typeof STEPS_BLOCKED_BY_SETUP_TASK)[number]

/** The state of a setup task, with the reason and evidence. */
export interface SetupTaskResult {
  state: 'done' | 'todo' | 'notNeeded'
  why: string
  evidence?: string
  /** If set, these fields replace those of the setup task: the step it blocks, the tools that complete it, and its configuration paths. */
  blocks?: StepBlockedBySetupTask
  tools?: readonly string[]
  paths?: readonly string[]
}

export const createDoneTaskResult = (why: string, evidence?: string): SetupTaskResult => ({
  state: 'done',
  why,
  ...(evidence ? { evidence } : {}),
})
export const createTodoTaskResult = (why: string, evidence?: string): SetupTaskResult => ({
  state: 'todo',
  why,
  ...(evidence ? { evidence } : {}),
})
export const createNotNeededTaskResult = (why: string): SetupTaskResult => ({ state: 'notNeeded', why })
const doneIf = (holds: boolean, yes: string, no: string, evidence?: string) =>
  holds ? createDoneTaskResult(yes, evidence) : createTodoTaskResult(no, evidence)

const joinFirst = (parts: readonly string[]) => parts.slice(0, 5).join(', ') + (parts.length > 5 ? ` and ${parts.length - 5} more` : '')

export function checkEventDetails({ draft: { config } }: SetupContext): SetupTaskResult {
  const { contactEmail, venue, website } = config.details
  const missing = [...(contactEmail === null ? ['contactEmail'] : []), ...(venue === null && website === null ? ['venue or website'] : [])]
  const result = doneIf(missing.length === 0, 'name, dates, contact and venue or website are set', `missing: ${missing.join(', ')}`)
  return contactEmail === null ? result : { ...result, blocks: 'nothing' }
}

export function checkLocales({ draft: { document, config, facts } }: SetupContext): SetupTaskResult {
  const states = getTranslationStates(document, config, facts)
  if (states.length === 0) return createNotNeededTaskResult(`the event has one language, ${facts.locale}`)
  const open = states.filter(({ coveragePercent }) => coveragePercent < 100)
  return doneIf(
    open.length === 0,
    'every text is translated',
    open.map(({ locale, coveragePercent }) => `${locale} ${coveragePercent} %`).join(', '),
  )
}

export const checkStaff = ({ editors }: SetupContext) =>
  doneIf(
    editors >= 2,
    'more than one user can edit the event',
    'only one user can edit the event; assign a second',
    `${editors} ${editors === 1 ? 'person' : 'people'} with events.write`,
  )

export function checkTheme({ draft: { config } }: SetupContext): SetupTaskResult {
  const contrast = findContrastIssues(config)
  if (config.theme.logoFileId === null) return createTodoTaskResult('no logo is set')
  return doneIf(contrast.length === 0, 'the logo is set and the colours are readable', contrast[0]?.message ?? '')
}

const costs = (product: Product) => product.prices.some(({ amount }) => Number(amount) > 0)

export function checkProducts({ offered, flows, draft: { config, facts } }: SetupContext): SetupTaskResult {
  const sells = listFlowWidgets(flows).some(({ type }) => type === 'products' || type === 'donation')
  if (!sells) return createNotNeededTaskResult('no flow sells anything')
  const admissions = offered.filter(({ category }) => category === 'admission')
  const start = startOfDay(facts.timezone, config.details.startsOn)
  const covered = admissions.filter((product) => pricedUntil(product, facts.now, start, facts.timezone))
  return doneIf(
    covered.length > 0,
    'an admission product has a price from today to the start',
    'no admission product has a price from today to the start',
    joinFirst(admissions.map(({ code }) => code)),
  )
}

/**
 * Returns the instant until which a product has a price. Prices change only where a price row starts or ends, so checking these instants is
 * sufficient.
 */
function pricedUntil(product: Product, now: Date, start: Date, timezone: string): boolean {
  const tags = product.prices.flatMap((price) => price.tags)
  const ends = product.prices.flatMap(({ from, until }) => [
    ...(from === null ? [] : [isCalendarDay(from) ? startOfDay(timezone, from) : new Date(from)]),
    ...(until === null ? [] : [isCalendarDay(until) ? endOfDay(timezone, until) : new Date(until)]),
  ])
  const moments = [now, ...ends.filter((moment) => moment > now && moment < start)]
  return [[], tags].some((held) => moments.every((at) => findPrice(product, { tags: held, at, timezone }) !== null))
}

export function checkTaxes({ offered, draft: { config } }: SetupContext): SetupTaskResult {
  const priced = offered.filter(costs)
  if (priced.length === 0) return createNotNeededTaskResult('nothing costs money')
  const open = priced.filter(
    ({ taxCode, category }) =>
      taxCode === null && category !== 'donation' && !config.taxes.some((tax) => tax.productCategories.includes(category)),
  )
  return doneIf(
    open.length === 0,
    'every priced product has a tax',
    `no tax is set for ${joinFirst(open.map(({ code }) => code))}; use a tax with rate 0 if none is due`,
  )
}

export function checkPolicies({ draft: { config } }: SetupContext): SetupTaskResult {
  const required = config.policies.filter((policy) => policy.required && !policy.retired)
  return doneIf(
    required.length > 0,
    'participants accept at least one policy',
    'participants accept no policy yet',
    joinFirst(required.map(({ code }) => code)),
  )
}

export const checkFlowExists = ({ flows }: SetupContext) =>
  doneIf(flows.length > 0, 'the event has a registration flow', 'the event has no flow yet', joinFirst(flows.map(({ slug }) => slug)))

export function checkFlowValid(context: SetupContext): SetupTaskResult {
  const blocking = context.issues.filter(({ level }) => level !== 'warning')
  const [first] = blocking
  return doneIf(blocking.length === 0, 'the configuration has no errors', `${first?.path}: ${first?.message}`, `${blocking.length} issues`)
}

export function checkFlowReviewed({ reviewErrors }: SetupContext): SetupTaskResult {
  const [first] = reviewErrors
  return doneIf(
    reviewErrors.length === 0,
    'the review found no errors',
    `${first?.code} ${first?.message}`,
    `${reviewErrors.length} errors`,
  )
}

export function checkFlowTested({ flows, rehearsed }: SetupContext): SetupTaskResult {
  const open = flows.flatMap(({ slug }) => {
    const last = rehearsed.get(slug)
    if (!last) return [`${slug} was never tested`]
    if (!last.isCurrent) return [`${slug} changed since revision ${last.draftRevision}`]
    return last.errors > 0 ? [`the test run of ${slug} found ${last.errors === 1 ? 'an error' : `${last.errors} errors`}`] : []
  })
  if (flows.length === 0) return createTodoTaskResult('there is no flow to test')
  return doneIf(open.length === 0, 'every flow was tested in its current state', joinFirst(open))
}

/** Checks the payment methods. Without a card processor a flow must not offer cards. */
export function checkPayment({ offered, flows, bankDetails, takesCards }: SetupContext): SetupTaskResult {
  const priced = offered.filter((product) => costs(product) || product.category === 'donation')
  if (priced.length === 0) return createNotNeededTaskResult('nothing costs money')
  const ways = flows.flatMap((flow) =>
    flow.pages.flatMap((page) =>
      page.widgets.flatMap((widget) =>
        widget.type === 'payment' ? [{ methods: widget.methods, path: `${toWidgetPointer(flow, page.code, widget.id)}/methods` }] : [],
      ),
    ),
  )
  const cards = ways.filter(({ methods }) => methods.includes('card'))
  if (cards.length > 0 && !takesCards) {
    const why = 'flows offer cards, but there is no card processor: offer bank, cheque or onsite instead'
    return { ...createTodoTaskResult(why), tools: ['config_set'], paths: cards.map(({ path }) => path) }
  }
  const methods = new Set(ways.flatMap((way) => way.methods))
  if (methods.size > 0 && !methods.has('bank'))
    return createDoneTaskResult(
      methods.has('card') ? 'participants pay by card' : 'participants pay by cheque or on site',
      [...methods].join(', '),
    )
  const result = doneIf(
    bankDetails,
    'invoices include the bank details of the client',
    'invoices have no bank details; set billing with update_client',
  )
  return { ...result, tools: ['update_client'] }
}

/** Checks the sender of emails, which is configured for the whole installation and cannot be changed per event. */
export function checkEmailSender({ draft: { config }, emailsStayLocal }: SetupContext): SetupTaskResult {
  const confirmation = config.emails.find(({ trigger, enabled }) => trigger === 'registration.completed' && enabled)
  if (!confirmation) return createTodoTaskResult('no enabled email has the trigger registration.completed')
  const sent = emailsStayLocal
    ? 'emails are kept in the mailbox of this installation'
    : 'emails are sent from the address of this installation'
  return createDoneTaskResult(`participants receive a confirmation; ${sent}`, confirmation.code)
}

export function checkDirectoryConnections({ flows, connections }: SetupContext): SetupTaskResult {
  const used = new Set([
    ...flows.flatMap(({ directory }) => (directory === null ? [] : [directory])),
    ...listFlowWidgets(flows).flatMap((widget) => (widget.type === 'membershipLookup' ? [widget.connection] : [])),
  ])
  if (used.size === 0) return createNotNeededTaskResult('no flow uses a directory')
  const open = [...used].filter((code) => connections.get(code)?.status !== 'ready')
  const result = doneIf(
    open.length === 0,
    'every connection in use is ready',
    open.map((code) => `${code} is ${connections.get(code)?.status ?? 'missing'}`).join(', '),
  )
  return { ...result, blocks: open.every((code) => connections.get(code)?.onFailure === 'allow') ? 'nothing' : 'publish' }
}

export function checkExhibitors({ flows, draft: { config } }: SetupContext): SetupTaskResult {
  const { boothSizes, applicationFields } = config.exhibitorConfig
  if (!flows.some(({ kind }) => kind === 'exhibitor') && boothSizes.length === 0)
    return createNotNeededTaskResult('the event has no exhibitors')
  return doneIf(
    boothSizes.length > 0 && boothSizes.every(({ product }) => product !== null),
    'all booth sizes have products',
    'booth sizes and their products are missing',
    `${boothSizes.length} sizes, ${applicationFields.length} questions`,
  )
}

export function checkSessions({ flows, draft: { config } }: SetupContext): SetupTaskResult {
  const { tracks, formats, rooms } = config.sessions
  const asked = listFlowWidgets(flows).some(({ type }) => type === 'sessions' || type === 'submission')
  if (!asked && tracks.length + formats.length + rooms.length === 0) return createNotNeededTaskResult('the event has no programme')
  return doneIf(
    formats.length > 0 && rooms.length > 0,
    'formats and rooms are set',
    'formats and rooms are missing',
    `${tracks.length} tracks, ${formats.length} formats, ${rooms.length} rooms`,
  )
}

export function checkBadge({ draft: { config } }: SetupContext): SetupTaskResult {
  const used = config.onsite.gates.length > 0 || config.badge.fields.length > 0
  if (!used) return createNotNeededTaskResult('badges are not used')
  return doneIf(config.badge.fields.length > 0, 'the badge has fields', 'the badge has no fields', joinFirst(config.badge.fields))
}

export function checkSurveys({ draft: { config } }: SetupContext): SetupTaskResult {
  if (config.surveys.length === 0) return createNotNeededTaskResult('the event has no surveys')
  const open = config.surveys.filter(({ email }) => email === null)
  return doneIf(
    open.length === 0,
    'every survey has an invitation email',
    `no invitation email for ${joinFirst(open.map(({ code }) => code))}`,
  )
}

export const checkEventPublished = ({ live }: SetupContext) =>
  doneIf(live !== null, 'the event is published', 'the event was never published', live ? `version ${live.version}` : undefined)
export const checkNoUnpublishedChanges = ({ draftIsLive }: SetupContext) =>
  doneIf(draftIsLive, 'the draft equals the live version', 'the draft has unpublished changes')

export function checkRegistrationOpenPeriod({ flows, draft: { facts } }: SetupContext): SetupTaskResult {
  const usable = flows.filter(({ closesAt }) => closesAt === null || new Date(closesAt) > facts.now)
  const [first] = usable
  const from =
    first?.opensAt && new Date(first.opensAt) > facts.now
      ? `${first.slug} opens on ${toDayInZone(facts.timezone, new Date(first.opensAt))}`
      : `${first?.slug} is open`
  return doneIf(usable.length > 0, from, 'no flow is open')
}

export const checkTestModeOff = ({ draft: { facts } }: SetupContext) =>
  doneIf(!facts.testMode, 'registrations are real', 'test mode is on: registrations are test data')

export const canPublish = ({ blocking, draft }: SetupContext) => blocking.length === 0 && draft.facts.status !== 'archived'
