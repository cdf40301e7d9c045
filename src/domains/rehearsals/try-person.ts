import { AppError } from '../../kernel/errors.ts'
import { toMoney } from '../../kernel/money.ts'
import type { Connections } from '../configuration/flow/collects.ts'
import { type Goal, goalChecker, pagePath } from '../configuration/flow/goals.ts'
import type { Person } from '../configuration/flow/solver.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { renderEventEmail } from '../messages/event-mail/send.ts'
import { payByTestCard } from '../orders/test-payments.ts'
import { sendConfirmation } from '../registration/confirmation.ts'
import { getParticipant } from '../registration/people.ts'
import { keepAsTest } from '../registration/remove-test-people.ts'
import type { AtEvent, Scene } from '../registration/scene.ts'
import { submit, type Submitted } from '../registration/submit.ts'
import { directoryTagsOf, type Visit, visitPages } from './pages.ts'
import { referenceTotal } from './reference-price.ts'
import type { PersonTold, RehearsalFinding } from './report-shape.ts'

export interface Rehearsing {
  runId: string
  scene: Scene
  flow: Flow
  connections: Connections
  goals: readonly Goal[]
}

export interface Tried {
  outcome: 'completed' | 'blocked' | 'waitlisted' | 'failed'
  /** In minor units. */
  total: number
  told: PersonTold
}

type Note = (code: string, level: RehearsalFinding['level'], path: string, message: string, evidence?: string) => void

/** Takes one planned person through the flow and to a registration, and compares all that happens with what was foreseen. */
export async function tryPerson(ctx: AtEvent, rehearsing: Rehearsing, person: Person): Promise<Tried> {
  const { scene, flow, connections, goals } = rehearsing
  const findings: RehearsalFinding[] = []
  const note: Note = (code, level, path, message, evidence = '') =>
    void findings.push({ code, level, path, personIndex: person.index, message, evidence })
  const visit = visitPages(scene, connections, { flow, tags: person.tags, answers: person.answers })
  const { outcome, total, email } = await end(ctx, rehearsing, person, visit, note)
  const isReached = goalChecker(flow)(visit.walk, person.locale)
  return {
    outcome,
    total,
    told: {
      goal: person.goals.map(({ path, outcome: wanted }) => `${path} ${wanted}`).join('; ') || 'anybody',
      tags: [...person.tags],
      answers: person.answers,
      pages: visit.pages.map(({ code }) => code),
      widgets: visit.pages.flatMap(({ widgets }) => widgets),
      findings,
      reached: outcome === 'failed' ? [] : goals.flatMap((goal, index) => (isReached(goal) ? [index] : [])),
      email,
    },
  }
}

interface End {
  outcome: Tried['outcome']
  total: number
  email: PersonTold['email']
}

async function end(ctx: AtEvent, rehearsing: Rehearsing, person: Person, visit: Visit, note: Note): Promise<End> {
  const { flow, scene, connections } = rehearsing
  const shown = visit.pages.map(({ code }) => code)
  if (shown.join(' ') !== person.pages.join(' ')) {
    note(
      'R01',
      'error',
      pagePath(flow, shown.at(-1) ?? ''),
      'other pages were shown than were foreseen',
      `${shown.join(', ')} instead of ${person.pages.join(', ')}`,
    )
  }
  const { fault } = visit
  if (fault) {
    const path = pagePath(flow, fault.page)
    if (person.unfilled.includes(fault.binding)) note('R03', 'error', path, `nobody can answer this: ${fault.message}`, fault.binding)
    else if (person.outcome === 'completed') note('R02', 'error', path, `was refused what is right: ${fault.message}`, fault.binding)
    const isForeseen = person.outcome === 'blocked'
    return { outcome: isForeseen ? 'blocked' : 'failed', total: 0, email: null }
  }
  if (person.outcome === 'blocked')
    note('R02', 'error', pagePath(flow, shown.at(-1) ?? ''), 'got through although somebody was to be held up')
  try {
    const submitted = await submit(ctx, {
      scene,
      flow,
      answers: visit.answers,
      manualTags: person.tags,
      directoryTags: directoryTagsOf({ ...person, flow }, visit, connections),
      source: 'rehearsal',
      participant: null,
    })
    const { total, email } = await judge(ctx, rehearsing, person, visit, submitted, note)
    await keepAsTest(ctx, rehearsing.runId, [submitted.participant.id])
    return { outcome: 'completed', total, email }
  } catch (error) {
    // What cannot be submitted is refused before anything of it is written.
    if (!(error instanceof AppError)) throw error
    note('R02', 'error', pagePath(flow, shown.at(-1) ?? ''), `could not register: ${error.message}`, error.details.fields?.[0]?.path ?? '')
    return { outcome: 'failed', total: 0, email: null }
  }
}

