import { dayIn, endOfDay, isDay, startOfDay } from '../../../kernel/time.ts'
import { widgetPath } from '../../configuration/flow/goals.ts'
import { priceFor } from '../../configuration/flow/prices.ts'
import { translationStates } from '../../configuration/texts.ts'
import { contrastIssues } from '../../configuration/validate/warnings.ts'
import type { Product } from '../../configuration/schema/event-config.ts'
import { type SetupScene, widgetsOf } from './scene.ts'

/** What cannot be done while a task is open. */
export const BLOCKS = ['publish', 'open', 'nothing'] as const
export type Blocks = (typeof BLOCKS)[number]

/** How one task stands, and by what one can see it. */
export interface Judgement {
  state: 'done' | 'todo' | 'notNeeded'
  why: string
  evidence?: string
  /** Where what is left to do decides it: what that keeps from happening, what mends it, and where. */
  blocks?: Blocks
  tools?: readonly string[]
  paths?: readonly string[]
}

export const done = (why: string, evidence?: string): Judgement => ({ state: 'done', why, ...(evidence ? { evidence } : {}) })
export const todo = (why: string, evidence?: string): Judgement => ({ state: 'todo', why, ...(evidence ? { evidence } : {}) })
export const notNeeded = (why: string): Judgement => ({ state: 'notNeeded', why })
const when = (holds: boolean, yes: string, no: string, evidence?: string) => (holds ? done(yes, evidence) : todo(no, evidence))

const listed = (parts: readonly string[]) => parts.slice(0, 5).join(', ') + (parts.length > 5 ? ` and ${parts.length - 5} more` : '')

export function details({ draft: { config } }: SetupScene): Judgement {
  const { contactEmail, venue, website } = config.details
  const missing = [...(contactEmail === null ? ['contactEmail'] : []), ...(venue === null && website === null ? ['venue or website'] : [])]
  const judgement = when(missing.length === 0, 'name, dates, contact and place are known', `missing: ${missing.join(', ')}`)
  return contactEmail === null ? judgement : { ...judgement, blocks: 'nothing' }
}

export function locales({ draft: { document, config, facts } }: SetupScene): Judgement {
  const states = translationStates(document, config, facts)
  if (states.length === 0) return notNeeded(`the event has one language, ${facts.locale}`)
  const open = states.filter(({ coveragePercent }) => coveragePercent < 100)
  return when(
    open.length === 0,
    'every text is translated',
    open.map(({ locale, coveragePercent }) => `${locale} ${coveragePercent} %`).join(', '),
  )
}

export const staff = ({ editors }: SetupScene) =>
  when(
    editors >= 2,
    'more than one person can change it',
    'only one person can change it; assign a second',
    `${editors} ${editors === 1 ? 'person' : 'people'} with events.write`,
  )

export function theme({ draft: { config } }: SetupScene): Judgement {
  const contrast = contrastIssues(config)
  if (config.theme.logoFileId === null) return todo('there is no logo')
  return when(contrast.length === 0, 'logo is set and the colours can be read', contrast[0]?.message ?? '')
}

const costs = (product: Product) => product.prices.some(({ amount }) => Number(amount) > 0)

export function products({ offered, flows, draft: { config, facts } }: SetupScene): Judgement {
  const sells = widgetsOf(flows).some(({ type }) => type === 'products' || type === 'donation')
  if (!sells) return notNeeded('no flow sells anything')
  const admissions = offered.filter(({ category }) => category === 'admission')
  const start = startOfDay(facts.timezone, config.details.startsOn)
  const covered = admissions.filter((product) => pricedUntil(product, facts.now, start, facts.timezone))
  return when(
    covered.length > 0,
    'an admission has a price from today to the start',
    'no admission has a price from today to the start',
    listed(admissions.map(({ code }) => code)),
  )
}

