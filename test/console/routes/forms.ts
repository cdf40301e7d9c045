import { readFileSync } from 'node:fs'
import { addDays } from '../../../src/kernel/time.ts'
import { createBrowserSession } from '../../../src/domains/sign-in/sessions.ts'
import { computeTotpCode } from '../../../src/domains/sign-in/totp.ts'
import { decodeShownSecret } from '../../support/authenticator.ts'
import { TEST_USER_PASSWORD } from '../../support/browser.ts'
import { type FormFields, readFieldValue, type Visitor } from '../../support/visitor.ts'
import type { World } from '../../support/world.ts'
import { DRAWING, type PopulatedClient, type RouteValues } from './populated-client.ts'

/** The user who sends a form, and the records it is about. */
export interface FormContext {
  world: World
  at: PopulatedClient
  who: Visitor
  userId: string
  receiver: string
  /** The hash of the initial password of all test users. */
  passwordHash: string
}

interface Filled {
  fields?: FormFields
  /** Creates new records for a form that deletes or changes its records. */
  ids?: RouteValues
  files?: Record<string, File>
}

interface Form {
  fill: (desk: FormContext) => Filled | Promise<Filled>
  /**
   * Form fields that take a record's id, and the expected status if that record is foreign or missing. 400 shows the form again with an
   * error at the field.
   */
  names?: Record<string, { id: string; answer: 400 | 404 }>
}

const LOGO = readFileSync('assets/sample-headshot.png')
const SURE = { sure: 'yes' }
const ANOTHER_PASSWORD = 'six other words stand in line'
let made = 0
const newEmail = () => `attendee-${++made}@new.example`

const one = async <T>({ world }: FormContext, query: string, ...values: string[]): Promise<T> =>
  (await world.database.pool.query<{ one: T }>(query, values)).rows[0]!.one

const path = ({ at }: FormContext, route: string) => route.replaceAll(/:(\w+)/g, (_, name: string) => at.ids[name]!)

const EVENT = '/console/events/:client/:event'
const CLIENT = '/console/clients/:code'

const BUILT_IN_EMAILS = ['waitlist.joined', 'waitlist.promoted', 'housing.confirmed', 'housing.offered', 'housing.filled', 'group.invited']

/** Adds unpublished changes to the draft, so that it can be published or discarded. */
async function editDraft({ at }: FormContext): Promise<void> {
  const operations = [{ op: 'set', path: '/products/pass/name', valueJson: JSON.stringify(`Pass ${++made}`) }]
  await at.owner.call('config_set', { eventCode: at.ids['event'], clientCode: at.ids['client'], operations })
}

/** The token of the dry run that the page shows when its form is sent for the first time. */
async function confirmTokenFor(desk: FormContext, route: string, fields: FormFields, from = route): Promise<string> {
  const { html } = await desk.who.post(path(desk, route), fields, { from: path(desk, from) })
  return readFieldValue(html, 'confirmToken') ?? 'x'
}

/** Registers a participant and returns the revision of the registration. */
async function registered(desk: FormContext) {
  const id = await desk.at.person()
  return { ids: { id }, revision: String(await one<number>(desk, 'select revision as one from participants where id = $1', id)) }
}

async function instructions(desk: FormContext, route: string): Promise<Filled> {
  const revision = readFieldValue((await desk.who.get(path(desk, route))).html, 'revision') ?? '0'
  return { fields: { text: `Be brief ${++made}`, revision } }
}

/** Restores the initial password and removes the second factor that earlier forms have set. */
async function resetPassword({ world, userId, passwordHash }: FormContext): Promise<void> {
  await world.database.pool.query(
    `update users set password_hash = $2, totp_secret = null, totp_begun_at = null, totp_confirmed_at = null, totp_last_step = null
     where id = $1`,
    [userId, passwordHash],
  )
}

/** Checks a payment of 1.00 at the page and returns the form that records it. */
async function checkedPayment(desk: FormContext, page: string, more: Record<string, string> = {}): Promise<FormFields> {
  const day = (await desk.world.clock.now()).toISOString().slice(0, 10)
  const payment = { act: 'payment', 'payment-amount': '1.00', 'payment-method': 'cash', 'payment-date': day, ...more }
  const { html } = await desk.who.post(page, { ...payment, do: 'check' })
  const hidden = ['key', 'checked', 'call', 'confirmToken'].map((name) => [name, readFieldValue(html, name) ?? ''])
  return { ...payment, do: 'confirm', ...Object.fromEntries(hidden) }
}