async function judge(
  ctx: AtEvent,
  rehearsing: Rehearsing,
  person: Person,
  visit: Visit,
  submitted: Submitted,
  note: Note,
): Promise<Omit<End, 'outcome'>> {
  const { scene, flow } = rehearsing
  const { orderId, invoice } = submitted
  const path = `/flows/${flow.slug}`
  const total = invoice?.total ?? 0
  const reference = referenceTotal(scene, basketOf(rehearsing, visit))
  const shown = (minor: number) => toMoney(minor, scene.currency).amount
  if (reference !== total) {
    note(
      'R04',
      'error',
      path,
      'the order comes to another amount than its prices and taxes',
      `${shown(total)} instead of ${reference === null ? 'nothing on sale' : shown(reference)}`,
    )
  }
  if (orderId !== null && invoice) await payByTestCard(ctx, orderId, invoice, scene.at)
  const row = await getParticipant(ctx, submitted.participant.id)
  if (row.status !== 'complete' || row.confirmation_number === null || row.badge_id === null) {
    note('R05', 'error', path, 'the registration is not complete with a number and a badge', row.status)
  }
  if (row.tags.toSorted().join(' ') !== visit.walk.tags.join(' ')) {
    note(
      'R06',
      'error',
      path,
      'other tags were given than were foreseen',
      `${row.tags.join(', ')} instead of ${visit.walk.tags.join(', ')}`,
    )
  }
  if (row.email === null) return { total, email: null }
  const mail = { trigger: 'registration.completed' as const, emailCode: flow.confirmationEmail, participant: row, isTestData: true }
  const rendered = await renderEventEmail(ctx, { ...mail, to: { email: row.email, locale: person.locale } })
  await sendConfirmation(ctx, row.id)
  if (rendered === null) return { total, email: null }
  const code = rendered.emailCode ?? 'built-in'
  if (rendered.missing.length > 0) {
    note(
      'R07',
      'warning',
      rendered.emailCode === null ? path : `/emails/${code}`,
      'the email names what this person never answered',
      rendered.missing.join(', '),
    )
  }
  return { total, email: { code, missingTokens: rendered.missing } }
}

/** What was chosen on what was shown, and what guests are paid for as. */
function basketOf({ scene, flow }: Rehearsing, { walk, answers }: Visit) {
  const chosen = new Map(
    walk.pages.flatMap(({ widgets }) => widgets.flatMap(({ products }) => products)).map((product) => [product.code, product]),
  )
  const donations = new Set(scene.config.products.filter(({ category }) => category === 'donation').map(({ code }) => code))
  const own = [...chosen.values()]
    .filter(({ quantity }) => quantity > 0)
    .map(({ code, quantity }) => ({ code, quantity, donated: donations.has(code) ? String(quantity) : null }))
  const types = new Map((flow.guests?.types ?? []).map(({ code, productCode }) => [code, productCode]))
  const guests = Object.entries(answers)
    .filter(([binding]) => /^@guest\.\d+\.type$/.test(binding))
    .flatMap(([, type]) => types.get(String(type)) ?? [])
    .map((code) => ({ code, quantity: 1, donated: null }))
  const of = (name: string) => (typeof answers[`@participant.${name}`] === 'string' ? (answers[`@participant.${name}`] as string) : null)
  return { items: [...own, ...guests], tags: walk.priceTags, buyer: { country: of('country'), region: of('region') } }
}