/** A price can only begin or end at the ends of its rows, so looking there is looking everywhere. */
function pricedUntil(product: Product, now: Date, start: Date, timezone: string): boolean {
  const tags = product.prices.flatMap((price) => price.tags)
  const ends = product.prices.flatMap(({ from, until }) => [
    ...(from === null ? [] : [isDay(from) ? startOfDay(timezone, from) : new Date(from)]),
    ...(until === null ? [] : [isDay(until) ? endOfDay(timezone, until) : new Date(until)]),
  ])
  const moments = [now, ...ends.filter((moment) => moment > now && moment < start)]
  return [[], tags].some((held) => moments.every((at) => priceFor(product, { tags: held, at, timezone }) !== null))
}

export function taxes({ offered, draft: { config } }: SetupScene): Judgement {
  const priced = offered.filter(costs)
  if (priced.length === 0) return notNeeded('nothing costs money')
  const open = priced.filter(
    ({ taxCode, category }) =>
      taxCode === null && category !== 'donation' && !config.taxes.some((tax) => tax.productCategories.includes(category)),
  )
  return when(
    open.length === 0,
    'every priced product has a tax',
    `no tax is chosen for ${listed(open.map(({ code }) => code))}; use one of rate 0 where none is due`,
  )
}

export function policies({ draft: { config } }: SetupScene): Judgement {
  const required = config.policies.filter((policy) => policy.required && !policy.retired)
  return when(
    required.length > 0,
    'there is a policy to agree to',
    'no required policy has a text',
    listed(required.map(({ code }) => code)),
  )
}

export const flowExists = ({ flows }: SetupScene) =>
  when(flows.length > 0, 'there is a way to register', 'there is no flow yet', listed(flows.map(({ slug }) => slug)))

export function flowValid(scene: SetupScene): Judgement {
  const blocking = scene.issues.filter(({ level }) => level !== 'warning')
  const [first] = blocking
  return when(blocking.length === 0, 'nothing is broken', `${first?.path}: ${first?.message}`, `${blocking.length} issues`)
}

export function flowReviewed({ reviewErrors }: SetupScene): Judgement {
  const [first] = reviewErrors
  return when(reviewErrors.length === 0, 'the review found no error', `${first?.code} ${first?.message}`, `${reviewErrors.length} errors`)
}

export function flowRehearsed({ flows, rehearsed }: SetupScene): Judgement {
  const open = flows.flatMap(({ slug }) => {
    const last = rehearsed.get(slug)
    if (!last) return [`${slug} was never rehearsed`]
    if (!last.isCurrent) return [`${slug} changed since revision ${last.draftRevision}`]
    return last.errors > 0 ? [`the rehearsal of ${slug} found ${last.errors === 1 ? 'an error' : `${last.errors} errors`}`] : []
  })
  if (flows.length === 0) return todo('there is no flow to rehearse')
  return when(open.length === 0, 'every flow was rehearsed as it is', listed(open))
}

/** Cards cannot be taken here, so a flow that offers them asks for what nobody can give. */
export function payment({ offered, flows, bankDetails }: SetupScene): Judgement {
  const priced = offered.filter((product) => costs(product) || product.category === 'donation')
  if (priced.length === 0) return notNeeded('nothing costs money')
  const ways = flows.flatMap((flow) =>
    flow.pages.flatMap((page) =>
      page.widgets.flatMap((widget) =>
        widget.type === 'payment' ? [{ methods: widget.methods, path: `${widgetPath(flow, page.code, widget.id)}/methods` }] : [],
      ),
    ),
  )
  const cards = ways.filter(({ methods }) => methods.includes('card'))
  if (cards.length > 0) {
    const why = 'cards are offered and there is no card processor: offer bank, cheque or onsite instead'
    return { ...todo(why), tools: ['config_set'], paths: cards.map(({ path }) => path) }
  }
  const methods = new Set(ways.flatMap((way) => way.methods))
  if (methods.size > 0 && !methods.has('bank')) return done('people pay by cheque or on site', [...methods].join(', '))
  const judgement = when(
    bankDetails,
    'invoices carry the bank details of the client',
    'invoices have no bank details; set billing with update_client',
  )
  return { ...judgement, tools: ['update_client'] }
}