/** Checks a change at its page and returns the form that confirms it. */
async function checkedAct(desk: FormContext, route: string, ids: object, act: Record<string, string>): Promise<FormFields> {
  const page = path({ ...desk, at: { ...desk.at, ids: { ...desk.at.ids, ...ids } } }, route)
  const { html } = await desk.who.post(page, act)
  const hidden = ['key', 'checked', 'call', 'confirmToken'].map((name) => [name, readFieldValue(html, name) ?? ''])
  return { ...act, do: 'confirm', ...Object.fromEntries(hidden) }
}

const codesAt = ({ at }: FormContext) => ({ eventCode: at.ids['event'], clientCode: at.ids['client'] })

/** Creates a contract whose text is final. */
async function readyContract(desk: FormContext): Promise<string> {
  const contractId = await desk.at.negotiations.contract('submitted')
  await desk.at.owner.call('mark_contract_ready_for_signature', { ...codesAt(desk), contractId })
  return contractId
}

const SIGNER_FIELDS = {
  'client-name': 'Olga',
  'client-email': 'olga@client.example',
  'client-order': '1',
  'supplier-name': 'Clara',
  'supplier-email': 'clara@hotel.example',
  'supplier-order': '2',
  days: '14',
}

const numberOf = (desk: FormContext, table: 'orders' | 'invoices', id: string) =>
  one<string>(
    desk,
    table === 'orders'
      ? 'select number as one from orders where participant_id = $1'
      : 'select i.number as one from invoices i join orders o on o.id = i.order_id where o.participant_id = $1',
    id,
  )

const decide = ({ at }: FormContext, number: string) =>
  at.owner.call('manage_submission', {
    eventCode: at.ids['event'],
    clientCode: at.ids['client'],
    action: 'decide',
    decisions: [{ number, decision: 'accepted' }],
    force: true,
  })

/** Returns an hour at which the hall is free. */
async function freeSlot(desk: FormContext) {
  const day = await one<string>(desk, 'select starts_on::text as one from events where id = $1', desk.at.ids['eventId']!)
  const taken = await one<number>(desk, 'select count(*)::int as one from sessions')
  return { room: 'hall', day, time: `${String(6 + taken).padStart(2, '0')}:00` }
}

const FACTOR = '/console/account/second-factor'

async function startSecondFactor(desk: FormContext): Promise<string> {
  await resetPassword(desk)
  await desk.who.post(`${FACTOR}/begin`, { current: TEST_USER_PASSWORD }, { from: FACTOR })
  const secret = decodeShownSecret((await desk.who.get(FACTOR)).html)
  const now = await desk.world.clock.now()
  return computeTotpCode(secret, Math.floor(now.getTime() / 30_000))
}

async function recoveryCode(desk: FormContext): Promise<string> {
  const code = await startSecondFactor(desk)
  await desk.who.post(`${FACTOR}/confirm`, { code }, { from: FACTOR })
  return /[a-z2-7]{8}-[a-z2-7]{8}/.exec((await desk.who.get(FACTOR)).html)![0]
}