/** The sender is the installation's, and nothing in an event can change it. */
export function sender({ draft: { config }, mailStaysHere }: SetupScene): Judgement {
  const confirmation = config.emails.find(({ trigger, enabled }) => trigger === 'registration.completed' && enabled)
  if (!confirmation) return todo('no enabled email has the trigger registration.completed')
  const sent = mailStaysHere ? 'mails are kept in the mailbox of this installation' : 'mails go out from the address of this installation'
  return done(`people are sent a confirmation; ${sent}`, confirmation.code)
}

export function directories({ flows, connections }: SetupScene): Judgement {
  const used = new Set([
    ...flows.flatMap(({ directory }) => (directory === null ? [] : [directory])),
    ...widgetsOf(flows).flatMap((widget) => (widget.type === 'membershipLookup' ? [widget.connection] : [])),
  ])
  if (used.size === 0) return notNeeded('no flow looks anybody up')
  const open = [...used].filter((code) => connections.get(code)?.status !== 'ready')
  const judgement = when(
    open.length === 0,
    'every connection in use is ready',
    open.map((code) => `${code} is ${connections.get(code)?.status ?? 'missing'}`).join(', '),
  )
  return { ...judgement, blocks: open.every((code) => connections.get(code)?.onFailure === 'allow') ? 'nothing' : 'publish' }
}

export function exhibitors({ flows, draft: { config } }: SetupScene): Judgement {
  const { boothSizes, applicationFields } = config.exhibitorConfig
  if (!flows.some(({ kind }) => kind === 'exhibitor') && boothSizes.length === 0) return notNeeded('there are no exhibitors')
  return when(
    boothSizes.length > 0 && boothSizes.every(({ product }) => product !== null),
    'booth sizes have their products',
    'booth sizes and their products are missing',
    `${boothSizes.length} sizes, ${applicationFields.length} questions`,
  )
}

export function sessions({ flows, draft: { config } }: SetupScene): Judgement {
  const { tracks, formats, rooms } = config.sessions
  const asked = widgetsOf(flows).some(({ type }) => type === 'sessions' || type === 'submission')
  if (!asked && tracks.length + formats.length + rooms.length === 0) return notNeeded('there is no program')
  return when(
    formats.length > 0 && rooms.length > 0,
    'formats and rooms are known',
    'formats and rooms are missing',
    `${tracks.length} tracks, ${formats.length} formats, ${rooms.length} rooms`,
  )
}

export function badge({ draft: { config } }: SetupScene): Judgement {
  const used = config.onsite.gates.length > 0 || config.badge.fields.length > 0
  if (!used) return notNeeded('badges are not used')
  return when(config.badge.fields.length > 0, 'the badge shows something', 'the badge shows no field', listed(config.badge.fields))
}

export function surveys({ draft: { config } }: SetupScene): Judgement {
  if (config.surveys.length === 0) return notNeeded('there are no surveys')
  const open = config.surveys.filter(({ email }) => email === null)
  return when(open.length === 0, 'every survey has its invitation', `no email invites to ${listed(open.map(({ code }) => code))}`)
}

export const publishedFirst = ({ live }: SetupScene) =>
  when(live !== null, 'it was published', 'it was never published', live ? `version ${live.version}` : undefined)
export const publishedCurrent = ({ draftIsLive }: SetupScene) =>
  when(draftIsLive, 'the draft is what is live', 'the draft has changes that are not live')

export function openWindow({ flows, draft: { facts } }: SetupScene): Judgement {
  const usable = flows.filter(({ closesAt }) => closesAt === null || new Date(closesAt) > facts.now)
  const [first] = usable
  const from =
    first?.opensAt && new Date(first.opensAt) > facts.now
      ? `${first.slug} opens on ${dayIn(facts.timezone, new Date(first.opensAt))}`
      : `${first?.slug} is open`
  return when(usable.length > 0, from, 'every flow is closed, or there is none')
}

export const testModeOff = ({ draft: { facts } }: SetupScene) =>
  when(!facts.testMode, 'registrations are real', 'test mode is on: registrations are test data')

export const canPublish = ({ blocking, draft }: SetupScene) => blocking.length === 0 && draft.facts.status !== 'archived'