/** A valid submission for each route. Its effect must be visible in the database. */
export const FORMS: Record<string, Form> = {
  'POST /console/checklist/hide': { fill: () => ({}) },
  'POST /console/events/new': {
    fill: ({ at }) => ({ fields: { client: at.ids['client']!, name: `Event ${++made}`, startsOn: '2027-06-01', template: 'blank' } }),
    names: { client: { id: 'client', answer: 404 } },
  },
  [`POST ${EVENT}/milestones/:milestone`]: {
    fill: async ({ at }) => ({ ids: { milestone: await at.milestone() }, fields: { decision: 'done' } }),
  },
  [`POST ${EVENT}/housing/:hotel/contacts`]: { fill: () => ({ fields: { name: 'Eva Lindner', email: newEmail() } }) },
  [`POST ${EVENT}/housing/:hotel/list`]: { fill: async ({ at }) => ({ ids: { hotel: (await at.hotel()).hotel } }) },
  [`POST ${EVENT}/housing/:hotel/link`]: { fill: () => ({}) },
  [`POST ${EVENT}/housing/:hotel/revoke`]: { fill: async ({ at }) => ({ ids: { hotel: (await at.hotel()).hotel } }) },
  [`POST ${EVENT}/housing/:hotel/attestation`]: {
    async fill({ at }) {
      const { hotel, record } = await at.hotel()
      return { ids: { hotel }, fields: { record, decision: 'accepted' } }
    },
    names: { record: { id: 'record', answer: 404 } },
  },
  [`POST ${EVENT}/housing/:hotel/override`]: {
    async fill({ at, world }) {
      const until = addDays((await world.clock.now()).toISOString().slice(0, 10), 7)
      return { ids: { hotel: (await at.hotel()).hotel }, fields: { action: 'grant', grantReason: 'The hotel renews it this week.', until } }
    },
  },
  [`POST ${EVENT}/briefs/:brief/lock`]: {
    fill: async ({ at }) => ({ ids: { brief: await at.brief('open') }, fields: { reason: 'Agreed' } }),
  },
  [`POST ${EVENT}/briefs/:brief/unlock`]: {
    fill: async ({ at }) => ({ ids: { brief: await at.brief() }, fields: { reason: 'More guests' } }),
  },
  [`POST ${EVENT}/briefs/:brief/archive`]: {
    fill: async ({ at }) => ({ ids: { brief: await at.brief('open') } }),
  },
  [`POST ${EVENT}/briefs/:brief/restore`]: {
    async fill({ at, world }) {
      const brief = await at.brief('open')
      await world.database.pool.query(`update briefs set status = 'archived' where id = $1`, [brief])
      return { ids: { brief } }
    },
  },
  [`POST ${EVENT}/reports/export`]: {
    async fill(desk) {
      // Only one export can run at a time, so earlier ones are ended.
      await desk.world.database.pool.query(
        `update report_runs set status = 'cancelled' where kind = 'export' and status in ('queued', 'running')`,
      )
      return { fields: await checkedAct(desk, `${EVENT}/reports/export`, {}, { personalData: 'none', do: 'check' }) }
    },
  },
  [`POST ${EVENT}/reports/:report/run`]: {
    fill: () => ({ ids: { report: 'revenue-by-product' }, fields: { format: 'csv' } }),
  },
  [`POST ${EVENT}/reports/runs/:run/cancel`]: { fill: async ({ at }) => ({ ids: { run: await at.reportRun('queued') } }) },
  [`POST ${EVENT}/reports/:report/delivery`]: {
    fill: async ({ at }) => ({ ids: { report: await at.report() }, fields: { act: 'pause' } }),
  },
  [`POST ${EVENT}/rfps/:rfp/times`]: {
    async fill({ at, world }) {
      const now = await world.clock.now()
      const dayIn = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 10)
      const times = { questionsDay: dayIn(5), questionsTime: '17:00', responseDay: dayIn(9), responseTime: '17:00', decisionOn: dayIn(30) }
      return { ids: { rfp: await at.negotiations.draftRfp() }, fields: { title: `Meeting ${++made}`, ...times } }
    },
  },
  [`POST ${EVENT}/rfps/:rfp/cancel`]: {
    fill: async ({ at }) => ({ ids: { rfp: (await at.negotiations.rfp()).rfp }, fields: { reason: 'The event moved' } }),
  },
  [`POST ${EVENT}/rfps/:rfp/answer`]: {
    async fill({ at }) {
      const { rfp, question } = await at.negotiations.rfp()
      return { ids: { rfp }, fields: { question, [`body-${question}`]: 'Yes', shareWith: 'all' } }
    },
  },
  [`POST ${EVENT}/rfps/:rfp/links`]: {
    async fill({ at }) {
      const { rfp, recipient } = await at.negotiations.rfp()
      await at.negotiations.requestLink(recipient)
      return { ids: { rfp }, fields: { recipient } }
    },
    names: { recipient: { id: 'recipient', answer: 404 } },
  },
  [`POST ${EVENT}/rfps/:rfp/responses/:recipient`]: {
    async fill({ at }) {
      const { rfp, recipient } = await at.negotiations.rfp()
      const room = { 'count-standard-2027-06-10': '100', 'single-standard-2027-06-10': '200.00' }
      return { ids: { rfp, recipient }, fields: { ...room, valid: '2027-01-31' } }
    },
  },
  [`POST ${EVENT}/rfps/:rfp/compare/scores`]: {
    async fill({ at }) {
      const { rfp, response } = await at.negotiations.rfp()
      return { ids: { rfp }, fields: { [`score-${response}-location`]: '4.5' } }
    },
  },
  [`POST ${EVENT}/rfps/:rfp/compare/award`]: {
    async fill({ at }) {
      const { rfp, award } = await at.negotiations.proposal()
      return { ids: { rfp }, fields: { award, reason: 'Another hotel is nearer' } }
    },
    names: { award: { id: 'award', answer: 404 } },
  },
  [`POST ${EVENT}/rfps/:rfp/compare/withdraw`]: {
    async fill({ at }) {
      const { rfp, award } = await at.negotiations.proposal()
      return { ids: { rfp }, fields: { award } }
    },
    names: { award: { id: 'award', answer: 404 } },
  },
  [`POST ${EVENT}/rfps/:rfp/compare/propose`]: {
    async fill(desk) {
      const { rfp, response } = await desk.at.negotiations.rfp()
      const proposal = { response, rationale: 'The best offer for our guests' }
      return { ids: { rfp }, fields: await checkedAct(desk, `${EVENT}/rfps/:rfp/compare/propose`, { rfp }, proposal) }
    },
  },
  [`POST ${EVENT}/contracts/:contract/sign`]: {
    async fill(desk) {
      const contract = await readyContract(desk)
      return { ids: { contract }, fields: await checkedAct(desk, `${EVENT}/contracts/:contract/sign`, { contract }, SIGNER_FIELDS) }
    },
  },
  [`POST ${EVENT}/contracts/:contract/void`]: {
    async fill(desk) {
      const contract = await readyContract(desk)
      const signers = [
        { name: 'Olga', email: 'olga@client.example', side: 'client', order: 1 },
        { name: 'Clara', email: 'clara@hotel.example', side: 'supplier', order: 2 },
      ]
      await desk.at.owner.call('send_contract_for_signature', { ...codesAt(desk), contractId: contract, signers })
      return {
        ids: { contract },
        fields: await checkedAct(desk, `${EVENT}/contracts/:contract/void`, { contract }, { reason: 'Wrong signer' }),
      }
    },
  },
  [`POST ${EVENT}/contracts/:contract/clause`]: {
    fill: async ({ at }) => ({ ids: { contract: await at.negotiations.contract() }, fields: { key: 'attrition', decision: 'reject' } }),
  },
  [`POST ${EVENT}/contracts/:contract/submit`]: {
    fill: async ({ at }) => ({ ids: { contract: await at.negotiations.contract('draft') } }),
  },
  [`POST ${EVENT}/contracts/:contract/send`]: {
    fill: async ({ at }) => ({ ids: { contract: await at.negotiations.contract('countered') } }),
  },
  [`POST ${EVENT}/contracts/:contract/ready`]: {
    fill: async ({ at }) => ({ ids: { contract: await at.negotiations.contract('submitted') } }),
  },
  [`POST ${EVENT}/contracts/:contract/redlines`]: {
    async fill({ at }) {
      const contract = await at.negotiations.contract('submitted')
      return { ids: { contract }, files: { document: await at.negotiations.wordFile(contract) } }
    },
  },
  [`POST ${EVENT}/audience`]: {
    async fill({ world }) {
      // One calculation can be active at an event, and the form of another user started one.
      await world.database.pool.query(`update audience_builds set status = 'failed' where status in ('queued', 'running')`)
      return {}
    },
  },
  [`POST ${EVENT}/onsite`]: { fill: () => ({ fields: { name: `Phone ${++made}` } }) },
  [`POST ${EVENT}/onsite/:device/revoke`]: { fill: async ({ at }) => ({ ids: { device: await at.device() } }) },
  [`POST ${EVENT}/floor-plans/new`]: {
    fill: () => ({ fields: { how: 'hall', hall: `New hall ${++made}`, hallUnits: 'm', width: '20', height: '10' } }),
  },
  [`POST ${EVENT}/floor-plans/:plan/publish`]: {
    async fill({ at }) {
      const ids = await at.plan()
      const pois = [
        { kind: 'entrance', point: [15, 0] },
        { kind: 'exit', point: [15, 10] },
      ]
      const here = { eventCode: at.ids['event'], clientCode: at.ids['client'] }
      await at.owner.call('manage_floor_plans', { ...here, action: 'update', floorPlanCode: ids.plan, pois })
      return { ids }
    },
  },
  [`POST ${EVENT}/floor-plans/:plan/copy`]: {
    fill: async ({ at }) => ({ ids: await at.plan(), fields: { copyName: `Copy ${++made}` } }),
  },
  [`POST ${EVENT}/floor-plans/:plan/archive`]: { fill: async ({ at }) => ({ ids: await at.plan(), fields: SURE }) },
  [`POST ${EVENT}/floor-plans/:plan/booths/:booth`]: {
    fill: async ({ at }) => ({ ids: await at.plan(), fields: { ...SURE, act: 'block', reason: 'Reserved', key: `block-booth-${++made}` } }),
  },
  [`POST ${EVENT}/floor-plans/:plan/layout`]: {
    async fill({ at }) {
      const ids = await at.plan()
      const asked = { eventCode: at.ids['event'], clientCode: at.ids['client'], floorPlanCode: ids.plan, prefix: `L${++made}-` }
      const { layoutId } = await at.owner.call('generate_max_fit', { ...asked, module: { width: 3, depth: 3 } })
      return { ids, fields: { layout: layoutId, replace: 'none' } }
    },
  },
  [`POST ${EVENT}/floor-plans/:plan/scan`]: {
    async fill(desk) {
      const ids = await desk.at.plan({ svg: DRAWING })
      await desk.world.database.pool.query(`update floor_plan_scans set status = 'failed' where status = 'queued'`)
      return { ids }
    },
  },
  [`POST ${EVENT}/floor-plans/:plan/findings`]: {
    async fill(desk) {
      const ids = await desk.at.plan({ svg: DRAWING, width: 20, height: 10 })
      const entrance = { id: 'f1', kind: 'entrance', label: 'In', point: [5, 0], confidence: 0.9, evidence: ['door'], applied: false }
      const scan = await one<string>(
        desk,
        `update floor_plan_scans set status = 'done', findings = $1::jsonb, scale = $2::jsonb where status = 'queued' returning id as one`,
        JSON.stringify([entrance]),
        JSON.stringify({ method: 'none', unitsPerSourceUnit: null, sourceToPlan: [10_000, 0, 0, 10_000, 0, 0] }),
      )
      return { ids, fields: { scan, finding: 'f1' } }
    },
  },
  [`POST ${EVENT}/companies/:company`]: {
    async fill(desk) {
      const ids = await desk.at.exhibitor()
      return { ids, fields: await checkedAct(desk, `${EVENT}/companies/:company`, ids, { act: 'points', points: '5', reason: 'Early' }) }
    },
  },
  [`POST ${EVENT}/applications/:application`]: {
    async fill(desk) {
      const ids = await desk.at.exhibitor()
      return { ids, fields: await checkedAct(desk, `${EVENT}/applications/:application`, ids, { act: 'decide', decision: 'approve' }) }
    },
  },
  [`POST ${EVENT}/surveys/:survey/links`]: {
    async fill({ at }) {
      await at.person()
      return { fields: { who: 'new' } }
    },
  },
  [`POST ${EVENT}/program/new`]: {
    fill: () => ({ fields: { title: `Session ${++made}`, trackCode: 'build', formatCode: 'talk' } }),
  },
  [`POST ${EVENT}/program/inform`]: {
    async fill(desk) {
      await decide(desk, await desk.at.proposal())
      const { html } = await desk.who.post(path(desk, `${EVENT}/program/inform`), {}, { from: path(desk, `${EVENT}/program`) })
      const hidden = ['key', 'checked', 'call', 'confirmToken'].map((name) => [name, readFieldValue(html, name) ?? ''])
      return { fields: { do: 'confirm', ...Object.fromEntries(hidden) } }
    },
  },
  [`POST ${EVENT}/program/:proposal/decide`]: {
    fill: async ({ at }) => ({ ids: { proposal: await at.proposal() }, fields: { decision: 'backup', force: 'on' } }),
  },
  [`POST ${EVENT}/program/:proposal/schedule`]: {
    fill: async (desk) => ({ ids: { proposal: await desk.at.proposal('accepted') }, fields: await freeSlot(desk) }),
  },
  [`POST ${EVENT}/program/:proposal/unschedule`]: {
    async fill(desk) {
      const proposal = await desk.at.proposal('accepted')
      const { room, day, time } = await freeSlot(desk)
      await desk.at.owner.call('manage_submission', {
        eventCode: desk.at.ids['event'],
        clientCode: desk.at.ids['client'],
        action: 'schedule',
        number: proposal,
        roomCode: room,
        startsAt: `${day}T${time}:00Z`,
      })
      return { ids: { proposal } }
    },
  },
  [`POST ${EVENT}/draft/publish`]: {
    async fill(desk) {
      await editDraft(desk)
      const revision = await one<number>(
        desk,
        'select draft_revision as one from config_drafts where event_id = $1',
        desk.at.ids['eventId']!,
      )
      return { fields: { revision: String(revision), note: '' } }
    },
  },
  [`POST ${EVENT}/versions/:number/restore`]: {
    async fill(desk) {
      await editDraft(desk)
      const { html } = await desk.who.get(path(desk, `${EVENT}/versions/:number/restore`))
      return { fields: { revision: readFieldValue(html, 'revision') ?? '1', confirmToken: readFieldValue(html, 'confirmToken') ?? 'x' } }
    },
  },
  [`POST ${EVENT}/participants/export`]: { fill: () => ({ fields: { search: 'person' } }) },
  [`POST ${EVENT}/participants/:id/resend`]: { fill: async (desk) => ({ ids: (await registered(desk)).ids, fields: { sure: 'yes' } }) },
  [`POST ${EVENT}/participants/:id/edit`]: {
    async fill(desk) {
      const { ids, revision } = await registered(desk)
      return { ids, fields: { revision, '@participant.company': 'Another company' } }
    },
  },
  [`POST ${EVENT}/participants/:id/cancel`]: {
    async fill(desk) {
      const { ids, revision } = await registered(desk)
      return { ids, fields: { revision, credit: 'policy', reason: 'Ill' } }
    },
  },
  [`POST ${EVENT}/participants/:id/substitute`]: {
    async fill(desk) {
      const { ids } = await registered(desk)
      return { ids, fields: { firstName: 'Sam', lastName: 'Substitute', email: newEmail(), ...SURE } }
    },
  },
  [`POST ${EVENT}/waitlist`]: {
    async fill(desk) {
      const fields = { action: 'remove', target: 'product:workshop', entryId: await desk.at.waiting() }
      return { fields: { ...fields, confirmToken: await confirmTokenFor(desk, `${EVENT}/waitlist`, fields) } }
    },
    names: { entryId: { id: 'entry', answer: 404 } },
  },
  [`POST ${EVENT}/emails/:email/edit`]: {
    async fill(desk) {
      const query = 'select draft_revision as one from config_drafts where event_id = $1'
      const revision = await one<number>(desk, query, desk.at.ids['eventId']!)
      // Each submission replaces another built-in email by the event's own.
      const email = BUILT_IN_EMAILS[made++ % BUILT_IN_EMAILS.length]!
      return {
        ids: { email },
        fields: { revision: String(revision), subject: `Hello ${made}`, 'block-text': 'Hello', enabled: 'on', ...SURE },
      }
    },
  },
  [`POST ${EVENT}/groups/new`]: {
    fill: () => ({
      fields: { name: `Group ${++made}`, kind: 'school', payBy: 'members', maxMembers: '', flowSlug: 'attendee', admins: '' },
    }),
  },
  [`POST ${EVENT}/groups/:group/members`]: {
    async fill({ at }) {
      const { group, member } = await at.group()
      return { ids: { group }, fields: { action: 'remove', participantId: member, ...SURE } }
    },
    names: { participantId: { id: 'member', answer: 404 } },
  },
  [`POST ${EVENT}/groups/:group/invites`]: {
    async fill(desk) {
      const { group } = await desk.at.group()
      const fields = { emails: newEmail() }
      const route = `${EVENT}/groups/${group}/invites`
      return { ids: { group }, fields: { ...fields, confirmToken: await confirmTokenFor(desk, route, fields, `${EVENT}/groups`) } }
    },
  },
  [`POST ${EVENT}/groups/:group/edit`]: {
    async fill({ at }) {
      const { group } = await at.group()
      const fields = { name: `Group ${++made}`, kind: 'company', payBy: 'group', status: 'open', maxMembers: '20', revision: '2' }
      return { ids: { group }, fields: { ...fields, admins: 'ada@example.org Ada' } }
    },
  },
  [`POST ${EVENT}/groups/:group/delete`]: {
    async fill(desk) {
      const { group, member } = await desk.at.group()
      const here = { clientCode: desk.at.ids['client'], eventCode: desk.at.ids['event'], groupCode: group }
      await desk.at.owner.call('update_managed_group_members', { ...here, remove: [{ participantId: member, cancel: true }] })
      const { html } = await desk.who.get(path(desk, `${EVENT}/groups/${group}/delete`))
      return { ids: { group }, fields: { confirmToken: readFieldValue(html, 'confirmToken') ?? 'x' } }
    },
  },
  [`POST ${EVENT}/participants/:id/money`]: {
    async fill(desk) {
      const { ids } = await registered(desk)
      return { ids, fields: await checkedPayment(desk, path(desk, `${EVENT}/participants/`) + `${ids.id}/money`) }
    },
  },
  [`POST ${EVENT}/money/export`]: { fill: () => ({ fields: { contents: 'invoices' } }) },
  [`POST ${EVENT}/money/record`]: {
    async fill(desk) {
      const invoices = await numberOf(desk, 'invoices', (await registered(desk)).ids.id)
      return { fields: await checkedPayment(desk, path(desk, `${EVENT}/money/record`), { 'payment-invoices': invoices }) }
    },
  },
  [`POST ${EVENT}/money/orders/:order`]: {
    async fill(desk) {
      const order = await numberOf(desk, 'orders', (await registered(desk)).ids.id)
      return { ids: { order }, fields: await checkedPayment(desk, path(desk, `${EVENT}/money/orders/`) + order) }
    },
  },
  [`POST ${CLIENT}/settings`]: {
    fill: () => ({
      fields: {
        name: `Client ${++made}`,
        defaultCurrency: 'EUR',
        defaultTimezone: 'UTC',
        paymentTermsDays: '30',
        'confirmThresholds/recipients': '50',
        'confirmThresholds/deletes': '20',
        embedHosts: '',
        exportAllowed: 'on',
      },
    }),
  },
  [`POST ${CLIENT}/settings/logo`]: { fill: () => ({ files: { logo: new File([LOGO], 'logo.png', { type: 'image/png' }) } }) },
  [`POST ${CLIENT}/settings/assistants`]: { fill: () => ({ fields: { allow: 'no', ...SURE } }) },
  [`POST ${CLIENT}/settings/active`]: { fill: () => ({ fields: { active: 'no', ...SURE } }) },
  [`POST ${CLIENT}/settings/sourcing`]: {
    fill: () => ({
      fields: { approvalAmount: '50000.00', approvalCurrency: 'EUR', decliningText: `Thank you ${++made}`, pciOverrideMaxDays: '60' },
    }),
  },
  [`POST ${CLIENT}/suppliers/new`]: { fill: () => ({ fields: { name: `Palace ${++made}`, kind: 'hotel', 'address/city': 'Porto' } }) },
  [`POST ${CLIENT}/suppliers/:supplier`]: {
    fill: async ({ at }) => ({ ids: { supplier: await at.supplier() }, fields: { name: `House ${++made}`, kind: 'venue' } }),
  },
  [`POST ${CLIENT}/suppliers/:supplier/status`]: {
    fill: async ({ at }) => ({ ids: { supplier: await at.supplier() }, fields: { status: 'blocked' } }),
  },
  [`POST ${CLIENT}/users`]: {
    fill: ({ at }) => ({ fields: { email: newEmail(), name: 'Nina New', role: 'onsite', where: at.ids['eventId']! } }),
    names: { where: { id: 'eventId', answer: 400 } },
  },
  [`POST ${CLIENT}/users/staff/remove`]: {
    fill: async ({ at }) => ({ fields: { userId: (await at.staff()).userId, eventId: at.ids['eventId']!, ...SURE } }),
    names: { userId: { id: 'staff', answer: 404 }, eventId: { id: 'eventId', answer: 404 } },
  },
  [`POST ${CLIENT}/users/:user/role`]: {
    fill: async ({ at }) => ({ ids: { user: (await at.member()).userId }, fields: { role: 'analyst' } }),
  },
  [`POST ${CLIENT}/users/:user/remove`]: {
    async fill({ at }) {
      const { userId, email } = await at.member()
      return { ids: { user: userId }, fields: { email } }
    },
  },
  [`POST ${CLIENT}/users/:user/invite`]: { fill: async ({ at }) => ({ ids: { user: (await at.member()).userId } }) },
  [`POST ${CLIENT}/users/:user/disconnect`]: {
    fill: async ({ at }) => ({ ids: { user: (await at.member()).userId }, fields: { app: at.ids['app']!, ...SURE } }),
    names: { app: { id: 'app', answer: 404 } },
  },
  [`POST ${CLIENT}/accounts`]: {
    fill: ({ at }) => ({
      fields: { name: 'CRM', purpose: 'rest', coverage: 'events', events: at.ids['event']!, rateLimitPerMinute: '60', contactEmail: '' },
    }),
    names: { events: { id: 'event', answer: 400 } },
  },
  [`POST ${CLIENT}/accounts/:account`]: {
    fill: async ({ at }) => ({
      ids: { account: await at.account() },
      fields: { name: `CRM ${++made}`, rateLimitPerMinute: '60', contactEmail: '' },
    }),
  },
  [`POST ${CLIENT}/accounts/:account/tokens`]: {
    fill: async ({ at }) => ({ ids: { account: await at.account() }, fields: { lifetime: '30' } }),
  },
  [`POST ${CLIENT}/accounts/:account/tokens/revoke`]: {
    async fill({ at }) {
      const account = await at.account()
      return { ids: { account }, fields: { token: await at.token(account), ...SURE } }
    },
    names: { token: { id: 'token', answer: 404 } },
  },
  [`POST ${CLIENT}/accounts/:account/active`]: {
    fill: async ({ at }) => ({ ids: { account: await at.account() }, fields: { active: 'no', ...SURE } }),
  },
  [`POST ${CLIENT}/accounts/:account/lift`]: {
    async fill({ at, world }) {
      const account = await at.account()
      await world.database.pool.query('update api_accounts set otp_suspended_at = lanyard_now() where id = $1', [account])
      return { ids: { account } }
    },
  },
  [`POST ${CLIENT}/webhooks`]: {
    fill: async ({ at, receiver }) => ({
      fields: { account: await at.account(), url: receiver, all: 'yes', eventCode: at.ids['event']!, description: '' },
    }),
    names: { account: { id: 'account', answer: 404 }, eventCode: { id: 'event', answer: 404 } },
  },
  [`POST ${CLIENT}/webhooks/:webhook/test`]: { fill: async ({ at }) => ({ ids: { webhook: await at.webhook() } }) },
  [`POST ${CLIENT}/webhooks/:webhook/status`]: {
    fill: async ({ at }) => ({ ids: { webhook: await at.webhook() }, fields: { status: 'paused' } }),
  },
  [`POST ${CLIENT}/webhooks/:webhook/secret`]: { fill: async ({ at }) => ({ ids: { webhook: await at.webhook() }, fields: SURE }) },
  [`POST ${CLIENT}/webhooks/:webhook/replay`]: {
    async fill(desk) {
      const webhook = await desk.at.webhook()
      // From here on, the webhook receives a message for every change at the event.
      await desk.at.person()
      const message = await one<string>(desk, 'select message_id as one from webhook_deliveries where endpoint_id = $1 limit 1', webhook)
      return { ids: { webhook }, fields: { message } }
    },
    names: { message: { id: 'message', answer: 404 } },
  },
  [`POST ${CLIENT}/webhooks/:webhook/delete`]: { fill: async ({ at }) => ({ ids: { webhook: await at.webhook() }, fields: SURE }) },
  [`POST ${CLIENT}/memory`]: {
    fill: ({ at }) => ({ fields: { title: 'A note', text: 'To know', place: at.ids['event']!, tags: '', expiresOn: '' } }),
    names: { place: { id: 'event', answer: 404 } },
  },
  [`POST ${CLIENT}/memory/:memory`]: {
    fill: async ({ at }) => ({
      ids: { memory: await at.memory() },
      fields: { title: 'Another note', text: 'To know', place: at.ids['event']!, tags: '', expiresOn: '', revision: '1' },
    }),
    names: { place: { id: 'event', answer: 404 } },
  },
  [`POST ${CLIENT}/memory/:memory/delete`]: { fill: async ({ at }) => ({ ids: { memory: await at.memory() }, fields: SURE }) },
  [`POST ${CLIENT}/memory/instructions/client`]: { fill: (desk) => instructions(desk, `${CLIENT}/memory/instructions/client`) },
  [`POST ${CLIENT}/memory/instructions/events/:event`]: {
    fill: (desk) => instructions(desk, `${CLIENT}/memory/instructions/events/:event`),
  },
  'POST /console/account/name': { fill: () => ({ fields: { name: `Olga ${++made}` } }) },
  'POST /console/account/password': {
    async fill(desk) {
      await resetPassword(desk)
      return { fields: { current: TEST_USER_PASSWORD, password: ANOTHER_PASSWORD } }
    },
  },
  'POST /console/account/sessions/end': {
    async fill({ world, userId }) {
      await createBrowserSession(world.database.write, { userId, totpPending: false, userAgent: 'another browser' })
      return {}
    },
  },
  'POST /console/account/second-factor/begin': {
    async fill(desk) {
      await resetPassword(desk)
      return { fields: { current: TEST_USER_PASSWORD } }
    },
  },
  'POST /console/account/second-factor/confirm': { fill: async (desk) => ({ fields: { code: await startSecondFactor(desk) } }) },
  'POST /console/account/second-factor/change': { fill: async (desk) => ({ fields: { code: await recoveryCode(desk), what: 'codes' } }) },
  'POST /console/account/apps/disconnect': {
    async fill(desk) {
      const revived = 'update oauth_grants set revoked_at = null, revoked_because = null where user_id = $1 returning client_id as one'
      return { fields: { app: await one<string>(desk, revived, desk.userId), ...SURE } }
    },
    names: { app: { id: 'app', answer: 404 } },
  },
  'POST /console/audit/export': { fill: () => ({ fields: { tool: 'create_event' } }) },
  'POST /console/feedback': {
    async fill({ world }) {
      // Resets the rate limit, which allows fewer submissions per hour from one address than this test makes.
      await world.database.pool.query('delete from rate_windows')
      return { fields: { kind: 'idea', text: 'A darker shade of blue', page: '/console', email: '' } }
    },
  },
}
